/**
 * The recovery line: the kept past of each instance, such that nothing kept rests on anything undone (semantics.md §9,
 * after Wang and Elnozahy et al.). Consistent lines are closed under max, so there is one greatest line for each
 * candidate. Lowering only the positions that must go lower arrives at it in any order.
 */
import { between } from '../history/ascending.ts';
import { readDependence } from '../history/dependencies.ts';
import type { History } from '../history/history.ts';
import type { Access } from '../history/key-tree.ts';
import type { Places } from '../history/places.ts';
import { type InstanceRecord, positionBefore } from '../history/registry.ts';
import { lostWithSource } from '../history/sources.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { Stretch } from '../history/versions.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { instanceName, rootName } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import type { Dependence } from '../model/veto.ts';
import { type Crossed, Crossings, keptUpTo, type Placement, type Proposal } from './crossings.ts';
import { ALL_REPORTED, Effort } from './effort.ts';

/**
 * The greatest line for each candidate (policy `line`), floors not yet asked: a line below a floor has no consistent
 * line below it either. An older candidate's line lies below a newer one's, so the lowering goes on where it stood.
 * @param candidates restorable checkpoints of the failed instance, newest first.
 */
export function greatestLines(history: History, failed: InstanceRecord, candidates: readonly Checkpoint[]): Proposal {
  const lowering = new Lowering(history, failed, null);
  let moves: Proposal['moves'] | undefined;
  const crossed = candidates.map((candidate) => {
    lowering.begin(candidate);
    while (!lowering.follow());
    moves ??= new Map(lowering.moves);
    return lowering.charge(candidate);
  });
  return { moves: moves as Proposal['moves'], crossed, crossable: true };
}

/**
 * The part of a past that is evaluated again in its place, so that to have read what is undone is no reason by itself
 * (PA1).
 */
export interface Evaluated {
  /** True for a read of code that is evaluated. */
  reads(read: Access): boolean;
  /** True for a step that only looked at control, in a guard that is evaluated. */
  looks(step: PlacedStep): boolean;
}

const NOTHING_EVALUATED: Evaluated = { reads: () => false, looks: () => false };

interface Undone {
  readonly record: InstanceRecord;
  readonly after: number;
  readonly upTo: number;
}

/** Lowers what must be lowered: over data and starts (§9), and over control where a run knows it (C2). */
export class Lowering {
  readonly moves = new Map<InstanceRecord, Placement>();
  /** The steps that are beyond the cut. */
  readonly steps = new Set<PlacedStep>();
  readonly #places: Places | null;
  readonly #history: History;
  readonly #failed: InstanceRecord;
  readonly #crossings: Crossings;
  readonly #seen = new Visited();
  readonly #undone: Undone[] = [];
  /**
   * The steps of the instance `#by` that are still to be undone, the first step last, with the steps that are lost
   * together with them.
   */
  #steps: PlacedStep[] = [];
  readonly #waiting: PlacedStep[] = [];
  #by: InstanceRecord;
  /** The sources that are begun anew. */
  readonly #anew = new Set<Region>();
  readonly #effort: Effort;
  readonly #evaluated: Evaluated;
  /**
   * The reads that the paper evaluates, with their causes, and the steps that looked at control: they count only where
   * there is no paper.
   */
  readonly #leftReads: (readonly [read: Access, cause: Dependence])[] = [];
  readonly #leftSteps: PlacedStep[] = [];

  /** `places` null: control is unknown, as in a trace without it. */
  constructor(
    history: History,
    failed: InstanceRecord,
    places: Places | null,
    effort = new Effort(ALL_REPORTED),
    evaluated: Evaluated = NOTHING_EVALUATED,
  ) {
    this.#evaluated = evaluated;
    this.#history = history;
    this.#failed = failed;
    this.#by = failed;
    this.#places = places;
    this.#effort = effort;
    this.#crossings = new Crossings(history, failed);
  }

  /** Puts the failed instance no higher than a candidate. `follow` puts every other one. */
  begin(candidate: Checkpoint): void {
    this.#place(this.#failed, { keep: candidate, cause: null });
  }

  /** Puts an instance no higher than a placement. `follow` puts every other one. */
  demand(record: InstanceRecord, placement: Placement): void {
    this.#place(record, placement);
  }

