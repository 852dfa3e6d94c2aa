/** `belay drains`: the releases that runs which are not over still need. */
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { readRun } from '../../sidecar/opening/read-run.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';

/** A release that runs still need. */
export interface NeededRelease {
  readonly agent: string;
  readonly machine: string;
  readonly config: string;
  /** The version that the program has named; null where it named none. */
  readonly version: string | null;
  /** The names of the runs, in the order of the journal. */
  readonly runs: readonly string[];
}

/** Reads which releases the runs of a journal need. */
export async function drainsOf(
  journal: string,
  agent: string | null,
): Promise<readonly NeededRelease[] | { readonly problem: string }> {
  const found = new Map<string, NeededRelease & { readonly runs: string[] }>();
  let store: JournalStore | undefined;
  try {
    store = await openJournal(journal, { readonly: true });
    for (const { run } of await store.runs()) {
      const { runState } = readRun(await gathered(store.read(run)));
      const { digests, ended } = runState;
      if (digests === null || ended !== null || (agent !== null && runState.agent !== agent)) continue;
      const { machine, config, version = null } = digests;
      const name = JSON.stringify([runState.agent, machine, config, version]);
      const needed = found.get(name) ?? { agent: runState.agent ?? '', machine, config, version, runs: [] };
      needed.runs.push(run);
      found.set(name, needed);
    }
    return [...found.values()];
  } catch (error) {
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close();
  }
}

/** The releases as a table. */
export function drainsText(releases: readonly NeededRelease[], medium: Medium): string {
  if (releases.length === 0) return 'no run is under way: every release is drained\n';
  const columns = [
    { name: 'AGENT' },
    { name: 'VERSION' },
    { name: 'MACHINE' },
    { name: 'CONFIG' },
    { name: 'RUNS', right: true },
    { name: 'FIRST' },
  ];
  const rows = releases.map(({ agent, machine, config, version, runs }) => [
    ...[agent, version ?? '-', machine.slice(0, 8), config.slice(0, 8)],
    ...[`${runs.length}`, runs[0] ?? ''],
  ]);
  return table(columns, rows, medium);
}
