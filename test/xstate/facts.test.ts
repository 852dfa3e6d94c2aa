/** What the sidecar relies on in xstate, fact by fact (semantics.md §11): a release that changes one fails here first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  type AnyActorRef,
  assign,
  createActor,
  createMachine,
  fromPromise,
  type InspectionEvent,
  setup,
  waitFor,
} from 'xstate';
import { kindOf } from '../../src/xstate/shape.ts';

const slow = (log: string[], name: string, ms = 20) =>
  fromPromise(async ({ signal }) => {
    log.push(`${name} starts`);
    signal.addEventListener('abort', () => log.push(`${name} aborts`));
    await sleep(ms);
    log.push(`${name} ends`);
    return name;
  });

test('a persisted snapshot carries no id and no version of its machine', () => {
  const machine = createMachine({ id: 'named', version: '7', initial: 'a', states: { a: {} } });
  const persisted = createActor(machine).start().getPersistedSnapshot();
  expect(JSON.stringify(persisted)).not.toMatch(/named|7/);
});

test('a persisted snapshot aliases the live context', () => {
  const machine = createMachine({ context: { deep: { n: 1 } }, initial: 'a', states: { a: {} } });
  const actor = createActor(machine).start();
  const persisted = actor.getPersistedSnapshot() as { context?: unknown };
  expect(persisted.context).toBe(actor.getSnapshot().context);
});

test('a snapshot without children never starts its invokes, and with them carries the old input', async () => {
  const inputs: unknown[] = [];
  const machine = setup({
    types: { context: {} as { n: number } },
    actors: { tool: fromPromise(async ({ input }) => void inputs.push(input)) },
  }).createMachine({
    context: { n: 1 },
    initial: 'a',
    states: { a: { invoke: { src: 'tool', input: ({ context }) => context.n } } },
  });
  const persisted = createActor(machine).start().getPersistedSnapshot() as unknown as {
    children: object;
    context: object;
  };
  inputs.length = 0;
  createActor(machine, { snapshot: { ...persisted, children: {} } as never }).start();
  expect(inputs).toEqual([]);
  createActor(machine, { snapshot: { ...persisted, context: { n: 2 } } as never }).start();
  expect(inputs).toEqual([1]);
});

test('entry actions do not run on restore', () => {
  const entered: string[] = [];
  const machine = createMachine({ initial: 'a', states: { a: { entry: () => void entered.push('a') } } });
  const persisted = createActor(machine).start().getPersistedSnapshot();
  expect(entered).toEqual(['a']);
  createActor(machine, { snapshot: persisted }).start();
  expect(entered).toEqual(['a']);
});

test("delayed transitions do not fire after a restore, and the system's scheduler arms them again", async () => {
  const machine = createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: {} } });
  const persisted = createActor(machine).start().getPersistedSnapshot();
  const actor = createActor(machine, { snapshot: persisted }).start();
  await sleep(30);
  expect(actor.getSnapshot().value).toBe('a');
  const system = actor.system as unknown as {
    scheduler: { schedule(source: unknown, target: unknown, event: object, delay: number, id: string): void };
  };
  const type = 'xstate.after.10.(machine).a';
  system.scheduler.schedule(actor, actor, { type }, 5, type);
  await sleep(20);
  expect(actor.getSnapshot().value).toBe('b');
});

test('an unknown state does not throw from createActor, and does from restoreSnapshot', () => {
  const machine = createMachine({ initial: 'a', states: { a: {} } });
  const persisted = { ...(createActor(machine).start().getPersistedSnapshot() as object), value: 'nowhere' };
  expect(() => createActor(machine, { snapshot: persisted as never })).not.toThrow();
  expect(() => machine.restoreSnapshot(persisted as never, {} as never)).toThrow(/nowhere/);
});

test('while microsteps are announced, the persisted snapshot is still the old one; the announced one is not', () => {
  const seen: unknown[] = [];
  const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } });
  const actor = createActor(machine, {
    inspect: (event: InspectionEvent) => {
      if (event.type !== '@xstate.microstep') return;
      seen.push(
        (actor.getPersistedSnapshot() as { value?: unknown }).value,
        (event.snapshot as { value?: unknown }).value,
      );
    },
  }).start();
  actor.send({ type: 'go' });
  expect(seen).toEqual(['a', 'b']);
});

test("the parent's microstep precedes its child's start, and a child machine's events reach the root's inspector", () => {
  const seen: string[] = [];
  const inner = createMachine({ id: 'inner', initial: 'x', states: { x: { on: { turn: 'y' } }, y: {} } });
  const machine = setup({ actors: { inner } }).createMachine({
    id: 'outer',
    initial: 'a',
    states: { a: { on: { go: 'b' } }, b: { invoke: { src: 'inner', id: 'k' } } },
  });
  const actor = createActor(machine, {
    inspect: (event: InspectionEvent) => {
      const { id } = event.actorRef as AnyActorRef;
      if (event.type === '@xstate.microstep')
        seen.push(`${id === 'k' ? 'inner' : 'outer'} steps by ${event.event.type}`);
      if (event.type === '@xstate.event' && event.event.type === 'xstate.init' && id === 'k') seen.push('inner starts');
    },
  }).start();
  actor.send({ type: 'go' });
  actor.getSnapshot().children.k?.send({ type: 'turn' });
  expect(seen).toEqual(['outer steps by go', 'inner starts', 'inner steps by turn']);
});

test('provide reaches named actors, nested ones too, and no inline ones', () => {
  const inline = createMachine({ initial: 'a', states: { a: { invoke: { src: fromPromise(async () => 1) } } } });
  expect(Object.keys(inline.implementations.actors)).toEqual([]);
  const inner = setup({ actors: { leaf: fromPromise(async () => 1) } }).createMachine({
    initial: 'a',
    states: { a: {} },
  });
  const outer = setup({ actors: { inner } }).createMachine({ initial: 'a', states: { a: {} } });
  const leaf = fromPromise(async () => 2);
  const guarded = outer.provide({ actors: { inner: inner.provide({ actors: { leaf } }) as never } });
  const provided = guarded.implementations.actors as Record<string, typeof inner>;
  expect(provided.inner?.implementations.actors.leaf).toBe(leaf);
});

test('replacing an actor aborts and repeats the work of a region that was to be kept', async () => {
  const log: string[] = [];
  const machine = setup({ actors: { tool: slow(log, 'tool') } }).createMachine({
    type: 'parallel',
    states: { A: { initial: 'a', states: { a: {} } }, B: { initial: 'b', states: { b: { invoke: { src: 'tool' } } } } },
  });
  const first = createActor(machine).start();
  const persisted = first.getPersistedSnapshot();
  first.stop();
  createActor(machine, { snapshot: persisted }).start();
  await sleep(40);
  expect(log.filter((line) => line === 'tool starts')).toHaveLength(2);
  expect(log).toContain('tool aborts');
});

test('a waitFor on an actor that is stopped and replaced is lost', async () => {
  const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } });
  const actor = createActor(machine).start();
  const waiting = waitFor(actor, (snapshot) => snapshot.matches('b'));
  actor.stop();
  await expect(waiting).rejects.toThrow();
});

test("whether a machine handles an actor's error can be asked beforehand, guards and wildcards honoured", () => {
  const machine = setup({ actors: { tool: fromPromise(async () => 1) }, guards: { never: () => false } }).createMachine(
    {
      initial: 'a',
      states: {
        a: { invoke: { src: 'tool', id: 't', onError: 'b' }, on: { next: 'b' } },
        b: { invoke: { src: 'tool', id: 't', onError: { target: 'c', guard: 'never' } }, on: { next: 'c' } },
        c: { on: { 'xstate.error.*': 'a' } },
      },
    },
  );
  const actor = createActor(machine).start();
  const handles = () =>
    actor.getSnapshot().can({ type: 'xstate.error.actor.t', error: new Error('x'), actorId: 't' } as never);
  expect(handles()).toBe(true);
  actor.send({ type: 'next' } as never);
  expect(handles()).toBe(false);
  actor.send({ type: 'next' } as never);
  expect(handles()).toBe(true);
});

test('a machine copied by provide can have its transition wrapped, and an assign that throws is caught there', () => {
  const machine = createMachine({
    context: { n: 0 },
    initial: 'a',
    states: {
      a: {
        on: {
          bad: {
            actions: assign(() => {
              throw new Error('no');
            }),
          },
          good: { actions: assign({ n: 1 }) },
        },
      },
    },
  });
  const copy = machine.provide({});
  const { transition } = copy;
  const caught: unknown[] = [];
  copy.transition = ((snapshot: never, event: never, scope: never) => {
    try {
      return transition(snapshot, event, scope);
    } catch (error) {
      caught.push(error);
      return snapshot;
    }
  }) as typeof transition;
  const actor = createActor(copy).start();
  actor.send({ type: 'bad' });
  actor.send({ type: 'good' });
  expect([caught.length, actor.getSnapshot().status, actor.getSnapshot().context]).toEqual([1, 'active', { n: 1 }]);
});

test('what xstate announces of microsteps passes through the system, where the sidecar listens', () => {
  const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: {} } });
  const actor = createActor(machine);
  const seen: unknown[] = [];
  const system = actor.system as unknown as { _sendInspectionEvent(event: InspectionEvent): void };
  system._sendInspectionEvent = (event) => {
    if (event.type === '@xstate.microstep')
      seen.push([(event.snapshot as { value?: unknown }).value, event._transitions.length]);
  };
  actor.start();
  actor.send({ type: 'go' });
  expect(seen).toEqual([
    ['b', 1],
    ['c', 1],
  ]);
});

test('a promise is known by what it does with a result', () => {
  expect(kindOf(fromPromise(async () => 1))).toBe('promise');
  expect(kindOf(createMachine({}))).toBe('machine');
});
