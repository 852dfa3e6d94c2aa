/**
 * Idempotency keys (semantics.md E3): the name of the decision to make a call, by which the journal, its counterparty and whoever is asked
 * about it know it. It is opaque, so that it fits into a header or a column whatever entities are called.
 */
import { createHash } from 'node:crypto';

/** The form of the keys of a run: it keeps the one that it began with. */
export type KeyForm = 'readable' | 'opaque';

/** The first format of a journal whose run names its calls by opaque keys. */
const OPAQUE_SINCE = 3;

/** The form of the keys of a run, by the format that its journal began with. */
export function keyFormOf(format: number): KeyForm {
  return format >= OPAQUE_SINCE ? 'opaque' : 'readable';
}

/** A key by what it is made of, as JSON: opaque, it has 49 ASCII characters, and room for what is appended to it. */
export function keyOf(readable: string, form: KeyForm): string {
  return form === 'readable' ? readable : `belay-${createHash('sha256').update(readable).digest('base64url')}`;
}
