/** Asking and retrying, snapshots at every step, refusals, unreliable answers and late effects: one task each, counted by hand. */
import { readConfig } from 'belay-sidecar';
import { describe, expect, test } from 'vitest';
import { CALM, type Fault, type Faults, type Weather } from '../../audit/workloads/faults.ts';
import type { Observed } from '../../audit/workloads/observed.ts';
import type { Policy } from '../../audit/workloads/policies.ts';
import { runTask } from '../../audit/workloads/run.ts';
import { type Score, scoreOf } from '../../audit/workloads/score.ts';
import { Refused, type Task, type Tool } from '../../audit/workloads/set.ts';
import { type Act, shop, taskOf } from './shop.ts';

const set = shop();
const config = (() => {
  const loaded = readConfig(set.config);
  if (loaded.config === null) throw new Error(loaded.findings.map(({ message }) => message).join('\n'));
  return loaded.config;
})();

const failing =
  (tool: Act, ...attempts: readonly Fault[]): Faults =>
  (change, attempt) =>
    change.startsWith(`${tool} `) ? (attempts[attempt] ?? null) : null;

/** The task with one tool changed. */
function changed(task: Task, name: Act, change: (tool: Tool) => Tool): Task {
  const open = () => {
    const world = task.open();
    return { ...world, tools: { ...world.tools, [name]: change(world.tools[name] as Tool) } };
  };
  return { ...task, open };
}

async function under(
  policy: Policy,
  faults: Faults,
  task: Task,
  { weather = CALM, asks = true }: { weather?: Weather; asks?: boolean } = {},
): Promise<{ readonly run: Observed; readonly score: Score }> {
  const setting = { set, config, task, asks };
  const reference = await runTask({ ...setting, faults: () => null }, 'oracle');
  const run = await runTask({ ...setting, faults, weather }, policy);
  return { run, score: scoreOf(run, reference) };
}

const order = (...acts: readonly Act[]) => taskOf({ order: 'o1', acts });
const callsOf = ({ wire }: Observed, tool: string) => wire.attempts.filter((each) => each.tool === tool).length;
const ended = ({ equal, completed, duplicated, lost }: Score) => ({ equal, completed, duplicated, lost });
const WELL = { equal: true, completed: true, duplicated: 0, lost: 0 };
const ASKING: readonly Policy[] = ['ask-and-retry', 'belay'];

describe('ask-and-retry', () => {
  test('takes the answer of a call that happened, and makes a call again that did not', async () => {
    const happened = await under('ask-and-retry', failing('pay', 'after'), order('pay', 'label'));
    expect([ended(happened.score), callsOf(happened.run, 'pay')]).toEqual([WELL, 1]);
    const not = await under('ask-and-retry', failing('pay', 'before', 'before'), order('pay', 'label'));
    expect([ended(not.score), callsOf(not.run, 'pay')]).toEqual([WELL, 3]);
  });

  test('makes a call again that its counterparty takes for the same one, though nobody can be asked', async () => {
    const { run, score } = await under('ask-and-retry', failing('pack', 'after'), order('pack'));
    expect([ended(score), callsOf(run, 'pack')]).toEqual([WELL, 2]);
  });

  test('waits where nobody can tell, and says whom to ask', async () => {
    const { run, score } = await under('ask-and-retry', failing('tell', 'after'), order('tell', 'pay'));
    expect([run.status, score.parked, score.needless, callsOf(run, 'pay')]).toEqual(['parked', true, false, 0]);
    expect(score.names).toEqual(['whether tell happened, of nobody: a word is not written down']);
  });

  test('waits as well where those who could be asked do not answer', async () => {
    const { score } = await under('ask-and-retry', failing('pay', 'after'), order('pay'), { asks: false });
    expect([score.parked, score.needless]).toEqual([true, false]);
  });
});

test('checkpoint-every-step makes nothing again that was answered; the rollback to where work begins does', async () => {
  const faults = failing('pay', 'before');
  const [begins, every] = await Promise.all(
    (['checkpoint-rollback', 'checkpoint-every-step'] as const).map((policy) =>
      under(policy, faults, order('pack', 'pay')),
    ),
  );
  expect([begins?.score.redone, every?.score.redone]).toEqual([2, 0]);
  const lost = await under('checkpoint-every-step', failing('pay', 'after'), order('pack', 'pay'));
  expect(lost.score.duplicated).toBe(1);
});

