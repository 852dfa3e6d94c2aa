/**
 * The consistent cut of a run whose control is known (semantics.md C1, C2): the retained part is a legal prefix; the
 * rest is undone, or set aside. Candidates are tried newest first, even behind a blocked candidate, because an older
 * one can turn a blocked tail into a record.
 */
import type { History } from '../history/history.ts';
import type { Access } from '../history/key-tree.ts';
import type { Pieces } from '../history/pieces.ts';
import type { Places } from '../history/places.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Aside } from '../model/decision.ts';
import { crossing, type Effect, isOpen } from '../model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Dependence } from '../model/veto.ts';
import { type SetAside, setAside } from './aside.ts';
import { type Consumer, type Crossed, keptUpTo, type Placement, type Proposal } from './crossings.ts';
import type { Effort } from './effort.ts';
import { stepsBehind } from './exits.ts';
import { type Evaluated, Lowering } from './line.ts';
import { reach } from './static.ts';

/** The past of a run, gone through again on paper (PA1). */
export interface Paper extends Evaluated {
  /**
   * Judges what is kept behind the first of the steps that are undone.
   * @returns the steps that do not come to the same there; null where there is no such past on paper.
   */
  judge(undone: ReadonlySet<PlacedStep>, effort: Effort): Pieces<readonly PlacedStep[] | null>;
}

/** The past of a run on paper with a change in it. */
export interface ChangedPaper extends Paper {
  /**
   * Goes through the whole past with the change in its place.
   * @returns the numbers of later actors that begin again with the same input; none if there is no such past on paper.
   */
  met(effort: Effort): Pieces<ReadonlySet<number>>;
}

/** The control of a running machine. */
export interface Control {
  /** The past on paper; left out where the run has no machine that could go through it. */
  readonly paper?: Paper;
  readonly places: Places;
  /** The names of further instances that were found wrong: complaints that wait for their answer (C12). */
  readonly suspects: ReadonlySet<string>;
  /**
   * The effects that a person has undone by hand, by their ids, of which the history does not know yet: nothing is owed
   * for them (ST7).
   */
  readonly byHand?: ReadonlySet<string>;
  /** The instances for which a plan's postconditions would fail, with the numbers of their entries. */
  escapes(cut: Cut): readonly { readonly instance: InstanceId; readonly step: number }[];
}

/** A cut for one candidate. */
export interface Cut {
  readonly candidate: Checkpoint;
  /** The instances that are undone, and the position of each; the roots of regions among them. */
  readonly moves: ReadonlyMap<InstanceRecord, Placement>;
  readonly aside: readonly Aside[];
}

/** The cuts of one decision, asked for from the newest candidate to the oldest. */
export class Cutting {
  readonly #history: History;
  readonly #failed: InstanceRecord;
  readonly #control: Control;
  readonly #effort: Effort;
  readonly #lowering: Lowering;
  readonly #charging: Charging;
  readonly #suspects: ReadonlySet<string>;
  #hasPaper = true;

  constructor(history: History, failed: InstanceRecord, control: Control, effort: Effort) {
    this.#history = history;
    this.#failed = failed;
    this.#control = control;
    this.#effort = effort;
    const { paper } = control;
    const evaluated = paper && {
      reads: (read: Access) => this.#hasPaper && paper.reads(read),
      looks: (step: PlacedStep) => this.#hasPaper && paper.looks(step),
    };
    this.#lowering = new Lowering(history, failed, control.places, effort, evaluated);
    this.#charging = new Charging(history, failed, effort, control.byHand);
    this.#suspects = new Set([...control.suspects, instanceName(failed.id)]);
  }

