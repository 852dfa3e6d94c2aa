/** Reducers (`fromTransition`) beside a machine: their state is journaled, taken up and restored; an actor without a name is told to be lost. */
import { describe, expect, test } from 'vitest';
import { type AnyActorRef, type AnyStateMachine, assign, createMachine, fromTransition, sendTo, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { unlessItHangs, until } from '../poll.ts';

interface Added {
  readonly type: string;
  readonly cents?: number;
}

const CONFIG = `belay: 1
agent: till
tools:
  look: { effect: none, writes: [seen] }
skeletons:
  Look: { entity: '"it"', states: [looking], entry: [looking], outputs: [seen] }
`;
const config = (text = CONFIG) => {
  const { config: made } = loadConfig(text, { file: 'till.yaml' });
  if (made === null) throw new Error('the config has an error');
  return made;
};

const sum = fromTransition(
  (state: { total?: number; first?: number }, { type, cents = 0 }: Added) => {
    if (type === 'add') return { total: (state.total ?? 0) + cents, first: state.first ?? cents };
    return type === 'clear' ? { total: 0 } : state;
  },
  { total: 0 },
);

/** A run whose process ends behind some events, and the next process. */
async function takenUp(
  machine: AnyStateMachine,
  events: readonly Added[],
  tell: (findings: string) => void = () => {},
) {
  const options = {
    run: 'r',
    config: config('belay: 1\nagent: till\ntools: {}\nskeletons: {}\n'),
    journal: memoryStore(),
    onFinding: ({ code, text }: { readonly code: string; readonly text: string }) => tell(`${code} ${text}`),
  };
  const first = await attach(machine, options);
  first.actor.start();
  for (const event of events) first.actor.send(event as never);
  await first.durable();
  await first.close();
  const second = await resume(machine, options);
  second.actor.start();
  return second;
}
const stateOf = (ref: AnyActorRef | undefined): unknown => ref?.getSnapshot().context;
const forwarding = {
  add: { actions: sendTo('sum', ({ event }) => event) },
  clear: { actions: sendTo('sum', { type: 'clear' }) },
};

describe('a reducer', () => {
  const spawning = setup({ actors: { sum } }).createMachine({
    id: 'till',
    context: ({ spawn }) => ({ sum: spawn('sum', { id: 'sum' }) }),
    on: forwarding as never,
  });
  const invoking = setup({ actors: { sum } }).createMachine({
    id: 'till',
    invoke: { id: 'sum', src: 'sum' },
    on: forwarding as never,
  });

  test.each([
    ['spawned', spawning],
    ['invoked', invoking],
  ])('that is %s has its state in the next process', async (_, machine) => {
    const findings: string[] = [];
    const run = await takenUp(
      machine,
      [
        { type: 'add', cents: 5 },
        { type: 'add', cents: 2 },
      ],
      (finding) => void findings.push(finding),
    );
    expect([stateOf(run.actor.getSnapshot().children.sum), findings]).toEqual([{ total: 7, first: 5 }, []]);
    run.actor.send({ type: 'add', cents: 1 } as never);
    expect(stateOf(run.actor.getSnapshot().children.sum)).toEqual({ total: 8, first: 5 });
    await run.close();
  });

  test('has the keys that it returns, and no others', async () => {
    const run = await takenUp(spawning, [{ type: 'add', cents: 5 }, { type: 'clear' }]);
    expect(stateOf(run.actor.getSnapshot().children.sum)).toEqual({ total: 0 });
    await run.close();
  });

  test('has forgotten what it was told of an answer that was found wrong', async () => {
    let price = 900;
    const machine = setup({ actors: { sum, look: tool<number, void>(async () => price) } }).createMachine({
      id: 'till',
      context: ({ spawn }) => ({ sum: spawn('sum', { id: 'sum' }), seen: 0 }),
      initial: 'looking',
      states: {
        looking: {
          invoke: {
            src: 'look',
            onDone: {
              target: 'waiting',
              actions: [
                assign({ seen: ({ event }) => event.output }),
                sendTo('sum', ({ event }) => ({ type: 'add', cents: event.output as number })),
              ],
            },
          },
        },
        waiting: { on: { over: 'over' } },
        over: { type: 'final' },
      },
    });
    const run = await attach(machine, { run: 'r', config: config(), journal: memoryStore() });
    run.actor.start();
    await until(() => run.actor.getSnapshot().matches('waiting'));
    price = 700;
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Look', entity: 'it', ordinal: 0 }, key: 'seen' });
    await until(() => run.actor.getSnapshot().context.seen === 700);
    expect(stateOf(run.actor.getSnapshot().context.sum)).toEqual({ total: 700, first: 700 });
    run.actor.send({ type: 'over' });
    expect((await unlessItHangs(run.finished())).status).toBe('done');
    await run.close();
  });

  test.each([
    ['a number', 5],
    ['a list', [1]],
    ['null', null],
  ])('whose state is %s parks the run, and says what to do', async (is, state) => {
    const failures: string[] = [];
    const counting = fromTransition((now: unknown) => now, state as never);
    const machine = setup({ actors: { counting } }).createMachine({ id: 'till', invoke: { src: 'counting' } });
    const run = await attach(machine, {
      run: 'r',
      config: config('belay: 1\nagent: till\ntools: {}\nskeletons: {}\n'),
      journal: memoryStore(),
      onDecision: ({ error }) => void failures.push(error),
    });
    run.actor.start();
    const { status } = await unlessItHangs(run.finished());
    expect(status).toBe('parked');
    expect(failures.join()).toContain(`The state of the reducer "counting" is ${is}: hold it in an object`);
    await run.close();
  });
});

describe('an actor without a name', () => {
  const inner = createMachine({
    id: 'inner',
    context: { total: 0 },
    on: {
      add: {
        actions: assign({ total: ({ context, event }) => context.total + (event as Added & { cents: number }).cents }),
      },
    },
  });
  const told = async (machine: AnyStateMachine) => {
    const findings: string[] = [];
    const run = await takenUp(machine, [{ type: 'add', cents: 5 }], (finding) => void findings.push(finding));
    await run.close();
    return findings;
  };

  test.each([
    ['a reducer', sum],
    ['a machine', inner],
  ])('that was spawned, %s, is lost with its process, which is told', async (_, logic) => {
    const machine = createMachine({
      id: 'till',
      context: ({ spawn }) => ({ it: (spawn as (value: unknown, of: object) => unknown)(logic, { id: 'sum' }) }),
      on: forwarding as never,
    });
    expect(await told(machine)).toEqual([
      'source_lost sum is gone with the process that had it: it was spawned without a name. Provide it under a name: setup({ actors }).',
    ]);
  });

  test.each([
    ['a reducer', sum],
    ['a machine', inner],
  ])('that is invoked, %s, is begun anew, which is told', async (_, logic) => {
    const machine = createMachine({ id: 'till', invoke: { id: 'sum', src: logic as never }, on: forwarding as never });
    expect(await told(machine)).toEqual([
      expect.stringMatching(/^source_begun_anew sum was begun anew, and does not know what a step had told it before/),
    ]);
  });
});
