/** The shortest path on which a fault still does harm: events and members of the input are left out, one after the other. */
import type { RehearsedFault } from './faults/fault.ts';
import type { FewestSteps, RehearsalCell } from './report.ts';
import type { NamedPath } from './trial/subject.ts';

/** The most paths that are tried. */
const MOST = 40;

/**
 * Shortens a path as long as the harm stays.
 * @param harmed the run on a path that does the harm, or null where none does or the path cannot be run.
 * @returns null where nothing can be left out.
 */
export async function fewestSteps(
  path: NamedPath,
  harmed: (path: NamedPath) => Promise<RehearsalCell | null>,
): Promise<FewestSteps | null> {
  let [shortest, cell]: [NamedPath, RehearsalCell | null] = [path, null];
  for (let tries = 0, again = true; again && tries < MOST; ) {
    again = false;
    for (const shorter of shorterPaths(shortest)) {
      tries += 1;
      const found = tries <= MOST ? await harmed(shorter) : null;
      if (found === null) continue;
      [shortest, cell, again] = [shorter, found, true];
      break;
    }
  }
  if (cell === null) return null;
  const { text, timeline } = cell;
  return { input: shortest.input, events: shortest.events.map(({ send }) => send.type), text, timeline };
}

/** True for a fault of another path that goes wrong in the same way. */
export function isAlike(fault: RehearsedFault, other: RehearsedFault): boolean {
  const kind = (each: RehearsedFault) => {
    const {
      nth: _,
      after: __,
      index: ___,
      append: ____,
      instance: _____,
      moment: ______,
      key,
      ...rest
    } = each as RehearsedFault & Record<'nth' | 'after' | 'index' | 'append' | 'instance' | 'moment' | 'key', unknown>;
    const acts = each.kind === 'steer' ? { acts: each.acts.map(({ act, type }) => `${act} ${type}`) } : {};
    return JSON.stringify({ ...rest, ...acts, isNamed: key !== null });
  };
  return kind(fault) === kind(other);
}

/** The paths with one event less, or with one member of a list in the input less. */
function* shorterPaths(path: NamedPath): Generator<NamedPath> {
  for (let index = path.events.length - 1; index >= 0; index -= 1)
    yield { ...path, events: path.events.toSpliced(index, 1) };
  for (const input of shorterValues(path.input)) yield { ...path, input };
}

function* shorterValues(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index -= 1) yield value.toSpliced(index, 1);
    for (const [index, member] of value.entries())
      for (const shorter of shorterValues(member)) yield value.with(index, shorter);
    return;
  }
  for (const [name, member] of Object.entries(value))
    for (const shorter of shorterValues(member)) yield { ...value, [name]: shorter };
}
