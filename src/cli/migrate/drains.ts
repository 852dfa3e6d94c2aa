/** `belay drains`: the releases that runs which are not over still need, and the versions of tools whose calls they have. */
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { type CalledVersion, VersionCount } from '../../reports/calls-by-version.ts';
import { parseRunNote, type RunNote, runNoteOf } from '../../reports/run-note.ts';
import { isOver } from '../../reports/run-status.ts';
import { type NeededRelease, ReleaseCount } from '../../reports/runs-by-release.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';

/** What runs that are not over still need. */
export interface Drains {
  readonly releases: readonly NeededRelease[];
  /** The versions of tools whose calls they have; left out where the caller does not ask for them. */
  readonly calls?: readonly CalledVersion[];
  /** The runs whose calls cannot be read: they may need every version. */
  readonly unread?: readonly string[];
}

interface Asked {
  readonly journal: string;
  readonly agent: string | null;
  /** True where the calls of each run are read, too: that costs its rows. */
  readonly hasTools: boolean;
}

/** Reads what the runs of a journal need: from their notes, and from the rows of a run without one. */
export async function drainsOf({ journal, agent, hasTools }: Asked): Promise<Drains | { readonly problem: string }> {
  const [count, versions, unread] = [new ReleaseCount(), new VersionCount(), [] as string[]];
  let store: JournalStore | undefined;
  try {
    store = await openJournal(journal, { readonly: true });
    for (const { run, note } of await store.runs()) {
      const noted = parseRunNote(note) ?? runNoteOf(await gathered(store.read(run)));
      if (agent !== null && noted.agent !== agent) continue;
      count.take(run, noted);
      if (!hasTools || !isUnderWay(noted)) continue;
      const rows = await gathered(store.read(run));
      try {
        versions.take(run, timelineOf(rows).runState.ledger);
      } catch {
        unread.push(run);
      }
    }
    const { releases } = count;
    return hasTools ? { releases, calls: versions.all, unread } : { releases };
  } catch (error) {
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close();
  }
}

function isUnderWay({ under, standing }: RunNote): boolean {
  return under !== null && !isOver(standing);
}

/** The releases, and the versions of tools, as tables. */
export function drainsText({ releases, calls = [], unread = [] }: Drains, medium: Medium): string {
  if (releases.length === 0) return 'no run is under way: every release is drained\n';
  const columns = [
    { name: 'AGENT' },
    { name: 'VERSION' },
    { name: 'MACHINE' },
    { name: 'CONFIG' },
    { name: 'RUNS', right: true },
    { name: 'NEED A PERSON', right: true },
    { name: 'FIRST' },
  ];
  const rows = releases.map(({ agent, machine, config, version, runs, persons }) => [
    ...[agent, version ?? '-', machine.slice(0, 8), config.slice(0, 8)],
    ...[`${runs.length}`, `${persons}`, runs[0] ?? ''],
  ]);
  const called = calls.map(({ called, runs }) => [called, `${runs.length}`, runs[0] ?? '']);
  const second = called.length === 0 ? '' : `\n${table(CALLED, called, medium)}`;
  const none = unread.map((run) => `${run} cannot be read: it may need the rules of every version\n`).join('');
  return `${table(columns, rows, medium)}${second}${none}`;
}

const CALLED = [{ name: 'CALLS OF' }, { name: 'RUNS', right: true }, { name: 'FIRST' }];