describe('a call that is refused for good', () => {
  const once = (tool: Tool): Tool => {
    let made = false;
    const act = (args: unknown) => {
      if (made) throw new Refused('it is paid already');
      made = true;
      return tool.act(args);
    };
    return { ...tool, act };
  };

  test.each<[Policy, number]>([
    ['naive-retry', 2],
    ['whole-restart', 2],
    ['checkpoint-rollback', 2],
    ['checkpoint-every-step', 2],
  ])('is an answer to %s: no loop, no try, and nothing is left out that is there', async (policy, calls) => {
    const { run, score } = await under(policy, failing('pay', 'after'), changed(order('pay'), 'pay', once));
    expect([run.status, ended(score), score.refused]).toEqual(['done', WELL, 1]);
    expect(callsOf(run, 'pay')).toBe(calls);
  });

  test('is left out where it was never made', async () => {
    const never = (tool: Tool): Tool => ({
      ...tool,
      act: () => {
        throw new Refused('no such account');
      },
    });
    const setting = { set, config, task: changed(order('pay', 'pack'), 'pay', never), faults: () => null };
    const run = await runTask(setting, 'whole-restart');
    expect([run.status, run.left.length, callsOf(run, 'pay')]).toEqual(['done', 1, 1]);
  });
});

describe('answers that are not reliable', () => {
  test.each(ASKING)('%s makes a read again that fails', async (policy) => {
    const weather = { ...CALM, read: (name: string, nth: number) => name.startsWith('look') && nth < 2 };
    const { run, score } = await under(policy, () => null, order('pay'), { weather });
    expect([ended(score), callsOf(run, 'look')]).toEqual([WELL, 3]);
  });

  test.each(ASKING)('%s asks again where a source lags or a status query fails', async (policy) => {
    const weather: Weather = { ...CALM, query: (_, nth) => (nth === 0 ? 'lags' : nth === 1 ? 'fails' : null) };
    const { run, score } = await under(policy, failing('pay', 'after'), order('pay'), { weather });
    expect([ended(score), callsOf(run, 'pay'), run.wire.queries]).toEqual([WELL, 1, 3]);
  });

  test.each(ASKING)('%s waits, with need, where no query is ever answered, having asked six times', async (policy) => {
    const weather: Weather = { ...CALM, query: () => 'lags' };
    const { run, score } = await under(policy, failing('pay', 'after'), order('pay'), { weather });
    expect([score.parked, score.needless, run.wire.queries]).toEqual([true, false, 6]);
  });

  test.each(ASKING)('a counterparty that throws when %s asks it ends nothing: it is not known', async (policy) => {
    const throws = (tool: Tool): Tool => {
      const shows = () => {
        throw new Error('the bank is closed');
      };
      return { ...tool, change: { ...(tool.change as NonNullable<Tool['change']>), shows } };
    };
    const { run, score } = await under(policy, failing('pay', 'after'), changed(order('pay'), 'pay', throws));
    expect([run.status, score.needless]).toEqual(['parked', false]);
  });
});

describe('an effect that lands late', () => {
  const weather: Weather = { ...CALM, late: () => 2 };

  test('is credited to the call that made it, and stands beside a retry', async () => {
    const { run, score } = await under('naive-retry', failing('pay', 'after'), order('pay', 'pack'), { weather });
    const paid = run.wire.applied.filter(({ tool }) => tool === 'pay').map(({ attempt }) => attempt);
    expect([score.duplicated, paid]).toEqual([1, [2, 1]]);
  });

  test('lands at the latest when the run is over', async () => {
    const { run } = await under('give-up', failing('pay', 'after'), order('pay'), {
      weather: { ...CALM, late: () => 99 },
    });
    expect(run.wire.applied.map(({ attempt }) => attempt)).toEqual([1]);
  });

  test.each(ASKING)('is waited for by %s: its counterparty does not say that it did not happen', async (policy) => {
    const { run, score } = await under(policy, failing('pay', 'after'), order('pay', 'pack'), { weather });
    expect([ended(score), callsOf(run, 'pay')]).toEqual([WELL, 1]);
  });

  test('is known to the oracle', async () => {
    const { run, score } = await under('oracle', failing('pay', 'after'), order('pay', 'pack'), { weather });
    expect([ended(score), callsOf(run, 'pay')]).toEqual([WELL, 1]);
  });
});
