/** AB1–AB8: a run that a person ends with its undos leaves nothing in the world but what is named. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { workClient } from '../../src/workers/client.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { World as Counterparty, calls, configOf, held, machineOf, run } from './little.ts';

const UNDOABLE = 'effect: compensable, undo: un, reconcile: find, timeout: 5s';

/** A counterparty whose undos can be down, or wait. */
class World extends Counterparty {
  readonly down = new Set<string>();
  waits: Promise<void> = Promise.resolve();
  override readonly undo = {
    un: (async ({ key }: { key: string }) => {
      await this.waits;
      if (this.down.has(key)) throw new Error('503');
      this.undone.push(key);
    }) as never,
  };
}

interface Shape {
  readonly one?: string;
  readonly two?: string;
  readonly three?: string;
}

function configFor({ one = UNDOABLE, two = UNDOABLE, three = UNDOABLE }: Shape) {
  return configOf(
    {
      one: `reads: [], writes: [a], ${one}`,
      two: `reads: [a], writes: [b], ${two}`,
      three: `reads: [], writes: [c], ${three}`,
    },
    {
      ONE: { states: ['first'], at: 'first -> second', writes: ['a'] },
      TWO: { states: ['second'], at: 'second -> third', writes: ['b'], reads: ['a'] },
      THREE: { states: ['third'], at: 'third -> waiting', writes: ['c'] },
    },
  );
}

