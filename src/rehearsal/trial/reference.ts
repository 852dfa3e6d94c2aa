/** The run without faults: made twice, so that comparisons with it are stable. */

import { firstDifference } from '../difference.ts';
import { RehearsalError, type RehearsalErrorCode } from '../rehearsal-error.ts';
import type { Course } from './course.ts';
import { plain } from './observation.ts';
import type { Treatment } from './passing.ts';
import type { NamedPath, RecordedCall, Subject } from './subject.ts';
import { runTrial } from './trial.ts';

type Problem = readonly [code: RehearsalErrorCode, text: string];
type Recorded = readonly RecordedCall[];

/**
 * Runs a path twice without faults.
 * @param passing how calls pass, given the calls of the first run.
 * @throws RehearsalError where it does not end, fails, leaves something behind or is not stable.
 */
export async function referenceOf(
  subject: Subject,
  path: NamedPath,
  passing: (recorded: Recorded) => Treatment,
): Promise<Course> {
  const run = (recorded: Recorded) =>
    runTrial({ subject, config: subject.config, path, fault: null, passing: passing(recorded) });
  const first = await run([]);
  refuse(path, endProblem(first));
  const second = await run(recordedCalls(first));
  refuse(path, resetProblem(first, second) ?? endProblem(second) ?? stabilityProblem(first, second));
  return first;
}

/** The calls of a run that were answered. */
export function recordedCalls({ seen }: Course): Recorded {
  return seen.calls.flatMap(({ tool, args, answer }) => (answer === undefined ? [] : [{ tool, args, ...answer }]));
}

function refuse({ name }: NamedPath, problem: Problem | null): void {
  if (problem !== null) throw new RehearsalError(problem[0], `${name} without faults: ${problem[1]}`);
}

function endProblem(course: Course): Problem | null {
  const { status, state, decision, error, unsent, world } = course;
  if (world === null)
    return [
      'no_snapshot',
      'the snapshot of the world says nothing: return what is in the world, as plain data (an agent: from world(), beside its machine)',
    ];
  switch (status) {
    case 'done':
      if (unsent.length === 0) return null;
      return ['never_ends', `the machine ends before it takes the event ${unsent.join(', ')}: take it out of the path`];
    case 'waiting': {
      const waits = unsent.length > 0 ? `cannot take the event ${unsent[0]} there` : 'waits for an event';
      return [
        'never_ends',
        `the machine comes to rest in ${state} and ${waits}. Name its events in the path, in order`,
      ];
    }
    case 'hangs':
      return ['never_ends', `a call in ${state} never answers. Give its tool a timeout, or a world that answers`];
    case 'endless':
      return ['never_ends', `the machine goes on for ever, at last in ${state}. Give it an input that leads to an end`];
    case 'broken':
      return ['fails_without_faults', `it throws: ${error}`];
    case 'cancelled':
    case 'compensated':
    case 'paused':
      return ['fails_without_faults', `it is ${status}`];
    case 'stuck':
      return ['fails_without_faults', `an undo fails: ${error}`];
    case 'parked': {
      const last = course.seen.timeline.slice(-6).join('\n');
      return ['fails_without_faults', `it is parked (${decision?.verdict}) in ${state}:\n${last}`];
    }
  }
}

function resetProblem(first: Course, second: Course): Problem | null {
  const left = firstDifference(first.before, second.before);
  if (left === null) return null;
  const text = `the second run began with another world, at ${placeText(left)}. Have the reset remove it`;
  return ['reset_leaves_something', text];
}

function stabilityProblem(first: Course, second: Course): Problem | null {
  const parts = [
    ['calls', callsOf(first), callsOf(second)],
    ['world', first.world, second.world],
    ['context', first.context, second.context],
  ] as const;
  for (const [part, one, other] of parts) {
    const found = firstDifference(plain(one), plain(other));
    if (found === null) continue;
    const fix = 'Leave times and random values out of the snapshot, or name the tool in `replay`';
    return ['not_stable', `two runs differ in the ${part}, at ${placeText(found)}. ${fix}`];
  }
  return null;
}

function callsOf({ seen }: Course): readonly unknown[] {
  return seen.calls.map(({ tool, nth, args }) => ({ tool, nth, args }));
}

function placeText(path: string): string {
  return path === '' ? 'its root' : path;
}
