/**
 * CO3: two releases of an agent in one worker, each run under its own; a worker that was told to adopt moves the runs at rest that go over, and no run
 * back to a release that it has left.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Carried } from '../../src/journal/work.ts';
import type { WorkTold } from '../../src/workers/told.ts';
import type { Worker, WorkerOptions } from '../../src/workers/worker.ts';
import type { Agent } from '../../src/xstate/agent.ts';
import { migrate, resume } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { all, entries, small, stopped, working } from './small.ts';

afterEach(stopped);

/** A release of an agent that takes a word, acts under its name, and ends with it. */
function release(
  name: string,
  more: { readonly states?: object; readonly next?: string; readonly tools?: string } = {},
) {
  const acts: string[] = [];
  const { states = {}, next = 'waiting', tools = '' } = more;
  const agent = small({
    name: 'order',
    config: `tools:\n  pay: { effect: idempotent, writes: [paid]${tools} }\nskeletons: {}\n`,
    initial: 'idle',
    states: {
      idle: { on: { LOOK: next } },
      [next]: { on: { GO: 'paying' } },
      paying: {
        invoke: { src: 'pay', input: all, onDone: { target: 'over', actions: assign({ by: name } as never) } },
      },
      over: { type: 'final' },
      ...states,
    },
    acts: { pay: async (_, run) => void acts.push(run) },
  });
  return { agent: { ...agent, version: name } as Agent, acts };
}

/** Two releases, the second of which has a state more. Their configs are one file: it is read as each worker begins. */
const one = () => release('1');
const two = () => release('2', { states: { review: {} } });
const renamed = () => release('2', { next: 'resting' });

interface Given extends Partial<WorkerOptions> {
  readonly agents: readonly Agent[];
}

/** A worker, and what it has told, one line each. */
function worker(store: JournalStore, { agents, ...more }: Given) {
  const lines: string[] = [];
  const onTold = (each: WorkTold) => {
    if (each.is === 'left') lines.push(`${each.run} ${each.as.is}`);
    if (each.is === 'moved') lines.push(`${each.run} moved`);
    if (each.is === 'stays') lines.push(`${each.run} stays: ${each.code}`);
    if (each.is === 'not_taken') lines.push(...each.runs.map(({ order, why }) => `${order.run} ${why}`));
  };
  return { ...working(store, agents, { ...more, onTold }), lines };
}

/** Leaves a run under a release, waiting for a word. */
async function begun(store: JournalStore, agent: Agent, run: string, event = 'LOOK'): Promise<void> {
  const first = worker(store, { agents: [agent] });
  await first.client.start({ run, agent: 'order' });
  await first.client.send(run, event);
  await until(() => first.lines.filter((line) => line === `${run} waits`).length > 0 && hasMet(store, run, event));
  await first.worker.stop();
}

async function hasMet(store: JournalStore, run: string, event: string): Promise<boolean> {
  if ((await store.run(run))?.head === 0 || (await store.run(run))?.held === true) return false;
  return (await entries(store, run)).some((entry) => entry.do === 'message' && entry.event === event);
}

const moves = async (store: JournalStore, run: string) =>
  (await entries(store, run)).filter(({ do: is }) => is === 'migrated').length;

const carriedOf = ({ carries }: Worker, begins: boolean) => carries.find((each) => each.begins === begins) as Carried;

describe('two releases in one worker', () => {
  test('each run goes on and ends under its own, and a new one begins under that of the agents', async () => {
    const store = memoryStore();
    const [first, second] = [one(), two()];
    for (const run of ['a', 'b']) await begun(store, first.agent, run);
    const both = worker(store, { agents: [second.agent], releases: [first.agent] });
    await both.client.start({ run: 'c', agent: 'order' });
    await both.client.send('c', 'LOOK');
    for (const run of ['a', 'b', 'c']) await both.client.send(run, 'GO');
    await until(() => ['a', 'b', 'c'].every((run) => both.lines.includes(`${run} done`)));
    expect([first.acts.toSorted(), second.acts]).toEqual([['a', 'b'], ['c']]);
    const [older, newer] = [carriedOf(both.worker, false), carriedOf(both.worker, true)];
    for (const [run, by] of [
      ['a', older],
      ['b', older],
      ['c', newer],
    ] as const) {
      const { digests } = (await store.work.order(run)) ?? {};
      expect([run, digests]).toMatchObject([run, { machine: by.machine, config: by.config }]);
      expect([run, await moves(store, run)]).toEqual([run, 0]);
      const [begin] = await entries(store, run);
      expect(begin).toMatchObject({ do: 'begin', digests: { machine: by.machine, version: by.version } });
    }
  });

  test('a release that is only served begins no run', async () => {
    const store = memoryStore();
    const { worker: only, client, lines } = worker(store, { agents: [], releases: [one().agent] });
    await client.start({ run: 'a', agent: 'order' });
    await until(() => lines.includes('a unserved'));
    expect([only.counts.taken, (await store.work.order('a'))?.digests]).toEqual([0, null]);
  });

  test('two releases that would take the same runs are refused', () => {
    const store = memoryStore();
    expect(() => worker(store, { agents: [one().agent], releases: [one().agent] })).toThrow(
      /agent_twice.*same machine/,
    );
    expect(() => worker(store, { agents: [one().agent, two().agent] })).toThrow(/agent_twice.*among the releases/);
  });
});

