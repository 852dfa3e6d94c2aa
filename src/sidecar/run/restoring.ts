/** Restores: the context of a run undone in its journal, and its actors put where control stands then (semantics.md §10, §11, R5). */

import type { PlacedStep } from '../../history/step-lists.ts';
import { isSame } from '../../journal/value-codec.ts';
import { instanceName } from '../../model/instance.ts';
import { regionName } from '../../model/region.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { ActorState, Timer, ToRedeliver } from '../../projection/state-types.ts';
import type { Placed } from '../../recording/entry-states.ts';
import type { Macrosteps } from '../../recording/macrosteps.ts';
import type { StepRecorder } from '../../recording/record-step.ts';
import type { Verifier } from '../../recording/verify.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RestoredParts } from '../failures/recovered-machine.ts';
import type { Writer } from '../parts.ts';
import { firstSent } from '../plan/first-sent.ts';
import { planRestore, type Surroundings } from '../plan/restore-plan.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';
import type { Timers } from './timers.ts';

/** The surroundings of the restores of a run. */
interface RestoringPort {
  readonly runState: RunState;
  readonly placed: readonly Placed[];
  readonly write: Writer;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  readonly recorder: StepRecorder;
  readonly queries: RecoveryQueries;
  readonly timers: Timers;
  readonly macrosteps: Macrosteps;
  readonly verifier: Verifier | null;
  /** Reads the messages that were left for the run. */
  look(): void;
  /** Tells a finding. */
  finds(code: string, text: string): void;
  now(): number;
}

/** The restores of one run. */
export class Restoring {
  readonly #port: RestoringPort;

  constructor(port: RestoringPort) {
    this.#port = port;
  }

  /** Undoes memory and, with actors at hand, control. */
  restore({ kept, aside, wrong, sure }: RestoredParts, inPlace: boolean): void {
    const { queries, runState, write, timers, deliveries } = this.#port;
    // What was left until now is held against the state that its sender was shown (CH3).
    this.#port.look();
    const before = new Set(runState.toRedeliver);
    const resumes = queries.resumes(kept);
    const taken = deliveries.chunks.takingBack(kept, aside);
    const changed = runState.pending?.entry.steers?.begun === undefined ? [] : [0];
    const plan = planRestore(runState, kept, resumes, this.#surroundings(), new Set(changed));
    write.append([
      {
        do: 'restored',
        kept,
        ...(aside.length > 0 && { aside }),
        ...(wrong.length > 0 && { wrong }),
        ...(sure.length > 0 && { sure }),
        ...(resumes.length > 0 && { resumed: resumes.map(({ region, by }) => ({ region, by })) }),
        controls: plan.controls,
      },
    ]);
    this.#tellHeld(before);
    this.verifyAgain();
    timers.restored();
    if (!inPlace) return;
    const rewound = plan.rewinds.flatMap(({ actor, plan: rewind }) => this.rewind(actor, rewind()));
    deliveries.takeBack(taken);
    this.owe(rewound);
  }

  /** Puts the context of a machine that goes on where its journal has it: a step of no event has changed that. */
  putContext(actor: number): void {
    const { rewinds } = planRestore(this.#port.runState, [], [], this.#surroundings(), new Set([actor]));
    this.verifyAgain();
    this.owe(rewinds.flatMap((each) => this.rewind(each.actor, each.plan())));
    // No plan holds answers back here, whose end would release them.
    this.#port.deliveries.release();
  }

  /** Tells of each held event that rests on what the restore has taken back: it waits for what its sender was shown, or for the sender. */
  #tellHeld(before: ReadonlySet<ToRedeliver>): void {
    for (const { event, held } of this.#port.runState.toRedeliver.filter((back) => !before.has(back))) {
      if (held === null) continue;
      const type = String((event as { readonly type?: unknown }).type);
      const by = held.by === null ? '' : `, sent by ${held.by},`;
      this.#port.finds(
        'event_waits',
        `${type}${by} came before the run was put back, and waits: its sender had seen what was taken back. It is handed on where the run comes to the same again. Send it again if it still holds.`,
      );
    }
  }

  /** Takes the present contexts as the ones that later changes are verified against. */
  verifyAgain(): void {
    const { runState, verifier } = this.#port;
    if (verifier === null) return;
    for (const { number, context } of runState.actors) verifier.reset(number, context);
  }

  /** Has every machine of a run that is taken up take the eventless moves of where it stands, and hear what is complete. */
  settleAll(): void {
    const { runState, actors, deliveries } = this.#port;
    const living = runState.family.concerned([]).filter(({ ended }) => ended === null);
    const running = living.filter(({ number }) => actors.at(number) !== undefined);
    deliveries.chunks.tellLost(living.filter((actor) => !running.includes(actor)).map(({ number }) => number));
    deliveries.chunks.tellAnew(running.map(({ number }) => number));
    const machines = running.filter(({ started, begun }) => started === null || (started.kind === 'machine' && begun));
    this.#readAnew(running);
    for (const { number } of [...machines].reverse()) deliveries.settle(number);
    this.owe(machines.map(({ number }) => number));
  }

