/**
 * CO11: a run that goes on from where it stands receives `@belay.moved` first. Between all orders of up to three tools, with a wait in front of each tool,
 * with each place that the event may lead to, at each append, and with a failure afterwards. The judge knows the acts and the context alone: what both
 * releases ask is done once, what is ahead of the place that the event leads to is done once, and the event is taken once, over the values of the move.
 * `SHARE=1` plays all, `TOOLS=a,b` those of two tools; else a fixed share, most of it where the run waits.
 */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { value } from '../semantics/dying.ts';
import { configOf, machineOf, type Release } from './little.ts';
import { type Failure, type Played, play, type Scenario } from './play.ts';
import type { ON_MOVED, Sequence } from './sequence.ts';
import { World } from './world.ts';

const NONE = { states: {}, keys: {}, tools: {}, skeletons: {} };
const FAILURES: readonly Failure[] = ['none', 'Look', 'Pay', 'Pay, waiting'];
const EFFECTS = ['idempotent', 'reversible', 'irreversible'] as const;
const TOOLS = (process.env.TOOLS ?? 'a,b,c').split(',');

/** All orders of some of the tools. */
function ordersOf(tools: readonly string[]): readonly (readonly string[])[] {
  return tools.flatMap((first) => {
    const others = tools.filter((tool) => tool !== first);
    return [[first], ...ordersOf(others).map((order) => [first, ...order])];
  });
}

const releaseOf = (sequence: Sequence, effect: (typeof EFFECTS)[number], unit: string): Release => ({
  sequence,
  effect,
  look: (sequence.tools[0] as string).toUpperCase(),
  unit: unit.toUpperCase(),
  waiting: 'wait',
});

const SENT = { at: 'wait', to: 'in-c', does: 'sum' } as const;

interface Met {
  readonly told?: number;
  readonly sum?: number;
  readonly [tool: string]: unknown;
}

/** What is wrong with the acts of a run; null where nothing is. */
function wrongWith(played: Played, then: Sequence, now: Sequence): string | null {
  const { isMoved, status, value, context } = played;
  const { told, sum } = context as Met;
  if (told !== undefined && (told !== 1 || !isMoved)) return `the event was taken ${told} times`;
  if (told !== undefined && sum !== then.tools.indexOf(then.waitsBefore ?? '')) return `it is ${sum} that were done`;
  for (const tool of TOOLS) {
    const why = actWrong(played, { tool, then, now, isTold: told !== undefined });
    if (why !== null) return why;
  }
  return status === 'parked' || value === 'over' ? null : `it is at ${String(value)}`;
}

interface Asked {
  readonly tool: string;
  readonly then: Sequence;
  readonly now: Sequence;
  readonly isTold: boolean;
}

/** What is wrong with the acts of a tool; null where nothing is. */
function actWrong({ isMoved, status, world, context }: Played, { tool, then, now, isTold }: Asked): string | null {
  const stands = world.standing(tool);
  const led = now.moved?.to?.startsWith('in-') === true ? now.tools.indexOf(now.moved.to.slice(3)) : Number.NaN;
  const isOf = ({ tools }: Sequence) => tools.includes(tool);
  const mustStand = (isMoved ? [then, now] : [then]).every(isOf) || (isTold && now.tools.indexOf(tool) >= led);
  if (stands > 1) return `${tool} stands ${stands} times`;
  if (stands > 0 && !isOf(then) && !isOf(isMoved ? now : then)) return `${tool} was never asked for`;
  if (status === 'parked' || !mustStand) return null;
  if (stands < 1) return `${tool} was left out`;
  return (context as Met)[tool] === 'done' ? null : `the answer of ${tool} is lost`;
}

