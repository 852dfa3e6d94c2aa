/** What an ordinary program around a tool does to effects (semantics.md E1-E3): one key, one body; keys; the end of a run. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, Denied, loadConfig, memoryStore } from '../../../src/index.ts';
import { attach, resume, tool } from '../../../src/xstate/index.ts';
import { calm, until } from '../../poll.ts';
import { held } from '../../sidecar/stations.ts';

const { config } = loadConfig(
  `
belay: 1
agent: order
tools: { pay: { writes: [receipt], effect: irreversible, reconcile: find } }
skeletons:
  Order: { entity: args.order, states: [paying], entry: [paying], outputs: [receipt], exit: [{ id: paid, at: paying -> paid, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying } }
`,
  { file: 'order.yaml' },
) as { config: BoundaryConfig };

type Pay = (call: { key: string; input: unknown; signal: AbortSignal }) => unknown;

/** A call that never answers, and heeds that its process gives the run back. */
function cutOff({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Pays, and is over; an event, or a second, takes it away from there. */
function machineOf(
  pay: Pay,
  input: (order: string) => unknown = (order) => ({ order }),
  order = 'tea',
): AnyStateMachine {
  const made = setup({ actors: { pay: tool(async (call) => pay(call as never)) } }).createMachine({
    id: 'order',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: {
          src: 'pay',
          input: () => input(order) as never,
          onDone: {
            target: 'paid',
            actions: assign({ receipt: ({ event }: { event: { output: unknown } }) => event.output }),
          },
        },
        on: { leave: 'left' },
      },
      paid: { type: 'final' },
      left: { type: 'final' },
    },
  } as never);
  return made as never;
}

