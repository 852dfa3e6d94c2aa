import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  createMachine,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
  setup,
} from 'xstate';
import { isMachine, machineShape } from '../../src/xstate/shape.ts';

const work = fromPromise(async () => 1);

const inner = setup({ actors: { leaf: work } }).createMachine({
  id: 'inner',
  initial: 'x',
  states: { x: { invoke: { src: 'leaf', onDone: 'y' } }, y: { type: 'final' } },
});

const whole = setup({
  actors: {
    query: work,
    inner,
    listen: fromCallback(() => {}),
    watch: fromObservable(() => ({ subscribe: () => ({ unsubscribe: () => {} }) })),
    hear: fromEventObservable(() => ({ subscribe: () => ({ unsubscribe: () => {} }) })),
    count: fromTransition((state) => state, 0),
  },
  guards: { ready: () => true },
  delays: { soon: 10 },
}).createMachine({
  id: 'whole',
  initial: 'a',
  on: { '*': '.b', leap: { target: '#whole.par.r.r2' } },
  states: {
    a: {
      invoke: [
        { src: 'query', onDone: { target: 'b', guard: 'ready' }, onError: 'c' },
        { src: fromPromise(async () => 2) },
        { id: 'nested', src: 'inner' },
      ],
      after: { soon: 'c' },
      always: { guard: 'ready', target: 'c' },
    },
    b: { on: { stay: { actions: () => {} }, go: [{ guard: 'ready', target: 'par.r.r2' }, { target: 'c' }] } },
    c: {
      initial: 'c1',
      onDone: 'd',
      states: { c1: { on: { n: 'c2' } }, c2: { type: 'final' }, h: { type: 'history' } },
    },
    par: {
      type: 'parallel',
      states: { r: { initial: 'r1', states: { r1: {}, r2: {} } }, s: { initial: 's1', states: { s1: {} } } },
    },
    d: { type: 'final' },
  },
});

const shape = machineShape(whole);
const state = (path: string) => shape.states.find((found) => found.path === path);
const from = (path: string) =>
  shape.edges.filter((edge) => edge.from === path).map(({ to, event, guarded }) => [event, to, guarded]);

describe('a shape', () => {
  test('names every state by its path, and those of a nested machine behind the name that invokes it', () => {
    const paths = shape.states.map(({ path }) => path);
    expect(paths).toEqual([
      ...['', 'a', 'b', 'c', 'c.c1', 'c.c2', 'c.h', 'par', 'par.r', 'par.r.r1', 'par.r.r2', 'par.s', 'par.s.s1', 'd'],
      ...['inner/', 'inner/x', 'inner/y'],
    ]);
    expect(state('')).toMatchObject({ type: 'compound', initial: 'a', invokes: [], delayed: false });
    expect(state('par')).toMatchObject({ type: 'parallel', initial: null });
    expect(state('c.h')).toMatchObject({ type: 'history', initial: null });
    expect(state('inner/')).toMatchObject({ type: 'compound', initial: 'inner/x' });
    expect(state('inner/y')).toMatchObject({ type: 'final' });
  });

  test('names the tools that a state invokes, and says where there is no name', () => {
    expect(state('a')).toMatchObject({
      delayed: true,
      invokes: [
        { id: '0.whole.a', tool: 'query' },
        { id: '1.whole.a', tool: null },
        { id: 'nested', tool: 'inner' },
      ],
    });
    expect(state('inner/x')?.invokes).toEqual([{ id: '0.inner.x', tool: 'leaf' }]);
  });

  test('has eventless, delayed, wildcard, guarded and internal edges, and those of what is done or has failed', () => {
    expect(from('a')).toEqual([
      ['', 'c', true],
      ['xstate.done.actor.0.whole.a', 'b', true],
      ['xstate.error.actor.0.whole.a', 'c', false],
      ['xstate.after.soon.whole.a', 'c', false],
    ]);
    expect(from('b')).toEqual([
      ['stay', 'b', false],
      ['go', 'par.r.r2', true],
      ['go', 'c', false],
    ]);
    expect(from('')).toEqual([
      ['*', 'b', false],
      ['leap', 'par.r.r2', false],
    ]);
    expect(from('c')).toEqual([['xstate.done.state.whole.c', 'd', false]]);
    expect(from('inner/x')).toEqual([['xstate.done.actor.0.inner.x', 'inner/y', false]]);
  });

  test('says what kind of logic each name stands for, without running any of it', () => {
    expect(Object.fromEntries(shape.actors.map(({ name, kind }) => [name, kind]))).toEqual({
      query: 'promise',
      inner: 'machine',
      leaf: 'promise',
      listen: 'callback',
      watch: 'observable',
      hear: 'observable',
      count: 'transition',
    });
    const own = {
      transition: () => {
        throw new Error('was run');
      },
      getInitialSnapshot: () => ({}),
      start: () => {},
    };
    const machine = createMachine({ id: 'own' }).provide({ actors: { own: own as never } });
    expect(machineShape(machine).actors).toEqual([{ name: 'own', kind: 'other', takesKey: true }]);
    let counted = 0;
    const reducer = fromTransition((state) => {
      counted += 1;
      return state;
    }, 0);
    expect(machineShape(createMachine({ id: 't' }).provide({ actors: { reducer } })).actors[0]?.kind).toBe(
      'transition',
    );
    expect(counted).toBe(0);
  });

  test('of a machine that invokes itself, ends', () => {
    const self = setup({ actors: { again: work as never } }).createMachine({
      id: 'self',
      initial: 'x',
      states: { x: { invoke: { src: 'again' as never } } },
    });
    (self.implementations.actors as Record<string, unknown>).again = self;
    expect(machineShape(self).states.map(({ path }) => path)).toEqual(['', 'x']);
  });
});

describe('the digest of a structure', () => {
  const plain = { id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } } as const;
  const digest = (config: object) => machineShape(createMachine(config as never)).digest;

  test('is the same in another process', () => {
    const source = `
      import { createMachine } from 'xstate';
      import { machineShape } from '${new URL('../../src/xstate/shape.ts', import.meta.url)}';
      console.log(machineShape(createMachine(${JSON.stringify(plain)})).digest);`;
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
    expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim()).toBe(digest(plain));
  });

  test.each([
    ['a state', { ...plain, states: { ...plain.states, c: {} } }],
    ['an edge', { ...plain, states: { ...plain.states, b: { on: { back: 'a' } } } }],
    ['the end of an edge', { ...plain, states: { ...plain.states, a: { on: { go: 'a' } } } }],
    ['an invoke', { ...plain, states: { ...plain.states, b: { invoke: { src: 'query' } } } }],
    ['a delay', { ...plain, states: { ...plain.states, b: { after: { 10: 'a' } } } }],
    ['the initial state', { ...plain, initial: 'b' }],
    ['the type of a state', { ...plain, states: { ...plain.states, b: { type: 'final' } } }],
    [
      'a guard where there was none',
      { ...plain, states: { ...plain.states, a: { on: { go: { target: 'b', guard: () => true } } } } },
    ],
  ])('changes with %s', (_what, changed) => {
    expect(digest(changed)).not.toBe(digest(plain));
  });

  test('does not change with actions, meta or what implements them', () => {
    const dressed = { ...plain, states: { ...plain.states, b: { entry: () => {}, meta: { note: 1 } } } };
    expect(digest(dressed)).toBe(digest(plain));
  });
});

test('what is no machine is none', () => {
  expect([whole, inner].every(isMachine)).toBe(true);
  expect([null, undefined, 1, 'x', {}, work, { id: 'x' }, () => {}].some(isMachine)).toBe(false);
});
