/**
 * CO6: a run whose past goes another way is moved by a map, at each append of its journal, between all orders of up to three tools, in one pass or in two, with
 * a guess of a loop and of a way around a tool, and with a failure afterwards. The judge knows the acts alone: what both releases ask is done as often as
 * both do it, and nothing is done more often than one of them does. `FULL=1` plays all, else a fixed share.
 */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { migrate, resume, type Sidecar } from '../../src/xstate/attach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { until } from '../poll.ts';
import { value } from '../semantics/dying.ts';
import { configOf, machineOf, type Release } from './little.ts';
import { type Failure, type Played, play, type Scenario } from './play.ts';
import type { Sequence } from './sequence.ts';
import { World } from './world.ts';

const isFull = process.env.FULL === '1';
const NONE = { states: {}, keys: {}, tools: {}, skeletons: {} };
const FAILURES: readonly Failure[] = ['none', 'Look', 'Pay'];
const EFFECTS = ['idempotent', 'reversible', 'irreversible'] as const;
const TOOLS = ['a', 'b', 'c'] as const;

/** All orders of some of the tools. */
function ordersOf(tools: readonly string[]): readonly (readonly string[])[] {
  return tools.flatMap((first) => {
    const others = tools.filter((tool) => tool !== first);
    return [[first], ...ordersOf(others).map((order) => [first, ...order])];
  });
}

/** The sorts of machines, by the order of their tools. */
const SORTS: readonly ((tools: readonly string[]) => Sequence)[] = [
  (tools) => ({ tools }),
  (tools) => ({ tools, isLoop: true }),
  (tools) => ({ tools, passes: 2 }),
  (tools) => ({ tools, waitsBehind: tools[0] as string }),
  (tools) => ({ tools, mayLeaveOut: tools[1] ?? 'none' }),
];

const releaseOf = (sequence: Sequence, effect: (typeof EFFECTS)[number]): Release => ({
  sequence,
  effect,
  look: (sequence.tools[0] as string).toUpperCase(),
  unit: (sequence.tools.at(-1) as string).toUpperCase(),
  waiting: `out-${sequence.waitsBehind}`,
});

/** What is wrong with the acts of a run; null where nothing is. */
function wrongWith({ isMoved, status, value, world, context }: Played, then: Sequence, now: Sequence): string | null {
  const { passes = 1 } = then;
  const last = isMoved ? now : then;
  for (const tool of TOOLS) {
    const stands = world.standing(tool);
    const isAsked = isMoved ? then.tools.includes(tool) && now.tools.includes(tool) : then.tools.includes(tool);
    if (stands > passes) return `${tool} stands ${stands} times`;
    if (!then.tools.includes(tool) && !last.tools.includes(tool) && stands > 0) return `${tool} was never asked for`;
    if (status !== 'parked' && isAsked && stands < passes) return `${tool} was left out`;
    if (status !== 'parked' && isAsked && (context as Record<string, unknown>)[tool] !== 'done')
      return `the answer of ${tool} is lost`;
  }
  return status === 'parked' || value === 'over' ? null : `it is at ${String(value)}`;
}

function cases() {
  const orders = ordersOf(TOOLS);
  const pairs = SORTS.flatMap((before) =>
    SORTS.flatMap((after) => orders.flatMap((one) => orders.map((other) => ({ was: before(one), now: after(other) })))),
  );
  const fitting = pairs.filter(({ was, now }) => (was.passes ?? 1) === (now.passes ?? 1));
  const all = fitting.flatMap((pair, nth) =>
    Array.from({ length: 4 * pair.was.tools.length * (pair.was.passes ?? 1) + 2 }, (_, index) => ({
      ...pair,
      append: index + 1,
      failure: FAILURES[(nth + index) % 3] as Failure,
      effect: EFFECTS[(nth + 2 * index) % 3] as (typeof EFFECTS)[number],
    })),
  );
  const share = Number(process.env.SHARE ?? 2003);
  return isFull ? all : all.filter((_, index) => index % share === 0);
}

