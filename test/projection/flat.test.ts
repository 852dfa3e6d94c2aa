/** What a step and a restore ask of those before them costs what is asked for: counted in records that are visited, never in time. */
import { describe, expect, test } from 'vitest';
import { Places } from '../../src/history/places.ts';
import { Actors } from '../../src/projection/actors.ts';
import { HeardNow, HeardThen, Redelivery } from '../../src/projection/redelivery.ts';
import { eventsToRedeliver } from '../../src/projection/rollback.ts';
import type { ActorState, RecordedStep, ToRedeliver } from '../../src/projection/state-types.ts';
import { Timers } from '../../src/projection/timers.ts';

let visited = 0;
/** A step of an actor, from outside, that counts how often it is looked into. */
function step(nth: number, moves: readonly string[], { actor = 0, type = 'go' } = {}): RecordedStep {
  const made = {
    nth,
    act: nth,
    to: nth,
    parties: [],
    looks: [],
    entered: [],
    leads: [],
    owes: 0,
    ties: [],
    gone: false,
    isOutside: true,
  };
  const counting = {
    get actor() {
      visited += 1;
      return actor;
    },
    get outside() {
      visited += 1;
      return { type };
    },
  };
  return Object.defineProperties({ ...made, moves }, Object.getOwnPropertyDescriptors(counting)) as never;
}
const placesOf = (...steps: RecordedStep[]) => {
  const places = new Places<RecordedStep>();
  for (const each of steps) places.add(each);
  return places;
};
const SIZE = 500;

describe('what events met that a restore takes back', () => {
  test('is folded from one to the next, and not for each of them from where a context was kept', () => {
    let folded = 0;
    const steps = Array.from({ length: SIZE }, (_, nth) =>
      Object.defineProperty(step(nth, ['0:']), 'context', { value: null }),
    );
    for (const [nth, each] of steps.entries())
      Object.defineProperty(each, 'edits', {
        get: () => {
          folded += 1;
          return [{ op: 'set', path: [`k${nth % 3}`], value: nth, by: [0] }];
        },
      });
    const met = eventsToRedeliver(placesOf(...steps), new Set(steps), new Set(), null);
    expect(met[4]?.context).toEqual({ k0: 3, k1: 1, k2: 2 });
    expect(met.at(-1)?.context).toEqual({ k0: SIZE - 2, k1: SIZE - 4, k2: SIZE - 3 });
    expect(folded).toBeLessThanOrEqual(SIZE);
  });
});

describe('what regions have heard', () => {
  const types = (text: string, region: string | ((nth: number) => string) = '0:') =>
    [...text].map((type, nth) => step(nth, [typeof region === 'string' ? region : region(nth)], { type }));

  test('is gone through from what is taken back on, once, and not from the beginning', () => {
    const steps = types('x'.repeat(SIZE));
    const places = placesOf(...steps);
    const undone = steps.slice(-10);
    visited = 0;
    const then = new HeardThen(places, undone);
    const heard = undone.map(({ nth }) => then.before(['0:'], nth));
    places.remove(new Set(undone));
    const now = new HeardNow(places);
    expect(heard.map((each) => now.isSame(each))).toEqual([true, ...Array(9).fill(false)]);
    expect(visited).toBeLessThanOrEqual(50);
  });

  test('is the same only where all of it has come again, in its order', () => {
    const [a, b, c] = types('abc') as [RecordedStep, RecordedStep, RecordedStep];
    const places = placesOf(a, b, c);
    const heard = new HeardThen(places, [b, c]).before(['0:'], c.nth);
    places.remove(new Set([b, c]));
    const now = new HeardNow(places);
    expect(now.isSame(heard)).toBe(false);
    places.add(step(3, ['0:'], { type: 'b' }));
    expect(now.isSame(heard)).toBe(true);
    places.add(step(4, ['0:'], { type: 'b' }));
    expect(now.isSame(heard)).toBe(false);
    places.remove(new Set(places.steps.all.slice(-2)));
    places.add(step(5, ['0:'], { type: 'other' }));
    expect(now.isSame(heard)).toBe(false);
  });

  test('is that of all regions together, in the order of their steps', () => {
    const [a, b, c] = types('abc', (nth) => `0:${nth % 2}`) as [RecordedStep, RecordedStep, RecordedStep];
    const places = placesOf(a, b, c);
    const heard = new HeardThen(places, [a, b, c]).before(['0:0', '0:1'], c.nth);
    const outside = new HeardThen(places, [a, b, c]).before(['0:2'], c.nth);
    places.remove(new Set([a, b, c]));
    const now = new HeardNow(places);
    expect(now.isSame(outside)).toBe(true);
    for (const [nth, type] of [...'ba'].entries()) places.add(step(3 + nth, ['0:0'], { type }));
    expect(now.isSame(heard)).toBe(false);
    places.remove(new Set(places.steps.all));
    places.add(step(5, ['0:1'], { type: 'a' }));
    places.add(step(6, ['0:0'], { type: 'b' }));
    expect(now.isSame(heard)).toBe(true);
    expect(now.isSame(outside)).toBe(true);
  });

  test('is another where a later restore takes back what came before, until that has come again', () => {
    const [a, b, c] = types('abc') as [RecordedStep, RecordedStep, RecordedStep];
    const places = placesOf(a, b, c);
    const waiting = new Redelivery([]);
    const back = {
      event: { type: 'c' },
      context: null,
      control: '',
      regions: ['0:'],
      moved: [],
      wrong: null,
      held: null,
      name: null,
    };
    const takeBack = (...undone: RecordedStep[]) => {
      waiting.takeOut(places, undone);
      places.remove(new Set(undone));
    };
    waiting.add([{ ...back, heard: new HeardThen(places, [c]).before(['0:'], c.nth) }]);
    takeBack(c);
    const isSame = () => new HeardNow(places).isSame((waiting.all[0] as ToRedeliver).heard);
    expect(isSame()).toBe(true);
    takeBack(a, b);
    expect(isSame()).toBe(false);
    for (const [nth, type] of [...'ab'].entries()) places.add(step(3 + nth, ['0:'], { type }));
    expect(isSame()).toBe(true);
    takeBack(places.steps.last as RecordedStep);
    expect(isSame()).toBe(false);
  });
});

