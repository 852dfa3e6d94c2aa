/** Tools that are called again before anything is rolled back: `retry` in the config (semantics.md E2, R6). */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, type Decision, loadConfig, NotApplied } from '../../../src/index.ts';
import { attach, tool } from '../../../src/xstate/index.ts';
import { VirtualTime } from '../../virtual-time.ts';

function configOf(line: string): BoundaryConfig {
  const page = `
belay: 1
agent: order
tools: { pay: { writes: [receipt], ${line} } }
skeletons:
  Order: { entity: '"it"', states: [paying], entry: [paying], outputs: [receipt], exit: [{ id: paid, at: paying -> paid, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying, tries: 9 } }
`;
  const loaded = loadConfig(page, { file: 'order.yaml' });
  if (loaded.config === null) throw new Error(JSON.stringify(loaded.findings));
  return loaded.config;
}

/** Pays, and hears of errors where `handles` says so. */
function machineOf(pay: (nth: number) => unknown, keys: (string | undefined)[], handles: boolean): AnyStateMachine {
  const act = tool(async ({ key }) => {
    keys.push(key);
    return pay(keys.length - 1);
  });
  return setup({ actors: { pay: act } }).createMachine({
    id: 'order',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: {
          src: 'pay',
          onDone: {
            target: 'paid',
            actions: assign({ receipt: ({ event }: { event: { output: unknown } }) => event.output }),
          },
          ...(handles && { onError: 'sorry' }),
        },
      },
      paid: { type: 'final' },
      sorry: { type: 'final' },
    },
  } as never) as never;
}

/** Runs such a machine to its end. */
async function paid(
  line: string,
  pay: (nth: number) => unknown,
  { handles = true, find = () => ({ is: 'unknown' }) as never } = {},
) {
  const keys: (string | undefined)[] = [];
  const decisions: Decision[] = [];
  const sidecar = await attach(machineOf(pay, keys, handles), {
    run: 'r',
    config: configOf(line),
    ...(line.includes('find') && { reconcilers: { find } }),
    onDecision: ({ decision }) => void decisions.push(decision),
  });
  const since = Date.now();
  sidecar.actor.start();
  const { status } = await sidecar.finished();
  const { value } = sidecar.actor.getSnapshot() as { value: unknown };
  await sidecar.close();
  return { status, value, keys, decisions, took: Date.now() - since };
}

const refuses = (times: number, error: () => Error) => (nth: number) => {
  if (nth < times) throw error();
  return 'R';
};

describe('a tool with a retry policy', () => {
  test('is called again where it changes nothing, and neither the machine nor a decision hears of it', async () => {
    const { value, keys, decisions } = await paid(
      'effect: none, retry: { max: 3, backoff: 1 }',
      refuses(3, () => new Error('503')),
    );
    expect([value, keys.length, decisions]).toEqual(['paid', 4, []]);
  });

  test('is called again under its key where it says that nothing has happened', async () => {
    const { value, keys } = await paid(
      'effect: irreversible, retry: { max: 3, backoff: 1 }',
      refuses(2, () => new NotApplied('no money')),
    );
    expect([value, keys.length, new Set(keys).size]).toEqual(['paid', 3, 1]);
  });

  test('or where its counterparty says so', async () => {
    const { value, keys } = await paid(
      'effect: irreversible, reconcile: find, retry: { max: 3, backoff: 1 }',
      refuses(2, () => new Error('reset')),
      { find: () => ({ is: 'not_applied' }) as never },
    );
    expect([value, keys.length, new Set(keys).size]).toEqual(['paid', 3, 1]);
  });

  test('is called again under its key where the same call again is harmless, whatever became of the first', async () => {
    const { value, keys } = await paid(
      'effect: idempotent, retry: { max: 3, backoff: 1 }',
      refuses(2, () => new Error('reset')),
    );
    expect([value, keys.length, new Set(keys).size]).toEqual(['paid', 3, 1]);
  });

  test('is not called again where it may have happened: the machine hears the error', async () => {
    const { keys, value } = await paid(
      'effect: irreversible, reconcile: { ask: find, tries: 1 }, retry: { max: 3, backoff: 1 }',
      refuses(2, () => new Error('reset')),
    );
    expect([keys.length, value]).toEqual([1, 'sorry']);
  });

  test.each([
    ['the name of an error', 'CardExpired', () => Object.assign(new Error('no'), { name: 'CardExpired' })],
    ['a code', 'E_CARD', () => Object.assign(new Error('no'), { code: 'E_CARD' })],
    ['a signal', 'TIMEOUT', () => Object.assign(new Error('no'), { code: 'ETIMEDOUT' })],
  ])('is not called again after what non_retryable names: %s', async (_, word, error) => {
    const { keys, value } = await paid(
      `effect: none, retry: { max: 3, backoff: 1, non_retryable: [${word}] }`,
      refuses(1, error),
    );
    expect([keys.length, value]).toEqual([1, 'sorry']);
  });

  test('is called again no more often than max says, and then the machine hears the last error', async () => {
    const { keys, value } = await paid(
      'effect: none, retry: { max: 2, backoff: 1 }',
      refuses(9, () => new Error('503')),
    );
    expect([keys.length, value]).toEqual([3, 'sorry']);
  });

  test('waits longer each time', async () => {
    const { took } = await new VirtualTime().during(() =>
      paid(
        'effect: none, retry: { max: 3, backoff: 20s, factor: 3 }',
        refuses(3, () => new Error('503')),
      ),
    );
    expect(took).toBe(20_000 + 60_000 + 180_000);
  });

  test('leaves a part of each wait to chance', async () => {
    const { took } = await new VirtualTime().during(() =>
      paid(
        'effect: none, retry: { max: 1, backoff: 1000s, jitter: 0.5 }',
        refuses(1, () => new Error('503')),
      ),
    );
    expect([took > 500_000, took < 1_000_000]).toEqual([true, true]);
  });

  test('without a handler the failure is decided once the tries are used up', async () => {
    const { keys, decisions, status } = await paid(
      'effect: none, retry: { max: 1, backoff: 1 }',
      refuses(3, () => new Error('503')),
      { handles: false },
    );
    expect([keys.length, decisions.map(({ verdict }) => verdict), status]).toEqual([4, ['restore'], 'done']);
  });
});

test.each([
  ['max: 0', 'out_of_range'],
  ['max: 2, backoff: soon', 'bad_timeout'],
  ['max: 2, jitter: 2', 'out_of_range'],
  ['backoff: 1', 'missing_field'],
])('a policy that cannot be meant is refused: { %s }', (policy, code) => {
  const page = `
belay: 1
agent: order
tools: { pay: { effect: none, retry: { ${policy} } } }
skeletons: {}
`;
  const { findings } = loadConfig(page, { file: 'order.yaml' });
  expect(findings.map((finding) => finding.code)).toContain(code);
});

test('recoveries from the same failure do not follow one another at once (R6)', async () => {
  const { keys, decisions, took } = await new VirtualTime().during(() =>
    paid(
      'effect: none',
      refuses(4, () => new Error('503')),
      { handles: false },
    ),
  );
  // Nothing before the first, then 10, 20 and 40 milliseconds.
  expect([keys.length, decisions.length, took]).toEqual([5, 4, 70]);
});
