/**
 * Answers to gates as messages: what one process leaves for another that has the run (semantics.md R4). A message is untrusted: it is
 * held against the gate as the run's own journal has it, and says of itself what it is bound to.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { encode, revive } from '../../journal/codec.ts';

/** An answer as it travels. */
export type Answer =
  | (Addressed & { readonly verdict: 'approved' | 'denied' })
  /** The result of a call. */
  | (Addressed & { readonly verdict: 'settled'; readonly status: 'confirmed' | 'failed'; readonly output?: unknown });

interface Addressed {
  readonly gate: string;
  /** The call that it is bound to: the digest of the call's arguments, and the epoch of its instance. */
  readonly digest: string;
  readonly epoch: number;
  readonly by: string;
  readonly why: string | null;
}

const text = (most: number) => ({ type: 'string', minLength: 1, maxLength: most });
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['gate', 'digest', 'epoch', 'by', 'why', 'verdict'],
  properties: {
    gate: text(64),
    digest: text(64),
    epoch: { type: 'integer', minimum: 0 },
    by: { ...text(200), pattern: '\\S' },
    why: { type: ['string', 'null'], maxLength: 2_000 },
    verdict: { enum: ['approved', 'denied', 'settled'] },
    status: { enum: ['confirmed', 'failed'] },
    output: {},
  },
};
let compiled: ValidateFunction | null = null;

/** Compiled when the first message comes: most processes never read one, and all of them would wait for it. */
function isAnswer(value: unknown): boolean {
  compiled ??= new Ajv().compile(SCHEMA);
  return compiled(value);
}

/** An answer as a message. @throws TypeError where its output has no form that a journal could hold. */
export function messageOf(answer: Answer): string {
  const encoded = encode(answer);
  if ('text' in encoded) return encoded.text;
  throw new TypeError(`the answer cannot be written down: ${encoded.reason} at ${encoded.path.join('.')}`);
}

/** Reads a message; null where it is no answer. */
export function answerIn(message: string): Answer | null {
  try {
    const answer: unknown = revive(JSON.parse(message), { resolve: () => undefined });
    if (!isAnswer(answer)) return null;
    const { verdict } = answer as unknown as Answer;
    return (verdict === 'settled') === 'status' in (answer as object) ? (answer as unknown as Answer) : null;
  } catch {
    return null;
  }
}
