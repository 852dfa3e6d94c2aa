/** Judges runs that met by the world and their contexts alone: some order of the whole runs explains both (semantics.md ER1 to ER4). */
import type { Course } from './trial.ts';
import { type Act, changed, seen } from './world.ts';

/** Says what is wrong with a course; null where nothing is. */
export function judge(course: Course): string | null {
  const { world } = course;
  return (
    world.wrong ??
    standing(course) ??
    (serial(course) ? null : 'no order of whole runs explains the world') ??
    hangs(course)
  );
}

/** How a course has ended, for counts. */
export function endOf({ stands }: Course): string {
  return stands
    .map(({ status, why }) => (status === 'parked' ? `parked: ${why.at(-1) ?? '?'}` : status))
    .sort()
    .join(', ');
}

/** Each act of a run that is done stands once, and none other. */
function standing({ world, stands, scenario }: Course): string | null {
  for (const [run, acts] of scenario.runs.entries())
    for (const [nth, { is }] of acts.entries()) {
      const count = world.done.filter(
        (each) => each.run === `run-${'abc'[run]}` && each.act === nth && !each.isUndone,
      ).length;
      if (count > 1) return `act ${nth} of run ${run} stands ${count} times`;
      if (stands[run]?.status === 'done' && is !== 'look' && count !== 1)
        return `act ${nth} of run ${run} is done and does not stand`;
    }
  return null;
}

/** True where the runs, one after the other in some order, come to the same contexts and the same world. */
function serial(course: Course): boolean {
  return orders(course.scenario.runs.map((_, run) => run)).some((order) => isExplained(course, order));
}

function isExplained(course: Course, order: readonly number[]): boolean {
  const values = new Map<string, string>();
  if (!order.every((run) => isRunExplained(course, run, values))) return false;
  return [...course.world.values].every(([key, value]) => (values.get(key) ?? '0') === value);
}

/** True where a run that goes on alone from these values comes to its context and its acts. The values go on with it. */
function isRunExplained({ scenario, world, stands }: Course, run: number, values: Map<string, string>): boolean {
  const { status, context } = stands[run] as Course['stands'][number];
  const name = `run-${'abc'[run]}`;
  let input = '0';
  for (const [nth, { is, key }] of (scenario.runs[run] as readonly Act[]).entries()) {
    const told = context[`u${nth}`];
    const before = values.get(key) ?? '0';
    const made = world.done.find((each) => each.run === name && each.act === nth && !each.isUndone);
    if (is === 'look') {
      // A run that was undone has no answers to explain.
      if (told === undefined || status === 'compensated') continue;
      if (!answersOf(world, name, nth, input, before).includes(told)) return false;
      input = told;
    } else if (made !== undefined) {
      const isWhole = told === made.after && made.after === changed(name, nth, made.salt, input, before);
      if (made.before !== before || (status === 'done' && !isWhole)) return false;
      values.set(key, made.after);
      input = made.after;
    }
  }
  return true;
}

/** What a look may have been answered, each time that it was made. */
function answersOf(world: Course['world'], run: string, nth: number, input: string, value: string): string[] {
  const times = Array.from({ length: world.salts.get(`${run}.${nth}`) ?? 1 }, (_, salt) => salt);
  return times.map((salt) => seen(run, nth, salt, input, value));
}

/** A run that is not over waits for a person, or for a run that does. */
function hangs({ stands }: Course): string | null {
  const isStuck = stands.some(({ status }) => status === 'parked' || status === 'stuck');
  const open = stands.findIndex(({ status }) => status === 'running' || status === 'waits' || status === 'recovering');
  return open === -1 || isStuck ? null : `run ${open} hangs: ${JSON.stringify(stands)}`;
}

function orders(runs: readonly number[]): number[][] {
  if (runs.length < 2) return [[...runs]];
  return runs.flatMap((run) => orders(runs.filter((other) => other !== run)).map((rest) => [run, ...rest]));
}
