/**
 * Finds the spans that a replay replaces: the spans of steps and calls that a restore has undone and that come again.
 */
import type { SpanContext } from '@opentelemetry/api';
import type { PlacedStep } from '../history/step-lists.ts';
import type { RestoredEntry } from '../model/entry.ts';
import { instanceName } from '../model/instance.ts';

/** The number of spans of a run that are remembered. Those before are not linked to any more. */
const REMEMBERED = 4_096;

/** A step or a call of this process. */
export interface Done {
  /** The names of the instances whose work it is. */
  readonly instances: readonly string[];
  /** The same for a replay of it. */
  readonly name: string;
  /** A step, or where in the history an actor made a call. */
  readonly at: PlacedStep | { readonly actor: number; readonly head: number };
}

/** A step or a call that has a span, or is about to have one. */
export interface Spanned extends Done {
  /** Null until its span was made. */
  context: SpanContext | null;
}

/** The spans of one run that a replay may replace. */
export class Replays {
  readonly #all = new Set<Spanned>();
  /** Those whose work was undone and has not come again. */
  #undone = new Map<string, Spanned[]>();

  /** Takes a step or a call in. @returns where to put its span, and what it replaces. */
  take(done: Done): { readonly mine: Spanned; readonly replaces: readonly Spanned[] } {
    const mine: Spanned = { ...done, context: null };
    this.#all.add(mine);
    if (this.#all.size > REMEMBERED) this.#forgetOldest();
    return { mine, replaces: this.#replacedBy(mine) };
  }

  /** A restore was carried out: what it has undone may come again. */
  restored({ kept, aside = [] }: RestoredEntry): void {
    const moved = new Map(kept.map(([id, at]) => [instanceName(id), at]));
    for (const id of aside) moved.set(instanceName(id), 0);
    for (const each of this.#all) {
      if (!isUndone(each, moved)) continue;
      this.#all.delete(each);
      const queue = this.#undone.get(keyOf(each));
      if (queue === undefined) this.#undone.set(keyOf(each), [each]);
      else if (queue.length < REMEMBERED) queue.push(each);
    }
    const [oldest] = this.#undone.keys();
    if (this.#undone.size > REMEMBERED && oldest !== undefined) this.#undone.delete(oldest);
  }

  /** Work that was set aside is taken over as it is: it does not come again. */
  claimed(instance: string): void {
    this.#undone = new Map([...this.#undone].filter(([, [first]]) => first?.instances.includes(instance) !== true));
  }

  #forgetOldest(): void {
    const [oldest] = this.#all;
    if (oldest !== undefined) this.#all.delete(oldest);
  }

  /** The oldest undone step of the name, or every try of the oldest undone call. */
  #replacedBy(mine: Spanned): Spanned[] {
    const queue = this.#undone.get(keyOf(mine)) ?? [];
    const [first] = queue;
    if (first === undefined) return [];
    const isSame = ({ at }: Spanned) =>
      at === first.at || ('head' in at && 'head' in first.at && at.actor === first.at.actor);
    const rest = queue.filter((each) => !isSame(each));
    if (rest.length === 0) this.#undone.delete(keyOf(mine));
    else this.#undone.set(keyOf(mine), rest);
    return queue.filter(isSame);
  }
}

/** True where a restore has undone a step or a call; `moved` says up to where instances are kept. */
function isUndone({ at, instances }: Spanned, moved: ReadonlyMap<string, number>): boolean {
  if (!('head' in at)) return at.gone;
  return instances.some((name) => at.head >= (moved.get(name) ?? Number.POSITIVE_INFINITY));
}

function keyOf({ instances, name }: Spanned): string {
  return JSON.stringify([name, ...instances]);
}
