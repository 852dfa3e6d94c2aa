/** The outcome of a call, told by its key, as a message: hours later, from any process. It is untrusted, like every message. */
import { encode } from '../../journal/codec.ts';
import type { SettledEntry } from '../../model/message-entries.ts';
import { PERSON, REASON, readerOf, text } from './reading.ts';

/** The outcome as it travels. */
export interface SentOutcome {
  /** The key of the call, or `event N` as decisions name it. */
  readonly settle: string;
  /**
   * `compensated`: it was undone by hand; `stands`: its undo is owed by an abort, and it stands (AB4). Of an obligation, by its name `KEY#1`: `kept`,
   * `released` or `broken` (OB4). `supplied`: a person has made its act by hand, and `output` is its answer (PE5).
   */
  readonly status: SettledEntry['status'];
  /** The answer of the call, where it is confirmed. */
  readonly output?: unknown;
  readonly by: string;
  readonly why: string | null;
}

const read = readerOf<SentOutcome>({
  type: 'object',
  additionalProperties: false,
  required: ['settle', 'status', 'by', 'why'],
  properties: {
    settle: text(500),
    status: { enum: ['confirmed', 'failed', 'compensated', 'stands', 'supplied', 'kept', 'released', 'broken'] },
    output: {},
    by: PERSON,
    why: REASON,
  },
});

/** The message. @throws TypeError where no person has said it, or the answer has no form that a journal could hold. */
export function outcomeMessage(outcome: SentOutcome): string {
  const encoded = encode(outcome);
  if (!('text' in encoded))
    throw new TypeError(`the answer cannot be written down: ${encoded.reason} at ${encoded.path.join('.')}`);
  if (outcomeIn(encoded.text) !== null) return encoded.text;
  throw new TypeError(
    'an outcome has the key of a call, what became of it, and a person with a name of 1 to 200 characters who says so; only a confirmed call has an output',
  );
}

/** Reads a message; null where it tells no outcome. */
export function outcomeIn(message: string): SentOutcome | null {
  const sent = read(message);
  return sent === null || (sent.status !== 'confirmed' && sent.status !== 'supplied' && 'output' in sent) ? null : sent;
}
