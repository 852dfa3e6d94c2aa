/** `belay drains`: the releases that runs which are not over still need. */
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { parseRunNote, runNoteOf } from '../../reports/run-note.ts';
import { type NeededRelease, ReleaseCount } from '../../reports/runs-by-release.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';

/** Reads which releases the runs of a journal need: from their notes, and from the rows of a run without one. */
export async function drainsOf(
  journal: string,
  agent: string | null,
): Promise<readonly NeededRelease[] | { readonly problem: string }> {
  const count = new ReleaseCount();
  let store: JournalStore | undefined;
  try {
    store = await openJournal(journal, { readonly: true });
    for (const { run, note } of await store.runs()) {
      const noted = parseRunNote(note) ?? runNoteOf(await gathered(store.read(run)));
      if (agent === null || noted.agent === agent) count.take(run, noted);
    }
    return count.releases;
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
    { name: 'NEED A PERSON', right: true },
    { name: 'FIRST' },
  ];
  const rows = releases.map(({ agent, machine, config, version, runs, persons }) => [
    ...[agent, version ?? '-', machine.slice(0, 8), config.slice(0, 8)],
    ...[`${runs.length}`, `${persons}`, runs[0] ?? ''],
  ]);
  return table(columns, rows, medium);
}
