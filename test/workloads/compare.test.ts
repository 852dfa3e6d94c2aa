/** The comparison of a whole set: the same wish gives the same tables, and a promise that is not kept is told. */
import { expect, test } from 'vitest';
import { type Comparison, compare } from '../../workloads/compare.ts';
import { POLICIES } from '../../workloads/policies.ts';
import { promisesOf } from '../../workloads/promises.ts';
import { DataError, type DataSet } from '../../workloads/set.ts';
import { tablesOf } from '../../workloads/tables.ts';
import { type Act, shop } from './shop.ts';

const ORDERS: readonly { order: string; acts: readonly Act[] }[] = [
  { order: 'o1', acts: ['pay', 'pack', 'label'] },
  { order: 'o2', acts: ['label', 'pay'] },
  { order: 'o3', acts: ['pack', 'label', 'label', 'pay'] },
];

function compared(set: DataSet, more: Partial<Parameters<typeof compare>[0]> = {}): Promise<Comparison> {
  const found = [{ set, folder: 'orders', tasks: set.tasks({ orders: [ORDERS] }) }];
  return compare({ found, probabilities: [0.3], repeat: 3, seed: 5, policies: POLICIES, asks: true, ...more });
}

const missed = (comparison: Comparison) =>
  promisesOf(comparison)
    .filter(({ kept }) => !kept)
    .map(({ text }) => text);

test('gives the same tables for the same seed, and others for another', async () => {
  const [one, again, other] = await Promise.all([compared(shop()), compared(shop()), compared(shop(), { seed: 6 })]);
  expect(tablesOf(again)).toEqual(tablesOf(one));
  expect(tablesOf(other)).not.toEqual(tablesOf(one));
});

test('runs few tasks more often, and every policy as often as the others', async () => {
  const { sets, cells } = await compared(shop());
  expect(sets.map(({ tasks, repeat }) => [tasks, repeat])).toEqual([[3, 20]]);
  expect(cells.map(({ policy, runs }) => [policy, runs.length])).toEqual(POLICIES.map((policy) => [policy, 60]));
});

test('has every policy meet the same faults: the first attempts at a change fail in the same runs', async () => {
  const { cells } = await compared(shop());
  const troubled = cells
    .filter(({ policy }) => policy === 'belay' || policy === 'naive-retry')
    .map(({ runs }) => runs.map(({ score }) => score.faults > 0));
  expect(troubled[0]).toEqual(troubled[1]);
});

test('keeps every promise where the counterparties tell the truth, also where two runs meet', async () => {
  const comparison = await compared({ ...shop(), meets: true });
  expect(missed(comparison)).toEqual([]);
  expect(promisesOf(comparison)).toHaveLength(8);
  const [belay] = comparison.meetings.filter(({ policy }) => policy === 'belay');
  expect(belay?.meetings.map(({ completed, damaged }) => [completed, damaged])).toEqual([[true, 0]]);
});

test('does not take two runs for apart of which one stands still and tells nobody', async () => {
  const comparison = await compared({ ...shop(), meets: true });
  const still = comparison.meetings.map((each) => ({
    ...each,
    meetings: each.meetings.map((one) => ({ ...one, completed: false, broken: true })),
  }));
  expect(missed({ ...comparison, meetings: still })).toEqual(['two runs at once end as one after the other']);
});

test('keeps them where nothing fails', async () => {
  expect(missed(await compared(shop(), { probabilities: [0] }))).toEqual([]);
});

test('says which promises are missed where a counterparty lies', async () => {
  const comparison = await compared(shop(true));
  expect(missed(comparison)).toEqual([
    'no change is made twice',
    'no change is lost',
    'whatever does not wait for somebody ends as under the oracle',
  ]);
});

test('says that nothing is asked for in vain where nobody answers: what waits has to', async () => {
  const comparison = await compared(shop(), { asks: false, policies: ['belay', 'oracle'] });
  const belay = comparison.cells.find(({ policy }) => policy === 'belay');
  expect(belay?.runs.some(({ score }) => score.parked)).toBe(true);
  expect(missed(comparison)).toEqual([]);
});

test('leaves a task out that does not end as the data says, with the reason, and refuses a set that has no other', async () => {
  const own = shop();
  const wrong = (which: string): DataSet => {
    const tasks: DataSet['tasks'] = (files) =>
      own.tasks(files).map((task) => {
        return task.id < which ? { ...task, expected: { [`${task.id}/label/0/1`]: 'torn' } } : task;
      });
    return { ...own, tasks };
  };
  const one = await compared(wrong('o3'), { policies: ['belay'] });
  expect(one.left).toEqual([
    { folder: 'orders', task: 'o1', why: 'it ends with o1/label/0/1 undefined, and not "torn"' },
    { folder: 'orders', task: 'o2', why: 'it ends with o2/label/0/1 true, and not "torn"' },
  ]);
  expect(one.sets.map(({ tasks }) => tasks)).toEqual([1]);
  await expect(compared(wrong('o4'))).rejects.toThrow(/not one task can be run as the data has it\. orders: o1: /);
  await expect(compared(wrong('o4'))).rejects.toThrow(DataError);
});

test('leaves a task out that nobody can carry out', async () => {
  const own = shop();
  const input = () => {
    throw new DataError('nobody here knows the act fly');
  };
  const odd: DataSet['tasks'] = (files) =>
    own.tasks(files).map((task) => (task.id === 'o1' ? { ...task, input } : task));
  const { left } = await compared({ ...own, tasks: odd }, { policies: ['belay'] });
  expect(left).toEqual([{ folder: 'orders', task: 'o1', why: 'nobody here knows the act fly' }]);
});
