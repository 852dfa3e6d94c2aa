/** The word of a person that a run is to end, as a message: it is untrusted, like every message. */
import { PERSON, REASON, readerOf } from './reading.ts';

/** The word as it travels. */
export interface SentCancel {
  readonly by: string;
  readonly why: string | null;
}

const read = readerOf<SentCancel>({
  type: 'object',
  additionalProperties: false,
  required: ['cancel', 'by', 'why'],
  properties: {
    cancel: { const: true },
    by: PERSON,
    why: REASON,
  },
});

/** The message. @throws TypeError where no person has said it, or a text is too long. */
export function cancelMessage({ by, why }: SentCancel): string {
  const message = JSON.stringify({ cancel: true, by, why });
  if (cancelIn(message) !== null) return message;
  throw new TypeError(
    'a run is cancelled by a person with a name of 1 to 200 characters, for a reason of at most 2,000',
  );
}

/** Reads a message; null where it cancels nothing. */
export function cancelIn(message: string): SentCancel | null {
  const sent = read(message);
  return sent === null ? null : { by: sent.by, why: sent.why };
}