  /** Policy `static`: every instance that the failed one reaches goes to its entry first, order ignored (§9). */
  *demandReached(): Pieces<void> {
    for (const [record, cause] of reach(this.#history, this.#failed)) {
      if (record === this.#failed) continue;
      this.#lowering.demand(record, { keep: record.entry, cause });
      while (!this.#lowering.follow()) yield;
    }
  }

  /**
   * Lowers the cut until the machine, going through the kept past on paper, takes each kept step the same way (PA1).
   */
  *#onPaper(): Pieces<void> {
    const { paper } = this.#control;
    const lowering = this.#lowering;
    while (paper !== undefined && this.#hasPaper && !this.#effort.isSpent) {
      const lost = yield* paper.judge(lowering.steps, this.#effort);
      if (lost?.length === 0) return;
      this.#hasPaper = lost !== null;
      if (lost === null) lowering.heedAll();
      else lowering.lose(lost);
      while (!lowering.follow()) yield;
    }
  }

  /**
   * The cut for the next candidate, and its crossings; null if the effort is spent before.
   * @param lost reads whose value has changed.
   */
  *to(
    candidate: Checkpoint,
    lost: Iterable<readonly [read: Access, cause: Dependence]> = [],
  ): Pieces<(Cut & { readonly proposal: Proposal }) | null> {
    const { places } = this.#control;
    const lowering = this.#lowering;
    lowering.begin(candidate);
    if (candidate.kind === 'exit') lowering.lose(stepsBehind(places, this.#failed, candidate));
    lowering.loseReads(lost);
    while (!lowering.follow()) yield;
    yield* this.#onPaper();
    if (this.#effort.isSpent) return null;
    const { instances: aside, holds } = yield* setAside(
      this.#history,
      places,
      lowering.moves,
      this.#suspects,
      this.#effort,
    );
    const moves = new Map<InstanceRecord, Placement>();
    for (const [record, placement] of lowering.moves) {
      if (aside.has(record)) continue;
      if (losesAnything(this.#history, places, record, placement)) moves.set(record, placement);
    }
    const told = [...aside].map(([record, around]): Aside => {
      const { cause } = lowering.moves.get(record) as Placement;
      return { instance: record.id, cause: cause as Dependence, ...(around !== null && { within: around.id }) };
    });
    const others = [...moves.keys()].filter((record) => record !== this.#failed && record.id.skeleton !== ROOT).length;
    const crossed = this.#charging.charge(candidate, moves, holds);
    return {
      candidate,
      moves,
      aside: told,
      proposal: { moves, crossed: [crossed], crossable: true, others, aside: told },
    };
  }
}

/** True if a placement takes anything back. The root of a region that did nothing since does not move. */
function losesAnything(history: History, places: Places, record: InstanceRecord, placement: Placement): boolean {
  if (record.id.skeleton !== ROOT) return true;
  const after = keptUpTo(placement);
  const { versions, effects, head } = history;
  return (
    places.stepsOf(instanceName(record.id), after, Number.POSITIVE_INFINITY).length > 0 ||
    versions.hasActedAfter(record, after) ||
    effects.of(record, after, head).length > 0
  );
}

/** The effects of an instance after an event that block. */
interface Charged {
  after: number;
  blocked: readonly Effect[];
}

/**
 * Charges the cuts of one decision with the effects and commitments that they cross. Positions only go lower from cut
 * to cut, so each effect is examined once. The calls to undo are listed for the cut that is drawn.
 */
class Charging {
  readonly #history: History;
  readonly #failed: InstanceRecord;
  readonly #effort: Effort;
  readonly #charged = new Map<InstanceRecord, Charged>();
  readonly #byHand: ReadonlySet<string>;

  constructor(history: History, failed: InstanceRecord, effort: Effort, byHand: ReadonlySet<string> = new Set()) {
    this.#history = history;
    this.#failed = failed;
    this.#effort = effort;
    this.#byHand = byHand;
  }

  /** The effects of an instance that may stand in the way of a cut, or are owed for it. */
  #effectsOf(record: InstanceRecord, after: number, upTo: number): Effect[] {
    const effects = this.#history.effects.of(record, after, upTo);
    return this.#byHand.size === 0 ? effects : effects.filter(({ id }) => id === null || !this.#byHand.has(id));
  }

  /** The crossings of a cut. The work of a root that is part of work set aside stays with it. */
  charge(candidate: Checkpoint, moves: Cut['moves'], holds: SetAside['holds']): Crossed {
    const consumers: Consumer[] = [];
    const blocked: Effect[] = [];
    const isAside = (record: InstanceRecord, at: number) => record.id.skeleton === ROOT && holds(record, at);
    for (const [record, placement] of moves) {
      const after = keptUpTo(placement);
      const { committed } = record;
      if (record !== this.#failed && committed !== null && after < committed.at)
        consumers.push({ dependence: placement.cause as Dependence, committed });
      for (const effect of this.#blockedAfter(record, after)) if (!isAside(record, effect.at)) blocked.push(effect);
    }
    blocked.sort((a, b) => a.at - b.at);
    const { head } = this.#history;
    const crossedOf = (accepts: (effect: Effect) => boolean) =>
      [...moves].flatMap(([record, placement]) =>
        this.#effectsOf(record, keptUpTo(placement), head).filter(
          (effect) => accepts(effect) && !isAside(record, effect.at),
        ),
      );
    return {
      candidate,
      consumers,
      blocked,
      get undo() {
        return crossedOf((effect) => crossing(effect) === 'undo').sort((a, b) => b.at - a.at);
      },
      get dropped() {
        const open = crossedOf((effect) => crossing(effect) === 'cross' && isOpen(effect.status));
        return open.sort((a, b) => a.at - b.at).flatMap(({ id }) => (id === null ? [] : [id]));
      },
    };
  }

  #blockedAfter(record: InstanceRecord, after: number): readonly Effect[] {
    const charged = this.#charged.get(record) ?? { after: this.#history.head, blocked: [] };
    this.#charged.set(record, charged);
    const fresh = this.#effectsOf(record, after, charged.after);
    this.#effort.visited += fresh.length;
    const blocked = fresh.filter((effect) => crossing(effect) !== 'undo' && crossing(effect) !== 'cross');
    if (blocked.length > 0) charged.blocked = [...blocked, ...charged.blocked];
    charged.after = Math.min(after, charged.after);
    return charged.blocked;
  }
}
