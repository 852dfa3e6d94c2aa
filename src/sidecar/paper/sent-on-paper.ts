/** Has a machine that is put where a run stands take the event of its move on paper (semantics.md CO11). It changes nothing. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { classOf } from '../../effects/guarded-call.ts';
import { encode } from '../../journal/codec.ts';
import type { MovedEvent } from '../../model/moved-event.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { Microstep, Place } from '../../runtime/microstep.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { planResume } from '../plan/resume-plan.ts';
import { Outside } from './outside.ts';
import { PaperMachine } from './paper-machine.ts';

/** A machine behind the event of a move. */
export interface TakenMove {
  /** The paths of the regions that take the event. */
  readonly regions: readonly string[];
  readonly value: StateValue;
  /** The paths of the states that it enters, once more or for the first time. */
  readonly entered: ReadonlySet<string>;
  /** The paths of the states that it leaves, or enters once more. */
  readonly left: ReadonlySet<string>;
}

/** The machine behind the event; null where it does not take the event, and the reason where it may not. */
export function sentOnPaper(
  runState: RunState,
  machines: Machines,
  tools: BoundaryConfig['tools'],
  event: MovedEvent,
): TakenMove | { readonly why: string } | null {
  const [first, second] = [taken(runState, machines, tools, event), taken(runState, machines, tools, event)];
  if (first.why !== null) return { why: first.why };
  if (first.move === null && second.move === null) return null;
  if (!isEqual([first.move, first.context], [second.move, second.context]))
    return { why: 'its code comes to something else when it takes the event again' };
  return first.move;
}

interface Taken {
  readonly move: TakenMove | null;
  readonly context: unknown;
  readonly why: string | null;
}

function taken(runState: RunState, machines: Machines, tools: BoundaryConfig['tools'], event: MovedEvent): Taken {
  const machine = new PaperMachine(machines);
  const outside = new Outside();
  const none = { move: null, context: null, why: null };
  try {
    machine.putAt(planResume(runState, () => 0));
    machine.forget();
    const regions = outside.watching(() => machine.takers(event));
    if (regions === null) return { ...none, why: 'its guard throws' };
    if (regions.length === 0 && outside.asked === 0) return none;
    const { scheduled } = machine;
    const isTaken = regions.length > 0 && outside.watching(() => machine.receives(0, event));
    // The runtime asks the clock once for each delay that it arms.
    if (outside.asked !== machine.scheduled - scheduled || outside.isBlind)
      return { ...none, why: 'its code asks a clock or chance' };
    const now = machine.now(0);
    if (!isTaken || now === null) return { ...none, why: 'its code throws' };
    const why = lostIn(runState, now.context) ?? leftBy(runState, machine, tools);
    const micros = machine.ahead(0);
    const pathsOf = (of: (micro: Microstep) => readonly Place[]) =>
      new Set(micros.flatMap((micro) => of(micro).map(({ path }) => path)));
    const entered = pathsOf((micro) => micro.entered);
    const left = new Set([...entered, ...pathsOf(({ before, after }) => (before ?? []).filter(isNotIn(after)))]);
    return { move: { regions, value: now.value, entered, left }, context: now.context, why };
  } finally {
    machine.stop();
  }
}

function isNotIn(after: readonly Place[]): (place: Place) => boolean {
  return ({ path }) => !after.some((other) => other.path === path);
}

/** The place in a context that no journal holds. */
function lostIn({ codecs }: RunState, context: unknown): string | null {
  const encoded = encode(context, { codecs });
  return 'text' in encoded ? null : `it writes a value that no journal holds to ${encoded.path.join('/')}`;
}

/** The call under way that the event has the machine leave: it would be made again as another act. */
function leftBy({ family }: RunState, machine: PaperMachine, tools: BoundaryConfig['tools']): string | null {
  const gone = new Set(machine.ahead(0).flatMap((micro) => micro.gone));
  for (const { number, started } of family.childrenOf(0)) {
    const ref = machine.actorAt(number);
    const src = started?.src ?? started?.id ?? '';
    if (ref !== undefined && gone.has(ref) && classOf(tools.get(src)) !== 'none')
      return `it leaves ${src}, which is under way`;
  }
  return null;
}
