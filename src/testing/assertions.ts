/** Assertions about a recording world, for any test runner. */

import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { having, NAME, refuseOther } from '../model/argument.ts';
import type { RecordedAct, RecordingWorld } from './recording-world.ts';

/**
 * Asserts that one act of a tool stands.
 * @param args the arguments of the act; those of any call of the tool if left out.
 * @throws AssertionError that lists the acts of the tool.
 * @example
 * import { assertActedOnce, recordingWorld } from 'belay-sidecar/testing';
 *
 * assert.throws(() => assertActedOnce(recordingWorld(), 'pay'), /pay/);
 */
export function assertActedOnce(world: RecordingWorld, tool: string, args?: unknown): void {
  assertActed(world, tool, 1, args, assertActedOnce);
}

/**
 * Asserts that no act of a tool stands.
 * @throws AssertionError that lists the acts of the tool.
 * @example
 * import { assertNeverActed, recordingWorld } from 'belay-sidecar/testing';
 *
 * assertNeverActed(recordingWorld(), 'pay');
 */
export function assertNeverActed(world: RecordingWorld, tool: string, args?: unknown): void {
  assertActed(world, tool, 0, args, assertNeverActed);
}

function assertActed(
  world: RecordingWorld,
  tool: string,
  expected: number,
  args: unknown,
  stackStartFn: (...given: never[]) => void,
): void {
  const recording = having('the world of a recording, as recordingWorld() makes it', 'actsOf');
  refuseOther(stackStartFn.name, { world: [world, recording], tool: [tool, NAME] });
  const acts = world.actsOf(tool).filter((act) => args === undefined || isDeepStrictEqual(act.args, args));
  if (acts.length === expected) return;
  const about = args === undefined ? '' : ` with ${JSON.stringify(args)}`;
  const wanted = expected === 0 ? 'no act' : 'one act';
  const message = `${wanted} of ${tool}${about} should stand, and ${acts.length} do. ${listed(world, tool)}`;
  throw new AssertionError({ message, actual: acts.length, expected, operator: 'acted', stackStartFn });
}

function listed(world: RecordingWorld, tool: string): string {
  const all = world.acts.filter((act) => act.tool === tool);
  if (all.length === 0) {
    const tools = [...new Set(world.acts.map((act) => act.tool))];
    return tools.length === 0 ? 'No tool has acted.' : `It has never acted; ${tools.join(', ')} did.`;
  }
  return `Its acts:\n${all.map(actText).join('\n')}`;
}

function actText({ args, key, stands }: RecordedAct): string {
  return `  ${stands ? 'stands' : 'taken back'}: ${JSON.stringify(args)} under ${key ?? 'no key'}`;
}
