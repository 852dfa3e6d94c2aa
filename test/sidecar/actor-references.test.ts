/** References to actors are references again after a process is gone: to the parent, to a child, to any actor of the system (semantics.md §3). */
import { expect, test } from 'vitest';
import {
  type AnyActorRef,
  type AnyStateMachine,
  assign,
  createActor,
  fromCallback,
  sendTo,
  setup,
  stopChild,
} from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { ActorPlaces } from '../../src/xstate/references.ts';
import { tool } from '../../src/xstate/tool.ts';
import { unlessItHangs, until } from '../poll.ts';

/** What the function of an input is given. */
interface Given {
  readonly context: { readonly desk?: AnyActorRef; readonly saved?: unknown };
  readonly self: AnyActorRef;
}

/** A desk that tells whoever has asked it, once. */
const desk = setup({}).createMachine({
  id: 'desk',
  context: { heard: 0 },
  on: {
    PING: {
      actions: [
        assign({ heard: ({ context }) => context.heard + 1 }),
        ({ event }) => (event as unknown as { by: AnyActorRef }).by.send({ type: 'PONG' }),
      ],
    },
  },
});

/** Runs a machine until it looks, in one process; lets another one take it up, and look. @returns the end, the place, the context, and the findings. */
async function takenUp(
  machineOf: (look: ReturnType<typeof tool<unknown, unknown>>) => AnyStateMachine,
  tools = '',
  reconcilers = {},
  isUnderWay = () => false,
  left = () => {},
) {
  const findings: string[] = [];
  let process = 1;
  const looks: unknown[] = [];
  const machine = machineOf(
    tool<unknown, unknown>(async ({ input }) => {
      looks.push(input);
      if (process === 1) await new Promise(() => {});
      return 'seen';
    }),
  );
  const { config } = loadConfig(`belay: 1\nagent: agent\ntools:\n  look: { effect: none }\n${tools}skeletons: {}\n`, {
    file: 'agent.yaml',
  });
  if (config === null) throw new Error('the config has an error');
  const journal = memoryStore();
  const options = {
    run: 'r',
    config,
    journal,
    reconcilers,
    onFinding: ({ code, text }: { code: string; text: string }) => findings.push(`${code} ${text}`),
  };
  const first = await attach(machine, options);
  first.actor.start();
  await until(() => looks.length > 0 || isUnderWay());
  await first.close();
  process = 2;
  left();
  const second = await resume(machine, options);
  second.actor.start();
  const end = await unlessItHangs(second.finished());
  const { value, context } = second.actor.getSnapshot();
  await second.close();
  return { status: end.status, value, context, findings, looks };
}

test('a spawned child is found by the name that it has in the system', async () => {
  const end = await takenUp((look) =>
    setup({ actors: { desk, look } }).createMachine({
      id: 'agent',
      context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk', systemId: 'front desk' }) }),
      initial: 'looking',
      states: {
        looking: { invoke: { src: 'look', onDone: 'asking' } },
        asking: {
          entry: ({ system, self }) => system.get('front desk').send({ type: 'PING', by: self }),
          on: { PONG: 'end' },
        },
        end: { type: 'final' },
      },
    }),
  );
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
  expect((end.context as { desk: AnyActorRef }).desk.getSnapshot().context.heard).toBe(1);
});

test('a child reaches the parent that it was handed, from where it stood', async () => {
  const end = await takenUp((look) => {
    const child = setup({ actors: { look } }).createMachine({
      id: 'child',
      context: ({ input }) => ({ parent: (input as { parent: AnyActorRef }).parent }),
      initial: 'looking',
      states: {
        looking: {
          invoke: {
            src: 'look',
            onDone: { target: 'over', actions: ({ context }) => context.parent.send({ type: 'SETTLED' }) },
          },
        },
        over: { type: 'final' },
      },
    });
    return setup({ actors: { child } }).createMachine({
      id: 'agent',
      context: { children: [] as unknown[] },
      initial: 'on',
      entry: assign({ children: ({ spawn, self }) => [spawn('child', { id: 'a/b', input: { parent: self } })] }),
      states: { on: { on: { SETTLED: 'end' } }, end: { type: 'final' } },
    });
  });
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
});

test('an actor elsewhere in the system, made later than what refers to it, is the one that is there', async () => {
  const end = await takenUp((look) => {
    // The first child keeps the second one's own child, which comes into being after it.
    const branch = setup({ actors: { desk } }).createMachine({
      id: 'branch',
      context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk', systemId: 'deep' }) }),
    });
    const first = setup({ actors: { look } }).createMachine({
      id: 'first',
      context: { known: new Map<string, AnyActorRef>(), list: [] as AnyActorRef[] },
      initial: 'waiting',
      states: {
        waiting: {
          on: {
            LOOK: {
              target: 'looking',
              actions: assign({
                known: ({ system }) => new Map([['desk', system.get('deep')]]),
                list: ({ system }) => [system.get('deep')],
              }),
            },
          },
        },
        looking: {
          invoke: {
            src: 'look',
            onDone: {
              target: 'over',
              actions: ({ context, self }) => {
                expect(context.known.get('desk')).toBe(context.list[0]);
                context.known.get('desk')?.send({ type: 'PING', by: self });
              },
            },
          },
        },
        over: { on: { PONG: 'told' } },
        told: { type: 'final' },
      },
    });
    return setup({ actors: { first, branch } }).createMachine({
      id: 'agent',
      initial: 'on',
      entry: sendTo('first', { type: 'LOOK' }),
      invoke: [
        { src: 'first', id: 'first', onDone: '.end' },
        { src: 'branch', id: 'branch' },
      ],
      states: { on: {}, end: { type: 'final' } },
    });
  });
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
});