function agent(shape: Shape = {}) {
  const world = new World();
  const last = held<string>();
  const machine = machineOf(
    { one: world.tool('one'), two: world.tool('two'), three: world.tool('three', () => last.promise) },
    {
      initial: 'first',
      states: {
        first: calls('one', 'a', 'second'),
        second: calls('two', 'b', 'third', ['a']),
        third: calls('three', 'c', 'waiting'),
        waiting: { on: { GO: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const knows = {
    find: ({ key }: { key: string }) => {
      const done = world.acts.find((each) => each.key === key);
      return done === undefined || key === world.keys('three')[0]
        ? { is: 'not_applied' }
        : { is: 'applied', output: `${done.tool}0` };
    },
  };
  return { world, last, machine, config: configFor(shape), knows };
}

async function begun(shape: Shape = {}) {
  const of = agent(shape);
  const journal = memoryStore();
  const options = { journal, undo: of.world.undo, reconcilers: of.knows };
  const it = await run(of.machine, of.config, options as never);
  return { ...of, it, journal };
}

describe('an abort', () => {
  test('AB3, AB8: undoes in reverse dependency order, and ends as compensated', async () => {
    const { world, it, last } = await begun();
    last.resolve('three0');
    await it.at('waiting');
    await it.sidecar.cancel({ by: 'ada', undo: true });
    expect(await it.ending()).toEqual({ status: 'compensated', by: 'ada', why: null, standing: [], stands: [] });
    expect(world.undone).toEqual([...world.keys('three'), ...world.keys('two'), ...world.keys('one')]);
    expect(it.sidecar.status).toBe('compensated');
  });

  test('AB7: names what it cannot undo, and what that rested on and is gone', async () => {
    const { world, it, last } = await begun({ two: 'effect: irreversible' });
    last.resolve('three0');
    await it.at('waiting');
    await it.sidecar.cancel({ by: 'ada', undo: true });
    const [one] = world.keys('one');
    const [two] = world.keys('two');
    expect(await it.ending()).toEqual({
      status: 'compensated',
      by: 'ada',
      why: null,
      standing: [two],
      stands: [{ key: two, why: 'it is irreversible', on: [one], by: null, gone: [one] }],
    });
    expect(world.undone).toEqual([...world.keys('three'), one]);
  });

  test('AB3, AB4: what an owed undo does not rest on is undone, and what it rests on waits for a person', async () => {
    const { world, it, last, journal } = await begun();
    last.resolve('three0');
    await it.at('waiting');
    const [one, two, three] = [world.keys('one')[0], world.keys('two')[0], world.keys('three')[0]] as string[];
    world.down.add(two as string);
    await it.sidecar.cancel({ by: 'ada', undo: true });
    const ending = await it.ending();
    expect(ending).toMatchObject({ status: 'stuck', error: '503' });
    expect(ending.status === 'stuck' && ending.owed.map(({ effect, error }) => [effect.id, error])).toEqual([
      [two, '503'],
      [one, 'it waits for two, which rests on it'],
    ]);
    expect(world.undone).toEqual([three]);
    expect([it.sidecar.status, timelineOf(journal.read('r')).standing]).toMatchObject(['stuck', { is: 'stuck' }]);
    // What is not owed cannot be said to stand.
    await expect(it.sidecar.stand(one as string, { by: 'eve' })).rejects.toMatchObject({ code: 'bad_settlement' });
    await expect(it.sidecar.stand(three as string, { by: 'eve' })).rejects.toMatchObject({ code: 'bad_settlement' });
    await it.sidecar.stand(two as string, { by: 'eve', why: 'it was used' });
    expect(await it.ending()).toMatchObject({
      status: 'compensated',
      standing: [two],
      stands: [{ key: two, why: 'a person says so: it was used', by: 'eve', gone: [one] }],
    });
    expect(world.undone).toEqual([three, one]);
  });

  test('AB1: refuses approvals, complaints and another end from the word on, and everything after its end', async () => {
    const { world, it, journal } = await begun({ three: 'effect: compensable, undo: un, gate: true' });
    await until(() => it.sidecar.gates().length === 1);
    const [gate] = it.sidecar.gates();
    const down = held<void>();
    world.waits = down.promise;
    await it.sidecar.cancel({ by: 'ada', undo: true });
    expect(await it.sidecar.answer(gate?.gate as string, 'approved', { by: 'eve' })).toContain('aborting');
    await expect(it.sidecar.cancel({ by: 'eve' })).rejects.toMatchObject({ code: 'not_advised' });
    await expect(it.wrong('ONE', 'a')).rejects.toMatchObject({ code: 'run_finished' });
    down.resolve();
    expect(await it.ending()).toMatchObject({ status: 'compensated', by: 'ada', standing: [] });
    expect(world.count('three')).toBe(0);
    await expect(it.sidecar.cancel({ by: 'eve', undo: true })).rejects.toMatchObject({ code: 'run_finished' });
    await expect(it.sidecar.preview({ undo: true })).rejects.toMatchObject({ code: 'run_finished' });
    await expect(workClient(journal).cancel('r', { by: 'eve', undo: true })).rejects.toThrow('it is compensated');
  });

  test('is previewed: what would be undone, in that order, and what would stand', async () => {
    const { world, it, last, config, machine, journal } = await begun({ two: 'effect: irreversible' });
    last.resolve('three0');
    await it.at('waiting');
    const [one, two, three] = [world.keys('one')[0], world.keys('two')[0], world.keys('three')[0]];
    const preview = {
      undo: [
        { key: three, tool: 'three', by: 'un' },
        { key: one, tool: 'one', by: 'un' },
      ],
      stands: [{ key: two, tool: 'two', why: 'it is irreversible', gone: [one] }],
      unknown: [],
      dropped: [],
    };
    expect(await it.sidecar.preview({ undo: true })).toMatchObject(preview);
    const client = workClient(journal);
    await it.sidecar.durable();
    expect(await client.preview('r', { undo: true }, { machine, config })).toMatchObject(preview);
    expect(world.undone).toEqual([]);
  });

  test('AB8: is taken up where a message has left it, and finished', async () => {
    const { world, it, last, journal, machine, config, knows } = await begun();
    last.resolve('three0');
    await it.at('waiting');
    await it.sidecar.close();
    await workClient(journal).cancel('r', { by: 'ada', undo: true, why: 'not wanted' });
    const again = await resume(machine, { run: 'r', config, journal, undo: world.undo, reconcilers: knows } as never);
    again.actor.start();
    expect(await again.finished()).toMatchObject({ status: 'compensated', why: 'not wanted', standing: [] });
    await again.close();
    expect(world.undone).toEqual([...world.keys('three'), ...world.keys('two'), ...world.keys('one')]);
    expect(timelineOf(journal.read('r')).standing).toEqual({ is: 'compensated' });
  });
});
