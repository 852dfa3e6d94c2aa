/**
 * The registry: every instance that was entered, its checkpoints and the instances that it started, in the order of the
 * events. Localisation reads the instances from it, and the line reads the positions that each may take.
 */
import type { BoundaryKind, Checkpoint } from '../model/checkpoint.ts';
import { commits, isPosition } from '../model/checkpoint.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { countUpTo } from './ascending.ts';
import { Paged, type Pager } from './paged.ts';

/** A start of one instance by another: an act of the starter at event `at` (K6). */
interface Start {
  readonly at: number;
  readonly started: InstanceRecord;
}

/** A checkpoint and its instance. */
export type Certified = readonly [InstanceRecord, Checkpoint];

/** The registry's record of one instance. Lists are in event order. */
export interface InstanceRecord {
  readonly id: InstanceId;
  /** The instance whose act the start was, or null. */
  readonly starter: InstanceRecord | null;
  /** The first of its checkpoints. */
  readonly entry: Checkpoint;
  /** Entry first; exits included. */
  readonly checkpoints: Paged<Checkpoint>;
  /** The newest of those positions that are paged out, where it is known. */
  readonly lastOut: Checkpoint | null;
  /** The newest certified commit or exit, the promise made to others (§5); null before the first. */
  readonly committed: Checkpoint | null;
  readonly starts: readonly Start[];
}

class Entered implements InstanceRecord {
  readonly checkpoints = new Paged<Checkpoint>();
  lastOut: Checkpoint | null = null;
  readonly starts: Start[] = [];
  committed: Checkpoint | null = null;
  readonly id: InstanceId;
  readonly starter: InstanceRecord | null;
  readonly entry: Checkpoint;

  constructor(id: InstanceId, starter: InstanceRecord | null, entry: Checkpoint) {
    this.id = id;
    this.starter = starter;
    this.entry = entry;
  }

  add(checkpoint: Checkpoint): void {
    this.checkpoints.push(checkpoint);
    if (commits(checkpoint.kind)) this.committed = checkpoint;
  }
}

/** The instances of one history, in the order of their entry. Only `enter` and `certify` add to it. */
export class Registry {
  readonly #byName = new Map<string, Entered>();
  /** Those with checkpoints that are not paged out, and some without. */
  readonly #here = new Set<InstanceRecord>();

  get(id: InstanceId): InstanceRecord | undefined {
    return this.#byName.get(instanceName(id));
  }

  /** The record of an instance by its printed name. */
  named(name: string): InstanceRecord | undefined {
    return this.#byName.get(name);
  }

  /**
   * Makes the record of an instance from an earlier process's knowledge of it.
   * @param pager pages in the checkpoints before these; null if there are no more.
   */
  made(
    { id, starter, entry, committed, lastOut }: Omit<InstanceRecord, 'checkpoints' | 'starts'>,
    checkpoints: readonly Checkpoint[],
    pager: Pager | null,
  ): InstanceRecord {
    const entered = new Entered(id, starter, entry);
    for (const checkpoint of checkpoints) entered.checkpoints.push(ownOf(entered, checkpoint, committed));
    entered.committed = committed;
    entered.lastOut = lastOut;
    if (pager !== null) entered.checkpoints.isBehind(pager);
    return entered;
  }

  /**
   * Records such an instance with its starts.
   * @param isThere false for an instance that was cut back to ⊥, and that another instance still names as its starter.
   */
  readd(record: InstanceRecord, starts: readonly Start[], isThere: boolean): void {
    for (const start of starts) (record as Entered).starts.push(start);
    if (!isThere) return;
    this.#byName.set(instanceName(record.id), record as Entered);
    this.#here.add(record);
  }

  /** Every instance entered so far, in that order. */
  all(): IterableIterator<InstanceRecord> {
    return this.#byName.values();
  }

  /** Records the entry of a new instance, with its entry checkpoint. */
  enter(id: InstanceId, by: InstanceId | null, at: number): void {
    const starter = by === null ? null : this.#expect(by);
    const entered = new Entered(id, starter, { kind: 'entry', at });
    entered.add(entered.entry);
    this.#byName.set(instanceName(id), entered);
    this.#here.add(entered);
    starter?.starts.push({ at, started: entered });
  }

