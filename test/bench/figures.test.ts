/** Figures of the comparison with other runtimes, and the judging of its goals. */
import { expect, test } from 'vitest';
import { type Figures, growthOf, median, quantile } from '../../bench/comparison/figures.ts';
import { GOALS, type Goal, judged } from '../../bench/comparison/goals.ts';
import { inColumns, shown, table } from '../../bench/comparison/tables.ts';

const figures = (median: number): Figures => ({ median, p99: median, cpu: median, growth: 1 });

test('a median is a value that occurs, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(3);
  expect(median([7])).toBe(7);
});

test('p99 lets one value of a hundred lie above it', () => {
  const values = Array.from({ length: 200 }, (_, n) => 199 - n);
  expect(quantile(values, 0.99)).toBe(198);
  expect(quantile([3], 0.99)).toBe(3);
  expect(values[0]).toBe(199);
});

test('no values have no quantile', () => {
  expect(() => median([])).toThrow(RangeError);
});

test('growth compares the last tenth with the first, and one slow step does not show', () => {
  const times: number[] = Array.from({ length: 100 }, (_, n) => (n < 90 ? 10 : 30));
  expect(growthOf(times)).toBe(3);
  expect(growthOf(times.with(0, 5_000))).toBe(3);
  expect(growthOf([2, 3])).toBe(1.5);
});

test('a goal is met up to its limit, and missed by what is above it', () => {
  const goal: Goal = {
    text: 'a step',
    most: 2,
    unit: '×',
    of: (measured) => measured.get('one')?.median,
    beside: { name: 'a peer', of: (measured) => measured.get('peer')?.median },
  };
  const with_ = (value: number) => judged([goal], new Map([['one', figures(value)]]))[0];
  expect(with_(2)).toMatchObject({ is: 'met', over: 0, peer: undefined });
  expect(with_(2.5)).toMatchObject({ is: 'missed', over: 0.5 });
  expect(judged([goal], new Map([['peer', figures(4)]]))[0]).toMatchObject({ is: 'not run', peer: 4 });
});

test('a durable step in PostgreSQL is held to two bare rows of the same run, and DBOS stands beside it', () => {
  const measured = new Map([
    ['row-postgres', figures(100)],
    ['belay-event-postgres', figures(250)],
    ['dbos', figures(300)],
  ]);
  const [verdict] = judged(GOALS, measured).filter(({ goal }) => goal.text.includes('PostgreSQL ÷'));
  expect(verdict).toMatchObject({ value: 2.5, is: 'missed', over: 0.5, peer: 3 });
});

test('the same cells stand in columns at the terminal', () => {
  const text = table(
    ['runtime', 'median'],
    [
      ['one', shown(1_234.5)],
      ['two', 'not run: no server was found'],
    ],
  );
  expect(text).toBe('| runtime | median |\n| --- | --: |\n| one | 1,235 |\n| two | not run: no server was found |');
  expect(inColumns(text)).toBe('runtime  median\none       1,235\ntwo      not run: no server was found');
});