test('each two orders, each append: nothing is done twice, and nothing that both releases do is left out', async () => {
  const wrong: unknown[] = [];
  const counts: Record<string, number> = {};
  for (const { was, now, append, failure, effect } of cases()) {
    const played = await play({
      ...{ before: releaseOf(was, effect), now: releaseOf(now, effect), renames: NONE, isFromHere: true, by: 'apply' },
      ...{ death: { append, when: 'after' }, again: null, failure },
    });
    const why = wrongWith(played, was, now);
    if (why !== null) wrong.push({ was, now, append, failure, effect, why, refused: played.refused });
    const count = `${played.isMoved ? 'moved' : 'stayed'}${played.status === 'parked' ? ', parked' : ''}`;
    counts[count] = (counts[count] ?? 0) + 1;
  }
  if (isFull || process.env.SHARE !== undefined) console.log(counts);
  expect(wrong).toEqual([]);
  expect(counts.moved).toBeGreaterThan(3);
});

/** A run that waits behind a tool, moved to another order; the tools are asked at once, or the last one with a failure. */
const waiting = (tools: readonly string[], now: readonly string[], behind: string, more: Partial<Scenario> = {}) => {
  const [before, after] = [tools, now].map((of) => ({
    ...releaseOf({ tools: of, waitsBehind: behind }, 'idempotent'),
    unit: behind.toUpperCase(),
  }));
  const append = 3 * (tools.indexOf(behind) + 1) + 2;
  return play({
    ...{ before: before as Release, now: after as Release, renames: NONE, isFromHere: true, by: 'apply' },
    ...{ death: { append, when: 'after' }, again: null, failure: 'none', ...more },
  });
};
const stand = ({ world }: Played) => TOOLS.map((tool) => world.standing(tool));

test('a tool put in before where the run stands is left out, and all that is ahead is done', async () => {
  const played = await waiting(['a', 'b'], ['c', 'a', 'b'], 'a');
  expect([played.refused, played.isMoved, played.status, stand(played)]).toEqual([null, true, 'running', [1, 1, 0]]);
});

test('without the machine of the release before, it stays, and the step is named', async () => {
  const played = await waiting(['a', 'b'], ['c', 'a', 'b'], 'a', { isFromHere: false });
  expect([played.isMoved, played.refused]).toEqual([false, expect.stringMatching(/part at step 2/)]);
});

test.each([
  [
    'what is done would be done again',
    ['a', 'b', 'c'],
    ['b', 'a', 'c'],
    'b',
    /from out-b on, this machine comes to a again/,
  ],
  ['what both do would be left out', ['a', 'b'], ['b', 'a'], 'a', /from out-a on, this machine does not come to b/],
])('%s: it stays, and says what may be done', async (_, tools, now, behind, said) => {
  const played = await waiting(tools, now, behind);
  expect([played.isMoved, played.refused]).toEqual([false, expect.stringMatching(said)]);
  expect(played.refused).toMatch(/Leave the run with its release/);
  expect(stand(played).slice(0, tools.length)).toEqual(tools.map(() => 1));
});

test('in a loop of other edges it stays: which pass is over, no order says', async () => {
  const [before, now] = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((tools) => releaseOf({ tools, passes: 2, waitsBehind: 'a' }, 'irreversible')) as [Release, Release];
  const played = await waiting(['a'], ['a'], 'a', { before, now, death: { append: 5, when: 'after' } });
  expect([played.isMoved, played.refused]).toEqual([false, expect.stringMatching(/once it has left the loop/)]);
});

test('what is found wrong from before the move is for a person', async () => {
  const played = await waiting(['a', 'b'], ['c', 'a', 'b'], 'a', { failure: 'Pay, waiting' });
  expect([played.isMoved, played.status, stand(played)]).toEqual([true, 'parked', [1, 0, 0]]);
});

