/** Paths besides those that are given: the same events in other states and in another order, found by the values of states. */
import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine, Event } from '../xstate/actor.ts';
import { type WalkStep, walksOf } from '../xstate/walks.ts';
import type { Reference } from './faults/reference.ts';
import { RehearsalError } from './rehearsal-error.ts';
import type { NamedPath } from './trial/subject.ts';

/** The paths that are found beside some that were run. */
export function exploredPaths(
  machine: AnyStateMachine,
  more: readonly Event[],
  references: readonly Reference[],
): readonly NamedPath[] {
  const scripts = new Set(references.map(({ path }) => scriptOf(path)));
  const found: NamedPath[] = [];
  for (const { path, course } of references) {
    const sent = path.events.flatMap(({ send, to }) => (to === null ? [send] : []));
    const heard = { input: course.input, answers: distinct(course.seen.answers), events: distinct([...sent, ...more]) };
    for (const walk of walked(machine, heard)) {
      const events = walk.map(({ send, at }) => ({ send, at, to: null }));
      const names = events.map(({ send }) => send.type).join(', ');
      const name = `${path.name}, explored ${found.length + 1}: ${names === '' ? 'no event' : names}`;
      const next: NamedPath = { name, input: path.input, events };
      if (scripts.has(scriptOf(next))) continue;
      scripts.add(scriptOf(next));
      found.push(next);
    }
  }
  return found;
}

function walked(machine: AnyStateMachine, heard: Parameters<typeof walksOf>[1]): readonly (readonly WalkStep[])[] {
  try {
    return walksOf(machine, heard);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new RehearsalError('bad_option', `the machine throws where its paths are explored: ${text}`);
  }
}

/** A path as text. The state of an event is left out: as a rule it is the one that takes it. */
function scriptOf({ input, events }: NamedPath): string {
  return JSON.stringify([input, events.map(({ send }) => send)]);
}

function distinct<T>(list: readonly T[]): readonly T[] {
  return list.filter((each, index) => list.findIndex((other) => isDeepStrictEqual(each, other)) === index);
}
