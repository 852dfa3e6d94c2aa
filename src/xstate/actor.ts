/** Actors as the rest of the house sees them: this room alone knows where they come from. */
import { type Actor, type AnyActorRef, type AnyStateMachine, createActor, type InspectionEvent } from 'xstate';
import { type Alarm, setAlarm } from '../effects/alarm.ts';
import type { ActorPlan } from './restore.ts';
import type { MachineWatch } from './watch.ts';

export type {
  Actor,
  AnyActorRef as Ref,
  AnyEventObject as Event,
  AnyMachineSnapshot as Snapshot,
  AnyStateMachine,
  InputFrom,
  InspectionEvent,
} from 'xstate';

/** Makes the root actor of a watched machine: from its input, or where a plan says. It is not started. */
export function makeActor<TMachine extends AnyStateMachine>(
  watch: MachineWatch,
  from: { readonly input: unknown } | { readonly plan: ActorPlan },
  inspect: ((event: InspectionEvent) => void) | undefined,
  now: () => number,
): Actor<TMachine> {
  const start = 'plan' in from ? { snapshot: { status: 'active', belay: from.plan } } : { input: from.input };
  const options = { ...start, clock: clockOf(now), ...(inspect !== undefined && { inspect }) };
  const actor = createActor(watch.machine, options as never);
  const { status, error } = actor.getSnapshot() as { status: string; error?: unknown };
  if (status === 'error') throw error;
  return actor as unknown as Actor<TMachine>;
}

/** What xstate sets its timers by: the clock that the run has. */
function clockOf(now: () => number) {
  return {
    setTimeout: (run: () => void, delay: number): Alarm => setAlarm(now() + delay, now, run),
    clearTimeout: (alarm: Alarm | undefined): void => alarm?.cancel(),
  };
}

/** An actor as one of any machine. */
export function anyRef(actor: unknown): AnyActorRef {
  return actor as AnyActorRef;
}