  /**
   * A call without an intent is asked by what the machine has now. Its work has read that now, unless it was begun with the same and has read it
   * then: a restore that another process had begun may have taken that read (C1, K3).
   */
  #readAnew(running: readonly ActorState[]): void {
    const { runState, actors, runtime, write, recorder } = this.#port;
    for (const { number, parent, started, by } of running) {
      const [ref, call] = [actors.at(number), runState.ledger.ofActor(number)];
      if (started?.kind !== 'promise' || parent === null || ref === undefined) continue;
      if (call !== undefined && !call.decides) continue;
      const input = runtime.inputOf(ref);
      const restarts = recorder.restarts(parent, [[number, input]]);
      if (!isSame(input, started.input) || !restarts.every((entry) => this.#isRead(entry, by))) write.append(restarts);
    }
  }

  /** True where the parties of a step have read what it says that they read since an actor was begun. Pages nothing in. */
  #isRead({ marks }: StepEntry, by: PlacedStep | null): boolean {
    const { history, pages } = this.#port.runState;
    if (by === null || pages.isOut(by)) return false;
    return marks.every((mark) => {
      if (mark.do !== 'read') return true;
      const record = history.registry.get(mark.in);
      const reads = record === undefined ? [] : history.versions.readsBetween(record, by.act, history.head);
      return reads.some(({ key }) => key.text === mark.key.text);
    });
  }

  #surroundings(): Surroundings {
    const { runState, placed, queries, actors, runtime, timers } = this.#port;
    return {
      ownerOf: (region) => instanceName(runState.ownerOf(region, placed)?.id ?? queries.rootOf(region)),
      stateOf: (actor, type) => {
        const ref = actors.at(actor);
        return ref === undefined ? null : (runtime.machines?.stateOfTimer(ref, type) ?? null);
      },
      isLost: (timer: Timer) => timers.isLost(timer),
      hasLost: (actor) => timers.hasLost(actor),
      isOver: (actor) => {
        const ref = actors.at(actor);
        return ref !== undefined && runtime.machines?.isOver(ref) === true;
      },
      now: () => this.#port.now(),
    };
  }

  /** Puts an actor where a plan says. @returns the numbers of the machines that were rewound or made where they stood. */
  rewind(actor: number, plan: ActorPlan): number[] {
    const ref = this.#port.actors.at(actor);
    if (ref !== undefined) this.#port.runtime.restore(ref, plan);
    return this.#settle(actor, plan);
  }

  #settle(actor: number, plan: ActorPlan): number[] {
    const { deliveries, actors, runtime, write, recorder } = this.#port;
    deliveries.settle(actor);
    const made = plan.make.map(({ number }) => {
      const ref = actors.at(number);
      return [number, ref === undefined ? undefined : runtime.inputOf(ref)] as const;
    });
    write.append(recorder.restarts(actor, made));
    deliveries.chunks.tellAnew(plan.make.map(({ number }) => number));
    return [
      actor,
      ...plan.make.flatMap((child) => (child.plan === null ? [] : this.#settle(child.number, child.plan))),
    ];
  }

  /**
   * Delivers the events owed to actors: completions of states whose receiving step is undone (C5a), and the events that
   * the first step of the run had raised and sent (C1a).
   */
  owe(numbers: readonly number[]): void {
    const { actors, deliveries } = this.#port;
    for (const number of numbers) {
      const ref = actors.at(number);
      if (ref === undefined) continue;
      for (const event of this.owedTo(number, ref))
        deliveries.owe(ref, event, () => this.owedTo(number, ref).some(({ type }) => type === event.type));
    }
    this.#oweFirst();
  }

  #oweFirst(): void {
    const { runState, actors, deliveries, macrosteps } = this.#port;
    const { first, owed } = firstSent(runState) ?? { owed: [] };
    for (const step of owed) {
      const ref = actors.at(step.actor);
      if (first === undefined || ref === undefined) continue;
      const event = { ...(step.entry?.event as RuntimeEvent) };
      macrosteps.claims(event, first);
      deliveries.owe(ref, event, () => firstSent(runState)?.owed.includes(step) === true, true);
    }
  }

  /** The events by which states of an actor tell that they are complete, and that no step has heard since. */
  owedTo(actor: number, ref: ActorHandle): RuntimeEvent[] {
    const { places, actors } = this.#port.runState;
    const { value, context } = actors[actor] as (typeof actors)[number];
    const completions = this.#port.runtime.machines?.completions(ref, value, context) ?? [];
    return completions.flatMap(({ event, regions }) => {
      const since = Math.max(
        -1,
        ...regions.map((path) => places.lastMover(regionName(actor, path), (step) => step.actor === actor)?.nth ?? -1),
      );
      const isHeard = places
        .between(since - 1, Number.POSITIVE_INFINITY)
        .some(
          (step) => step.actor === actor && (step.entry?.event as { type?: unknown } | undefined)?.type === event.type,
        );
      return isHeard ? [] : [event];
    });
  }
}
