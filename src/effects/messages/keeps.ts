/** The choice of one attempt of a group, as a message: it is untrusted, like every message. */
import { PERSON, REASON, readerOf, text } from './reading.ts';

/** The choice as it travels. */
export interface SentKeep {
  /** The run that is kept. */
  readonly keep: string;
  /** The name of its group. */
  readonly of: string;
  /** The person who chooses; null where the score does. */
  readonly by: string | null;
  readonly why: string | null;
}

const read = readerOf<SentKeep>({
  type: 'object',
  additionalProperties: false,
  required: ['keep', 'of', 'by', 'why'],
  properties: { keep: text(400), of: text(400), by: { ...PERSON, type: ['string', 'null'] }, why: REASON },
});

/** The message. @throws TypeError where the name is blank, or a text is too long. */
export function keepMessage({ keep, of, by, why }: SentKeep): string {
  const message = JSON.stringify({ keep, of, by, why });
  if (keepIn(message) !== null) return message;
  throw new TypeError(
    'an attempt is kept by a person with a name of 1 to 200 characters, for a reason of at most 2,000',
  );
}

/** Reads a message; null where it keeps nothing. */
export function keepIn(message: string): SentKeep | null {
  return read(message);
}
