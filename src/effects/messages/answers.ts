/**
 * Answers to gates as messages that one process leaves for the process that has the run (semantics.md R4). A message is
 * untrusted: it is checked against the gate in the run's own journal, and names the request that it is bound to.
 */
import { encode } from '../../journal/codec.ts';
import { PERSON, REASON, readerOf, text } from './reading.ts';

/** An answer as it travels. */
export type Answer =
  | (Addressed & { readonly verdict: 'denied' })
  /** `with`: what it changes in the arguments of the call, in their form (PE1). */
  | (Addressed & { readonly verdict: 'approved'; readonly with?: unknown })
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

const read = readerOf<Answer>({
  type: 'object',
  additionalProperties: false,
  required: ['gate', 'digest', 'epoch', 'by', 'why', 'verdict'],
  properties: {
    gate: text(64),
    digest: text(64),
    epoch: { type: 'integer', minimum: 0 },
    by: PERSON,
    why: REASON,
    verdict: { enum: ['approved', 'denied', 'settled'] },
    status: { enum: ['confirmed', 'failed'] },
    output: {},
    with: {},
  },
});

/** An answer as a message. @throws TypeError where its output has no form that a journal could hold. */
export function messageOf(answer: Answer): string {
  const encoded = encode(answer);
  if ('text' in encoded) return encoded.text;
  throw new TypeError(`the answer cannot be written down: ${encoded.reason} at ${encoded.path.join('.')}`);
}

/** Reads a message; null where it is no answer. */
export function answerIn(message: string): Answer | null {
  const answer = read(message);
  if (answer === null || ('with' in answer && (answer.verdict as string) !== 'approved')) return null;
  return (answer.verdict === 'settled') === 'status' in answer ? answer : null;
}
