/** The past of a run as its machine takes it on paper, step for step (semantics.md PA1, CO3). */
import { fold } from '../../history/context.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { regionName } from '../../model/region.ts';
import { eventType } from '../../model/reply-event.ts';
import { RESTART, type Started, type StateValue } from '../../model/step-entry.ts';
import { changeOf } from '../../projection/edits.ts';
import { CLAIMED, partOf } from '../../projection/set-aside/records.ts';
import { withPart } from '../../projection/set-aside/translate.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Microstep } from '../../runtime/microstep.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import type { ActorNow, PaperMachine } from './paper-machine.ts';
import { type Compared, compared, isWrittenSo, takesOut } from './same-step.ts';

/** An input of the machine, with the steps that it caused, itself among them; or a step that put control elsewhere. */
export interface Passage {
  readonly is: 'input' | 'placed';
  readonly first: RecordedStep;
  readonly steps: RecordedStep[];
  /** The machine as the sender of the input had seen it; null for an input that is not from outside. */
  readonly seen: ActorNow | null;
}

/** The kept steps of one input, held against those that the machine takes. */
export class Walk {
  readonly #machine: PaperMachine;
  readonly #begun = new Map<number, Compared>();
  #differs = false;
  /** True where the machine has taken a step that is undone. */
  hasTakenUndone = false;
  /** True where the last step was taken, whatever it wrote. */
  hasTakenLast = false;
  /** The microstep that the last step was held against; null where the machine had taken none. */
  last: Microstep | null = null;

  constructor(machine: PaperMachine) {
    this.#machine = machine;
  }

  /** True where no microstep is taken in part, and each was written as it had been. */
  get isOver(): boolean {
    return this.#begun.size === 0 && !this.#differs;
  }

  /** True where a microstep of an actor is taken in part. */
  isWithin(actor: number): boolean {
    return this.#begun.has(actor);
  }

  /** Holds the next step of an actor against what the machine takes. @returns false where that is another one. */
  takes(step: RecordedStep, undone?: ReadonlySet<PlacedStep>): boolean {
    const { actor, entry } = step;
    const micros = this.#machine.ahead(actor);
    const known = this.#begun.get(actor);
    const micro = known?.micro ?? micros[0];
    this.last = micro ?? null;
    if (micro === undefined || entry === null) return false;
    const now = known ?? compared(micro);
    this.hasTakenLast = takesOut(entry, now);
    if (!this.hasTakenLast) return false;
    if (known === undefined) micros.shift();
    this.#begun.set(actor, now);
    this.#machine.number(step, micro);
    if (undone?.has(step) === true) this.hasTakenUndone = true;
    if (now.left.length > 0) return true;
    this.#begun.delete(actor);
    if (isWrittenSo(now)) return true;
    this.#differs = true;
    return false;
  }
}

/** The recorded past, unchanged, while the machine goes through it. */
export class UnchangedPast {
  readonly passages: Passage[] = [];
  readonly #machine: PaperMachine;
  readonly #walk: Walk;

  constructor(machine: PaperMachine) {
    this.#machine = machine;
    this.#walk = new Walk(machine);
  }

  /** True where the machine has taken no step but those of the past. */
  get isOver(): boolean {
    return !this.#machine.isAhead && this.#walk.isOver;
  }

  /** The microstep that the last step was held against; null where the machine had taken none. */
  get last(): Microstep | null {
    return this.#walk.last;
  }

  /** Goes on by a step of the past. @returns false where the machine takes another one. */
  takes(step: RecordedStep): boolean {
    if (isPlaced(step)) return this.isOver && place(this.#machine, step) && this.#begins('placed', step, null, [step]);
    const isFollowing = this.#machine.ahead(step.actor).length > 0 || this.#walk.isWithin(step.actor);
    if (!isFollowing && !this.#receives(step)) return false;
    if (this.passages.length === 0) this.#begins('input', step, null, []);
    if (!this.#walk.takes(step)) return false;
    this.passages.at(-1)?.steps.push(step);
    return true;
  }

  #receives(step: RecordedStep): boolean {
    const seen = step.isOutside ? this.#machine.now(step.actor) : null;
    const isReceived = this.isOver && this.#machine.receives(step.actor, step.entry?.event);
    return isReceived && this.#begins('input', step, seen, []);
  }

  #begins(is: Passage['is'], first: RecordedStep, seen: ActorNow | null, steps: RecordedStep[]): true {
    this.passages.push({ is, first, seen, steps });
    return true;
  }
}

/** True for a step that put control elsewhere: a restore, or work that was taken over. */
export function isPlaced({ isPlaced: placed, entry }: RecordedStep): boolean {
  return placed || (entry !== null && eventType(entry.event) === CLAIMED);
}

export function isRestart({ entry }: RecordedStep): boolean {
  return entry !== null && eventType(entry.event) === RESTART;
}

/** Puts control in the regions that a step moved where the step had put it. */
export function place(machine: PaperMachine, step: RecordedStep): boolean {
  const own = regionName(step.actor, '');
  return machine.restore(step.actor, ({ value, context, children }: ActorNow): ActorPlan => {
    const paths = step.moves.filter((region) => region.startsWith(own)).map((region) => region.slice(own.length));
    const started = step.entry?.started ?? [];
    return {
      value: paths.reduce(
        (now: StateValue, path) => withPart(now, path, partOf(step.value, path) as StateValue),
        value,
      ),
      remembered: step.remembered,
      context: fold(context, step.edits.map(changeOf)),
      last: (step.entry?.event ?? { type: RESTART }) as ActorPlan['last'],
      keep: children.filter((id) => !started.some((one) => one.id === id)),
      make: started.map((one: Started, index) => ({
        ...{ number: step.firstStarted + index, id: one.id, src: one.src, at: one.at, kind: one.kind, plan: null },
        ...{ input: one.input, event: (step.entry?.event ?? { type: RESTART }) as ActorPlan['last'] },
        ...(one.systemId !== undefined && { systemId: one.systemId }),
      })),
      cancel: [],
      timers: [],
      isArmed: () => true,
      now: () => 0,
    };
  });
}
