/**
 * CO5: a run is moved by a map of names, at each append of its journal, for each map and each failure afterwards. It ends as a run that the release has begun
 * itself, it parks, or it stays and ends as if nothing had been tried. `FULL=1` plays all, else a fixed share.
 */
import { describe, expect, test } from 'vitest';
import type { Renames } from '../../src/model/renames.ts';
import type { Death } from '../simulation/mortal-store.ts';
import type { Release } from './little.ts';
import { type Failure, type Played, play, wrongWith } from './play.ts';

const isFull = process.env.FULL === '1';
const FAILURES: readonly Failure[] = ['none', 'Look', 'Pay', 'Look, waiting', 'Pay, waiting'];
const alone = { death: null, again: null, failure: 'none' } as const;
const fresh = new Map<string, Promise<Played>>();
const NONE: Renames = { states: {}, keys: {}, tools: {}, skeletons: {} };

/** The maps: each with the release that it leads to, and whether it is right. */
const MAPS: Readonly<
  Record<
    string,
    { readonly was?: Release; readonly now: Release; readonly renames: Partial<Renames>; readonly isRight: boolean }
  >
> = {
  'the state that pays': { now: { paying: 'charging' }, renames: { states: { paying: 'charging' } }, isRight: true },
  'the state that waits': { now: { waiting: 'resting' }, renames: { states: { waiting: 'resting' } }, isRight: true },
  'a key': { now: { key: 'paper' }, renames: { keys: { receipt: 'paper' } }, isRight: true },
  'a tool': { now: { tool: 'charge' }, renames: { tools: { pay: 'charge' } }, isRight: true },
  'a unit': { now: { unit: 'Charge' }, renames: { skeletons: { Pay: 'Charge' } }, isRight: true },
  'all of them': {
    now: { paying: 'charging', waiting: 'resting', key: 'paper', tool: 'charge', unit: 'Charge' },
    renames: {
      states: { paying: 'charging', waiting: 'resting' },
      keys: { receipt: 'paper' },
      tools: { pay: 'charge' },
      skeletons: { Pay: 'Charge' },
    },
    isRight: true,
  },
  'a state, and another order': {
    now: { paying: 'charging', isSwapped: true },
    renames: { states: { paying: 'charging' } },
    isRight: false,
  },
  'the names of two units, which change places': {
    now: { look: 'Pay', unit: 'Look' },
    renames: { skeletons: { Pay: 'Look', Look: 'Pay' } },
    isRight: true,
  },
  'a region': {
    was: { lanes: ['lane', 'side', 'counting'] },
    now: { lanes: ['pays', 'side', 'counting'] },
    renames: { states: { 'paying.lane': 'paying.pays' } },
    isRight: true,
  },
  'two regions which change places, the state around them, and a state in one': {
    was: { lanes: ['lane', 'side', 'counting'] },
    now: { paying: 'charging', lanes: ['side', 'lane', 'adding'] },
    renames: {
      states: {
        paying: 'charging',
        'paying.lane': 'charging.side',
        'paying.side': 'charging.lane',
        'paying.side.counting': 'charging.lane.adding',
      },
    },
    isRight: true,
  },
  'a region that has the name of the other one': {
    was: { lanes: ['lane', 'side', 'counting'] },
    now: { lanes: ['side', 'lane', 'counting'] },
    renames: { states: { 'paying.lane': 'paying.side' } },
    isRight: false,
  },
  'a key that is left out': {
    now: { key: 'paper', tool: 'charge' },
    renames: { tools: { pay: 'charge' } },
    isRight: false,
  },
  'a key that two have': { now: { key: 'paper' }, renames: { keys: { receipt: 'total' } }, isRight: false },
};

const EFFECTS = ['idempotent', 'reversible', 'irreversible'] as const;

function freshOf(release: Release): Promise<Played> {
  const name = JSON.stringify(release);
  const known = fresh.get(name) ?? play({ before: release, now: release, ...alone });
  fresh.set(name, known);
  return known;
}

