/** Says whether a run whose past goes another way may go on from where it stands by another machine (semantics.md CO6). It changes nothing. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { Digests } from '../../model/entry.ts';
import type { MachineShape } from '../../model/machine.ts';
import type { HeldEntry } from '../../model/message-entries.ts';
import { idOfMove, type MovedEvent, movedEvent } from '../../model/moved-event.ts';
import { regionName } from '../../model/region.ts';
import type { Renames } from '../../model/renames.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { type Parting, statesOf } from '../paper/parting.ts';
import { sentOnPaper } from '../paper/sent-on-paper.ts';
import { standsOtherwise } from '../paper/stands-otherwise.ts';
import { type Behind, type Disorder, disorderOf, elsewhereIn, renamedShape } from './order.ts';

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
  /** The machine may not take the event of the move (CO11). */
  | { readonly code: 'moved_event'; readonly why: string }
  /** The machine stands there otherwise than the run. */
  | { readonly code: 'parts'; readonly parting: Parting; readonly isSure: true }
  /** The order of both machines is against it. */
  | Disorder;

/** The event that a run receives first which goes on from where it stands. */
export interface SentMove {
  readonly event: MovedEvent;
  /** The paths of the regions that take it. */
  readonly regions: readonly string[];
  /** The states that it leads to, in words. */
  readonly to: string;
}

/** The event as the run holds it until a process takes the run up; none where its machine takes none. */
export function heldMove(sent: SentMove | null, by: string | null): readonly HeldEntry[] {
  if (sent === null) return [];
  const { event, regions } = sent;
  const takers = regions.map((path) => [regionName(0, path), null] as const);
  return [{ do: 'held', id: idOfMove(event), post: null, event, by, takers }];
}

/** The event that a run receives as it goes on by the order of both machines, if its machine takes that; or the reason why the run may not. */
export function fromHere(
  runState: RunState,
  { machineBefore, shape, machines, renames, config }: Releases,
): { readonly against: Against } | { readonly sent: SentMove | null } {
  const why = unsettledIn(runState, machineBefore);
  if (why !== null || shape === undefined)
    return { against: { code: 'unsettled', why: why ?? 'the order of the machine is not known' } };
  const before = renames === undefined ? machineBefore : renamedShape(machineBefore, renames);
  const behind = behindOf(runState);
  const tools = config?.tools ?? new Map();
  const elsewhere = elsewhereIn(before, shape, behind);
  if (elsewhere !== null) return { against: elsewhere };
  const event = movedEvent(runState.before.length + 1, runState.digests as Digests);
  const taken = sentOnPaper(runState, machines, tools, event);
  const isTaken = taken !== null && !('why' in taken);
  const parting = standsOtherwise(runState, machines, tools, isTaken ? taken.left : new Set());
  if (parting !== null) return { against: { code: 'parts', parting, isSure: true } };
  if (taken !== null && !isTaken) return { against: { code: 'moved_event', why: taken.why } };
  const put = !isTaken ? null : { active: new Set(statesIn(taken.value)), entered: taken.entered };
  const disorder = disorderOf(before, shape, behind, put);
  if (disorder !== null) return { against: disorder };
  return { sent: !isTaken ? null : { event, regions: taken.regions, to: statesOf(taken.value) } };
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
