/** The comparison of a whole set: the same wish gives the same tables, and a promise that is not kept is told. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../audit/workloads/agent.ts';
import { type Comparison, compare, FEWEST, FURTHER } from '../../audit/workloads/compare.ts';
import { POLICIES, type Policy } from '../../audit/workloads/policies.ts';
import { promisesOf } from '../../audit/workloads/promises.ts';
import { DataError, type DataSet } from '../../audit/workloads/set.ts';
import { tablesOf } from '../../audit/workloads/tables.ts';
import { sentenceOf, verdictsOf } from '../../audit/workloads/verdicts.ts';
import { type Act, shop } from './shop.ts';

const ORDERS: readonly { order: string; acts: readonly Act[] }[] = [
  { order: 'o1', acts: ['pay', 'pack', 'label'] },
  { order: 'o2', acts: ['label', 'pay'] },
  { order: 'o3', acts: ['pack', 'label', 'label', 'pay'] },
];

function compared(set: DataSet, more: Partial<Parameters<typeof compare>[0]> = {}): Promise<Comparison> {
  const found = [{ set, folder: 'orders', tasks: set.tasks({ orders: [ORDERS] }) }];
  return compare({
    found,
    probabilities: [0.3],
    repeat: 3,
    seed: 5,
    policies: POLICIES,
    asks: true,
    fewest: 15,
    ...more,
  });
}

const missed = (comparison: Comparison) =>
  promisesOf(comparison)
    .filter(({ kept }) => !kept)
    .map(({ text }) => text);

/** One comparison, and one in which two runs meet. */
let one: Comparison;
let meeting: Comparison;

beforeAll(async () => {
  one = await compared(shop());
  meeting = await compared({ ...shop(), meets: true });
});

test('gives the same tables for the same seed, and others for another', async () => {
  const [again, other] = [await compared(shop()), await compared(shop(), { seed: 6 })];
  expect(tablesOf(again)).toEqual(tablesOf(one));
  expect(tablesOf(other)).not.toEqual(tablesOf(one));
});

test('runs every policy as often as the others', () => {
  expect(one.cells.map(({ policy, runs }) => [policy, runs.length])).toEqual(POLICIES.map((policy) => [policy, 15]));
});

test('has every policy meet the same faults: the first attempts at a change fail in the same runs', () => {
  const troubled = one.cells
    .filter(({ policy }) => policy === 'belay' || policy === 'naive-retry')
    .map(({ runs }) => runs.map(({ score }) => score.faults > 0));
  expect(troubled[0]).toEqual(troubled[1]);
});

test('keeps every promise where the counterparties tell the truth, also where two runs meet', () => {
  expect(missed(meeting)).toEqual([]);
  expect(promisesOf(meeting)).toHaveLength(8);
  const [belay] = meeting.meetings.filter(({ policy }) => policy === 'belay');
  expect(belay?.meetings.map(({ completed, damaged }) => [completed, damaged])).toEqual([[true, 0]]);
});

test('does not take two runs for apart of which one stands still and tells nobody', () => {
  const still = meeting.meetings.map((each) => ({
    ...each,
    meetings: each.meetings.map((one) => ({ ...one, completed: false, broken: true })),
  }));
  expect(missed({ ...meeting, meetings: still })).toEqual(['two runs at once end as one after the other']);
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

describe('the further regimes', () => {
  const units = ['a', 'b', 'c'];
  /** Orders of several units each: every unit is labelled, and the last one is paid and uses the first. */
  const wide = (own: DataSet): DataSet => {
    const tasks: DataSet['tasks'] = (files) =>
      own.tasks(files).map((task) => {
        const step = (unit: string, tool: Act): Step => ({ kind: 'order', unit, tool, with: { order: unit } });
        const plan = [...units.map((unit) => step(unit, 'label')), { ...step('c', 'pay'), uses: 'a' }];
        return { ...task, input: () => ({ plan }) };
      });
    return { ...own, tasks };
  };
  const policies: readonly Policy[] = ['ask-and-retry', 'belay', 'oracle'];
  const run = (fewest: number) => compared(wide(shop()), { further: true, policies, fewest });
  let comparison: Comparison;

  beforeAll(async () => {
    comparison = await run(FEWEST);
  });

  test('run few tasks more often, as the others do', () => {
    const { sets, cells } = comparison;
    expect(sets.map(({ tasks, repeat }) => [tasks, repeat])).toEqual([[3, 20]]);
    expect(cells.map(({ policy, runs }) => [policy, runs.length])).toEqual(policies.map((policy) => [policy, 60]));
  });

  test('are run at the highest probability, by the policies that differ in them, with the same text for a seed', async () => {
    const one = comparison;
    expect(one.further.map(({ regime, policy }) => `${regime} ${policy}`)).toEqual(
      ['unreliable-answers', 'late-effects'].flatMap((regime) => policies.map((policy) => `${regime} ${policy}`)),
    );
    expect(FURTHER).toEqual(expect.arrayContaining([...policies]));
    expect(new Set(one.wrong.map(({ cursor, probability }) => `${cursor} ${probability}`))).toEqual(
      new Set(['own 0', 'own 0.3', 'shared 0', 'shared 0.3']),
    );
    expect(tablesOf(await run(6))).toEqual(tablesOf(await run(6)));
  });

  test('say plainly where asking and retrying is as good as Belay, and where it is not', () => {
    const verdicts = verdictsOf(comparison);
    const is = (regime: string) => [
      ...new Set(verdicts.filter((each) => each.regime === regime).map((each) => each.is)),
    ];
    expect(is('lost-replies')).toEqual(['as good']);
    expect(is('wrong-answers')).toEqual(['worse']);
    const [lost] = verdicts.map(sentenceOf);
    expect(lost).toMatch(
      /^Lost replies alone \(p = 0\.3\): ask-and-retry is as good as Belay on orders \(\S+ \[.*\] vs \S+ \[.*\]\)\.$/,
    );
  });

  test('are judged by the runs: an ask-and-retry that is spoilt is told to be worse, a Belay that is spoilt is told to be beaten', () => {
    const spoilt = (policy: Policy) => ({
      ...comparison,
      cells: comparison.cells.map((cell) =>
        cell.policy !== policy
          ? cell
          : { ...cell, runs: cell.runs.map((each) => ({ ...each, score: { ...each.score, equal: false } })) },
      ),
    });
    expect(verdictsOf(spoilt('ask-and-retry'))[0]?.is).toBe('worse');
    expect(verdictsOf(spoilt('belay'))[0]?.is).toBe('better');
  });

  test('have promises of their own, which are told where they are missed', async () => {
    const own = promisesOf(comparison).filter(({ text }) => /^(where|after)/.test(text));
    expect(own.length).toBe(2 * 6 + 4 * 3);
    const harmed = comparison.wrong.map((cell) => ({
      ...cell,
      runs: cell.runs.map((each) => ({ ...each, score: { ...each.score, harm: true, parked: true, needless: true } })),
    }));
    const texts = missed({ ...comparison, wrong: harmed });
    expect(texts.filter((text) => text.endsWith('no run ends in harm'))).toHaveLength(4);
    expect(texts.filter((text) => text.startsWith('after') && text.endsWith('asked without need'))).toHaveLength(4);
    const liar = await compared(wide(shop(true)), { further: true, policies: ['belay'], probabilities: [0.3] });
    expect(missed(liar)).toContain('where effects land late, no change is made twice');
  });
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