test('the step of an actor before another is found without those before it', () => {
  const places = placesOf(...Array.from({ length: SIZE }, (_, nth) => step(nth, ['0:'], { actor: nth % 2 })));
  visited = 0;
  expect([...places.before(400, 1)][0]?.nth).toBe(399);
  visited = 0;
  const [found] = places.before(400, 0);
  expect(found?.nth).toBe(398);
  expect(places.nextOf(10, 1)?.nth).toBe(11);
  expect(places.nextOf(SIZE - 1, 1)).toBeUndefined();
  expect(visited).toBeLessThanOrEqual(6);
});

describe('a timer', () => {
  const entry = (id: string, delay: number | null) => {
    return { do: 'timer', actor: 0, id, region: '', event: { type: id }, delay, due: 10 } as const;
  };

  test('is armed and taken back without a look at those that are gone', () => {
    const timers = new Timers(placesOf(step(0, ['0:'])));
    let looked = 0;
    for (let n = 0; n < SIZE; n += 1) {
      timers.take(entry('t', 10));
      const [armed] = timers.armed();
      for (const name of ['actor', 'id'] as const) {
        const value = armed?.[name];
        Object.defineProperty(armed, name, {
          get: () => {
            looked += 1;
            return value;
          },
        });
      }
      timers.take(entry('t', null));
    }
    expect(timers.named(0, 't').every(({ gone }) => gone !== null)).toBe(true);
    expect(looked).toBeLessThanOrEqual(2 * SIZE);
  });

  test('is armed again where what took it back was undone, and gone with its actor', () => {
    const [first, second, third] = [step(0, ['0:']), step(1, ['0:']), step(2, ['0:'])];
    const places = placesOf(first);
    const timers = new Timers(places);
    timers.take(entry('t', 10));
    places.add(second);
    timers.take(entry('t', null));
    expect(timers.named(0, 't')[0]?.gone).toBe(second);
    places.remove(new Set([second]));
    timers.rollBack(new Set([second]));
    expect(timers.named(0, 't')[0]?.gone).toBeNull();
    timers.ended(0, third);
    expect(timers.named(0, 't')[0]?.gone).toBe(third);
    timers.heard({ actor: 0, event: { type: 't' } } as never, second);
    expect(timers.named(0, 't')[0]?.gone).toBe(third);
  });
});

describe('an actor', () => {
  test('that has ended long ago is not looked at, and goes on where what ended it is undone', () => {
    const steps = Array.from({ length: SIZE }, (_, nth) => ({ ...step(nth, ['0:']), firstStarted: nth + 1 }));
    const actors = new Actors(placesOf(...steps));
    actors.begin();
    let looked = 0;
    for (const by of steps) {
      const started = { id: 'c', src: 'c', at: '', kind: 'promise', input: null } as const;
      actors.start(started, 0, by);
      const child = actors.all.at(-1) as ActorState;
      Object.defineProperty(child, 'parent', {
        get: () => {
          looked += 1;
          return 0;
        },
      });
      actors.end(child, by);
    }
    looked = 0;
    const [last, before] = [steps.at(-1), steps.at(-2)] as [RecordedStep, RecordedStep];
    expect(actors.childrenOf(0)).toEqual([]);
    expect(actors.childrenOf(0, [before]).map(({ number }) => number)).toEqual([SIZE - 1]);
    expect(actors.concerned([last]).map(({ number }) => number)).toEqual([0, SIZE]);
    actors.rollBack(new Set([{ ...before, firstStarted: SIZE + 1 }]));
    actors.rollBack(new Set([last]));
    expect(actors.childrenOf(0)).toEqual([]);
    expect(actors.at(SIZE).ended).toBe(last);
    expect(looked).toBeLessThanOrEqual(10);
  });
});
