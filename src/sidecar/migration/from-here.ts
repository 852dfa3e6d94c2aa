/** Says whether a run whose past goes another way may go on from where it stands by another machine (semantics.md CO6). It changes nothing. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { MachineShape } from '../../model/machine.ts';
import type { Renames } from '../../model/renames.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Machines } from '../../runtime/runtime.ts';
import type { Parting } from '../paper/parting.ts';
import { standsOtherwise } from '../paper/stands-otherwise.ts';
import { type Behind, type Disorder, disorderOf, renamedShape } from './order.ts';

/** Both releases, as far as the order of a run rests on them. */
interface Releases {
  readonly machineBefore: MachineShape;
  readonly machines: Machines;
  readonly shape?: MachineShape;
  readonly renames?: Renames;
  readonly config?: Pick<BoundaryConfig, 'tools'>;
}

/** The reason why a run does not go on from where it stands. */
export type Against =
  /** Something of it waits for an answer of the release before. */
  | { readonly code: 'unsettled'; readonly why: string }
  /** The machine stands there otherwise than the run. */
  | { readonly code: 'parts'; readonly parting: Parting; readonly isSure: true }
  /** The order of both machines is against it. */
  | Disorder;

/** The reason why a run may not go on by the order of both machines; null for a run that may. */
export function fromHere(
  runState: RunState,
  { machineBefore, shape, machines, renames, config }: Releases,
): Against | null {
  const why = unsettledIn(runState, machineBefore);
  if (why !== null || shape === undefined)
    return { code: 'unsettled', why: why ?? 'the order of the machine is not known' };
  const before = renames === undefined ? machineBefore : renamedShape(machineBefore, renames);
  const disorder = disorderOf(before, shape, behindOf(runState));
  if (disorder !== null) return disorder;
  const parting = standsOtherwise(runState, machines, config?.tools ?? new Map());
  return parting === null ? null : { code: 'parts', parting, isSure: true };
}

/** The reason why a run does not stand at one place of its own machine alone. */
function unsettledIn({ open, toRedeliver, held, ledger, actors }: RunState, then: MachineShape): string | null {
  if (open.size > 0) return 'a failure waits for an answer';
  if (toRedeliver.length > 0 || held.length > 0) return 'an event waits for the run to take it';
  if (ledger.forks.length > 0) return 'it is a fork, and shares its past with another run';
  const other = actors.find(({ started }) => started !== null && started.kind !== 'promise');
  if (other !== undefined) return `it has started ${other.started?.id}, which is no call, and has a past of its own`;
  const boxes = new Set(then.states.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => boxOf(tool))));
  const asked = actors.find(({ started }) => boxes.has(started?.src ?? ''));
  return asked === undefined ? null : `it has asked the toolbox ${asked.started?.src}`;
}

/** The toolbox of a tool; none for a tool of its own. */
function boxOf(tool: string | null): readonly string[] {
  return tool?.includes('/') === true ? [tool.slice(0, tool.lastIndexOf('/'))] : [];
}

function behindOf({ actors, places, ledger }: RunState): Behind {
  const active = new Set(statesIn(actors[0]?.value ?? ''));
  const passed = new Set<string>();
  for (const { actor, value } of places.between(-1, Number.POSITIVE_INFINITY))
    if (actor === 0) for (const state of statesIn(value)) passed.add(state);
  const asked = [...actors.flatMap(({ started }) => started?.src ?? []), ...[...ledger.all()].map(({ tool }) => tool)];
  for (const state of active) passed.delete(state);
  return { active, passed, asked: new Set(asked) };
}

/** The paths of the states of a value, with the states around them and the machine itself. */
function statesIn(value: StateValue, above = ''): readonly string[] {
  const path = (name: string) => (above === '' ? name : `${above}.${name}`);
  if (typeof value === 'string') return value === '' ? [above] : [above, path(value)];
  return [above, ...Object.entries(value).flatMap(([name, inner]) => statesIn(inner ?? '', path(name)))];
}
