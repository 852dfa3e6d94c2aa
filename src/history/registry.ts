/**
 * The registry: every instance that was entered, its checkpoints and the instances that it started, in the order of the
 * events. Localisation reads the instances from it, and the line reads the positions that each may take.
 */
import type { BoundaryKind, Checkpoint } from '../model/checkpoint.ts';
import { commits, isPosition } from '../model/checkpoint.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { countUpTo } from './ascending.ts';

/** A start of one instance by another: an act of the starter at event `at` (K6). */
interface Start {
  readonly at: number;
  readonly started: InstanceRecord;
}

/** The registry's record of one instance. Lists are in event order. */
export interface InstanceRecord {
  readonly id: InstanceId;
  /** The instance whose act the start was, or null. */
  readonly starter: InstanceRecord | null;
  /** Entry first; exits included. */
  readonly checkpoints: readonly Checkpoint[];
  /** The checkpoints that a line may use (§9). */
  readonly positions: readonly Checkpoint[];
  /** The newest certified commit or exit, the promise made to others (§5); null before the first. */
  readonly committed: Checkpoint | null;
  readonly starts: readonly Start[];
}

class Entered implements InstanceRecord {
  readonly checkpoints: Checkpoint[] = [];
  readonly positions: Checkpoint[] = [];
  readonly starts: Start[] = [];
  committed: Checkpoint | null = null;
  readonly id: InstanceId;
  readonly starter: InstanceRecord | null;

  constructor(id: InstanceId, starter: InstanceRecord | null) {
    this.id = id;
    this.starter = starter;
  }

  add(checkpoint: Checkpoint): void {
    this.checkpoints.push(checkpoint);
    if (isPosition(checkpoint.kind)) this.positions.push(checkpoint);
    if (commits(checkpoint.kind)) this.committed = checkpoint;
  }
}

/** The instances of one history, in the order of their entry. Only `enter` and `certify` add to it. */
export class Registry {
  readonly #byName = new Map<string, Entered>();

  get(id: InstanceId): InstanceRecord | undefined {
    return this.#byName.get(instanceName(id));
  }

  /** The record of an instance by its printed name. */
  named(name: string): InstanceRecord | undefined {
    return this.#byName.get(name);
  }

  /** Makes the record of an instance as it was known before. */
  made({ id, starter, checkpoints }: Pick<InstanceRecord, 'id' | 'starter' | 'checkpoints'>): InstanceRecord {
    const entered = new Entered(id, starter);
    for (const checkpoint of checkpoints) entered.add(checkpoint);
    return entered;
  }

  /**
   * Records such an instance with its starts.
   * @param isThere false for one that was cut back to ⊥, and that another instance still names as its starter.
   */
  readd(record: InstanceRecord, starts: readonly Start[], isThere: boolean): void {
    for (const start of starts) (record as Entered).starts.push(start);
    if (isThere) this.#byName.set(instanceName(record.id), record as Entered);
  }

  /** Every instance entered so far, in that order. */
  all(): IterableIterator<InstanceRecord> {
    return this.#byName.values();
  }

  /** Records the entry of a new instance, with its entry checkpoint. */
  enter(id: InstanceId, by: InstanceId | null, at: number): void {
    const starter = by === null ? null : this.#expect(by);
    const entered = new Entered(id, starter);
    entered.add({ kind: 'entry', at });
    this.#byName.set(instanceName(id), entered);
    starter?.starts.push({ at, started: entered });
  }

  /** Records a certified boundary of an entered instance. */
  certify(id: InstanceId, kind: BoundaryKind, at: number): void {
    this.#expect(id).add({ kind, at });
  }

  /** Cuts an instance back to event `after`; 0 is ⊥, as if it had never been entered (§9). */
  cut(record: InstanceRecord, after: number): void {
    const entered = record as Entered;
    const at = entered.checkpoints[0]?.at ?? 0;
    entered.checkpoints.splice(countUpTo(entered.checkpoints, after));
    entered.positions.splice(countUpTo(entered.positions, after));
    entered.starts.splice(countUpTo(entered.starts, after));
    entered.committed = entered.checkpoints.findLast((checkpoint) => commits(checkpoint.kind)) ?? null;
    if (entered.checkpoints.length > 0) return;
    this.#byName.delete(instanceName(record.id));
    const siblings = (record.starter as Entered | null)?.starts;
    const index = siblings === undefined ? -1 : countUpTo(siblings, at - 1);
    if (siblings?.[index]?.started === record) siblings.splice(index, 1);
  }

  #expect(id: InstanceId): Entered {
    return this.#byName.get(instanceName(id)) as Entered;
  }
}

/** The newest position of the instance before event `at`; null is ⊥: only undoing the start itself reaches that far. */
export function positionBefore(record: InstanceRecord, at: number): Checkpoint | null {
  return record.positions[countUpTo(record.positions, at - 1) - 1] ?? null;
}
