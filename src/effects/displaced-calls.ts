/**
 * The calls whose places a restore has taken back and that no replay has taken over, in the order in which they lost them. What every call and
 * every instance of a replay asks of them is found by the work that they belong to, however many there are.
 */
import type { InstanceId } from '../model/instance.ts';
import { entityOf } from './keys.ts';
import type { LedgerCall } from './ledger.ts';

/** The work that calls belong to: an instance, whichever of its occurrences. */
type Work = Pick<InstanceId, 'skeleton' | 'entity'>;

/** The displaced calls of a run. */
export class DisplacedCalls {
  readonly #all = new Set<LedgerCall>();
  readonly #byWork = new Map<string, Set<LedgerCall>>();
  readonly #byTool = new Map<string, Set<LedgerCall>>();

  add(call: LedgerCall): void {
    this.#all.add(call);
    for (const [index, name] of this.#places(call)) index.set(name, (index.get(name) ?? new Set()).add(call));
  }

  /** Removes a call, before its intent becomes another. */
  delete(call: LedgerCall): void {
    if (!this.#all.delete(call)) return;
    for (const [index, name] of this.#places(call)) {
      index.get(name)?.delete(call);
      if (index.get(name)?.size === 0) index.delete(name);
    }
  }

  all(): LedgerCall[] {
    return [...this.#all];
  }

  /** True for a call that stands in the world and that no replay has taken over (C8, C9). */
  isKept(call: LedgerCall): boolean {
    return this.#all.has(call) && stands(call);
  }

  /** The kept calls of the occurrences of some work. */
  keptOf(work: Work): LedgerCall[] {
    return [...(this.#byWork.get(workName(work)) ?? [])].filter(stands);
  }

  /** The kept calls of a tool for an entity. */
  keptBy(tool: string, entity: string): LedgerCall[] {
    return [...(this.#byTool.get(toolName(tool, entity)) ?? [])].filter(stands);
  }

  #places(call: LedgerCall): readonly (readonly [Map<string, Set<LedgerCall>>, string])[] {
    const { instance, tool } = call.intent;
    return [
      [this.#byWork, workName(instance)],
      [this.#byTool, toolName(tool, entityIn(call))],
    ];
  }
}

/** The entity that the key of a call names; of a key that names none, nothing. */
function entityIn(call: LedgerCall): unknown {
  try {
    return entityOf(call);
  } catch {
    return null;
  }
}

function stands({ status }: LedgerCall): boolean {
  return status === 'confirmed' || status === 'buffered';
}

function workName({ skeleton, entity }: Work): string {
  return JSON.stringify([skeleton, entity]);
}

function toolName(tool: string, entity: unknown): string {
  return JSON.stringify([tool, entity]);
}
