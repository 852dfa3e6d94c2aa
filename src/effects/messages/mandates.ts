/** The word of a person that gives a run a mandate, or withdraws it, as a message: it is untrusted, like every message. */
import { createHash } from 'node:crypto';
import { encode } from '../../journal/codec.ts';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import { PERSON, REASON, readerOf, text } from './reading.ts';

/** A mandate as it travels. */
export interface SentMandate {
  readonly mandate: MandateTerms;
  readonly why: string | null;
  /** True for one that was left with the run: the run takes it as its first, or not at all. */
  readonly first?: true;
}

/** The withdrawal of a mandate as it travels. */
export interface SentRevoke {
  /** The name of the mandate; null for the one that the run is under. */
  readonly revoke: string | null;
  readonly by: string;
  readonly why: string | null;
}

/** A day, or a day and a time with its offset. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const ID = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$' };
/** The most characters of a mandate as JSON. */
const MOST = 10_000;

const readGiven = readerOf<SentMandate>({
  type: 'object',
  additionalProperties: false,
  required: ['mandate', 'why'],
  properties: {
    mandate: {
      type: 'object',
      required: ['by'],
      properties: { id: ID, by: PERSON, policy: text(200), until: { type: 'string', pattern: TIME.source } },
    },
    why: REASON,
    first: { const: true },
  },
});

const readRevoke = readerOf<SentRevoke>({
  type: 'object',
  additionalProperties: false,
  required: ['revoke', 'by', 'why'],
  properties: { revoke: { anyOf: [ID, { type: 'null' }] }, by: PERSON, why: REASON },
});

const FORM =
  'a mandate is plain JSON of at most 10,000 characters, with "by", the name of a person (1 to 200 characters), and where it has them: "id" (letters, digits and . _ : @ / -), "policy" (a text) and "until" (2026-12-01, or 2026-12-01T12:00Z)';

/** The message that gives a mandate. @throws TypeError where the terms are none. */
export function mandateMessage({ mandate, why, first }: SentMandate): string {
  const encoded = encode({ mandate, why, ...(first === true && { first }) });
  if ('text' in encoded && encoded.text === plain({ mandate, why, ...(first === true && { first }) })) {
    if (mandateIn(encoded.text) !== null) return encoded.text;
  }
  throw new TypeError(FORM);
}

/** The JSON of a value; null for one that JSON cannot hold. */
function plain(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/** Reads a message; null where it gives no mandate. */
export function mandateIn(message: string): SentMandate | null {
  const sent = message.length > MOST + 3_000 ? null : readGiven(message);
  if (sent === null || JSON.stringify(sent.mandate).length > MOST) return null;
  const { until } = sent.mandate;
  return until === undefined || Number.isFinite(Date.parse(until)) ? sent : null;
}

/** True for the terms of a mandate. */
export function isMandate(value: unknown): boolean {
  try {
    return mandateMessage({ mandate: value as MandateTerms, why: null }) !== '';
  } catch {
    return false;
  }
}

/** The message that withdraws a mandate. @throws TypeError where no person has said it, or the mandate has no such name. */
export function revokeMessage({ revoke, by, why }: SentRevoke): string {
  const message = JSON.stringify({ revoke, by, why });
  if (revokeIn(message) !== null) return message;
  throw new TypeError(
    'a mandate is withdrawn by its name, by a person with a name of 1 to 200 characters, for a reason of at most 2,000',
  );
}

/** Reads a message; null where it withdraws nothing. */
export function revokeIn(message: string): SentRevoke | null {
  return readRevoke(message);
}

/** The name of a mandate: its own, or the first hex digits of a digest of its terms. */
export function mandateId(terms: MandateTerms): string {
  return terms.id ?? createHash('sha256').update(JSON.stringify(terms)).digest('hex').slice(0, 12);
}

/** The wall clock at which a mandate is over, in milliseconds; infinity for never. */
export function overAt({ until }: MandateTerms): number {
  return until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
}