  /** Records a certified boundary of an entered instance. */
  certify(id: InstanceId, kind: BoundaryKind, at: number): void {
    const entered = this.#expect(id);
    entered.add({ kind, at });
    this.#here.add(entered);
  }

  /** Cuts an instance back to event `after`; 0 is ⊥, as if it had never been entered (§9). */
  cut(record: InstanceRecord, after: number): void {
    const entered = record as Entered;
    const { at } = entered.entry;
    entered.checkpoints.cut(entered.checkpoints.countUpTo(after));
    entered.starts.splice(countUpTo(entered.starts, after));
    if (entered.committed !== null && entered.committed.at > after) entered.committed = newestCommit(entered);
    if (at <= after) return;
    this.#byName.delete(instanceName(record.id));
    this.#here.delete(record);
    const siblings = (record.starter as Entered | null)?.starts;
    const index = siblings === undefined ? -1 : countUpTo(siblings, at - 1);
    if (siblings?.[index]?.started === record) siblings.splice(index, 1);
  }

  /** The checkpoints up to an event that are not paged out, by their instances. */
  upTo(at: number): Certified[] {
    const found: Certified[] = [];
    for (const record of this.#here)
      for (const checkpoint of record.checkpoints.here) {
        if (checkpoint.at > at) break;
        found.push([record, checkpoint]);
      }
    return found;
  }

  /** Lets go of checkpoints that are the oldest of their instances here. */
  pageOut(checkpoints: readonly Certified[], pager: Pager): void {
    for (const [record, own] of byRecord(checkpoints)) {
      record.checkpoints.pageOut(own.length, pager);
      const position = own.findLast(({ kind }) => isPosition(kind));
      if (position !== undefined) (record as Entered).lastOut = position;
      if (record.checkpoints.here.length === 0) this.#here.delete(record);
    }
  }

  /** Puts checkpoints back in their places, before the ones in memory. */
  pageIn(checkpoints: readonly Certified[]): void {
    for (const [record, own] of byRecord(checkpoints)) {
      if (record.lastOut !== null && record.lastOut.at >= (own[0]?.at ?? 0)) (record as Entered).lastOut = null;
      record.checkpoints.pageIn(own.map((checkpoint) => ownOf(record, checkpoint, record.committed)));
      this.#here.add(record);
    }
  }

  #expect(id: InstanceId): Entered {
    return this.#byName.get(instanceName(id)) as Entered;
  }
}

/** A checkpoint, as its instance has it already where it is its entry or its promise. */
function ownOf(
  { entry }: Pick<InstanceRecord, 'entry'>,
  checkpoint: Checkpoint,
  committed: Checkpoint | null,
): Checkpoint {
  if (checkpoint.at === entry.at) return entry;
  return committed !== null && checkpoint.at === committed.at ? committed : checkpoint;
}

function byRecord(checkpoints: readonly Certified[]): Map<InstanceRecord, Checkpoint[]> {
  const all = new Map<InstanceRecord, Checkpoint[]>();
  for (const [record, checkpoint] of checkpoints) {
    const own = all.get(record);
    if (own === undefined) all.set(record, [checkpoint]);
    else own.push(checkpoint);
  }
  return all;
}

function newestCommit({ checkpoints }: InstanceRecord): Checkpoint | null {
  for (const checkpoint of checkpoints.backwards()) if (commits(checkpoint.kind)) return checkpoint;
  return null;
}

/** The newest position of the instance before event `at`; null is ⊥: only undoing the start itself reaches that far. An exit is no position (§9). */
export function positionBefore(record: InstanceRecord, at: number): Checkpoint | null {
  const { checkpoints } = record;
  // Pages in earlier checkpoints only if no position in memory lies before the event and the last one paged out is
  // unknown.
  const here = checkpoints.lastHere(at - 1, ({ kind }) => isPosition(kind));
  if (here !== undefined || record.lastOut !== null) return here ?? record.lastOut;
  for (const checkpoint of checkpoints.backwards(checkpoints.countUpTo(at - 1)))
    if (isPosition(checkpoint.kind)) return checkpoint;
  return null;
}
