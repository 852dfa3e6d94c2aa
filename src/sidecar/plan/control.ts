/** Reads the control that a restore would leave: the projection of the control writes that are retained (semantics.md C1). */
import type { PlacedStep } from '../../history/step-lists.ts';
import { type Region, regionName, split } from '../../model/region.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { partOf } from '../../projection/set-aside/records.ts';
import { withPart } from '../../projection/set-aside/translate.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** The control that a restore would leave in an actor, or undefined where nothing has ever moved it. */
export function controlAfter(
  runState: RunState,
  undone: ReadonlySet<PlacedStep>,
  actor: number,
): StateValue | undefined {
  const stands = (step: RecordedStep) => step.actor === actor && !undone.has(step);
  return controlBy(runState, actor, (region) => runState.places.lastMover(region, stands));
}

/** The same, from what tells the last step of the actor that moved a region and stands. */
export function controlBy(
  { places }: RunState,
  actor: number,
  lastMover: (region: Region) => RecordedStep | undefined,
): StateValue | undefined {
  const outer = lastMover(regionName(actor, ''));
  if (outer === undefined) return undefined;
  let { value } = outer;
  const paths = places.regionsOf(actor).map((region) => split(region)[1]);
  for (const path of paths.filter((inner) => inner !== '').sort((a, b) => a.length - b.length)) {
    const mover = lastMover(regionName(actor, path));
    const part = mover === undefined || mover.nth < outer.nth ? undefined : partOf(mover.value, path);
    if (part !== undefined) value = withPart(value, path, part as StateValue);
  }
  return value;
}
