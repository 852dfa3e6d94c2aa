/**
 * Complaints as messages: one process complains about work of a run, and the process that has the run answers
 * (semantics.md C12). A message is untrusted, and names the state of the work that it is about.
 */
import { encode } from '../../journal/codec.ts';
import { SIGNALS, type Signal } from '../../model/failure.ts';
import { parseKey } from '../../model/key.ts';
import { PERSON, REASON, readerOf, text } from './reading.ts';

/** A complaint as it travels. */
export interface SentComplaint {
  readonly signal: Signal;
  readonly instance: { readonly skeleton: string; readonly entity: string; readonly ordinal?: number };
  /** The key that was found wrong; null for all of the work. */
  readonly key: string | null;
  /** True where it takes the place of the complaints that the run is parked on. */
  readonly instead: boolean;
  /** The work as it stood when the complaint was made (`subjectOf`). */
  readonly about: string;
  readonly by: string;
  readonly why: string | null;
}

/** The form of its message. */
interface Message {
  readonly complaint: Omit<SentComplaint, 'by' | 'why'>;
  readonly by: string;
  readonly why: string | null;
}

const read = readerOf<Message>({
  type: 'object',
  additionalProperties: false,
  required: ['complaint', 'by', 'why'],
  properties: {
    complaint: {
      type: 'object',
      additionalProperties: false,
      required: ['signal', 'instance', 'key', 'instead', 'about'],
      properties: {
        signal: { enum: SIGNALS },
        instance: {
          type: 'object',
          additionalProperties: false,
          required: ['skeleton', 'entity'],
          properties: {
            skeleton: text(200),
            entity: { type: 'string', maxLength: 2_000 },
            ordinal: { type: 'integer', minimum: 0 },
          },
        },
        key: { type: ['string', 'null'], minLength: 1, maxLength: 2_000 },
        instead: { type: 'boolean' },
        about: text(64),
      },
    },
    by: PERSON,
    why: REASON,
  },
});

/** A complaint as a message. @throws TypeError where it is none. */
export function complaintMessage({ by, why, ...complaint }: SentComplaint): string {
  const encoded = encode({ complaint, by, why });
  if ('text' in encoded && complaintIn(encoded.text) !== null) return encoded.text;
  throw new TypeError(
    `it is no complaint: a signal (${SIGNALS.join(', ')}), a skeleton, an entity, a key that has a form, and who says so`,
  );
}

/** Reads a message; null where it is no complaint. */
export function complaintIn(message: string): SentComplaint | null {
  const sent = read(message);
  if (sent === null) return null;
  const { complaint, by, why } = sent;
  try {
    if (complaint.key !== null) parseKey(complaint.key);
    return { ...complaint, by, why };
  } catch {
    return null;
  }
}
