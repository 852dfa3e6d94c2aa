/**
 * A failure at the end of a long run asks about one cut after the other: all of them together go through the steps of the run once, and the
 * answer about each is that of a cut that is asked about alone. Counted in steps that are visited, never in time.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Places } from '../../src/history/places.ts';
import { instanceName } from '../../src/model/instance.ts';
import type { Kept } from '../../src/projection/rollback.ts';
import type { RecordedStep } from '../../src/projection/state-types.ts';
import { Undoing } from '../../src/sidecar/queries/undoing.ts';

const ids = ['a', 'b', 'c'].map((entity) => ({ skeleton: 'S', entity, ordinal: 0 }));
const names = ids.map(instanceName);
const REGIONS = ['0:', '0:x', '1:'];
let visited = 0;

/** A step of some instances, which moves some regions and closes an instance, and counts how often it is looked into. */
function step(nth: number, parties: readonly number[], moves: readonly number[], closes: readonly string[] = []) {
  const made = {
    nth,
    act: nth + 1,
    to: nth + 1,
    looks: [],
    entered: [],
    leads: [],
    owes: 0,
    ties: [],
    gone: false,
    closes,
  };
  return {
    ...made,
    actor: 0,
    parties: parties.map((party) => ({ name: names[party], region: '0:' })),
    get moves() {
      visited += 1;
      return moves.map((region) => REGIONS[region]);
    },
  } as never as RecordedStep;
}

function placesOf(steps: readonly RecordedStep[]): Places<RecordedStep> {
  const places = new Places<RecordedStep>();
  for (const each of steps) places.add(each);
  return places;
}

test('the cuts of a long run, newest first, visit each of its steps a few times', () => {
  const visits = (size: number) => {
    const undoing = new Undoing(placesOf(Array.from({ length: size }, (_, nth) => step(nth, [0], [0]))));
    visited = 0;
    for (let at = size; at >= 0; at -= 1) {
      undoing.to([[ids[0] as Kept[0], at]]);
      undoing.lastMover('0:', 0);
    }
    return visited;
  };
  expect(visits(400)).toBeLessThanOrEqual(4 * 400);
  expect(visits(1_600)).toBeLessThanOrEqual(4 * 1_600);
});

const parties = fc.uniqueArray(fc.nat(2), { minLength: 1 });
const steps = fc.array(fc.record({ parties, moves: fc.uniqueArray(fc.nat(2)), closes: fc.subarray(names) }), {
  maxLength: 12,
});
const positions = fc.array(fc.tuple(fc.nat(2), fc.nat(14)), { maxLength: 4 });

test('any course of cuts, those that undo less among them, is answered as each alone', () => {
  fc.assert(
    fc.property(steps, fc.array(positions, { maxLength: 8 }), (drawn, courses) => {
      const places = placesOf(drawn.map((each, nth) => step(nth, each.parties, each.moves, each.closes)));
      for (const [nth, id] of ids.entries())
        if (places.steps.all[nth] !== undefined) places.enter(id, '0:', false, places.steps.all[nth]);
      const undoing = new Undoing(places);
      for (const course of courses) {
        const kept = course.map(([id, at]): Kept => [ids[id] as Kept[0], at]);
        const alone = new Undoing(places);
        undoing.to(kept);
        alone.to(kept);
        expect(new Set(undoing.steps)).toEqual(new Set(alone.steps));
        for (const region of REGIONS) expect(undoing.lastMover(region, 0)?.nth).toBe(alone.lastMover(region, 0)?.nth);
        expect(new Set(undoing.closed())).toEqual(new Set(alone.closed()));
        for (const each of places.steps.all)
          expect(undoing.steps.has(each)).toBe(
            kept.some(([id, at]) => each.act >= at && each.parties.some(({ name }) => name === instanceName(id))),
          );
      }
    }),
    { numRuns: 300 },
  );
});
