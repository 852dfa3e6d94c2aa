/** The texts of `pause` and `unpause`: the outcome at each run, and the runs that the command would change. */

import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { commandOfAll, count, statusFields, statusText } from '../terminal/wording.ts';
import type { Meant, StatedRun, WordFor } from './pauses.ts';

/** The words for what became of a word, by the word. */
function outcomeText({ is, why }: WordFor, pause: boolean): string {
  switch (is) {
    case 'done':
      return pause ? 'paused' : 'goes on';
    case 'left':
      return 'left: no process has it, and the next one obeys';
    case 'waits':
      return 'the process that has it has not obeyed yet';
    case 'refused':
      return `refused: ${why}`;
  }
}

/** Formats what became of the word, a line a run. */
export function wordText(told: readonly WordFor[], pause: boolean, medium: Medium): string {
  const rows = told.map((each) => [each.run, each.agent ?? '', outcomeText(each, pause)]);
  return table([{ name: 'RUN' }, { name: 'AGENT' }, { name: pause ? 'PAUSE' : 'UNPAUSE' }], rows, medium);
}

/** Formats the runs that would go on, the digest of the list, and the command that has them go on. */
export function listText(
  runs: readonly StatedRun[],
  digest: string,
  {
    file,
    meant,
    by,
    medium,
  }: { readonly file: string; readonly meant: Meant; readonly by: string; readonly medium: Medium },
): string {
  const rows = runs.map(({ summary: { run, held }, agent, standing }) => [
    run,
    agent ?? '',
    statusText(standing, held),
  ]);
  const which = 'agent' in meant ? ['--agent', meant.agent] : ['--all'];
  const next = commandOfAll('unpause', file, ...which, '--by', by, '--of', digest);
  const columns = [{ name: 'RUN' }, { name: 'AGENT' }, { name: 'STANDS' }];
  return `${table(columns, rows, medium)}\n${count(runs.length, 'run')} would go on. To have them go on:\n  ${printable(next)}\n`;
}

/** The same for a program, a line a run. */
export function listLines(runs: readonly StatedRun[], digest: string): string {
  const lines = runs.map(({ summary: { run, held }, agent, standing }) =>
    JSON.stringify({ run, agent, ...statusFields(standing, held), of: digest }),
  );
  return lines.map((line) => `${line}\n`).join('');
}
