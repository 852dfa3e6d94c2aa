/** Regions that wait for each other: whose a step is, and what is none. */
import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { traceOf } from '../../src/reports/trace.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach } from '../../src/xstate/attach.ts';

const doing = (name: string) => ({
  invoke: {
    src: name,
    onDone: {
      target: 'done',
      actions: assign({ [name]: ({ event }: { event: { output: unknown } }) => event.output }),
    },
  },
});
const skeleton = (name: string, states: string, entry: string, inputs: string) => `
  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${states}]
    entry: [${entry}]
    inputs: [${inputs}]
    outputs: [${name}, 'ext:${name}']
    exit: [{ id: done, at: ${name}.doing -> ${name}.done, when: 'memory.?${name}.hasValue()', outputs: [${name}] }]
    rollback: { anchors: [done], resume: ${name}.doing }`;

/** `b` waits until `a` has answered; `c` waits for ever. The first call of `b` may fail. */
async function waiting({ fails }: { fails: boolean }) {
  let called = 0;
  const b = async () => {
    called += 1;
    if (fails && called === 1) throw new Error('not now');
    return 'b';
  };
  const machine = setup({ actors: { a: fromPromise(async () => 'a'), b: fromPromise(b) } as never }).createMachine({
    id: 'waiting',
    context: {},
    type: 'parallel',
    states: {
      a: { initial: 'doing', states: { doing: doing('a'), done: { type: 'final' } } },
      b: {
        initial: 'idle',
        states: {
          idle: {
            always: { guard: ({ context }: { context: { a?: string } }) => context.a !== undefined, target: 'doing' },
          },
          doing: doing('b'),
          done: { type: 'final' },
        },
      },
      c: { initial: 'idle', states: { idle: { always: { guard: () => false, target: 'over' } }, over: {} } },
    },
  } as never);
  const { config, findings } = loadConfig(
    `belay: 1
agent: waiting
tools:
  a: { reads: ['ext:of-a'], writes: [a, 'ext:a'], effect: none }
  b: { reads: ['ext:of-b'], writes: [b, 'ext:b'], effect: none }
skeletons:${skeleton('a', 'a.doing', 'a.doing', "'ext:**'")}${skeleton('b', 'b.idle, b.doing', 'b.idle', 'a')}`,
    { file: 'waiting.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  const reports: Report[] = [];
  const journal = memoryStore();
  const options = { run: 'r', journal, config, onDecision: (report: Report) => void reports.push(report) };
  const sidecar = await attach(machine as never as AnyStateMachine, options);
  sidecar.actor.start();
  await expect.poll(() => sidecar.actor.getSnapshot().value).toMatchObject({ a: 'done', b: 'done' });
  await sidecar.durable();
  const trace = [...traceOf('r', [...journal.read('r')])].map(({ text }) => JSON.parse(text));
  await sidecar.close();
  return { reports, trace };
}

test('what an answer leads to in another region has not heard it: it reads its own inputs, and writes nothing outside', async () => {
  const { trace } = await waiting({ fails: false });
  const of = (name: string, act: string) =>
    new Set(trace.filter((line) => line.do === act && line.in?.[0] === name).map(({ key }) => key));
  expect(of('B', 'write')).toEqual(new Set(['b', 'ext:b']));
  expect(of('B', 'read')).toEqual(new Set(['a', 'ext:of-b']));
});

test('what happens in one region takes nobody in another with it', async () => {
  const { reports } = await waiting({ fails: true });
  const moved = reports.map(({ decision }) => decision.line?.moves.map(({ instance }) => instance.skeleton));
  expect(moved).toEqual([['B']]);
});

test('that a region has ended is no step where nobody listens to it, and binds the regions beside it to nothing', async () => {
  const { trace } = await waiting({ fails: false });
  const ended = trace.findIndex((line) => line.do === 'boundary' && line.in[0] === 'A');
  expect(ended).toBeGreaterThan(0);
  expect(trace.slice(ended).filter((line) => line.in?.[0] === '(root)')).toEqual([]);
});

test('what an answer leads to in the same region has heard it: its entry actions see what was answered', async () => {
  const machine = setup({ actors: { a: fromPromise(async () => 'a') } as never }).createMachine({
    id: 'following',
    context: {},
    initial: 'first',
    states: {
      first: { invoke: { src: 'a', onDone: 'second' } },
      second: {
        entry: assign({ b: ({ event }) => (event as { output?: unknown }).output }),
        always: 'over',
      },
      over: { type: 'final' },
    },
  } as never);
  const { config } = loadConfig(
    `belay: 1
agent: following
tools:
  a: { reads: ['ext:of-a'], writes: [a], effect: none }
skeletons:
  A: { entity: '"it"', states: [first], entry: [first], outputs: [a], commit: [], exit: [], rollback: { anchors: [] } }
  B: { entity: '"it"', states: [second], entry: [second], outputs: [b], commit: [], exit: [], rollback: { anchors: [] } }`,
    { file: 'following.yaml' },
  );
  if (config === null) throw new Error('no config');
  const journal = memoryStore();
  const sidecar = await attach(machine as never as AnyStateMachine, { run: 'r', journal, config });
  sidecar.actor.start();
  await sidecar.finished();
  await sidecar.durable();
  const trace = [...traceOf('r', [...journal.read('r')])].map(({ text }) => JSON.parse(text));
  await sidecar.close();
  const reads = trace.filter((line) => line.do === 'read' && line.in[0] === 'B').map(({ key }) => key);
  expect(reads).toContain('ext:of-a');
});

test('what follows of itself has not called: work that begins by an eventless step has written nothing outside', async () => {
  const keep = (name: string) => assign(({ event }) => ({ [name]: (event as unknown as { output: unknown }).output }));
  const actors = { send: fromPromise(async () => 1), ask: fromPromise(async () => 2) };
  const machine = setup({ actors: actors as never }).createMachine({
    id: 'following',
    context: { sent: null, answer: null },
    initial: 'sending',
    states: {
      sending: { invoke: { src: 'send', onDone: { target: 'between', actions: keep('sent') } } },
      between: { always: 'opening' },
      opening: { always: 'asking' },
      asking: { invoke: { src: 'ask', onDone: { target: 'over', actions: keep('answer') } } },
      over: { type: 'final' },
    },
  } as never);
  const { config } = loadConfig(
    `belay: 1
agent: following
tools:
  send: { writes: [sent, 'mail:a'], effect: idempotent }
  ask: { writes: [answer], effect: none }
skeletons:
  A: { entity: '"it"', states: [sending], entry: [sending], outputs: [sent, 'mail:**'], rollback: {} }
  B: { entity: '"it"', states: [opening, asking], entry: [opening], outputs: [answer], rollback: {} }`,
    { file: 'following.yaml' },
  );
  if (config === null) throw new Error('no config');
  const journal = memoryStore();
  const sidecar = await attach(machine as never as AnyStateMachine, { run: 'r', journal, config });
  sidecar.actor.start();
  await sidecar.finished();
  const trace = [...traceOf('r', [...journal.read('r')])].map(({ text }) => JSON.parse(text));
  await sidecar.close();
  const written = trace
    .filter((line) => line.do === 'write' && line.in[0] !== '(root)')
    .map(({ in: [skeleton], key }) => `${skeleton} ${key}`);
  expect([...new Set(written)].sort()).toEqual(['A mail:a', 'A sent', 'B answer']);
});
