/** Goes through the scenarios of a case: every crash, every word at every append, and every person where one is asked. */
import { judge } from './judge.ts';
import { type Case, type Scenario, WORDS } from './scenario.ts';
import { type Course, play } from './trial.ts';

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

const PLAIN = { word: null, crash: null, person: 'never' } as const;

/**
 * Tries a case: a crash at every append; and where nothing else goes wrong, each word at every append, alone and with a crash behind it.
 * @param picks says of the nth further scenario whether it is tried.
 */
export async function tryCase(of: Case, tally: Tally, picks: (nth: number) => boolean = () => true): Promise<void> {
  let nth = 0;
  const tryPicked = async (scenario: Scenario): Promise<Course | null> => {
    nth += 1;
    return picks(nth) ? tryOne(scenario, tally) : null;
  };
  const first = await tryOne({ ...of, ...PLAIN }, tally);
  if (first === null) return;
  const helping = first.waited.length > 0 ? (['helps', 'stands'] as const) : [];
  for (const person of helping) await tryPicked({ ...of, ...PLAIN, person });
  const people = first.waited.length > 0 ? ([...helping, 'never'] as const) : (['helps'] as const);
  for (let append = 1; append <= first.appends + 1; append += 1) {
    for (const when of ['after', 'lost'] as const)
      for (const person of people) await tryPicked({ ...of, ...PLAIN, crash: { append, when }, person });
    if (of.fault === null && of.rule !== 'first')
      for (const when of ['after', 'lost'] as const)
        await tryPicked({ ...of, ...PLAIN, crash: { append, when }, person: 'helps', isDead: true });
    if (of.fault === null) await tryWords(of, append, tryPicked);
  }
}

/** Tries each word at an append, alone and with one crash of so many behind it. */
async function tryWords(
  of: Case,
  append: number,
  tryPicked: (scenario: Scenario) => Promise<Course | null>,
): Promise<void> {
  for (const [place, is] of WORDS.entries()) {
    const said: Scenario = { ...of, ...PLAIN, word: { is, append }, person: 'helps' };
    const course = await tryPicked(said);
    const behind = Math.max(1, (course?.appends ?? 0) - append);
    const crash = append + 1 + ((append * 7 + place * 3) % behind);
    if (course !== null)
      await tryPicked({ ...said, crash: { append: crash, when: crash % 2 === 0 ? 'after' : 'lost' } });
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
  const end = course.ending?.status ?? 'none';
  tally.ends[end] = (tally.ends[end] ?? 0) + 1;
  const why = judge(scenario, course);
  if (why !== null) tally.wrong.push({ scenario, why });
  return course;
}
