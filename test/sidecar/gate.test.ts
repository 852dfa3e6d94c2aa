import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach } from '../../src/sidecar/attach.ts';
import { held, Line, of, type Station, until } from './stations.ts';

/** B reads nothing of A's, C reads what A wrote. */
const APART: readonly Station[] = [
  { name: 'a', reads: ['wanted'] },
  { name: 'b', reads: ['wanted'], tool: 'effect: irreversible' },
];

describe('R3: the gate of an instance that is kept', () => {
  test('is answered by the recorded successor, and its tool is not called again', async () => {
    const line = new Line(APART, { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    expect(line.moves()[0]).toBe('A it 0 entry');
    expect([line.called('a'), line.called('b')]).toEqual([2, 1]);
    expect(run.context).toMatchObject({ a: 'a1', b: 'b x' });
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('is not answered where the work had read what is replayed: it is undone and done again', async () => {
    const line = new Line([{ name: 'a' }, { name: 'b', reads: ['a'] }], { a: ({ nth }) => `a${nth}` }, '');
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    // B is committed: crossing that is level 2, and this policy does not allow it.
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(line.codes()).toEqual(['committed_consumers_present']);
    expect(line.moves().slice(0, 2)).toEqual(['A it 0 entry', 'B it 0 entry']);
    await run.close();
  });

  test('answers once: a second pass opens the next ordinal', async () => {
    const line = new Line(APART, { a: ({ nth }) => `a${nth}` });
    const store = memoryStore();
    const run = await line.begin({ journal: store });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    run.send('again');
    await run.at('rest');
    expect([line.called('a'), line.called('b')]).toEqual([3, 2]);
    const keys = line.calls.filter(({ tool }) => tool === 'b').map(({ key }) => key);
    expect(keys).toEqual([JSON.stringify(['r', 'B', 'it', 0, 'b', 0]), JSON.stringify(['r', 'B', 'it', 1, 'b', 0])]);
    await run.close();
  });

  test('answers nobody of another entity', async () => {
    const stations: readonly Station[] = [
      { name: 'a', reads: ['wanted'], also: (output) => ({ turn: String(output) }) },
      { name: 'b', reads: ['wanted'], tool: 'effect: irreversible', entity: 'memory.turn' },
    ];
    const line = new Line(stations, { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.called('b')).toBe(2);
    await run.close();
  });

  test('answers nobody whose inputs have another version by then', async () => {
    // A's replay writes `wanted`, which B has read: what B was promised is no more what it would be.
    const line = new Line(
      [
        { name: 'a', also: (output: unknown) => (output === 'a0' ? {} : { wanted: 'y' }) },
        { name: 'b', reads: ['wanted'] },
      ].map((station) => ({ ...station, ...(station.name === 'a' && { rollback: 'tries: 1' }) })),
      { a: ({ nth }) => `a${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts[0]).toBe('restore 0');
    await run.finished();
    expect(line.reports[1]).toMatchObject({ signal: 'CONTRACT_VIOLATION' });
    expect(line.reports[1]?.error).toContain('wanted');
    await run.close();
  });
});

test('a run that has passed a gate is taken up again', async () => {
  const line = new Line(APART, { a: ({ nth }) => `a${nth}` });
  const journal = memoryStore();
  const run = await line.begin({ journal });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  await run.close();
  const next = await line.resume({ journal });
  await next.at('rest');
  expect(next.context).toMatchObject({ a: 'a1', b: 'b x' });
  expect([line.called('a'), line.called('b')]).toEqual([2, 1]);
  next.send('end');
  expect((await next.finished()).status).toBe('done');
  await next.close();
});

/** The same line with one more behind it, which reads nothing of what is before it either. */
const THREE: readonly Station[] = [...APART, { name: 'c', reads: ['turn'], tool: 'effect: irreversible' }];

test('control goes past as many gates as stand behind each other', async () => {
  const line = new Line(THREE, { a: ({ nth }) => `a${nth}` });
  const run = await line.begin();
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a']);
  expect(run.context).toMatchObject({ a: 'a1', b: 'b x', c: 'c 0' });
  await run.close();
});

test('a gate stands until control has come past it, however often the work before it is done again', async () => {
  const line = new Line(THREE, {
    a: ({ nth }) => {
      if (nth === 1 || nth === 2) throw new Error('not now');
      return `a${nth}`;
    },
  });
  const run = await line.begin();
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  expect(line.verdicts).toEqual(['restore 0', 'restore 0', 'restore 0']);
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a', 'a', 'a']);
  // And it stands again when the same is found wrong once more.
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a', 'a', 'a', 'a']);
  expect(run.context).toMatchObject({ a: 'a4', b: 'b x', c: 'c 0' });
  await run.close();
});

test('a process that ends between the restore and the gate finds the gate again', async () => {
  const again = held();
  const line = new Line(APART, { a: ({ nth }) => (nth === 1 ? again.promise : `a${nth}`) });
  const journal = memoryStore();
  const run = await line.begin({ journal });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('a');
  await run.close();
  const next = await line.resume({ journal });
  await next.at('rest');
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a', 'a']);
  expect(next.context).toMatchObject({ a: 'a2', b: 'b x' });
  await next.close();
});

test('what is kept behind a gate can itself be found wrong', async () => {
  const line = new Line([APART[0] as Station, { name: 'b', reads: ['wanted'] }], {
    a: ({ nth }) => `a${nth}`,
    b: ({ nth }) => `b${nth}`,
  });
  const run = await line.begin();
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('b'), key: 'b' });
  await run.at('rest');
  expect(line.verdicts).toEqual(['restore 0', 'restore 0']);
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a', 'b']);
  expect(run.context).toMatchObject({ a: 'a1', b: 'b1' });
  await run.close();
});

test('a gate moves its own region only: a call in another one goes on', async () => {
  const beside = held<string>();
  const calls: string[] = [];
  const act = (name: string, answer: () => unknown) =>
    fromPromise(async () => {
      calls.push(name);
      return answer();
    });
  const station = (name: string, to: string) => ({
    invoke: {
      src: name,
      onDone: { target: to, actions: assign({ [name]: ({ event }: { event: { output: unknown } }) => event.output }) },
    },
  });
  const machine = setup({
    actors: {
      a: act('a', () => `a${calls.length}`),
      b: act('b', () => 'b'),
      d: act('d', () => beside.promise),
    } as never,
  }).createMachine({
    id: 'two',
    context: {},
    type: 'parallel',
    states: {
      main: {
        initial: 'idle',
        states: {
          idle: { on: { go: 'a' } },
          a: station('a', 'b'),
          b: station('b', 'rest'),
          rest: { after: { 30: 'late' } },
          late: {},
        },
      },
      side: { initial: 'idle', states: { idle: { on: { go: 'd' } }, d: station('d', 'done'), done: {} } },
    },
  } as never);
  const skeleton = (name: string, at: string, to: string) => `
  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${at}]
    entry: [${at}]
    outputs: [${name}]
    exit: [{ id: done, at: ${at} -> ${to}, when: 'memory.?${name}.hasValue()' }]
    rollback: { anchors: [done], resume: ${at} }`;
  const text = `belay: 1
agent: two
tools:
  a: { reads: [], writes: [a], effect: none }
  b: { reads: [], writes: [b], effect: none }
  d: { reads: [], writes: [d], effect: none }
skeletons:${skeleton('a', 'main.a', 'main.b')}${skeleton('b', 'main.b', 'main.rest')}${skeleton('d', 'side.d', 'side.done')}`;
  const { config } = loadConfig(text, { file: 'two.yaml' });
  const { actor, fail, close } = await attach(machine as never as AnyStateMachine, {
    run: 'r',
    config: config as BoundaryConfig,
  });
  actor.start();
  actor.send({ type: 'go' } as never);
  const main = () => (actor.getSnapshot().value as unknown as { main: string }).main;
  await until(() => main() === 'rest');
  await fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await until(() => main() === 'rest');
  expect(actor.getSnapshot().value).toEqual({ main: 'rest', side: 'd' });
  // The timer of the state behind the gate is armed, and the call beside it was neither stopped nor made again.
  await until(() => main() === 'late');
  beside.resolve('beside');
  await until(() => (actor.getSnapshot().value as unknown as { side: string }).side === 'done');
  expect(calls).toEqual(['a', 'd', 'b', 'a']);
  expect(actor.getSnapshot().context).toEqual({ a: 'a4', b: 'b', d: 'beside' });
  await close();
});
