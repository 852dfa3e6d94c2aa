/**
 * A runtime that knows checkpoints only: what xstate persists after each step, and a fresh actor from one of them or from the
 * start. Its calls are new calls, which nobody recognises.
 */
import type { OpenAgent } from 'belay-sidecar';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type InspectionEvent,
  type Snapshot,
} from 'xstate';

/** What was persisted after a step. */
export interface Persisted {
  readonly snapshot: Snapshot<unknown>;
  /** The states that the machine was in, by their paths. */
  readonly states: readonly string[];
}

/** Persists a machine after each of its steps, the first one being its beginning. */
export class Persistence {
  readonly steps: Persisted[] = [];
  readonly #machine: AnyStateMachine;

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  /** To be told of everything that the actor does. A live context is changed in no way, so what is persisted stays as it is. */
  readonly inspect = (event: unknown): void => {
    const told = event as InspectionEvent;
    if (told.type !== '@xstate.microstep' || (told.actorRef as { _parent?: unknown })._parent !== undefined) return;
    // An event that nothing takes is no step; the beginning is one, by which nothing was taken either.
    if (told._transitions.length === 0 && this.steps.length > 0) return;
    const snapshot = told.snapshot as AnyMachineSnapshot;
    this.steps.push({ snapshot: this.#machine.getPersistedSnapshot(snapshot), states: statesOf(snapshot) });
  };
}

/** Goes on from a snapshot; null starts the task over. @returns the memory in the end, null where the run broke. */
export async function goOn({ machine, input }: OpenAgent, from: Persisted | null): Promise<unknown> {
  const actor = createActor(machine, from === null ? { input } : { snapshot: from.snapshot as never });
  const done = await new Promise<boolean>((resolve) => {
    actor.subscribe({ complete: () => resolve(true), error: () => resolve(false) });
    actor.start();
  });
  return done ? (actor.getSnapshot() as AnyMachineSnapshot).context : null;
}

function statesOf(snapshot: AnyMachineSnapshot): readonly string[] {
  return snapshot._nodes.map(({ path }) => path.join('.'));
}
