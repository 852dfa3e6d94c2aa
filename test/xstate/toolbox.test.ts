/** A toolbox: one actor that calls one of many tools, each of them a tool of its own to a config (the loop around a model). */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, createActor, setup, toPromise } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { withFault } from '../../src/xstate/faults.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { toolbox } from '../../src/xstate/toolbox.ts';
import { unlessItHangs, until } from '../poll.ts';

/** A call as the model asks for it. */
interface Asked {
  readonly tool: string;
  readonly input?: unknown;
}

const PAGE = `
belay: 1
agent: loop
tools:
  think: { effect: none, writes: [next] }
  act/search: { effect: none, writes: [found] }
  act/book: { effect: idempotent, reconcile: desk, writes: [found] }
  act/mail: { effect: irreversible, reconcile: { ask: desk, refuses_key: true }, timeout: 5s, writes: [found] }
skeletons:
  Turn:
    entity: '"it"'
    states: [thinking, acting]
    entry: [thinking]
    outputs: [next, found]
    exit: [{ id: turned, at: acting -> thinking, when: 'true' }, { id: over, at: thinking -> end, when: 'true' }]
    rollback: { anchors: [turned, over], resume: thinking }
`;

/** A loop around a model that asks for these calls, one a turn; what was called under which key; and what goes wrong at which call. */
function loop(plan: readonly Asked[], waits: (tool: string) => Promise<void> | void = () => {}) {
  const made: { readonly tool: string; readonly input: unknown; readonly key: boolean }[] = [];
  const calls = new Map<string, number>();
  const asks: string[] = [];
  const called =
    (tool: string) =>
    async ({ input, key }: ToolCall<unknown>) => {
      await waits(tool);
      made.push({ tool, input, key: key !== undefined });
      const nth = (calls.get(tool) ?? 0) + 1;
      calls.set(tool, nth);
      return `${tool} ${nth}`;
    };
  const act = toolbox({ search: called('search'), book: called('book'), mail: called('mail') });
  const think = toolbox({ ask: async ({ input }: ToolCall<number>) => plan[input] ?? null });
  const machine = setup({ actors: { think, act } }).createMachine({
    id: 'loop',
    context: { turn: 0, next: null as Asked | null, found: [] as unknown[] },
    initial: 'thinking',
    states: {
      thinking: {
        invoke: {
          src: 'think',
          input: ({ context }) => ({ tool: 'ask', input: context.turn }) as never,
          onDone: [
            { guard: ({ event }) => event.output === null, target: 'end' },
            {
              target: 'acting',
              actions: assign({ next: ({ event }) => event.output as Asked, turn: ({ context }) => context.turn + 1 }),
            },
          ],
        },
      },
      acting: {
        invoke: {
          src: 'act',
          input: ({ context }) => context.next as never,
          onDone: {
            target: 'thinking',
            actions: assign({ found: ({ context, event }) => [...context.found, event.output] }),
          },
          onError: {
            target: 'thinking',
            actions: assign({
              found: ({ context, event }) => [...context.found, String((event.error as Error).message)],
            }),
          },
        },
      },
      end: { type: 'final' },
    },
  });
  const { config } = loadConfig(PAGE.replace('  think:', '  think/ask:'), { file: 'loop.yaml' });
  if (config === null) throw new Error('the config has an error');
  const desk = ({ tool }: { tool: string }) => {
    asks.push(tool);
    return { is: 'not_applied' } as const;
  };
  return { machine, made, asks, options: { run: 'r', config, journal: memoryStore(), reconcilers: { desk } } };
}

describe('a toolbox under a run', () => {
  test('makes each call as a call of its own tool, with the input of that tool and a key where its class has one', async () => {
    const { machine, made, options } = loop([
      { tool: 'search', input: 'tea' },
      { tool: 'mail', input: { to: 'ann' } },
      { tool: 'book' },
    ]);
    const run = await attach(machine, options);
    run.actor.start();
    expect(await unlessItHangs(run.finished())).toMatchObject({ status: 'done' });
    expect(made).toEqual([
      { tool: 'search', input: 'tea', key: false },
      { tool: 'mail', input: { to: 'ann' }, key: true },
      { tool: 'book', input: undefined, key: true },
    ]);
    expect(run.actor.getSnapshot().context.found).toEqual(['search 1', 'mail 1', 'book 1']);
    await run.close();
    const { runState } = timelineOf(options.journal.read('r'));
    expect([...runState.ledger.all()].map(({ intent }) => [intent.tool, intent.args])).toEqual([
      ['act/mail', { to: 'ann' }],
      ['act/book', undefined],
    ]);
  });

  test('a lost reply of a search asks nobody, and the search is made again', async () => {
    const { machine, made, asks, options } = loop([
      { tool: 'search', input: 'tea' },
      { tool: 'mail', input: 1 },
    ]);
    const faulty = withFault(machine, { tool: 'act/search', when: 'after', signal: 'TIMEOUT' });
    const parked: string[] = [];
    const run = await attach(faulty.machine, {
      ...options,
      onDecision: ({ decision }) => parked.push(decision.verdict),
    });
    run.actor.start();
    expect(await unlessItHangs(run.finished())).toMatchObject({ status: 'done' });
    expect([faulty.fired(), asks, parked.filter((verdict) => verdict === 'escalate')]).toEqual([true, [], []]);
    expect(made.filter(({ tool }) => tool === 'mail')).toHaveLength(1);
    await run.close();
  });

  test('a model that asks for a tool that is not there hears so, and nothing was called', async () => {
    const { machine, made, options } = loop([{ tool: 'serach' }, { tool: 'toString' }, { tool: 'search' }]);
    const run = await attach(machine, options);
    run.actor.start();
    expect(await unlessItHangs(run.finished())).toMatchObject({ status: 'done' });
    expect(made.map(({ tool }) => tool)).toEqual(['search']);
    expect(run.actor.getSnapshot().context.found).toEqual([
      '"serach" is no tool of the box: it has search, book, mail',
      '"toString" is no tool of the box: it has search, book, mail',
      'search 1',
    ]);
    await run.close();
  });

  test.each(['search', 'book', 'mail'] as const)(
    'a process that dies in a call of %s goes on with that call alone',
    async (tool) => {
      let hangs = true;
      let left = false;
      const { machine, made, options } = loop(
        [
          { tool, input: 7 },
          { tool: 'search', input: 8 },
        ],
        (name) => {
          if (!hangs || name !== tool) return;
          left = true;
          return new Promise(() => {});
        },
      );
      const first = await attach(machine, options);
      first.actor.start();
      await until(() => left);
      await first.close();
      hangs = false;
      const second = await resume(machine, options);
      second.actor.start();
      expect(await unlessItHangs(second.finished())).toMatchObject({ status: 'done' });
      expect(made.map(({ tool: name, input }) => [name, input])).toEqual([
        [tool, 7],
        ['search', 8],
      ]);
      await second.close();
    },
  );
});