test('a call is handed the actors that its input names, and a payment leaves with them', async () => {
  const paid: unknown[] = [];
  const end = await takenUp(
    (look) =>
      setup({
        actors: {
          desk,
          look,
          pay: tool<unknown, unknown>(async ({ input }) => {
            const { to } = input as { to: AnyActorRef };
            paid.push(to.getSnapshot().context.heard);
          }),
        },
      }).createMachine({
        id: 'agent',
        context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk' }) }),
        initial: 'looking',
        states: {
          looking: {
            invoke: {
              src: 'look',
              input: ({ context, self }: Given) => ({ desk: context.desk, self }),
              onDone: 'paying',
            },
          },
          paying: {
            invoke: {
              src: 'pay',
              input: ({ context }: Given) => ({ to: context.desk }),
              onDone: 'end',
              onError: 'failed',
            },
          },
          failed: { type: 'final' },
          end: { type: 'final' },
        },
      }),
    '  pay: { effect: irreversible, reconcile: ask, timeout: 5s }\n',
    { ask: () => ({ is: 'unknown' }) as const },
  );
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
  expect(paid).toEqual([0]);
  const [, again] = end.looks as { desk: AnyActorRef; self: AnyActorRef }[];
  expect(again?.desk).toBe((end.context as { desk: AnyActorRef }).desk);
  expect(again?.self.getSnapshot().value).toBe('end');
});

test('a call that is made again under its key is handed the actors that are there now', async () => {
  const heard: unknown[] = [];
  let process = 1;
  const end = await takenUp(
    () =>
      setup({
        actors: {
          desk,
          look: tool<unknown, unknown>(async () => 'seen'),
          book: tool<unknown, unknown>(async ({ input }) => {
            const { at } = input as { at: AnyActorRef };
            heard.push(at.getSnapshot().status);
            if (process === 1) await new Promise(() => {});
            return 'booked';
          }),
        },
      }).createMachine({
        id: 'agent',
        context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk' }) }),
        initial: 'booking',
        states: {
          booking: { invoke: { src: 'book', input: ({ context }: Given) => ({ at: context.desk }), onDone: 'end' } },
          end: { type: 'final' },
        },
      }),
    '  book: { effect: idempotent }\n',
    {},
    () => heard.length > 0,
    () => {
      process = 2;
    },
  );
  expect(end).toMatchObject({ status: 'done', value: 'end' });
  expect(heard).toEqual(['active', 'active']);
});

test('an actor that is no longer there is a stopped one, and what is sent to it is lost as in xstate', async () => {
  const end = await takenUp((look) =>
    setup({ actors: { desk, look, ticks: fromCallback(() => {}) } }).createMachine({
      id: 'agent',
      context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk' }) as AnyActorRef }),
      initial: 'leaving',
      states: {
        leaving: { entry: stopChild('desk'), always: 'looking' },
        looking: {
          invoke: {
            src: 'look',
            onDone: {
              target: 'end',
              actions: [
                sendTo(({ context }) => context.desk, { type: 'PING' }),
                ({ context }) => context.desk.send({ type: 'PING' }),
              ],
            },
          },
        },
        end: { type: 'final' },
      },
    }),
  );
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
  expect((end.context as { desk: AnyActorRef }).desk.getSnapshot().status).toBe('stopped');
});

test('an event that waits for its time has its sender with it', async () => {
  const end = await takenUp((look) =>
    setup({ actors: { desk, look } }).createMachine({
      id: 'agent',
      context: ({ spawn }) => ({ desk: spawn('desk', { id: 'desk' }) }),
      initial: 'looking',
      entry: sendTo('desk', ({ self }) => ({ type: 'PING', by: self }), { delay: 60 }),
      states: {
        looking: { invoke: { src: 'look', onDone: 'on' } },
        on: { on: { PONG: 'end' } },
        end: { type: 'final' },
      },
    }),
  );
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [] });
});

test('an actor that is no part of the run is a finding with its place, and no run is taken up without it', async () => {
  const outside = createActor(desk);
  const of = (look: ReturnType<typeof tool<unknown, unknown>>) =>
    setup({ actors: { look } }).createMachine({
      id: 'agent',
      context: { to: { desk: outside } },
      initial: 'looking',
      states: { looking: { invoke: { src: 'look', onDone: 'end' } }, end: { type: 'final' } },
    });
  await expect(takenUp(of)).rejects.toMatchObject({ code: 'memory_lost', message: expect.stringContaining('to/desk') });
});

test('a value that holds itself is handed on as it is', () => {
  const places = new ActorPlaces();
  const ring: Record<string, unknown> = { type: 'GO', list: [] };
  (ring.list as unknown[]).push(ring);
  expect(places.settled(ring)).toBe(ring);
});

test('the state of an actor as xstate saves it is data, wherever it stands', async () => {
  const saved = createActor(desk).start().getPersistedSnapshot();
  const end = await takenUp((look) =>
    setup({ actors: { look } }).createMachine({
      id: 'agent',
      context: { saved },
      initial: 'looking',
      states: {
        looking: {
          invoke: { src: 'look', input: ({ context }: Given) => ({ snapshot: context.saved }), onDone: 'end' },
        },
        end: { type: 'final' },
      },
    }),
  );
  expect(end).toMatchObject({ status: 'done', value: 'end', findings: [], context: { saved } });
});
