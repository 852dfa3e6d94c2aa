/** The word of a person that a run is to stand still, or to go on, as a message: it is untrusted, like every message. */
import { PERSON, REASON, readerOf } from './reading.ts';

/** The word as it travels. */
export interface SentPause {
  /** True where the run is to stand still; false where it is to go on. */
  readonly pause: boolean;
  readonly by: string;
  readonly why: string | null;
}

const read = readerOf<SentPause>({
  type: 'object',
  additionalProperties: false,
  required: ['pause', 'by', 'why'],
  properties: { pause: { type: 'boolean' }, by: PERSON, why: REASON },
});

/** The message. @throws TypeError where no person has said it, or a text is too long. */
export function pauseMessage({ pause, by, why }: SentPause): string {
  const message = JSON.stringify({ pause, by, why });
  if (pauseIn(message) !== null) return message;
  throw new TypeError('a run is paused by a person with a name of 1 to 200 characters, for a reason of at most 2,000');
}

/** Reads a message; null where it pauses nothing. */
export function pauseIn(message: string): SentPause | null {
  return read(message);
}
