/** Goes through the scenarios of a case: every moment, every crash after it, and every person where one is asked. */
import { judge } from './judge.ts';
import { type Case, type Crash, type Moment, momentsUnderWay, PEOPLE, type Scenario } from './scenario.ts';
import { type Course, play } from './trial.ts';

/** A scenario that came to something wrong. */
interface Wrong {
  readonly scenario: Scenario;
  readonly why: string;
}

export interface Tally {
  scenarios: number;
  readonly ends: Record<string, number>;
  readonly wrong: Wrong[];
}

export const noneTried = (): Tally => ({ scenarios: 0, ends: {}, wrong: [] });

/** The moments of a case: at each append of its machine, and at each call that is under way. */
export async function momentsOf(of: Case): Promise<Moment[]> {
  const whole = await play({ ...of, moment: { append: 0 }, crash: null, person: 'never' }, false);
  const appends = Array.from({ length: whole.appends }, (_, index): Moment => ({ append: index + 1 }));
  return [...appends, ...momentsUnderWay(of)];
}

/** Tries all scenarios of a case at a moment. @param picks says which crashes are tried. */
export async function tryMoment(
  of: Case,
  moment: Moment,
  tally: Tally,
  picks: (crash: Crash) => boolean = () => true,
): Promise<void> {
  const whole: Scenario = { ...of, moment, crash: null, person: 'never' };
  const first = await tryOne(whole, tally);
  if (first === null) return;
  const helped = isAsked(first) ? PEOPLE.filter((person) => person !== 'never') : [];
  let appends = first.appends - first.before;
  for (const person of helped) {
    const course = await tryOne({ ...whole, person }, tally);
    if (course !== null) appends = Math.max(appends, course.appends - course.before);
  }
  for (let append = 1; append <= appends; append += 1)
    for (const when of ['after', 'lost'] as const) {
      const crash: Crash = { append, when };
      if (!picks(crash)) continue;
      for (const person of helped.length > 0 ? PEOPLE : (['never'] as const))
        await tryOne({ ...whole, crash, person }, tally);
    }
}

async function tryOne(scenario: Scenario, tally: Tally): Promise<Course | null> {
  tally.scenarios += 1;
  let course: Course;
  try {
    course = await play(scenario);
  } catch (error) {
    tally.wrong.push({ scenario, why: `it throws: ${(error as Error).stack ?? String(error)}` });
    return null;
  }
  const why = judge(scenario, course);
  const end = course.ending?.status ?? 'none';
  tally.ends[end] = (tally.ends[end] ?? 0) + 1;
  if (why !== null) tally.wrong.push({ scenario, why });
  return course;
}

function isAsked({ ending }: Course): boolean {
  return ending?.status === 'parked' || ending?.status === 'stuck';
}
