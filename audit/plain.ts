/**
 * The counterfactuals: the same agent on the same kind of world without Belay, restored where Belay refused to, or started over.
 * Snapshots are those that xstate persists, and the replay's calls are new calls: so does a runtime that knows checkpoints only.
 */
import type { OpenAgent } from 'belay-sidecar';
import { type AnyMachineSnapshot, createActor, type InspectionEvent, type Snapshot } from 'xstate';

/** A run that stopped where a call failed. */
export interface Stopped {
  /** What xstate persists after each step of the machine, the first one being its beginning. */
  readonly snapshots: readonly Snapshot<unknown>[];
}

/** What became of a run that was taken up again. */
export interface TakenUp {
  readonly done: boolean;
  /** The calls that were made. */
  readonly calls: number;
}

/** Runs a machine until it fails. @throws where it does not. */
export async function untilItFails(opened: OpenAgent, machine: OpenAgent['machine']): Promise<Stopped> {
  const snapshots: Snapshot<unknown>[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type !== '@xstate.microstep' || event._transitions.length === 0) return;
    // A live context is changed in no way, and children keep their own: what is persisted here stays as it is.
    snapshots.push(machine.getPersistedSnapshot(event.snapshot as AnyMachineSnapshot));
  };
  const actor = createActor(machine, { input: opened.input, inspect });
  snapshots.push(actor.getPersistedSnapshot());
  const failed = await ending(actor);
  if (failed.done) throw new Error('the failure never came: nothing can be forced');
  return { snapshots };
}

/** Goes on from a snapshot; null starts the task over. */
export async function goOn(opened: OpenAgent, from: Snapshot<unknown> | null): Promise<TakenUp> {
  let calls = 0;
  const inspect = (event: InspectionEvent) => {
    const { actorRef } = event;
    if (event.type === '@xstate.actor' && typeof (actorRef as { src?: unknown }).src === 'string') calls += 1;
  };
  const { machine, input } = opened;
  const actor = createActor(machine, { inspect, ...(from === null ? { input } : { snapshot: from as never }) });
  const { done } = await ending(actor);
  return { done, calls };
}

function ending(actor: ReturnType<typeof createActor>): Promise<{ readonly done: boolean }> {
  return new Promise((resolve) => {
    actor.subscribe({ complete: () => resolve({ done: true }), error: () => resolve({ done: false }) });
    actor.start();
  });
}
