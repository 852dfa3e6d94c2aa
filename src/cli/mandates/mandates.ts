/** The verbs `mandate` and `revoke`: they leave the word of a person about mandates, and wait for the processes that have the runs. */
import type { JournalStore } from '../../journal/journal.ts';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import { workClient } from '../../workers/client.ts';
import type { Problem } from '../run/run.ts';
import { inStore, type LeftMessage, leftFor } from '../workers/leaving.ts';

/** Leaves a mandate for a run. */
export function giveMandate(
  journal: string,
  run: string,
  terms: MandateTerms,
  why: string | null,
): Promise<LeftMessage | Problem> {
  return inStore(journal, (store) =>
    leftFor(store, run, () => workClient(store).mandate(run, terms, why === null ? {} : { why })),
  );
}

/** Leaves the withdrawal of the mandate of a run, or of a mandate in every run that is under it. */
export async function revoke(
  journal: string,
  what: string,
  { by, why }: { readonly by: string; readonly why: string | null },
): Promise<readonly LeftMessage[] | Problem> {
  const word = { by, ...(why !== null && { why }) };
  return inStore(journal, async (store) => {
    if ((await store.run(what)) !== null)
      return [await leftFor(store, what, () => workClient(store).revoke(what, word))];
    return everywhere(store, what, word);
  });
}

/** @throws RangeError where no run is under a mandate of that name. */
async function everywhere(
  store: JournalStore,
  id: string,
  word: { readonly by: string; readonly why?: string },
): Promise<readonly LeftMessage[]> {
  const left = await workClient(store).revokeAll(id, word);
  if (left.length === 0)
    throw new RangeError(`there is no run ${JSON.stringify(id)}, and none is under a mandate of that name`);
  return Promise.all(left.map(({ run, post }) => leftFor(store, run, async () => post)));
}
