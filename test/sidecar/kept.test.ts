import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach } from '../../src/xstate/attach.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { calm, until } from '../poll.ts';
import { held, Line, of, type Station } from './stations.ts';

describe('R1: what a replay writes', () => {
  const writer = (also: (output: unknown) => object): readonly [Station, Station] => [
    { name: 'a', reads: ['turn'], more: '', also, rollback: 'tries: 2' },
    { name: 'b', reads: ['wanted'] },
  ];

  test('may be a kept version that work before it has read, and that work stays as it is', async () => {
    const [a, b] = writer((output) => (output === 'a0' ? {} : { wanted: 'y' }));
    const line = new Line([b, a], { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    expect([line.called('a'), line.called('b')]).toEqual([2, 1]);
    expect(run.context).toMatchObject({ a: 'a1', wanted: 'y', b: 'b x' });
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('is read by those that had read what the undone part wrote', async () => {
    // B reads `wanted` of A's: it goes back with A, and nothing of it is retained.
    const line = new Line(
      writer(() => ({ wanted: 'y' })).map((station) => ({ ...station, rollback: 'joint: [B]' })),
      { a: ({ nth }) => `a${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore_joint 2']);
    expect(run.context).toMatchObject({ a: 'a1', wanted: 'y', b: 'b y' });
    await run.close();
  });

  test('may be a first write over what other work had read before', async () => {
    // B reads what A has written before C begins; C fails before it has written anything, and overwrites it when it is replayed.
    const line = new Line(
      [
        { name: 'a', reads: ['turn'], also: () => ({ wanted: 'y' }) },
        { name: 'b', reads: ['wanted'] },
        { name: 'c', reads: ['turn'], also: () => ({ wanted: 'z' }) },
      ],
      {
        c: ({ nth }) => {
          if (nth === 0) throw new Error('not now');
          return 'c1';
        },
      },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    expect(line.verdicts).toEqual(['restore 0']);
    expect(line.called('c')).toBe(2);
    expect(run.context).toMatchObject({ b: 'b y', c: 'c1', wanted: 'z' });
    await run.close();
  });

  test('may be what nobody has read, and nobody else goes back', async () => {
    const line = new Line(
      writer((output) => (output === 'a0' ? {} : { unread: 'y' })),
      { a: ({ nth }) => `a${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    expect(run.context).toMatchObject({ unread: 'y', b: 'b x' });
    await run.close();
  });
});

/** Two regions, each with one tool; the second reads what the first announces. */
async function pair(does: { a: (nth: number) => unknown; b: (nth: number) => unknown }, undo: () => Promise<void>) {
  const calls: string[] = [];
  const act = (name: 'a' | 'b') =>
    fromPromise(async () => {
      const nth = calls.filter((other) => other === name).length;
      calls.push(name);
      return does[name](nth);
    });
  const region = (name: string) => ({
    initial: 'idle',
    states: {
      idle: { on: { [`go.${name}`]: { target: 'doing', actions: assign({ [`${name}.began`]: 'yes' }) } } },
      doing: {
        on: name === 'a' ? { announce: { actions: assign({ announced: 'news' }) } } : {},
        invoke: {
          src: name,
          onDone: {
            target: 'done',
            actions: assign({ [name]: ({ event }: { event: { output: unknown } }) => event.output }),
          },
        },
      },
      done: {},
    },
  });
  const machine = setup({ actors: { a: act('a'), b: act('b') } as never }).createMachine({
    id: 'pair',
    context: {},
    type: 'parallel',
    states: { a: region('a'), b: region('b') },
  } as never);
  const skeleton = (name: string, inputs: string, outputs: string) => `
  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${name}.doing]
    entry: [${name}.doing]
    inputs: [${inputs}]
    outputs: [${outputs}]
    exit: [{ id: done, at: ${name}.doing -> ${name}.done, when: 'memory.?${name}.hasValue()', outputs: [${name}] }]
    rollback: { anchors: [done], resume: ${name}.doing, compensable: undo }`;
  const text = `belay: 1
agent: pair
tools:
  a: { reads: [], writes: [a], effect: compensable, undo: un }
  b: { reads: [announced], writes: [b], effect: none }
events: { go.a: { reads: [] }, go.b: { reads: [] }, announce: { reads: [] } }
skeletons:${skeleton('a', '', 'a, announced')}${skeleton('b', 'announced', 'b')}`;
  const { config, findings } = loadConfig(text, { file: 'pair.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  const reports: Report[] = [];
  const journal = memoryStore();
  const sidecar = await attach(machine as never as AnyStateMachine, {
    run: 'r',
    config: config as BoundaryConfig,
    journal,
    undo: { un: undo },
    onDecision: (report) => reports.push(report),
  });
  const { actor } = sidecar;
  actor.start();
  const entries = (): Entry[] => {
    return entriesOf(journal.read('r'));
  };
  const at = (value: object) =>
    until(
      () => JSON.stringify(actor.getSnapshot().value) === JSON.stringify(value),
      () => JSON.stringify([value, actor.getSnapshot().value]),
    );
  return { ...sidecar, actor, calls, reports, entries, at, send: (type: string) => actor.send({ type } as never) };
}

describe('K3: what arrives late', () => {
  test('an answer to work that is undone meanwhile is journaled and refused', async () => {
    const undoing = held<void>();
    const first = held<string>();
    const run = await pair({ a: () => 'a', b: (nth) => (nth === 0 ? first.promise : 'b anew') }, () => undoing.promise);
    run.send('go.a');
    run.send('announce');
    run.send('go.b');
    await run.at({ a: 'done', b: 'doing' });
    const failing = run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'announced' });
    await calm();
    // The compensation of A is under way, and B, which read the news, is about to be undone: its answer comes now.
    first.resolve('b of old');
    await calm();
    expect(run.actor.getSnapshot().context).not.toHaveProperty('b');
    undoing.resolve();
    await failing;
    await run.at({ a: 'done', b: 'done' });
    await calm();
    expect(run.actor.getSnapshot().context.b).not.toBe('b of old');
    expect(run.entries().filter((entry) => entry.do === 'late')).toEqual([
      { do: 'late', actor: 0, event: expect.stringMatching(/^xstate\.done\.actor\./) },
    ]);
    await run.close();
  });

  test('an event of somebody else that came meanwhile is handed on', async () => {
    const undoing = held<void>();
    const run = await pair({ a: () => 'a', b: () => 'b' }, () => undoing.promise);
    run.send('go.a');
    await run.at({ a: 'done', b: 'idle' });
    const failing = run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await calm();
    run.send('go.b');
    await calm();
    expect(run.calls).toEqual(['a']);
    undoing.resolve();
    await failing;
    await run.at({ a: 'done', b: 'done' });
    expect(run.calls.sort()).toEqual(['a', 'a', 'b']);
    expect(run.entries().filter((entry) => entry.do === 'late')).toEqual([]);
    await run.close();
  });

  test('an answer that arrives after its work was undone changes nothing', async () => {
    const first = held<string>();
    const run = await pair(
      { a: (nth) => `a${nth}`, b: (nth) => (nth === 0 ? first.promise : 'b anew') },
      async () => {},
    );
    run.send('go.b');
    run.send('go.a');
    await run.at({ a: 'done', b: 'doing' });
    await run.fail('TOOL_EXCEPTION', { instance: of('b') });
    await run.at({ a: 'done', b: 'done' });
    first.resolve('b of old');
    await calm();
    expect(run.actor.getSnapshot().context.b).toBe('b anew');
    expect(run.calls.filter((name) => name === 'b')).toHaveLength(2);
    await run.close();
  });
});
