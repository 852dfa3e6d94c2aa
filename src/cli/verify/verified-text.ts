/** Lays out the result of `belay verify` for a person at the terminal. */
import pc from 'picocolors';
import type { ConfigDifference, Parting, VerifiedRun } from '../../rehearsal/replay/verified-run.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import type { Verified, VerifiedFile } from './verify.ts';

/** The most differences of a config that are shown for one run. */
const MOST = 10;

const NAMES: Readonly<Record<Parting['is'], string>> = {
  step: 'the step',
  event: 'the event',
  state: 'the state after it',
  context: 'the context after it',
  actors: 'the actors that it starts and ends',
  arguments: 'what a call asks for',
};

/** The runs as a table, then where each parts, why each cannot be compared, and what the config would do otherwise. */
export function verifiedText(verified: Verified, medium: Medium): string {
  const { bold } = pc.createColors(medium.colours);
  const { files, equal, parts, notComparable } = verified;
  const blocks = files.map((file) => fileText(file, medium));
  const total = equal + parts + notComparable;
  const sum = `${total} run${total === 1 ? '' : 's'}: ${equal} equal, ${parts} parting, ${notComparable} not comparable`;
  return `${blocks.join('\n')}\n${bold(sum)}\n`;
}

function fileText({ file, runs }: VerifiedFile, medium: Medium): string {
  const { bold, red } = pc.createColors(medium.colours);
  const columns = [{ name: 'RUN' }, { name: 'AGENT' }, { name: 'STEPS', right: true }, { name: 'VERIFIED' }];
  const rows = runs.map((run) => [run.run, run.agent ?? '', `${run.equal} of ${run.steps}`, standing(run)]);
  const out = [bold(printable(file)), runs.length === 0 ? 'no runs' : table(columns, rows, medium).trimEnd()];
  for (const run of runs) {
    if (run.parting !== null)
      out.push('', red(printable(`${run.run} parts at step ${at(run.parting)}`)), ...partingLines(run));
    if (run.why !== null) out.push('', printable(`${run.run} is not comparable: ${run.why.text}`));
    if ((run.config ?? []).length > 0) out.push('', ...configLines(run));
  }
  return `${out.join('\n')}\n`;
}

function standing({ is, parting, why, config }: VerifiedRun): string {
  if (parting !== null) return `parts at step ${parting.step}`;
  if (why !== null) return `not comparable: ${why.code}`;
  const count = (config ?? []).length;
  return count === 0 ? is : `${is}, the config differs`;
}

function at({ step, row, event }: Pick<Parting, 'step' | 'row' | 'event'>): string {
  return `${step} (row ${row}), ${event}`;
}

function partingLines({ parting, changed }: VerifiedRun): string[] {
  if (parting === null) return [];
  const { is, expected, found, actor, region } = parting;
  const where = [...(actor === '' ? [] : [`of ${actor}`]), ...(region === '' ? [] : [`in the region ${region}`])].join(
    ' ',
  );
  return [
    `  what differs: ${NAMES[is]}${where === '' ? '' : ` ${where}`}`,
    `  the journal:  ${expected}`,
    `  today:        ${found}`,
    ...(changed.machine ? ['  The machine has other states or edges than the one of the run.'] : []),
  ].map(printable);
}

function configLines({ run, config, changed }: VerifiedRun): string[] {
  const differences = config ?? [];
  const shown = differences.slice(0, MOST).map(differenceLine);
  const more = differences.length - shown.length;
  const title = `${run}: the machine goes the same way, and ${changed.config ? "today's config" : 'the config'} does otherwise`;
  return [title, ...shown, ...(more > 0 ? [`  and ${more} more (--json has them)`] : [])].map(printable);
}

function differenceLine({ is, what, only, ...place }: ConfigDifference): string {
  const verb = { entered: 'is entered', certified: 'certifies', closed: 'is closed' }[is];
  return `  step ${at(place)}: ${what} ${verb} ${only === 'today' ? 'only today' : 'only in the journal'}`;
}
