/** Undoing what a line crosses: in which order, how often, and what happens where it cannot be done (semantics.md E5, §6). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Inverse, Undo } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume, type Sidecar, type SidecarOptions } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, until } from '../poll.ts';
import { Line, of } from './stations.ts';

/** Two regions, each an instance that books twice, whenever it is told to; the second one reads what the first has written. */
const region = (name: string) => ({
  initial: 'idle',
  states: {
    idle: { on: { [name]: 'first' } },
    first: { invoke: { src: `${name}1`, onDone: { target: 'between', actions: assign({ [name]: 1 }) } } },
    between: { on: { [name]: 'second' } },
    second: { invoke: { src: `${name}2`, onDone: { target: 'booked', actions: assign({ [name]: 2 }) } } },
    booked: {},
  },
});
const NAMES = ['a1', 'a2', 'b1', 'b2'];
const skeleton = (name: string, inputs: string) => `
  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${name}.first, ${name}.between, ${name}.second, ${name}.booked]
    entry: [${name}.first]
    inputs: [${inputs}]
    outputs: [${name}]
    rollback: { compensable: undo }`;
const { config } = loadConfig(
  `belay: 1
agent: bookings
tools:
  a1: { reads: [], writes: [a], effect: compensable, undo: cancel }
  a2: { reads: [], writes: [a], effect: compensable, undo: cancel }
  b1: { reads: [a], writes: [b], effect: compensable, undo: cancel }
  b2: { reads: [a], writes: [b], effect: compensable, undo: cancel }
skeletons:${skeleton('a', '')}${skeleton('b', 'a')}`,
  { file: 'bookings.yaml' },
);

function bookings() {
  const calls: string[] = [];
  const actors = Object.fromEntries(NAMES.map((name) => [name, tool(async () => void calls.push(name))]));
  const machine = setup({ actors: actors as Record<string, ReturnType<typeof tool>> }).createMachine({
    id: 'bookings',
    context: { a: 0, b: 0 },
    type: 'parallel',
    states: { a: region('a'), b: region('b') },
  } as never);
  return { calls, machine };
}

async function interleaved(undo: Undo | Inverse, more: Partial<SidecarOptions> = {}) {
  const { calls, machine } = bookings();
  const options = { run: 'r', config: config as BoundaryConfig, undo: { cancel: undo }, ...more };
  const sidecar = await attach(machine as never, options as never);
  sidecar.actor.start();
  for (const [index, name] of ['a', 'b', 'a', 'b'].entries()) {
    sidecar.actor.send({ type: name } as never);
    const state = index < 2 ? 'between' : 'booked';
    await until(() => (sidecar.actor.getSnapshot() as { matches(value: object): boolean }).matches({ [name]: state }));
  }
  expect(calls).toEqual(['a1', 'b1', 'a2', 'b2']);
  return { calls, machine, options, sidecar: sidecar as unknown as Sidecar };
}

const failed = (sidecar: Sidecar) => sidecar.fail('CONTRACT_VIOLATION', { instance: of('a') });

describe('interleaved effects of two instances', () => {
  test('are undone in reverse global order, whoever they belong to', async () => {
    const undone: string[] = [];
    const { sidecar } = await interleaved(({ tool: name }) => void undone.push(name));
    await failed(sidecar);
    expect(undone).toEqual(['b2', 'a2', 'b1', 'a1']);
    await sidecar.close();
  });

  test('are undone once: a recovery that is taken up again undoes nothing twice', async () => {
    const journal = memoryStore();
    const undone: string[] = [];
    let works = false;
    const undo: Undo = ({ tool: name }) => {
      if (name === 'b1' && !works) throw new Error('closed on Sundays');
      undone.push(name);
    };
    const { sidecar, machine, options } = await interleaved(undo, { journal });
    await failed(sidecar);
    expect((await sidecar.finished()).status).toBe('stuck');
    await sidecar.close();
    works = true;
    const second = await resume(machine as never, options as never);
    second.actor.start();
    await until(() => undone.length === 4);
    expect(undone).toEqual(['b2', 'a2', 'b1', 'a1']);
    await second.close();
    const third = await resume(machine as never, options as never);
    third.actor.start();
    await calm();
    expect(undone).toHaveLength(4);
    await third.close();
  });

  test('whose inverse fails leave the memory as it was: the run is stuck, and throws nothing', async () => {
    const { sidecar } = await interleaved(({ tool: name }) => {
      if (name === 'b1') throw new Error('closed on Sundays');
    });
    const before = sidecar.actor.getSnapshot();
    await failed(sidecar);
    expect(await sidecar.finished()).toMatchObject({
      status: 'stuck',
      error: 'closed on Sundays',
      effect: { tool: 'b1' },
    });
    const after = sidecar.actor.getSnapshot();
    expect([after.context, after.value]).toEqual([before.context, before.value]);
    await sidecar.close();
  });
});

describe('an inverse that can tell that its resource has moved', () => {
  const station = { name: 'a', tool: 'effect: reversible, undo: back' };
  const inverse = (moved: () => string | null | Promise<string | null>, undone: string[]): Inverse => ({
    undo: ({ key }) => void undone.push(key),
    moved,
  });

  test('demotes the call before it is decided: nothing is undone, and the run is parked', async () => {
    const undone: string[] = [];
    const line = new Line([station, { name: 'b' }]);
    const run = await line.begin({ undo: { back: inverse(() => 'somebody has written over it', undone) } });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    expect((await run.finished()).status).toBe('parked');
    expect([undone, line.verdicts, line.codes()]).toEqual([
      [],
      ['escalate'],
      ['exit_not_restorable', 'compensation_missing'],
    ]);
    await run.close();
  });

  test('undoes it where it has not', async () => {
    const undone: string[] = [];
    const line = new Line([station, { name: 'b' }]);
    const run = await line.begin({ undo: { back: inverse(async () => null, undone) } });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await run.at('rest');
    expect([undone.length, line.verdicts, line.called('a')]).toEqual([1, ['restore 0'], 2]);
    await run.close();
  });

  test('and that cannot tell finds out when it undoes', async () => {
    const undone: string[] = [];
    const line = new Line([station, { name: 'b' }]);
    const cannot = () => {
      throw new Error('busy');
    };
    const run = await line.begin({ undo: { back: inverse(cannot, undone) } });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await run.at('rest');
    expect(undone).toHaveLength(1);
    await run.close();
  });

  test('stays demoted in the next process', async () => {
    const journal = memoryStore();
    const undone: string[] = [];
    const line = new Line([station, { name: 'b' }]);
    const first = await line.begin({ journal, undo: { back: inverse(() => 'moved', undone) } });
    first.send('go');
    await first.at('rest');
    await first.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await first.finished();
    await first.close();
    const second = await line.resume({ journal, undo: { back: inverse(() => null, undone) } });
    await second.fail('CONTRACT_VIOLATION', { instance: of('a') });
    expect((await second.finished()).status).toBe('parked');
    expect(undone).toEqual([]);
    await second.close();
  });
});
