/**
 * A runtime that knows checkpoints only: the snapshots that xstate persists after each step, and a fresh actor from one
 * of them or from the start. Its calls are new calls, which no counterparty recognises.
 */
import type { OpenAgent } from 'belay-sidecar/xstate';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type InspectionEvent,
  isMachineSnapshot,
  type Snapshot,
} from 'xstate';
import { fieldOf } from '../../domains/there.ts';

/** The longest that a run may stand still before it counts as broken, in milliseconds. */
export const LONGEST = 300_000;

/** The snapshot after a step. */
export interface Persisted {
  readonly snapshot: Snapshot<unknown>;
  /** The states that the machine was in, by their paths. */
  readonly states: readonly string[];
}

/** Persists a machine after each of its steps, the first one being its beginning; or after those in certain states only. */
export class Persistence {
  readonly steps: Persisted[] = [];
  readonly #machine: AnyStateMachine;
  readonly #only: readonly string[] | null;

  constructor(machine: AnyStateMachine, only: readonly string[] | null = null) {
    this.#machine = machine;
    this.#only = only;
  }

  /** To be told of everything that the actor does. A live context is changed in no way, so what is persisted stays as it is. */
  readonly inspect = (told: InspectionEvent): void => {
    if (told.type !== '@xstate.microstep' || fieldOf(told.actorRef, '_parent') !== undefined) return;
    // An event that nothing takes is no step.
    if (told._transitions.length > 0) this.#keep(told.snapshot);
  };

  /** The beginning, of an actor that is not started yet. */
  begin(actor: { getSnapshot(): unknown }): void {
    this.#keep(actor.getSnapshot());
  }

  #keep(snapshot: unknown): void {
    if (!isMachineSnapshot(snapshot)) throw new Error('a snapshot that is persisted is that of a machine');
    const states = statesOf(snapshot);
    if (this.#only !== null && !states.some((state) => this.#only?.includes(state))) return;
    this.steps.push({ snapshot: this.#machine.getPersistedSnapshot(snapshot), states });
  }
}

/** Stands where a snapshot was taken, from its text, and does nothing there. */
export function standAgain(machine: AnyStateMachine, text: string): void {
  createActor(machine, { snapshot: JSON.parse(text) });
}

/** The options of a plain run. */
export interface PlainOptions {
  readonly persistence?: Persistence;
  /** Stops the run where it stands. */
  readonly stop?: Promise<void>;
}

/** Goes on from a snapshot; null starts the task over. @returns the memory in the end, null where the run broke or was stopped. */
export async function goOn(
  { machine, input }: Pick<OpenAgent, 'machine' | 'input'>,
  from: Persisted | null,
  { persistence, stop = new Promise<void>(() => {}) }: PlainOptions = {},
): Promise<unknown> {
  const inspect = persistence === undefined ? {} : { inspect: persistence.inspect };
  const actor = createActor(machine, {
    ...inspect,
    ...(from === null ? { input } : { snapshot: from.snapshot }),
  });
  if (from === null) persistence?.begin(actor);
  let late: NodeJS.Timeout | undefined;
  const done = await new Promise<boolean>((resolve) => {
    void stop.then(() => resolve(false));
    actor.subscribe({ complete: () => resolve(true), error: () => resolve(false) });
    actor.start();
    // A state that is left without an event is left at the next one: a snapshot that was taken there needs some event.
    if (from !== null && actor.getSnapshot().status === 'active') actor.send({ type: 'plain.wake' });
    late = setTimeout(() => resolve(false), LONGEST).unref();
  });
  clearTimeout(late);
  actor.stop();
  return done ? actor.getSnapshot().context : null;
}

function statesOf(snapshot: AnyMachineSnapshot): readonly string[] {
  return snapshot._nodes.map(({ path }) => path.join('.'));
}
