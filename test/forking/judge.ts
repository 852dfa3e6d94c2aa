/** Judges a run and its fork by the world alone: nothing of the common past twice, nothing of the parent changed (semantics.md FK1 to FK5). */
import type { Entry } from '../../src/model/entry.ts';
import type { Course } from './trial.ts';
import { UNITS, type WorldAct } from './world.ts';

/** Says what is wrong with a course; null where nothing is. @param alone the parent without the fork, in a world of its own. */
export function judge(course: Course, alone: Course): string | null {
  return (
    parentChanged(course, alone) ??
    undoneByChild(course) ??
    unasked(course) ??
    remembersWhatIsGone(course) ??
    waits(course)
  );
}

function lifeOf({ parent, world }: Course): string {
  const own = world.acts.filter(({ by }) => by === 'parent');
  // Numbers of acts are those of a world that another run acts in, too.
  const acts = own.map(({ tool, undoneBy }) => `${tool} ${undoneBy === null}`);
  return JSON.stringify([parent.is, parent.entries.map((entry) => entry.do), acts]);
}

function parentChanged(course: Course, alone: Course): string | null {
  // A parent that has to wait for a fork goes on later.
  if (course.parent.entries.some((entry) => entry.do === 'finding' && entry.code === 'waits_for_run')) return null;
  const [own, other] = [lifeOf(course), lifeOf(alone)];
  return own === other ? null : `the parent is another one with a fork: ${own} instead of ${other}`;
}

function undoneByChild({ world, child }: Course): string | null {
  const wrong = world.acts.find(({ by, undoneBy }) => by === 'parent' && undoneBy === 'child');
  return wrong === undefined ? null : `the child (${child.is}) has undone ${wrong.tool} of the parent`;
}

/** An act of the child that the world had from the parent when it was made needs the word of a person. */
function unasked({ world, asked, common }: Course): string | null {
  const shared = new Set(common);
  const repeats = (act: WorldAct) => (other: WorldAct) =>
    other.by === 'parent' &&
    other.tool === act.tool &&
    other.number < act.number &&
    other.undoneBy === null &&
    // What was done again after the parent had found it wrong is asked about by its new key.
    (shared.has(other.key) ? other.input === act.input : true);
  for (const act of world.acts)
    if (act.by === 'child' && act.undoneBy === null && world.acts.some(repeats(act)) && !asked.has(act.key))
      return `the child has made ${act.tool} again, and no person was asked`;
  return null;
}

/** A run that is done remembers the answers of acts that stand. */
function remembersWhatIsGone({ world, child }: Course): string | null {
  if (child.is !== 'done' && child.is !== 'end') return null;
  for (const unit of UNITS) {
    const number = child.context[unit] ?? -1;
    const act = world.acts.find((each) => each.number === number && each.tool === `act-${unit}`);
    if (act !== undefined && act.undoneBy !== null)
      return `the child is done and relies on ${act.tool}, which is undone`;
  }
  return null;
}

/** Kin share the grants of their common past (FK6): a fork waits for its parent only on what the parent alone has touched, and not once that is over. */
function waits(course: Course): string | null {
  const { parent, child, waited, waiting } = course;
  if (child.is === 'none') return null;
  const shared = child.entries.findIndex((entry) => entry.do === 'forked');
  const touched = new Set(keysOf(course, child.entries.slice(0, shared)));
  const needless = waited.find((text) => touched.has(/^waits: (\S+) is/.exec(text)?.[1] ?? ''));
  if (needless !== undefined) return `the child waits for what its past has touched: ${needless}`;
  if (waiting.length > 0 && ['done', 'end'].includes(parent.is)) return `${waiting} waits for a parent that is over`;
  return null;
}

/** The external keys of the calls that have left. */
function keysOf({ keys }: Course, entries: readonly Entry[]): (string | null)[] {
  const tools = entries.flatMap((entry) => (entry.do === 'intent' ? [entry.tool] : []));
  return UNITS.flatMap((unit, index) => (tools.includes(`act-${unit}`) ? [keys?.[index] ?? null] : []));
}
