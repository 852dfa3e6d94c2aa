/** Plain steps: steps that neither send nor raise events, arm no delays, and concern no event but their own. */
import type { StateValue } from '../model/step-entry.ts';
import type { ActorHandle, Child, Microstep, Place, RuntimeEvent } from './microstep.ts';

/** The change that a step makes to control. */
export type ControlChange = Pick<Microstep, 'value' | 'before' | 'after' | 'sources' | 'entered' | 'moves'>;

/**
 * The rest that a runtime says of a plain step; what it leaves out is as in a step that its event caused, and that
 * starts and ends nothing.
 */
export interface PlainChange {
  readonly event: RuntimeEvent;
  readonly hears?: boolean;
  readonly remembered?: Microstep['remembered'];
  readonly done?: boolean;
  readonly output?: unknown;
  readonly bare?: boolean;
  readonly started?: readonly Child[];
  readonly outside?: boolean;
  readonly gone?: readonly ActorHandle[];
  readonly reads?: Microstep['reads'];
  readonly own?: string;
}

const NONE: readonly never[] = [];

/** The place of a state in the root's own region. */
export function rootPlace(path: string): Place {
  return { path, region: '' };
}

/** Moves control from one state of the root's own region to another; from null with the first step. */
export function rootMove(from: StateValue | null, to: string): ControlChange {
  const [before, after] = [from === null ? null : [rootPlace(String(from))], [rootPlace(to)]];
  return { value: to, before, after, sources: before ?? NONE, entered: after, moves: [''] };
}

/**
 * Makes a plain step, with all its members and in one order: a run takes many of them. The first of an actor has no
 * context before it.
 */
export function plainStep(
  control: ControlChange,
  change: PlainChange,
  contextBefore: unknown,
  context: unknown,
): Microstep {
  return {
    event: change.event,
    before: control.before,
    after: control.after,
    entered: control.entered,
    hears: change.hears ?? true,
    sources: control.sources,
    contextBefore: control.before === null ? undefined : contextBefore,
    context,
    value: control.value,
    remembered: change.remembered ?? null,
    done: change.done ?? false,
    output: change.output,
    bare: change.bare ?? false,
    started: change.started ?? NONE,
    outside: change.outside ?? false,
    gone: change.gone ?? NONE,
    moves: control.moves,
    looks: NONE,
    parts: NONE,
    raisedBack: NONE,
    sends: false,
    told: NONE,
    fired: null,
    reads: change.reads,
    own: change.own,
    sender: null,
  };
}
