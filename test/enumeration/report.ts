/** Prints the result of an enumeration: a table by shape, the causes of needless parks, and every unsafe ending and hang. */
import { countedLines } from '../control-counters.ts';
import type { Counts, Enumeration, Told } from './enumerate.ts';

const COLUMNS = ['cases', 'same', 'needed', 'needless', 'unsafe', 'hang'] as const;
const HEADINGS = ['failures', 'same', 'needed', 'needless', 'unsafe', 'hang'];

/** Prints a result. `longest`: how many cases of a kind are listed. */
export function reportText({ shapes, totals, told, counted, seconds }: Enumeration, longest: number): string {
  const run = Object.entries(shapes).filter(([, { cases }]) => cases > 0);
  return [
    row('shape', HEADINGS),
    ...run.map(([shape, counts]) => row(shape, columns(counts))),
    row('all', columns(totals)),
    '',
    ...causes('Needless parks', told, 'needless', longest),
    ...listed('Unsafe', told, 'unsafe', longest),
    ...listed('Hang', told, 'hang', longest),
    'How often the rules of control were needed',
    ...countedLines(counted),
    '',
    `${totals.cases} failures in ${seconds.toFixed(1)} s; parks are "needed" where what stands irrevocably fits no legal ending.`,
    promise(totals),
    totals.unsafe + totals.hang === 0
      ? 'No unsafe ending and no hang.'
      : `${totals.unsafe} unsafe, ${totals.hang} hang.`,
  ].join('\n');
}

function promise({ cases, same }: Counts): string {
  const share = same / Math.max(1, cases);
  const by = `${(Math.abs(share - 2 / 3) * 100).toFixed(1)} points`;
  const kept = share >= 2 / 3 ? `kept, with ${by} to spare` : `missed by ${by}`;
  return `${(share * 100).toFixed(1)} % of the failures end done as a run that never failed: the promise of two thirds is ${kept}.`;
}

function columns(counts: Counts): readonly string[] {
  return COLUMNS.map((column) => String(counts[column]));
}

function row(first: string, cells: readonly string[]): string {
  return first.padEnd(40) + cells.map((cell) => cell.padStart(10)).join('');
}

/** Groups cases by cause and shape, the most frequent first, with one example each. */
function causes(title: string, told: readonly Told[], is: Told['is'], longest: number): readonly string[] {
  const groups = new Map<string, Told[]>();
  for (const one of told.filter((other) => other.is === is)) {
    const name = `${one.cause}  in  ${one.shape}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const lines = sorted
    .slice(0, longest)
    .map(([name, cases]) => `  ${String(cases.length).padStart(6)}  ${name}  (${smallest(cases)[0]?.id})`);
  return sorted.length === 0 ? [] : [title, ...lines, ...rest(sorted.length - lines.length), ''];
}

function listed(title: string, told: readonly Told[], is: Told['is'], longest: number): readonly string[] {
  const cases = smallest(told.filter((one) => one.is === is));
  const lines = cases.slice(0, longest).flatMap(({ id, text, cause }) => [`  ${id}  ${text}`, `      ${cause}`]);
  return cases.length === 0 ? [] : [`${title}, smallest first`, ...lines, ...rest(cases.length - lines.length / 2), ''];
}

function rest(more: number): readonly string[] {
  return more > 0 ? [`  and ${more} more`] : [];
}

function smallest(cases: readonly Told[]): readonly Told[] {
  return [...cases].sort((a, b) => a.text.length - b.text.length);
}
