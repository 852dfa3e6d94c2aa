/** OB1 to OB4 in a machine that goes round three times: lost replies, deaths at each append, complaints, persons, cancels and aborts. The judge is the world. */
import { expect, test } from 'vitest';
import { type Case, type Course, type Fate, play, type Round } from './owing.ts';

const round = (
  promises: readonly number[],
  keeps: readonly number[],
  says: Fate = 'comes',
  pays: Fate = 'comes',
): Round => ({
  ...{ promises, keeps, says, pays },
});
const NONE = round([], []);

/** What three rounds say and pay. */
const COURSES: Readonly<Record<string, readonly Round[]>> = {
  'kept at once': [round([5], [5]), round([7], [7]), NONE],
  'kept later, and one not': [round([5], []), round([7], [7]), round([], [])],
  'two, and one call': [round([5, 5], [5]), NONE, NONE],
  'two, and two calls': [round([5, 7], [7, 5]), NONE, round([3], [3])],
  'too little': [round([5], [4]), round([], [3]), NONE],
  'paid before it is said': [round([], [9]), round([5], []), NONE],
  'a sentence that is refused': [round([5], [], 'refused'), round([7], [7]), NONE],
  'a sentence whose reply is lost': [round([5], [], 'lost after'), round([7], [7]), NONE],
  'a sentence that is lost': [round([5], [], 'lost before'), NONE, round([7], [7])],
  'a payment that is refused': [round([5], [5], 'comes', 'refused'), round([], [5]), NONE],
  'a payment whose reply is lost': [round([5], [5], 'comes', 'lost after'), NONE, round([7], [7])],
  'a payment that is lost': [round([5], [5], 'comes', 'lost before'), NONE, round([7], [7])],
  'passed on': [round([5, 7], [7, 6]), NONE, NONE],
  'paid once': [NONE, round([5], []), round([7], [7], 'comes', 'once')],
};

/** The number of promises that the world was told and that nothing it was paid keeps: the best that any assignment does. */
function trulyOwed({ world }: Course): number {
  const at = (key: string) => world.order.indexOf(key);
  const promises = [...world.told].flatMap(([key, cents]) =>
    world.unsaid.has(key) ? [] : cents.map((each) => ({ at: at(key), cents: each })),
  );
  const paid = [...world.paid].flatMap(([key, { cents }]) => (world.unpaid.has(key) ? [] : [{ at: at(key), cents }]));
  const best = (index: number, free: readonly number[]): number => {
    const promise = promises[index];
    if (promise === undefined) return 0;
    const ways = free.flatMap((each) => {
      const call = paid[each];
      const fits = call !== undefined && call.at > promise.at && call.cents >= promise.cents;
      return fits
        ? [
            1 +
              best(
                index + 1,
                free.filter((other) => other !== each),
              ),
          ]
        : [];
    });
    return Math.max(best(index + 1, free), ...ways);
  };
  return promises.length - best(0, [...paid.keys()]);
}

function wrongEnd({ person }: Case, { asked }: Course, owed: number, named: number): string | null {
  if (person === null) return owed === 0 ? null : `unsafe: it ended and owes ${owed}`;
  if (asked.length !== owed) return `a person was asked about ${asked.length}, and ${owed} are owed`;
  return named === (person === 'broken' ? owed : 0) ? null : `${named} are named as broken`;
}

function wrongQuestion({ person, complains }: Case, course: Course, owed: number): string | null {
  const acts = decisionActs(course);
  // A person is asked what became of something else.
  if (acts.length === 0) return complains === null ? `parked on ${JSON.stringify(course.ending)}` : null;
  if (person !== null) return 'parked although a person has answered';
  return acts.length === owed ? null : `needless: ${acts.length} are asked about, and ${owed} are owed`;
}

/** What is wrong with a course: `unsafe` where it ends and owes, `needless` where a person is asked for nothing. */
function wrongWith(one: Case, course: Course): string | null {
  const owed = trulyOwed(course);
  const ending = course.ending as { readonly status?: string; readonly broken?: readonly unknown[] } | null;
  const named = ending?.broken?.length ?? 0;
  switch (course.status) {
    case 'done':
      return wrongEnd(one, course, owed, named);
    case 'cancelled':
    case 'compensated':
      return named === owed ? null : `${named} are named, and ${owed} are owed`;
    case 'parked':
      return wrongQuestion(one, course, owed);
    default:
      return course.status;
  }
}

