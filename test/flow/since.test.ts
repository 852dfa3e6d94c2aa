/**
 * CO8: a flow gets a step behind a marker. A run of the function before, left at each append, goes its old way where it had passed the marker, and takes
 * the step where it had not; so it does after a death at each further append, and after a complaint about each step. `FULL=1` plays all.
 */
import { expect, test } from 'vitest';
import { type Ended, type Marked, marked, NEW, OLD, type Place, rounds } from './since.ts';

const isFull = process.env.FULL === '1';
const PLACES = [0, 1, 2, 3] as const;
const after = (append: number) => ({ append, when: 'after' }) as const;
const alone = { death: null, again: null, failure: null, receives: false } as const;
const whole = (place: Place) => [...OLD.slice(0, place), NEW, ...OLD.slice(place)];

/** What is wrong with an end; null where nothing is. */
function wrongWith({ status, why, acts, went, hadPassed }: Ended, { place, failure }: Marked): string | null {
  for (const [name, times] of Object.entries(acts)) if (times > 1) return `${name} acted under ${times} keys`;
  if (status === 'parked') return failure === null || /came to|was taken/.test(why) ? `it is parked: ${why}` : null;
  if (status !== 'done') return `it is ${status}`;
  for (const name of OLD) if (acts[name] !== 1) return `${name} acted ${acts[name]} times`;
  const isNew = went.includes(NEW);
  if (went.join() !== (isNew ? whole(place) : OLD).join()) return `it went ${went.join(', ')}`;
  // What is found wrong in front of the marker has the run come to it again.
  const isBefore = failure !== null && failure !== NEW && OLD.findIndex((name) => name === failure) < place;
  if (isNew && hadPassed && !isBefore) return 'it had passed the marker';
  return acts[NEW] === (isNew ? 1 : 0) ? null : `the new step acted ${acts[NEW]} times`;
}

/** The further deaths and complaints of a run that was left at an append. */
function laters(append: number, place: Place): readonly Pick<Marked, 'again' | 'failure'>[] {
  const failures = [null, ...OLD, NEW];
  const agains = [null, ...Array.from({ length: 24 }, (_, index) => after(index + 1))];
  const all = failures.flatMap((failure) => agains.map((again) => ({ failure, again })));
  return isFull ? all : all.filter((_, index) => (index + append + place) % 53 === 0);
}

interface Counts {
  readonly wrong: unknown[];
  readonly ends: Record<string, number>;
}

/** Plays the runs that were left at an append. @returns false where the run was over before. */
async function leftAt(
  of: Pick<Marked, 'place' | 'receives'>,
  append: number,
  { wrong, ends }: Counts,
): Promise<boolean> {
  for (const later of laters(append, of.place)) {
    const one = { ...of, death: after(append), ...later };
    const played = await marked(one);
    if (!played.isLeft) return false;
    const because = wrongWith(played, one);
    if (because !== null) wrong.push({ ...one, ...played, because });
    const end = `${played.status}, ${played.went.includes(NEW) ? 'with the step' : 'its old way'}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return true;
}

test('each place, each append, each further death and complaint: no step is taken twice or left out, and the function keeps its way', async () => {
  const counts: Counts = { wrong: [], ends: {} };
  for (const place of PLACES)
    for (const receives of [false, true])
      for (let append = 1; await leftAt({ place, receives }, append, counts); append += 1);
  if (isFull) console.log(counts.ends);
  expect(counts.wrong).toEqual([]);
  expect(counts.ends['done, with the step']).toBeGreaterThan(3);
  expect(counts.ends['done, its old way']).toBeGreaterThan(3);
});

test.each(PLACES)('a new run takes the step, also where the function stands %s steps in front of it', async (place) => {
  for (const receives of [false, true]) {
    const played = await marked({ ...alone, place, receives });
    expect([played.status, played.went]).toEqual(['done', whole(place)]);
  }
});

test('a run that waits in its last receive has passed every marker in front of it', async () => {
  for (const place of PLACES) {
    const played = await marked({ ...alone, place, death: after(1_000) });
    expect([played.status, played.went, played.acts[NEW]]).toEqual(['done', [...OLD], 0]);
  }
});

test('in a round of many, a run that is in the middle takes the step from there on, however often it is taken up', async () => {
  for (let append = 1; append < 12; append += 1)
    for (let again = 1; again < 16; again += 1) {
      const { came, why, ships } = await rounds(append, again);
      expect([append, again, why, ships]).toEqual([append, again, '', [1, 1, 1]]);
      // From the first item with the step on, each has it.
      const steps = came.filter((name) => name.startsWith('check@')).map((name) => name.slice(-1));
      expect(['', 'c', 'bc', 'abc']).toContain(steps.join(''));
    }
});