describe('one key has one body (E3)', () => {
  test('a process that makes a call again sends what was journaled, whatever its machine computes now', async () => {
    const journal = memoryStore();
    const sent: { key: string; input: unknown }[] = [];
    const first = await attach(
      machineOf(
        (call) => {
          sent.push(call);
          return cutOff(call);
        },
        (order) => ({ order, request: 1 }),
      ),
      { run: 'r', config, journal },
    );
    first.actor.start();
    await until(() => sent.length === 1);
    await first.close();
    const next = await resume(
      machineOf(
        (call) => {
          sent.push(call);
          return 'R';
        },
        (order) => ({ order, request: 2 }),
      ),
      {
        run: 'r',
        config,
        journal,
        reconcilers: { find: () => ({ is: 'not_applied' }) },
      },
    );
    next.actor.start();
    expect((await next.finished()).status).toBe('done');
    expect(sent.map(({ input }) => input)).toEqual([
      { order: 'tea', request: 1 },
      { order: 'tea', request: 1 },
    ]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    await next.close();
  });

  test.each([
    ['a URL', { at: new URL('http://localhost/') }],
    ['a function', { at: () => 1 }],
  ])('a call whose arguments hold %s is refused before it leaves, with the place named', async (_, more) => {
    const errors: string[] = [];
    let calls = 0;
    const machine = machineOf(
      () => {
        calls += 1;
        return 'R';
      },
      (order) => ({ order, ...more }),
    );
    const sidecar = await attach(machine, { run: 'r', config, onDecision: ({ error }) => void errors.push(error) });
    sidecar.actor.start();
    expect((await sidecar.finished()).status).toBe('parked');
    expect([calls, errors[0]]).toEqual([0, expect.stringContaining('its input at at')]);
    await sidecar.close();
  });
});

describe('the key that a tool is given (E3)', () => {
  test.each(['order-7', '\u0437\u0430\u043a\u0430\u0437-7', 'a\nb', 'x'.repeat(200)])(
    'is short ASCII for the entity %j, and fits into a header',
    async (order) => {
      const keys: string[] = [];
      const machine = machineOf(
        ({ key }) => keys.push(new Headers({ 'idempotency-key': key }).get('idempotency-key') as string),
        undefined,
        order,
      );
      const sidecar = await attach(machine, { run: 'r', config });
      sidecar.actor.start();
      expect((await sidecar.finished()).status).toBe('done');
      expect(keys).toEqual([expect.stringMatching(/^[\w-]{1,64}$/)]);
      await sidecar.close();
    },
  );
});

describe('the end of a run waits for what is under way (E2)', () => {
  test('a call that the machine has left is waited for, and its late answer is in the ledger', async () => {
    const paid: string[] = [];
    const answer = held<string>();
    const sidecar = await attach(
      machineOf(async () => {
        const receipt = await answer.promise;
        paid.push(receipt);
        return receipt;
      }),
      { run: 'r', config },
    );
    sidecar.actor.start();
    await calm();
    sidecar.actor.send({ type: 'leave' } as never);
    await calm();
    expect(sidecar.status).not.toBe('done');
    answer.resolve('R');
    await until(() => sidecar.status === 'done');
    expect(paid).toEqual(['R']);
    await sidecar.close();
  });

  test('and where it comes back only after the run was parked on it, its answer ends the run', async () => {
    const answer = held<string>();
    const sidecar = await attach(
      machineOf(() => answer.promise),
      { run: 'r', config },
    );
    sidecar.actor.start();
    await calm();
    sidecar.actor.send({ type: 'leave' } as never);
    expect((await sidecar.finished()).status).toBe('parked');
    answer.resolve('R');
    await until(() => sidecar.status === 'done');
    expect((await sidecar.finished()).status).toBe('done');
    await sidecar.close();
  });

  test('and where nobody can tell what became of it, the run is parked on that, and a person ends it', async () => {
    const lost: string[] = [];
    const machine = machineOf(({ key }) => {
      lost.push(key);
      return held().promise;
    });
    const sidecar = await attach(machine, { run: 'r', config });
    sidecar.actor.start();
    await until(() => lost.length === 1);
    sidecar.actor.send({ type: 'leave' } as never);
    const ending = await sidecar.finished();
    expect(ending).toMatchObject({
      status: 'parked',
      decision: { refusals: [{ adds: [{ code: 'effect_outcome_unknown' }] }] },
    });
    await sidecar.settle(lost[0] as string, 'failed');
    expect((await sidecar.finished()).status).toBe('done');
    await sidecar.close();
  });
});

test('a run that is closed lets the calls under way answer, as long as it is told to', async () => {
  const journal = memoryStore();
  let calls = 0;
  const machine = machineOf(async () => {
    calls += 1;
    await new Promise((resolve) => setTimeout(resolve, 60));
    return 'R';
  });
  const first = await attach(machine, { run: 'r', config, journal });
  first.actor.start();
  await until(() => calls === 1);
  await expect(first.close({ drain: 'soon' })).rejects.toThrow('"soon" is no time');
  await first.close({ drain: '5s' });
  const next = await resume(machine, { run: 'r', config, journal });
  next.actor.start();
  expect((await next.finished()).status).toBe('done');
  expect(calls).toBe(1);
  await next.close();
});

test('an end tells which calls that change nothing it has dropped', async () => {
  const looking = setup({ actors: { look: tool(() => held().promise) } }).createMachine({
    id: 'look',
    initial: 'looking',
    states: { looking: { invoke: { src: 'look' }, on: { leave: 'left' } }, left: { type: 'final' } },
  });
  const text = 'belay: 1\nagent: look\ntools: { look: { effect: none } }\nskeletons: {}\n';
  const loaded = loadConfig(text, { file: 'look.yaml' }) as { config: BoundaryConfig };
  const sidecar = await attach(looking, { run: 'r', config: loaded.config });
  sidecar.actor.start();
  await calm();
  sidecar.actor.send({ type: 'leave' });
  expect(await sidecar.finished()).toEqual({ status: 'done', output: undefined, dropped: ['look'] });
  await sidecar.close();
});

test('a denial is an error with a name and the one who said no', () => {
  expect(new Denied('denied by Ada: too dear', 'Ada')).toMatchObject({ name: 'Denied', by: 'Ada' });
});