function cases() {
  const orders = ordersOf(TOOLS);
  const pairs = orders.flatMap((was) => orders.map((is) => [was, is] as const));
  const pages = pairs.flatMap(([was, is]) =>
    was.flatMap((before) =>
      is.flatMap((after) =>
        [null, 'wait', 'aside', 'over', ...is.map((name) => `in-${name}`)].map((to) => ({
          was: { tools: was, waitsBefore: before } as Sequence,
          now: { tools: is, waitsBefore: after, moved: { at: 'wait', to, does: 'sum' } } as Sequence,
        })),
      ),
    ),
  );
  const all = pages.flatMap((pair, nth) =>
    Array.from({ length: 4 * pair.was.tools.length + 3 }, (_, index) => ({
      ...pair,
      append: index + 1,
      failure: FAILURES[(nth + index) % 4] as Failure,
      effect: EFFECTS[(nth + 2 * index) % 3] as (typeof EFFECTS)[number],
      unit: pair.now.tools[(nth + index) % pair.now.tools.length] as string,
    })),
  );
  const isAtWait = ({ was, append }: (typeof all)[number]) =>
    append === 3 * was.tools.indexOf(was.waitsBefore as string) + 2;
  const { SHARE, FROM = '0', WAITS } = process.env;
  if (SHARE === undefined)
    return [...all.filter((_, nth) => nth % 18_001 === 0), ...all.filter(isAtWait).filter((_, nth) => nth % 211 === 0)];
  const chosen = WAITS === undefined ? all : all.filter(isAtWait);
  return chosen.filter((_, nth) => nth % Number(SHARE) === Number(FROM));
}

test('each two orders, each place, each append: nothing is done twice or left out, and the event is taken once', async () => {
  const wrong: unknown[] = [];
  const counts: Record<string, number> = {};
  const all = cases();
  for (const { was, now, append, failure, effect, unit } of all) {
    const played = await play({
      ...{ before: releaseOf(was, effect, unit), now: releaseOf(now, effect, unit), renames: NONE, isFromHere: true },
      ...{ by: 'apply', death: { append, when: 'after' }, again: null, failure },
    });
    const why = wrongWith(played, was, now);
    if (why !== null) wrong.push(JSON.stringify({ was, now, append, failure, effect, unit, why, is: played.refused }));
    const { told } = played.context as Met;
    const count = `${played.isMoved ? 'moved' : 'stayed'}${told === undefined ? '' : ', told'}${played.status === 'parked' ? ', parked' : ''}`;
    counts[count] = (counts[count] ?? 0) + 1;
  }
  if (process.env.SHARE !== undefined) console.log(all.length, counts);
  expect(wrong).toEqual([]);
  expect(counts['moved, told'] ?? 0).toBeGreaterThan(3);
});

/** A run that waits in front of `b`, moved to a machine with one tool more. */
const waiting = (
  moved: Sequence['moved'],
  more: Partial<Scenario> = {},
  tools: readonly string[] = ['a', 'c', 'b'],
) => {
  const was: Sequence = { tools: ['a', 'b'], waitsBefore: 'b' };
  const now: Sequence = { tools, waitsBefore: 'b', ...(moved !== undefined && { moved }) };
  return play({
    ...{ before: releaseOf(was, 'idempotent', 'b'), now: releaseOf(now, 'idempotent', 'b'), renames: NONE },
    ...{ isFromHere: true, by: 'apply', death: { append: 5, when: 'after' }, again: null, failure: 'none', ...more },
  });
};
const stand = ({ world }: Played) => ['a', 'b', 'c'].map((tool) => world.standing(tool));

test('a run that stands behind a new tool is sent to it, and waits for its word then', async () => {
  const [without, sent] = [await waiting(undefined), await waiting({ at: 'wait', to: 'in-c', does: 'sum' })];
  expect([without, sent].map((played) => [played.refused, played.isMoved, stand(played)])).toEqual([
    [null, true, [1, 1, 0]],
    [null, true, [1, 1, 1]],
  ]);
  expect(sent.context).toMatchObject({ told: 1, sum: 1 });
});

const HOSTILE: readonly (readonly [keyof typeof ON_MOVED, RegExp])[] = [
  ['throws', /its code throws/],
  ['chance', /asks a clock or chance/],
  ['clock', /asks a clock or chance/],
  ['counts', /comes to something else when it takes the event again/],
  ['code', /writes a value that no journal holds to sum/],
  ['promise', /writes a value that no journal holds to sum/],
];

test.each(HOSTILE)('%s: nothing moves, and the run ends under its release', async (does, said) => {
  const played = await waiting({ at: 'wait', to: null, does });
  expect([played.isMoved, played.moves, played.refused]).toEqual([false, 0, expect.stringMatching(said)]);
  expect([played.value, stand(played)]).toEqual(['over', [1, 1, 0]]);
});

