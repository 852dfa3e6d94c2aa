/** A station whose call waits for a person, and what the journal says of its answers. */
import type { ApprovalRequest } from '../../src/effects/gates.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';

export const gated = (more = '') => ({ name: 'a', tool: `effect: irreversible, gate: true${more}` });
export const by = { by: 'Ada' };

export async function asked(
  run: { sidecar: { gates(): readonly ApprovalRequest[] } },
  nth = 0,
): Promise<ApprovalRequest> {
  await until(
    () => run.sidecar.gates().length > 0,
    () => 'a question',
  );
  return run.sidecar.gates()[nth] as ApprovalRequest;
}

/** What the journal says last of a call. */
export function statusOf(journal: LocalStore, key: string): string | undefined {
  return entriesOf(journal.read('r'))
    .flatMap((entry) => (entry.do === 'outcome' && entry.key === key ? [entry.status] : []))
    .at(-1);
}

/** Why answers were refused, as the journal has it. */
export function refusals(journal: LocalStore): (string | null)[] {
  return entriesOf(journal.read('r')).flatMap((entry) =>
    entry.do === 'answer' && entry.verdict === 'refused' ? [entry.why] : [],
  );
}
