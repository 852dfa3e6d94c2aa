/** Writes figures for tables: shares with their intervals, paired differences, and what the runs of a policy came to. */
import type { Run } from './compare.ts';
import type { Score } from './score.ts';
import { type Difference, exact, type Interval, paired } from './statistics.ts';
import type { Column } from './table.ts';

/** A share in percent, without its sign. */
const percent = (share: number) => (share * 100).toFixed(1);

/** An interval of shares, in percent. */
const within = ([low, high]: Interval) => `[${[low, high].map((each) => percent(each).replace(/\.0$/, '')).join('–')}]`;

/** A share in percent, with the interval of Clopper and Pearson. */
export function shareOf(hits: number, all: number): string {
  return `${percent(all === 0 ? 0 : hits / all)} ${within(exact(hits, all))}`;
}

/** A number with its sign. */
export function signed(value: number): string {
  const text = value.toFixed(2);
  return Number(text) > 0 ? `+${text}` : text.replace(/^-(0\.00)$/, '$1');
}

/** The difference of two policies run by run, with the paired bootstrap over whole tasks; the runs of a single task are drawn by themselves. */
export function differenceOf<T extends { readonly task: string }>(
  ours: readonly T[],
  theirs: readonly T[],
  of: (run: T) => number,
  seed: number,
): Difference {
  const groups = new Map<string, number[]>();
  for (const [index, run] of ours.entries()) {
    const other = theirs[index] ?? run;
    groups.set(run.task, [...(groups.get(run.task) ?? []), of(run) - of(other)]);
  }
  const drawn = groups.size > 1 ? [...groups.values()] : [...groups.values()].flat().map((each) => [each]);
  return paired(drawn, seed);
}

/** The columns of the figures. */
export const COLUMNS: readonly Column[] = [
  { key: 'runs', title: 'runs' },
  { key: 'equal', title: 'same end' },
  { key: 'completed', title: 'completed' },
  { key: 'harm', title: 'harm' },
  { key: 'duplicated', title: 'twice' },
  { key: 'lost', title: 'lost' },
  { key: 'collateral', title: 'beside' },
  { key: 'redone', title: 'redone' },
  { key: 'refused', title: 'refused' },
  { key: 'needed', title: 'waits' },
  { key: 'needless', title: 'needless' },
];

/** The figures of some runs, column by column. */
export function figuresOf(runs: readonly Run[]): readonly (string | number)[] {
  const share = (is: (score: Score) => boolean) => shareOf(runs.filter(({ score }) => is(score)).length, runs.length);
  const total = (count: (score: Score) => number) => runs.reduce((sum, { score }) => sum + count(score), 0);
  return [
    runs.length,
    share(({ equal }) => equal),
    share(({ completed }) => completed),
    share(({ duplicated, lost, collateral }) => duplicated + lost + collateral > 0),
    total(({ duplicated }) => duplicated),
    total(({ lost }) => lost),
    total(({ collateral }) => collateral),
    total(({ redone }) => redone),
    total(({ refused }) => refused),
    total(({ parked, needless }) => Number(parked && !needless)),
    total(({ needless }) => Number(needless)),
  ];
}
