/** The units that were left by an edge which discards them (semantics.md PA11). */
import { type InstanceId, instanceName } from '../model/instance.ts';

/** A unit that was left by such an edge: it is to be discarded, it is, or that was refused. */
export interface LeftUnit {
  readonly instance: InstanceId;
  is: 'due' | 'discarded' | 'refused';
}

/** The discarded units of one run, by their names. */
export class Discards {
  readonly all = new Map<string, LeftUnit>();

  /** A step has left a unit by an edge that discards it. */
  left(instance: InstanceId): void {
    this.all.set(instanceName(instance), { instance, is: 'due' });
  }

  /** The discard of a unit is decided. */
  decided(instance: InstanceId, isRefused: boolean): void {
    this.all.set(instanceName(instance), { instance, is: isRefused ? 'refused' : 'discarded' });
  }

  /** The step that left a unit is undone: it is live again, or never began. */
  reopen(name: string): void {
    this.all.delete(name);
  }

  /** True for a unit whose work is discarded, or is to be. */
  has(instance: InstanceId | null): boolean {
    const unit = instance === null ? undefined : this.all.get(instanceName(instance));
    return unit !== undefined && unit.is !== 'refused';
  }
}
