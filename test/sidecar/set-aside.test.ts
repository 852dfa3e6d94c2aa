/** Finished work beyond a cut is set aside, and reused by a replay that comes to it with equal inputs (semantics.md C2-C7). */

import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { keyOf } from '../../src/effects/keys.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { attach } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { held, Line, of, type Station } from './stations.ts';

/** B reads nothing of A's, C reads what A wrote. */
const APART: readonly Station[] = [
  { name: 'a', reads: ['wanted'] },
  { name: 'b', reads: ['wanted'], tool: 'effect: irreversible' },
];

describe('finished work behind what was found wrong', () => {
  test('is set aside and reused, and its tool is not called again', async () => {
    const line = new Line(APART, { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    expect([line.moves(), line.aside()]).toEqual([['A it 0 entry'], ['B 0']]);
    expect([line.called('a'), line.called('b')]).toEqual([2, 1]);
    expect(run.context).toMatchObject({ a: 'a1', b: 'b x' });
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('is undone and not set aside where it has read what is done again', async () => {
    const line = new Line([{ name: 'a' }, { name: 'b', reads: ['a'] }], { a: ({ nth }) => `a${nth}` }, '');
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    // B is committed: crossing that is level 2, and this policy does not allow it.
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(line.codes()).toEqual(['committed_consumers_present']);
    expect([line.moves(), line.aside()]).toEqual([['A it 0 entry', 'B it 0 none'], []]);
    await run.close();
  });

  test('is reused once: a second pass opens the next ordinal (K2)', async () => {
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
    await run.sidecar.durable();
    const { secret } = readRun(store.read('r')).runState.ledger;
    expect(keys).toEqual([0, 1].map((nth) => keyOf(JSON.stringify(['r', 'B', 'it', nth, 'b', 0]), secret)));
    await run.close();
  });

  test('is not reused for another entity', async () => {
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

  test("is in nobody's sight until it is reused", async () => {
    const again = held<string>();
    const line = new Line(APART, { a: ({ nth }) => (nth === 1 ? again.promise : 'a') });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(run.context).toMatchObject({ a: 'a', b: 'b x' });
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('a');
    expect(Object.keys(run.context).sort()).toEqual(['turn', 'wanted']);
    again.resolve('anew');
    await run.at('rest');
    expect(run.context).toMatchObject({ a: 'anew', b: 'b x' });
    await run.close();
  });
});

test('a run that has reused what was set aside is taken up again', async () => {
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

test('as many as stand behind each other are reused one after the other', async () => {
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

test('work stays aside until control has come to it, however often the work before it is done again', async () => {
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
  // And it is set aside again when the same is found wrong once more.
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a', 'a', 'a', 'a']);
  expect(run.context).toMatchObject({ a: 'a4', b: 'b x', c: 'c 0' });
  await run.close();
});

test('a process that ends between the restore and the reuse leaves what was set aside to the next one', async () => {
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

test('what was reused can itself be found wrong', async () => {
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

test('a reuse moves its own region only: a call in another one goes on', async () => {
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
  // The timer of the state behind what was reused is armed, and the call beside it was neither stopped nor made again.
  await until(() => main() === 'late');
  beside.resolve('beside');
  await until(() => (actor.getSnapshot().value as unknown as { side: string }).side === 'done');
  expect(calls).toEqual(['a', 'd', 'b', 'a']);
  expect(actor.getSnapshot().context).toEqual({ a: 'a4', b: 'b', d: 'beside' });
  await close();
});
