/** The word of a person that a run is to end, as a message: it is untrusted, like every message. */
import { PERSON, REASON, readerOf } from './reading.ts';

/** The word as it travels. */
export interface SentCancel {
  readonly by: string;
  readonly why: string | null;
  /** True where what the run has done is to be undone as well (AB1); left out where it stands. */
  readonly undo?: true;
}

const read = readerOf<SentCancel>({
  type: 'object',
  additionalProperties: false,
  required: ['cancel', 'by', 'why'],
  properties: {
    cancel: { const: true },
    undo: { const: true },
    by: PERSON,
    why: REASON,
  },
});

/** The message. @throws TypeError where no person has said it, or a text is too long. */
export function cancelMessage({ by, why, undo }: SentCancel): string {
  const message = JSON.stringify({ cancel: true, ...(undo === true && { undo }), by, why });
  if (cancelIn(message) !== null) return message;
  throw new TypeError(
    'a run is cancelled by a person with a name of 1 to 200 characters, for a reason of at most 2,000',
  );
}

/** Reads a message; null where it cancels nothing. */
export function cancelIn(message: string): SentCancel | null {
  const sent = read(message);
  return sent === null ? null : { by: sent.by, why: sent.why, ...(sent.undo === true && { undo: true }) };
}

/** The reason why a run that a person ends takes no more: it is cancelled, or what it did is being undone. */
export function endingText({ undo }: Pick<SentCancel, 'undo'>): string {
  return undo === true ? 'aborting: what the run has done is being undone' : 'the run was cancelled';
}