  /**
   * Puts every instance that rests on the undone part as high as it can stay, up to the end of a piece of the decision.
   * Stops half-way where the effort is spent.
   * @returns true where nothing is left to follow.
   */
  follow(): boolean {
    while (!this.#effort.isSpent) {
      const step = this.#waiting.pop() ?? this.#steps.pop();
      if (step !== undefined) this.#undo(step);
      else {
        const undone = this.#undone.pop();
        if (undone === undefined) return true;
        this.#follow(undone);
      }
      if (this.#effort.endsPiece) return false;
    }
    return true;
  }

  /** Takes steps out, with all that goes with them. `follow` takes it out. */
  lose(steps: readonly PlacedStep[]): void {
    this.#by = this.#failed;
    this.#waiting.push(...steps);
  }

  /** Takes reads back, each with its cause: what they read is another value. `follow` takes back what rests on them. */
  loseReads(reads: Iterable<readonly [read: Access, cause: Dependence]>): void {
    for (const [read, cause] of reads) {
      if (this.#evaluated.reads(read)) this.#leftReads.push([read, cause]);
      else this.#place(read.by, { keep: positionBefore(read.by, read.at), cause });
    }
  }

  /** Counts what was left to the paper: there is none. */
  heedAll(): void {
    for (const [read, cause] of this.#leftReads.splice(0))
      this.#place(read.by, { keep: positionBefore(read.by, read.at), cause });
    this.lose(this.#leftSteps.splice(0));
  }

  /** Charges a candidate with the present crossings. */
  charge(candidate: Checkpoint): Crossed {
    return this.#crossings.charge(candidate);
  }

  #place(record: InstanceRecord, placement: Placement): void {
    const standing = this.moves.get(record);
    const upTo = standing === undefined ? this.#history.head : keptUpTo(standing);
    const after = keptUpTo(placement);
    if (standing !== undefined && after >= upTo) return;
    this.moves.set(record, placement);
    this.#crossings.lower(record, placement, upTo);
    this.#undone.push({ record, after, upTo });
  }

  /** §9.1: an instance that depends on an undone start or write is undone. */
  #follow({ record, after, upTo }: Undone): void {
    for (const { at, started } of between(record.starts, after, upTo)) {
      const cause: Dependence = { kind: 'start', producer: record.id, consumer: started.id, step: at };
      this.#place(started, { keep: null, cause });
    }
    for (const write of this.#history.versions.writesBetween(record, after, upTo)) {
      this.#effort.visited += 1;
      if (this.#effort.isSpent) return;
      for (const stretch of this.#history.versions.readsOf(write)) {
        for (const read of this.#seen.fresh(stretch)) {
          this.#effort.visited += 1;
          const cause = readDependence(write, read);
          if (this.#evaluated.reads(read)) this.#leftReads.push([read, cause]);
          else this.#place(read.by, { keep: positionBefore(read.by, read.at), cause });
        }
      }
    }
    if (this.#places === null) return;
    const until = upTo === this.#history.head ? Number.POSITIVE_INFINITY : upTo;
    this.#steps = [...this.#places.stepsOf(instanceName(record.id), after, until)].reverse();
    this.#by = record;
  }

  /**
   * A step is one atom (C1a). All its parties lose the step; an instance that it entered never started. Further steps
   * are lost with it: readers of the control it wrote, steps that depend on it wholly, and the steps that go back because
   * a source cannot be put back (CH8).
   */
  #undo(step: PlacedStep): void {
    const places = this.#places;
    if (places === null || this.steps.has(step)) return;
    this.#effort.visited += 1;
    if (this.#effort.isSpent) return;
    this.steps.add(step);
    this.#loseParts(step, this.#by);
    const waiting = this.#waiting;
    for (const region of step.moves)
      for (const later of places.afterIn(region, step)) {
        if (!later.moves.includes(region) && this.#evaluated.looks(later)) this.#leftSteps.push(later);
        else waiting.push(later);
      }
    for (const later of step.leads) if (!later.gone) waiting.push(later);
    waiting.push(...step.ties.filter(({ gone }) => !gone));
    for (const other of lostWithSource(places, step, this.#anew)) waiting.push(other);
  }

  /**
   * The parties of a step lose the step. The beginning of a run has no parties and stands: its events are delivered
   * again.
   */
  #loseParts(step: PlacedStep, by: InstanceRecord): void {
    if (step.nth === 0 && step.parties.length === 0) return;
    for (const { name } of step.parties) this.#lose(name, step, by, false);
    for (const name of step.entered) this.#lose(name, step, by, true);
    // Work in the region's root was done because control had come there.
    for (const region of step.moves) this.#lose(rootName(region), step, by, false);
  }

  #lose(name: string, { act }: PlacedStep, by: InstanceRecord, wholly: boolean): void {
    const record = this.#history.registry.named(name);
    if (record === undefined) return;
    const cause: Dependence = { kind: 'control', producer: by.id, consumer: record.id, step: act + 1 };
    this.#place(record, { keep: wholly ? null : positionBefore(record, act + 1), cause });
  }
}

/**
 * The reads that are undone already. A read needs to be undone once, however many undone writes it depends on; each
 * list of reads keeps, for a visited read, a pointer to the next unvisited one (union-find), so that every read is
 * visited once.
 */
class Visited {
  readonly #next = new Map<Stretch['reads'], Map<number, number>>();

  *fresh({ reads, from, until }: Stretch): Generator<Access> {
    const next = this.#next.get(reads) ?? new Map<number, number>();
    this.#next.set(reads, next);
    for (let index = unseen(next, from); index < until; index = unseen(next, index)) {
      next.set(index, index + 1);
      yield reads.at(index) as Access;
    }
  }
}

function unseen(next: Map<number, number>, from: number): number {
  let end = from;
  for (let hop = next.get(end); hop !== undefined; hop = next.get(end)) end = hop;
  for (let index = from; index !== end; ) {
    const hop = next.get(index) as number;
    next.set(index, end);
    index = hop;
  }
  return end;
}