function decisionActs({ ending }: Course): readonly unknown[] {
  const { decision } = (ending ?? {}) as { decision?: { unblock?: { acts: readonly { act: string }[] } } };
  return (decision?.unblock?.acts ?? []).filter(({ act }) => act === 'settle_obligation');
}

/** What is wrong with the journal, or null: an obligation stands in the commit of its intent, and behind it. */
function wrongJournal({ entries }: Course): string | null {
  for (const [index, entry] of entries.entries()) {
    if (entry.do !== 'obligation' || entry.is !== 'owed') continue;
    const intent = entries[index - 1];
    if (intent?.do !== 'intent' || intent.key !== entry.key) return 'an obligation is not beside its intent';
  }
  const unbound = entries.filter((entry, index) => {
    if (entry.do !== 'intent' || entry.tool !== 'say' || entry.repeats !== undefined) return false;
    const promises = (entry.args as { promises: readonly unknown[] }).promises;
    const first = entries.findIndex((other) => other.do === 'intent' && other.key === entry.key) === index;
    const next = entries[index + 1];
    return first && promises.length > 0 && (next?.do !== 'obligation' || next.is !== 'owed');
  });
  return unbound.length === 0 ? null : 'a sentence takes nothing on';
}

const ENDS = ['machine', 'machine', 'machine', 'cancel', 'abort'] as const;
const PERSONS = [null, 'kept', null, 'released', null, 'broken'] as const;
const CLASSES = ['irreversible', 'idempotent', 'compensable'] as const;

const CASES: readonly Case[] = Object.values(COURSES).flatMap((rounds, course) => {
  const plain = CLASSES.flatMap((kind, nth) =>
    [null, 2].map((complains, other): Case => {
      const ends = ENDS[(course + nth * 2 + other) % ENDS.length] as Case['ends'];
      const person = ends === 'machine' ? (PERSONS[(course + nth + other) % PERSONS.length] as Case['person']) : null;
      return { rounds, class: kind, append: null, complains, ends, person };
    }),
  );
  const deaths = Array.from({ length: 14 }, (_, nth): Case => {
    const kind = CLASSES[(course + nth) % CLASSES.length] as Case['class'];
    const ends = ENDS[(course * 2 + nth) % ENDS.length] as Case['ends'];
    const person = ends === 'machine' ? (PERSONS[(course + nth) % PERSONS.length] as Case['person']) : null;
    const complains = nth % 4 === 3 ? 2 : null;
    return { rounds, class: kind, append: 1 + ((course + nth * 2) % 28), complains, ends, person };
  });
  return [...plain, ...deaths];
});

test('OB1 to OB4: no run ends while it owes, and none is parked for nothing: rounds, lost replies, complaints, persons, deaths', async () => {
  const wrong: string[] = [];
  const seen = { deaths: 0, parked: 0, owed: 0, undone: 0, kept: 0, asked: 0 };
  for (const one of CASES) {
    const course = await play(one).catch((error: unknown) => String(error));
    if (typeof course === 'string') {
      wrong.push(`${course}: ${JSON.stringify(one)}`);
      continue;
    }
    const owed = trulyOwed(course);
    seen.deaths += course.processes;
    seen.parked += course.status === 'parked' ? 1 : 0;
    seen.owed += owed > 0 ? 1 : 0;
    seen.undone += course.world.unpaid.size;
    seen.kept += owed === 0 && course.world.told.size > 0 ? 1 : 0;
    seen.asked += course.asked.length;
    const why = wrongWith(one, course) ?? wrongJournal(course);
    if (why !== null) wrong.push(`${why}: ${JSON.stringify(one)}`);
  }
  if (process.env['BELAY_COUNTS'] !== undefined) console.log(CASES.length, seen);
  expect(wrong).toEqual([]);
  expect(seen.deaths).toBeGreaterThan(60);
  expect(seen.parked).toBeGreaterThan(20);
  expect(seen.undone).toBeGreaterThan(30);
  expect(seen.asked).toBeGreaterThan(15);
});
