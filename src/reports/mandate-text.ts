/** The mandate of a run in one sentence, and as data. */
import type { Mandates } from '../projection/mandates.ts';

/** What is known of the mandate of a run. */
export interface ShownMandate {
  /** Its name; null where none was given. */
  readonly id: string | null;
  /** The person who gave it. */
  readonly by: string | null;
  readonly until: string | null;
  /** `wanted`: something waits for another one. */
  readonly is: 'stands' | 'over' | 'wanted';
  /** Why it is over; null where it stands. */
  readonly why: 'revoked' | 'expired' | 'missing' | null;
}

/** The mandate as data; null for a run that needs none. */
export function shownMandate({ last, over, standing, isUsed }: Mandates): ShownMandate | null {
  if (!isUsed) return null;
  const { id = null, terms } = last ?? {};
  return { id, by: terms?.by ?? null, until: terms?.until ?? null, is: standing, why: over?.why ?? null };
}

/** The mandate in words; null for a run that needs none. */
export function mandateText({ last, over, isUsed }: Mandates): string | null {
  if (!isUsed) return null;
  if (last === null) return 'none yet, and it needs one';
  const { id, terms } = last;
  const given = `${id}, given by ${JSON.stringify(terms.by)}`;
  if (over === null) return terms.until === undefined ? given : `${given}, until ${terms.until}`;
  if (over.why !== 'revoked') return `${given}: its time is over`;
  return `${given}: withdrawn by ${JSON.stringify(over.by)}${over.said === null ? '' : `, ${JSON.stringify(over.said)}`}`;
}