/** Every map, class, append and failure; without `FULL` a fixed share of them. */
function cases(appends: number) {
  const all = Object.entries(MAPS).flatMap(([name, { was = {}, now, renames }]) =>
    EFFECTS.flatMap((effect) =>
      Array.from({ length: appends + 1 }, (_, index) =>
        FAILURES.map((failure) => ({
          name,
          effect,
          before: { ...was, effect },
          now: { ...now, effect },
          renames: { ...NONE, ...renames },
          append: index + 1,
          failure,
        })),
      ).flat(),
    ),
  );
  return isFull ? all : all.filter((_, index) => index % 131 === 0);
}

describe('CO5: a map of names', () => {
  test('each map, each class, each append, each failure: it ends as a run of its release, it parks, or it stays', async () => {
    const { appends } = await freshOf({ lanes: ['lane', 'side', 'counting'] });
    const wrong: unknown[] = [];
    const counts: Record<string, number> = {};
    for (const { name, effect, before, now, renames, append, failure } of cases(appends)) {
      const played = await play({
        before,
        now,
        renames,
        death: { append, when: 'after' },
        again: null,
        failure,
        by: 'apply',
      });
      const why = wrongWith(played, await freshOf(played.isMoved ? now : before));
      if (why !== null) wrong.push({ name, effect, append, failure, why, refused: played.refused });
      const count = `${name}: ${played.isMoved ? 'moved' : 'stayed'}${played.status === 'parked' ? ', parked' : ''}`;
      counts[count] = (counts[count] ?? 0) + 1;
    }
    if (isFull) console.log(counts);
    expect(wrong).toEqual([]);
    expect(Object.keys(counts).filter((name) => name.includes('moved')).length).toBeGreaterThan(3);
  });

  test.each(Object.keys(MAPS).filter((name) => MAPS[name]?.isRight === true))(
    '%s: a run goes over at its rest',
    async (name) => {
      const { was = {}, now, renames } = MAPS[name] as (typeof MAPS)[string];
      const played = await play({ before: was, now, renames: { ...NONE, ...renames }, ...alone, by: 'apply' });
      expect([played.refused, played.isMoved]).toEqual([null, true]);
      expect(wrongWith(played, await freshOf(now))).toBe(null);
    },
  );

  test.each(Object.keys(MAPS).filter((name) => MAPS[name]?.isRight === false))('%s: a run stays', async (name) => {
    const { was = {}, now, renames } = MAPS[name] as (typeof MAPS)[string];
    const played = await play({ before: was, now, renames: { ...NONE, ...renames }, ...alone, by: 'apply' });
    expect(played.isMoved).toBe(false);
    expect(wrongWith(played, await freshOf(was))).toBe(null);
  });

  /** Plays a move by all maps at once that is killed at an append; null where it was over before. */
  const killed = async (left: number, append: number, goesBack: boolean) => {
    const { now, renames } = MAPS['all of them'] as (typeof MAPS)[string];
    const moving = { now, renames: { ...NONE, ...renames }, by: 'apply', failure: 'none', goesBack } as const;
    const [death, again] = [left, append].map((at) => ({ append: at, when: 'after' }) as const) as [Death, Death];
    const played = await play({ before: {}, ...moving, death, again });
    if (!played.isKilled) return null;
    const { isBack, isMoved, refused } = played;
    const why = wrongWith(played, await freshOf(isMoved && isBack !== true ? now : {}));
    return { left, append, goesBack, isBack, why, refused };
  };

  test('a move that is killed at any append is finished, and goes back at any append by the inverse map', async () => {
    const all: NonNullable<Awaited<ReturnType<typeof killed>>>[] = [];
    for (const left of [3, 5, 7, 9])
      for (const goesBack of [false, true])
        for (let append = 1; ; append += 1) {
          const one = await killed(left, append, goesBack);
          if (one === null) break;
          all.push(one);
        }
    expect(all.filter(({ why }) => why !== null)).toEqual([]);
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(({ isBack }) => isBack === true).length).toBeGreaterThan(3);
  });
});
