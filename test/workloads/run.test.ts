/** One task under every policy, with faults where they are wanted: what each of them makes of a failure, counted by hand. */
import { readConfig } from 'belay-sidecar';
import { describe, expect, test } from 'vitest';
import type { Fault, Faults } from '../../audit/workloads/faults.ts';
import type { Observed } from '../../audit/workloads/observed.ts';
import { POLICIES, type Policy } from '../../audit/workloads/policies.ts';
import { runTask } from '../../audit/workloads/run.ts';
import { type Score, scoreOf } from '../../audit/workloads/score.ts';
import { type Act, shop, taskOf } from './shop.ts';

const set = shop();
const config = (() => {
  const loaded = readConfig(set.config);
  if (loaded.config === null) throw new Error(loaded.findings.map(({ message }) => message).join('\n'));
  return loaded.config;
})();

/** The nth attempts at a tool that fail. */
function failing(tool: Act, ...attempts: readonly Fault[]): Faults {
  return (change, attempt) => (change.startsWith(`${tool} `) ? (attempts[attempt] ?? null) : null);
}

interface Ran {
  readonly run: Observed;
  readonly score: Score;
}

async function under(policy: Policy, faults: Faults, acts: readonly Act[], asks = true): Promise<Ran> {
  const setting = { set, config, task: taskOf({ order: 'o1', acts }), asks };
  const reference = await runTask({ ...setting, faults: () => null }, 'oracle');
  const run = await runTask({ ...setting, faults }, policy);
  return { run, score: scoreOf(run, reference) };
}

const counts = ({ equal, completed, duplicated, lost, redone, parked, needless }: Score) => {
  return { equal, completed, duplicated, lost, redone, parked, needless };
};
const WELL = { equal: true, completed: true, duplicated: 0, lost: 0, redone: 0, parked: false, needless: false };

describe('a run without faults', () => {
  test.each(POLICIES)('ends as it should under %s, and makes each call once', async (policy) => {
    const { run, score } = await under(policy, () => null, ['pay', 'pack', 'label', 'tell']);
    expect(counts(score)).toEqual(WELL);
    expect(run.wire.attempts.map(({ tool }) => tool)).toEqual(['look', 'pay', 'pack', 'label', 'tell', 'verify']);
  });
});

describe('a payment whose reply is lost', () => {
  const lost = failing('pay', 'after');
  const acts = ['pack', 'pay', 'tell'] as const;

  test.each<[Policy, Partial<Score>]>([
    ['give-up', { completed: false }],
    ['naive-retry', { equal: false, duplicated: 1 }],
    ['whole-restart', { equal: false, duplicated: 1, redone: 2 }],
    ['checkpoint-rollback', { equal: false, duplicated: 1, redone: 2 }],
    ['comp-frozen', { equal: false, completed: false, parked: true, needless: true }],
    ['belay', {}],
    ['oracle', {}],
  ])('under %s', async (policy, more) => {
    expect(counts((await under(policy, lost, acts)).score)).toEqual({ ...WELL, ...more });
  });
});

describe('a payment that never came', () => {
  const lost = failing('pay', 'before', 'before');

  test.each<[Policy, Partial<Score>]>([
    ['give-up', { equal: false, completed: false, lost: 1 }],
    ['naive-retry', {}],
    ['whole-restart', { redone: 4, duplicated: 0 }],
    ['checkpoint-rollback', { redone: 4 }],
    ['belay', {}],
    ['oracle', {}],
  ])('under %s', async (policy, more) => {
    expect(counts((await under(policy, lost, ['pack', 'pay'])).score)).toEqual({ ...WELL, ...more });
  });
});

describe('Belay', () => {
  test('makes a call again that changes nothing when it is made twice, though nobody can be asked', async () => {
    const { score } = await under('belay', failing('pack', 'after', 'before'), ['pay', 'pack']);
    expect(counts(score)).toEqual(WELL);
  });

  test('waits where nobody can tell, needfully, and says what is unknown and whom to ask', async () => {
    const { run, score } = await under('belay', failing('tell', 'after'), ['pay', 'tell', 'pack']);
    expect(counts(score)).toEqual({ ...WELL, equal: false, completed: false, parked: true });
    expect(score.names).toEqual(['whether tell happened, of shop:o1']);
    expect(run.parked?.verdict).toBe('escalate');
  });

  test('waits as well where those who could be asked do not answer', async () => {
    const { score } = await under('belay', failing('pay', 'after'), ['pay'], false);
    expect([score.parked, score.needless, score.names]).toEqual([true, false, ['whether pay happened, of shop:o1']]);
  });

  test('leaves nothing lost or touched beside when it waits: what is not made yet is neither', async () => {
    const { score } = await under('belay', failing('tell', 'before'), ['pay', 'tell', 'pack']);
    expect([score.lost, score.collateral, score.duplicated]).toEqual([0, 0, 0]);
  });
});

test('a run that never gets through is spent, and does not hang', async () => {
  const always: Faults = () => 'before';
  const { run } = await under('whole-restart', always, ['pay']);
  expect([run.status, run.wire.attempts.filter(({ tool }) => tool === 'pay').length]).toEqual(['spent', 11]);
});

test('rows of other work that a restart has changed are told of as collateral', async () => {
  const setting = { set, config };
  const plan = (['a', 'b'] as const).map((unit) => ({ kind: 'order', unit, tool: 'label', with: { order: unit } }));
  const task = { ...taskOf({ order: 'o1', acts: [] }), input: () => ({ plan }) };
  const reference = await runTask({ ...setting, task, faults: () => null }, 'oracle');
  const second: Faults = (change, attempt) => (change.includes('"unit":"b"') && attempt === 0 ? 'before' : null);
  const scores = await Promise.all(
    (['whole-restart', 'checkpoint-rollback', 'belay'] as const).map(async (policy) =>
      scoreOf(await runTask({ ...setting, task, faults: second }, policy), reference),
    ),
  );
  expect(scores.map(({ collateral }) => collateral)).toEqual([1, 0, 0]);
});
