/** The word of a person that the steps which threw are to be tried again, as a message: it is untrusted, like every message. */
import { PERSON, REASON, readerOf } from './reading.ts';

/** The word as it travels. */
export interface SentRetry {
  /** The person; null where none is named. */
  readonly by: string | null;
  readonly why: string | null;
}

const read = readerOf<SentRetry>({
  type: 'object',
  additionalProperties: false,
  required: ['retry', 'by', 'why'],
  properties: { retry: { const: true }, by: { ...PERSON, type: ['string', 'null'] }, why: REASON },
});

/** The message. @throws TypeError where the name is blank, or a text is too long. */
export function retryMessage({ by, why }: SentRetry): string {
  const message = JSON.stringify({ retry: true, by, why });
  if (retryIn(message) !== null) return message;
  throw new TypeError(
    'a retry is asked for by a person with a name of 1 to 200 characters, for a reason of at most 2,000',
  );
}

/** Reads a message; null where it has nothing tried again. */
export function retryIn(message: string): SentRetry | null {
  const sent = read(message);
  return sent === null ? null : { by: sent.by, why: sent.why };
}