describe('a worker that adopts', () => {
  test('moves a run at rest that goes over, which ends under its release; without it the run stays where it is', async () => {
    const store = memoryStore();
    const [first, second] = [one(), two()];
    await begun(store, first.agent, 'a');
    const other = worker(store, { agents: [second.agent] });
    await until(() => other.worker.counts.polls > 30);
    expect([await moves(store, 'a'), other.worker.counts.moved]).toEqual([0, 0]);
    await other.client.send('a', 'GO');
    await until(() => other.lines.includes('a unserved'));
    await other.worker.stop();
    const adopting = worker(store, { agents: [second.agent], adopt: true });
    await until(() => adopting.lines.includes('a done'));
    expect(adopting.lines.filter((line) => line.startsWith('a '))).toEqual(['a moved', 'a done']);
    expect([first.acts, second.acts, await moves(store, 'a')]).toEqual([[], ['a'], 1]);
    expect(adopting.worker.counts).toMatchObject({ moved: 1, stays: 0 });
  });

  test('names a run that stays once, serves it under its own release, and moves it once its past goes over', async () => {
    const store = memoryStore();
    const [first, second] = [one(), renamed()];
    await begun(store, first.agent, 'a');
    const both = worker(store, { agents: [second.agent], releases: [first.agent], adopt: true });
    await until(() => both.worker.counts.polls > 60);
    expect([both.lines, both.worker.counts.stays]).toEqual([['a stays: parts'], 1]);
    await both.client.send('a', 'GO');
    await until(() => both.lines.includes('a done'));
    expect([first.acts, second.acts, await moves(store, 'a')]).toEqual([['a'], [], 0]);
    await until(() => both.worker.counts.stays === 0);
  });

  test('moves no run back to a release that it has left: two that adopt do not pass a run to and fro', async () => {
    const store = memoryStore();
    const [first, second] = [one(), two()];
    await begun(store, first.agent, 'a');
    const newer = worker(store, { agents: [second.agent], adopt: true });
    await until(() => newer.lines.includes('a moved') && newer.lines.includes('a waits'));
    const older = worker(store, { agents: [first.agent], adopt: true });
    await until(() => older.lines.includes('a stays: left_before'));
    await until(() => newer.worker.counts.polls > 120);
    expect([await moves(store, 'a'), newer.worker.counts.moved, older.worker.counts.moved]).toEqual([1, 1, 0]);
  });

  test('leaves a run that a person has moved back where it is', async () => {
    const store = memoryStore();
    const [first, second] = [one(), two()];
    await begun(store, first.agent, 'a');
    const given = (agent: Agent) => ({ run: 'a', config: agent.config, journal: store });
    await migrate(second.agent.machine, given(second.agent), { by: 'ada', back: false });
    await migrate(first.agent.machine, given(first.agent), { by: 'ada', back: true });
    const adopting = worker(store, { agents: [second.agent], adopt: true });
    await until(() => adopting.lines.includes('a stays: left_before'));
    expect(await moves(store, 'a')).toBe(2);
    const again = resume(second.agent.machine, { ...given(second.agent), adopt: true } as never);
    await expect(again).rejects.toMatchObject({ code: 'machine_changed', message: expect.stringMatching(/--back/) });
  });

  test('leaves a run alone that a person has paused, and moves it afterwards', async () => {
    const store = memoryStore();
    const [first, second] = [one(), two()];
    await begun(store, first.agent, 'a');
    const { client, worker: own } = worker(store, { agents: [first.agent] });
    await client.pause('a', { by: 'ada' });
    const isFree = async () => (await store.run('a'))?.held === false;
    await until(async () => (await isFree()) && (await entries(store, 'a')).some(({ do: is }) => is === 'pause'));
    await own.stop();
    const adopting = worker(store, { agents: [second.agent], adopt: true });
    await until(() => adopting.lines.includes('a stays: paused'));
    expect(await moves(store, 'a')).toBe(0);
    await adopting.client.unpause('a', { by: 'ada' });
    const last = worker(store, { agents: [first.agent] });
    await until(() => adopting.lines.includes('a moved'));
    expect([await moves(store, 'a'), last.worker.counts.failed]).toEqual([1, 0]);
  });

  test('a config alone that is another one is adopted, and goes back on a word', async () => {
    const store = memoryStore();
    const first = one();
    await begun(store, first.agent, 'a');
    const second = release('2', { tools: ', reads: [price]' });
    const adopting = worker(store, { agents: [second.agent], adopt: true });
    await until(() => adopting.lines.includes('a moved'));
    await adopting.worker.stop();
    const back = one();
    const given = { run: 'a', config: back.agent.config, journal: store };
    await migrate(back.agent.machine, given, { by: 'ada', back: true });
    const [older] = worker(store, { agents: [back.agent] }).worker.carries;
    expect((await store.work.order('a'))?.digests).toMatchObject({ machine: older?.machine, config: older?.config });
  });
});

test('a run whose mover died before it told the store is given back to its own release by a worker of the other', async () => {
  const store = memoryStore();
  const [first, second] = [one(), two()];
  await begun(store, first.agent, 'a');
  const { digests } = (await store.work.order('a')) ?? {};
  await migrate(
    second.agent.machine,
    { run: 'a', config: second.agent.config, journal: store },
    { by: 'ada', back: false },
  );
  // As the death leaves it: the journal has moved, and the store hands the run out for the older release.
  const journal = await store.open('a', 'resume');
  await journal.close({ due: 0, heard: 1, ended: false, digests: digests as never, threw: null, output: null });
  const older = worker(store, { agents: [first.agent] });
  await until(() => older.lines.includes('a unserved'));
  const newer = worker(store, { agents: [second.agent] });
  await newer.client.send('a', 'GO');
  await until(() => newer.lines.includes('a done'));
  expect([first.acts, second.acts, await moves(store, 'a')]).toEqual([[], ['a'], 1]);
});