test('two regions call tools of one box, and what is found wrong in one of them is done again there alone', async () => {
  const made: string[] = [];
  const undone: string[] = [];
  const called = (tool: string) => async (_call: ToolCall<unknown>) => {
    made.push(tool);
    return `${tool} ${made.filter((name) => name === tool).length}`;
  };
  const act = toolbox({ search: called('search'), hold: called('hold'), mail: called('mail') });
  const region = (tool: string, key: string) => ({
    initial: 'acting',
    states: {
      acting: {
        invoke: {
          src: 'act',
          input: { tool, input: key } as never,
          onDone: {
            target: 'over',
            actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output }),
          },
        },
      },
      over: { on: { CLOSE: 'closed' } },
      closed: { type: 'final' },
    },
  });
  const machine = setup({ actors: { act } }).createMachine({
    id: 'regions',
    context: {},
    type: 'parallel',
    states: { one: region('hold', 'held'), two: region('mail', 'mailed') },
  } as never) as unknown as AnyStateMachine;
  const unit = (name: string, key: string) =>
    `  ${name}: { entity: '"it"', states: [${key}.acting, ${key}.over], entry: [${key}.acting], outputs: [${name}], exit: [{ id: ${name}Over, at: ${key}.over -> ${key}.closed, when: 'true' }], rollback: { anchors: [${name}Over], compensable: undo, resume: ${key}.acting } }\n`;
  const { config } = loadConfig(
    `belay: 1\nagent: regions\ntools:\n  act/search: { effect: none }\n  act/hold: { effect: reversible, undo: unhold, writes: [held] }\n  act/mail: { effect: irreversible, writes: [mailed] }\nskeletons:\n${unit('held', 'one')}${unit('mailed', 'two')}`,
    { file: 'regions.yaml' },
  );
  if (config === null) throw new Error('the config has an error');
  const options = {
    run: 'r',
    config,
    journal: memoryStore(),
    undo: { unhold: ({ key }: { key: string }) => void undone.push(key) },
  };
  const first = await attach(machine, options);
  first.actor.start();
  await until(() => JSON.stringify(first.actor.getSnapshot().value) === '{"one":"over","two":"over"}');
  await first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'held', entity: 'it' }, key: 'held' });
  await until(() => made.length === 3 && first.status === 'running');
  expect([made, undone.length]).toEqual([['hold', 'mail', 'hold'], 1]);
  await until(() => JSON.stringify(first.actor.getSnapshot().value) === '{"one":"over","two":"over"}');
  await first.close();
  const second = await resume(machine, options);
  second.actor.start();
  second.actor.send({ type: 'CLOSE' } as never);
  expect(await unlessItHangs(second.finished())).toMatchObject({ status: 'done' });
  expect([made.length, second.actor.getSnapshot().context]).toEqual([3, { held: 'hold 2', mailed: 'mail 1' }]);
  await second.close();
});

describe('the shape of a machine', () => {
  test('has each tool of a toolbox, with what it takes of the key, and every state that may call it', () => {
    const act = toolbox({ search: async () => 1, book: async ({ key }: ToolCall<unknown>) => key });
    const machine = setup({ actors: { act } }).createMachine({
      initial: 'on',
      states: { on: { invoke: { src: 'act', id: 'it', input: { tool: 'search', input: 1 } as never } } },
    });
    const { actors, states } = machineShape(machine);
    expect(actors).toEqual([
      { name: 'act/search', kind: 'promise', takesKey: false },
      { name: 'act/book', kind: 'promise', takesKey: true },
    ]);
    expect(states.find(({ path }) => path === 'on')?.invokes).toEqual([
      { id: 'it', tool: 'act/search' },
      { id: 'it', tool: 'act/book' },
    ]);
  });
});

describe('a toolbox by itself', () => {
  test('is an ordinary actor', async () => {
    const act = toolbox({ double: async ({ input }: ToolCall<number>) => input * 2 });
    expect(await toPromise(createActor(act, { input: { tool: 'double', input: 21 } }).start())).toBe(42);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no tool', {}],
    ['what is no function', { search: 1 }],
    ['a name with a slash', { 'a/b': async () => 1 }],
    ['no name', { '': async () => 1 }],
  ])('is not made of %s', (_, tools) => {
    expect(() => toolbox(tools as never)).toThrow(expect.objectContaining({ code: 'bad_toolbox' }));
  });
});