test('a call under way is not left', async () => {
  const left = [];
  for (const append of [2, 3, 4])
    left.push(
      await waiting({ at: 'in-a', to: 'in-c', does: 'sum' }, { death: { append, when: 'after' } }, ['c', 'a', 'b']),
    );
  const refused = left.filter(({ isMoved }) => !isMoved).map((played) => played.refused);
  expect(refused).toContainEqual(expect.stringMatching(/it leaves a, which is under way/));
});

test('another delay is armed where the event has a run enter its state once more, and keeps the run elsewhere', async () => {
  const lapsing = (moved: Sequence['moved']) => {
    const now = { tools: ['a', 'c', 'b'], waitsBefore: 'b', lapses: 60_000, ...(moved && { moved }) };
    return waiting(SENT, { now: releaseOf(now, 'idempotent', 'b') });
  };
  const [again, within, none] = [
    await lapsing({ at: 'wait', to: 'aside', does: 'sum' }),
    await lapsing({ at: 'wait', to: null, does: 'sum' }),
    await lapsing(undefined),
  ];
  expect([again.isMoved, again.refused, stand(again), again.value]).toEqual([true, null, [1, 1, 0], 'over']);
  for (const { isMoved, refused } of [within, none])
    expect([isMoved, refused]).toEqual([false, expect.stringMatching(/the delays that are armed was no delay/)]);
});

test.each([
  ['in-b', /does not come to wait, which is not/],
  ['over', /does not come to b, which is not/],
  ['in-a', /comes to a again, which is done/],
])('the order is held from where the event leads: %s', async (to, said) => {
  const skips = await waiting({ at: 'wait', to, does: 'sum' });
  expect([skips.isMoved, skips.refused]).toEqual([false, expect.stringMatching(said)]);
});

const RESTS = { tools: ['a', 'c', 'b'], waitsBefore: 'b', waitsIn: 'rest', moved: { ...SENT, at: 'rest' } } as const;
const renamed = {
  now: { ...releaseOf(RESTS, 'idempotent', 'b'), waiting: 'rest' },
  renames: { ...NONE, states: { wait: 'rest' } },
};

test.each([
  ['names are the same', {}],
  ['the state that waits has another name', renamed],
])(
  '%s: a move that is killed at any append brings the event once, and goes back as long as that waits',
  async (_, more) => {
    const all: [number, boolean | null, string | null][] = [];
    for (const goesBack of [false, true])
      for (let append = 1; ; append += 1) {
        const played = await waiting(SENT, { goesBack, again: { append, when: 'after' }, ...more });
        if (!played.isKilled) break;
        const { isBack, context } = played;
        const expected = isBack === true ? '1,1,0' : '1,1,1';
        const isTold = (context as Met).told === (isBack === true ? undefined : 1);
        const isRight = played.status !== 'parked' && stand(played).join() === expected && isTold;
        all.push([append, isBack, isRight ? null : `${played.status}: ${stand(played).join()}`]);
      }
    expect(all.filter(([, , why]) => why !== null)).toEqual([]);
    expect(all.filter(([, isBack]) => isBack === true).length).toBeGreaterThan(0);
  },
);

test('an event of a move that no move has brought is refused, and a machine without a move never hears of one', async () => {
  const machine = machineOf(
    { sequence: { tools: ['a'], waitsBefore: 'a', moved: { at: 'wait', to: null, does: 'sum' } } },
    new World(),
  );
  const findings: string[] = [];
  const options = {
    ...{ run: 'r', config: configOf({ sequence: { tools: ['a'] } }), journal: memoryStore() },
    onFinding: ({ code }: { readonly code: string }) => findings.push(code),
  };
  const sidecar = (await resume(machine as never, options as never)) as unknown as Sidecar;
  sidecar.actor.start();
  for (const type of ['go', '@belay.moved']) sidecar.actor.send({ type, nth: 1 } as never);
  expect([findings, value(sidecar)]).toEqual([['moved_refused'], 'wait']);
  expect((sidecar.actor.getSnapshot() as { readonly context: Met }).context.told).toBeUndefined();
  await sidecar.close();
});
