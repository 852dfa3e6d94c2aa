/**
 * The calls whose places a restore has taken back and that no replay has taken over, in the order of that loss. The
 * calls are indexed by their work, so every call and every instance of a replay finds its own fast, however many there
 * are.
 */
import type { IntentEntry } from '../model/call-entries.ts';
import type { EffectStatus } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';
import { entityOf } from './keys.ts';

/** The work that calls belong to: an instance, whichever of its occurrences. */
type Work = Pick<InstanceId, 'skeleton' | 'entity'>;

/** A call, as far as its work and its status are concerned. */
interface DisplacedCall {
  readonly key: string;
  readonly intent: IntentEntry;
  readonly status: EffectStatus;
  readonly decides: boolean;
}

/** The displaced calls of a run. */
export class DisplacedCalls<Call extends DisplacedCall> {
  readonly #all = new Set<Call>();
  readonly #byWork = new Map<string, Set<Call>>();
  readonly #byTool = new Map<string, Set<Call>>();

  add(call: Call): void {
    this.#all.add(call);
    for (const [index, name] of this.#places(call)) index.set(name, (index.get(name) ?? new Set()).add(call));
  }

  /** Removes a call, before its intent becomes another. */
  delete(call: Call): void {
    if (!this.#all.delete(call)) return;
    for (const [index, name] of this.#places(call)) {
      index.get(name)?.delete(call);
      if (index.get(name)?.size === 0) index.delete(name);
    }
  }

  /** All of them, the kept answers of tools that decide included. */
  all(): Call[] {
    return [...this.#all];
  }

  /** True for a call that stands in the world and that no replay has taken over (C8, C9). */
  isKept(call: Call): boolean {
    return this.#all.has(call) && stands(call);
  }

  /** The kept calls of the occurrences of some work. */
  keptOf(work: Work): Call[] {
    return [...(this.#byWork.get(workName(work)) ?? [])].filter(stands);
  }

  /** The kept calls of a tool for an entity. */
  keptBy(tool: string, entity: string): Call[] {
    return [...(this.#byTool.get(toolName(tool, entity)) ?? [])].filter(stands);
  }

  #places(call: Call): readonly (readonly [Map<string, Set<Call>>, string])[] {
    const { instance, tool } = call.intent;
    return [
      [this.#byWork, workName(instance)],
      [this.#byTool, toolName(tool, entityIn(call))],
    ];
  }
}

/** The entity that the key of a call names; of a key that names none, nothing. */
function entityIn(call: DisplacedCall): unknown {
  try {
    return entityOf(call);
  } catch {
    return null;
  }
}

function stands({ status, decides }: DisplacedCall): boolean {
  return !decides && (status === 'confirmed' || status === 'buffered');
}

function workName({ skeleton, entity }: Work): string {
  return JSON.stringify([skeleton, entity]);
}

function toolName(tool: string, entity: unknown): string {
  return JSON.stringify([tool, entity]);
}
