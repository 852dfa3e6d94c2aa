/** Prints the result of an enumeration of graphs: a table by what failed, the causes of needless parks, and every wrong ending and hang. */
import type { Counts, Enumeration, Told } from './enumerate.ts';

const COLUMNS = ['cases', 'same', 'needed', 'needless', 'wrong', 'hang'] as const;

/** Prints a result. @param longest how many cases of a kind are listed. @param whole how many graphs there are. */
export function reportText(
  { kinds, totals, told, seconds }: Enumeration,
  longest: number,
  whole: number | null = null,
): string {
  const share = whole === null ? '' : ` of ${whole}`;

  const bad = told.filter(({ is }) => is !== 'needless').sort((a, b) => a.text.length - b.text.length);
  return [
    row('what failed', [...COLUMNS]),
    ...Object.entries(kinds)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, counts]) => row(kind, columns(counts))),
    row('all', columns(totals)),
    '',
    ...causes(told, longest),
    ...bad.slice(0, longest).flatMap(({ id, is, text, cause }) => [`${is}  ${id}  ${text}`, `    ${cause}`]),
    ...(bad.length > longest ? [`  and ${bad.length - longest} more`] : []),
    `${totals.cases} failures of ${totals.graphs}${share} graphs in ${seconds.toFixed(1)} s; parks are "needed" where what stands irrevocably fits no legal ending.`,
    bad.length === 0 ? 'No wrong ending and no hang.' : `${totals.wrong} wrong, ${totals.hang} hang.`,
  ].join('\n');
}

function columns(counts: Counts): readonly string[] {
  return COLUMNS.map((column) => String(counts[column]));
}

function row(first: string, cells: readonly string[]): string {
  return first.padEnd(30) + cells.map((cell) => cell.padStart(10)).join('');
}

/** Groups needless parks by their cause, the most frequent first, with the shortest as an example. */
function causes(told: readonly Told[], longest: number): readonly string[] {
  const groups = new Map<string, Told[]>();
  for (const one of told.filter(({ is }) => is === 'needless'))
    groups.set(one.cause, [...(groups.get(one.cause) ?? []), one]);
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, longest);
  const lines = sorted.map(([cause, cases]) => {
    const [first] = cases.sort((a, b) => a.text.length - b.text.length);
    return `  ${String(cases.length).padStart(6)}  ${cause}  (${first?.id}  ${first?.text})`;
  });
  return lines.length === 0 ? [] : ['Needless parks', ...lines, ''];
}