// Releases of the same tools have one config: the move alone makes these checkpoints stale.
test.each(EFFECTS)('%s: behind another order of the same tools, no work from before is restored', async (effect) => {
  for (const unit of ['A', 'B', 'C']) {
    const [before, now] = [
      ['a', 'b', 'c'],
      ['b', 'a', 'c'],
    ].map((tools) => ({
      ...releaseOf({ tools, waitsBehind: 'c' }, effect),
      unit,
    })) as [Release, Release];
    const death = { append: 11, when: 'after' } as const;
    const played = await waiting(['c'], ['c'], 'c', { before, now, death, failure: 'Pay, waiting' });
    expect([unit, played.refused, played.isMoved, played.status, stand(played)]).toEqual([
      ...[unit, null, true, 'parked'],
      [1, 1, 1],
    ]);
  }
});

/** A run that waits behind `a`, is moved to an order with one tool more, and ends; then the work of one unit is found wrong. */
const complained = (unit: string, effect: (typeof EFFECTS)[number]) => {
  const [before, now] = [
    ['a', 'b'],
    ['a', 'c', 'b'],
  ].map((tools) => ({
    ...releaseOf({ tools, waitsBehind: 'a' }, effect),
    unit,
  })) as [Release, Release];
  const moving = { renames: NONE, isFromHere: true, by: 'apply', again: null } as const;
  return play({ before, now, ...moving, death: { append: 5, when: 'after' }, failure: 'Pay' });
};

test.each(EFFECTS)(
  '%s: what is found wrong from before the move parks and moves nothing; what came since is done again',
  async (effect) => {
    for (const unit of ['A', 'B', 'C']) {
      const played = await complained(unit, effect);
      const isFinal = unit === 'A' || effect === 'irreversible';
      expect([unit, played.isMoved, played.status, stand(played)]).toEqual([
        ...[unit, true, isFinal ? 'parked' : 'running'],
        [1, 1, 1],
      ]);
    }
  },
);

test('a move that is killed at any append is finished, and goes back at any append', async () => {
  const all: [number, boolean | null, string | null][] = [];
  for (const goesBack of [false, true])
    for (let append = 1; ; append += 1) {
      const played = await waiting(['a', 'b'], ['c', 'a', 'b'], 'a', { goesBack, again: { append, when: 'after' } });
      if (!played.isKilled) break;
      const { status, isBack } = played;
      const isRight = status !== 'parked' && stand(played).join() === '1,1,0';
      all.push([append, isBack, isRight ? null : `${status}: ${stand(played).join()}`]);
    }
  expect(all.filter(([, , why]) => why !== null)).toEqual([]);
  expect(all.filter(([, isBack]) => isBack === true).length).toBeGreaterThan(1);
});

test('a past of two machines is held against no third one without a map', async () => {
  const store = memoryStore();
  const opened = (order: readonly string[]) => {
    const sequence = { tools: order, waitsBehind: 'a' };
    const machine = machineOf({ sequence }, new World()) as never;
    return { machine, options: { run: 'r', config: configOf({ sequence }), journal: store } as never };
  };
  const first = opened(['a', 'b']);
  const sidecar = (await resume(first.machine, first.options)) as unknown as Sidecar;
  sidecar.actor.start();
  sidecar.actor.send({ type: 'go' } as never);
  await until(
    () => value(sidecar) === 'out-a',
    () => String(value(sidecar)),
  );
  await sidecar.close();
  const [second, third] = [opened(['c', 'a', 'b']), opened(['a'])];
  const digests = ({ machine, options }: typeof first) => ({
    machine: machineShape(machine).digest,
    config: (options as { config: { digest: string } }).config.digest,
  });
  const map = { agent: 'shop', from: digests(first), to: digests(second), renames: NONE, digest: '' };
  const machineBefore = machineShape(first.machine);
  const moved = await migrate(second.machine, second.options, { by: 'ada', back: false, map, machineBefore });
  expect(moved).toMatchObject({ is: 'goes', isFromHere: true });
  const word = { by: 'ada', back: false };
  await expect(migrate(third.machine, third.options, word)).rejects.toThrow(/its past is of two machines/);
  expect(await migrate(first.machine, first.options, { by: 'ada', back: true })).toMatchObject({ is: 'goes' });
});
