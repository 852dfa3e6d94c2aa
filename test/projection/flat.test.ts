/** What a step and a restore ask of those before them costs what is asked for: counted in records that are visited, never in time. */
import { describe, expect, test } from 'vitest';
import { Places } from '../../src/history/places.ts';
import { Heard } from '../../src/projection/redelivery.ts';
import type { RecordedStep } from '../../src/projection/state-types.ts';
import { Timers } from '../../src/projection/timers.ts';

let visited = 0;
/** A step of an actor, from outside, that counts how often it is looked into. */
function step(nth: number, moves: readonly string[], { actor = 0, type = 'go' } = {}): RecordedStep {
  const made = { nth, act: nth, to: nth, parties: [], looks: [], entered: [], leads: [], ties: [], gone: false };
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

describe('what regions have heard', () => {
  test('is gone through once, for every event that a restore takes back', () => {
    const places = placesOf(...Array.from({ length: SIZE }, (_, nth) => step(nth, ['0:'])));
    const heard = new Heard(places);
    visited = 0;
    const digests = Array.from({ length: SIZE }, (_, nth) => heard.before(['0:'], nth));
    expect(new Set(digests).size).toBe(SIZE);
    expect(visited).toBeLessThanOrEqual(2 * SIZE);
  });

  test('is the same where it is gone on with and where it is gone through anew, and another in another order', () => {
    const [ab, ba] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((types) => types.map((type, nth) => step(nth, nth === 0 ? ['0:x'] : ['0:y'], { type })));
    const places = placesOf();
    const heard = new Heard(places);
    for (const each of ab as RecordedStep[]) {
      heard.before(['0:x', '0:y']);
      places.add(each);
    }
    const anew = (...steps: RecordedStep[]) => new Heard(placesOf(...steps)).before(['0:x', '0:y']);
    expect(heard.before(['0:x', '0:y'])).toBe(anew(...(ab as RecordedStep[])));
    expect(heard.before(['0:x', '0:y'])).not.toBe(anew(...(ba as RecordedStep[])));
    expect(heard.before(['0:x', '0:y'], 1)).toBe(anew(ab?.[0] as RecordedStep));
    expect(heard.before(['0:z'])).toBe('');
  });

  test('is no more what was taken back since', () => {
    const [first, second] = [step(0, ['0:']), step(1, ['0:'])];
    const places = placesOf(first, second);
    const heard = new Heard(places);
    const before = heard.before(['0:'], 1);
    expect(heard.before(['0:'])).not.toBe(before);
    places.remove(new Set([second]));
    expect(heard.before(['0:'])).toBe(before);
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
    return { do: 'timer', actor: 0, id, region: '', event: { type: id }, delay } as const;
  };

  test('is armed and taken back without a look at those that are gone', () => {
    const timers = new Timers(placesOf(step(0, ['0:'])));
    let looked = 0;
    for (let n = 0; n < SIZE; n += 1) {
      timers.take(entry('t', 10), 0);
      const armed = timers.all.at(-1);
      for (const name of ['actor', 'id'] as const) {
        const value = armed?.[name];
        Object.defineProperty(armed, name, {
          get: () => {
            looked += 1;
            return value;
          },
        });
      }
      timers.take(entry('t', null), 0);
    }
    expect(timers.all.every(({ gone }) => gone !== null)).toBe(true);
    expect(looked).toBeLessThanOrEqual(2 * SIZE);
  });

  test('is armed again where what took it back was undone, and gone with its actor', () => {
    const [first, second, third] = [step(0, ['0:']), step(1, ['0:']), step(2, ['0:'])];
    const places = placesOf(first);
    const timers = new Timers(places);
    timers.take(entry('t', 10), 0);
    places.add(second);
    timers.take(entry('t', null), 0);
    expect(timers.all[0]?.gone).toBe(second);
    places.remove(new Set([second]));
    timers.rollBack(new Set([second]));
    expect(timers.all[0]?.gone).toBeNull();
    timers.ended(0, third);
    expect(timers.all[0]?.gone).toBe(third);
    timers.heard({ actor: 0, event: { type: 't' } } as never, second);
    expect(timers.all[0]?.gone).toBe(third);
  });
});
