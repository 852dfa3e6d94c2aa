/**
 * The idempotency keys that tools and their counterparties are given (semantics.md E3). The journal and people name a call by a readable
 * key; what leaves is opaque, so that it fits into a header or a column, whatever entities are called.
 */
import { createHash } from 'node:crypto';

/** How a run hands its keys out: a run keeps the form that it began with. */
export type KeyForm = 'readable' | 'opaque';

/** The first format of a journal whose run hands out opaque keys. */
const OPAQUE_SINCE = 3;

/** The form of the keys of a run, by the format that its journal began with. */
export function keyFormOf(format: number): KeyForm {
  return format >= OPAQUE_SINCE ? 'opaque' : 'readable';
}

/** A key as it is handed out: opaque, it is 49 ASCII characters, the same for the same decision. */
export function handedOut(key: string, form: KeyForm): string {
  return form === 'readable' ? key : `belay-${createHash('sha256').update(key).digest('base64url')}`;
}
