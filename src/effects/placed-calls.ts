/**
 * The calls of one instance that have a place in its history, in the order of their intents. Counters answer the
 * questions asked with every call.
 */
import type { EffectStatus } from '../model/effect.ts';
import { firstOf } from './keys.ts';

/** A call, as far as its place is concerned. */
interface PlacedCall {
  readonly key: string;
  readonly tool: string;
  readonly place: string | null;
  readonly status: EffectStatus;
  readonly at: number | null;
  readonly isAnswered: boolean;
  readonly decides: boolean;
}

/** The placed calls of one instance. */
export class PlacedCalls<Call extends PlacedCall> {
  readonly #byKey = new Map<string, Call>();
  /** All of them, by the numbers of their intents. */
  readonly #inOrder: Call[] = [];
  readonly #count = new Map<string, number>();
  /**
   * The calls whose answer the machine may not have received. A call that was answered, or that has not happened, is
   * dropped from this set when a search meets it.
   */
  readonly #unheard = new Map<string, Set<Call>>();

  /** All of them, in the order of their intents. */
  all(): readonly Call[] {
    return this.#inOrder;
  }

  /** Puts a call in its place, instead of an earlier one of its key. */
  add(call: Call): void {
    this.remove(call.key);
    this.#byKey.set(call.key, call);
    this.#inOrder.splice(this.#countUpTo(call.at ?? 0), 0, call);
    this.#counts(call, 1);
    this.changed(call);
  }

  /** Removes a call, before its place becomes another. */
  remove(key: string): void {
    const call = this.#byKey.get(key);
    if (call === undefined) return;
    this.#byKey.delete(key);
    this.#inOrder.splice(this.#countUpTo(call.at ?? 0) - 1, 1);
    this.#counts(call, -1);
    this.#unheard.get(call.tool)?.delete(call);
  }

  /** Takes note that the status of a call is another. */
  changed(call: Call): void {
    if (this.#byKey.get(call.key) !== call || call.decides) return;
    const { tool } = call;
    const unheard = this.#unheard.get(tool) ?? new Set();
    this.#unheard.set(tool, unheard.add(call));
  }

  /** The number of calls of a tool in a region of the instance; null for the calls that have no region beside theirs. */
  countOf(tool: string, place: string | null): number {
    return this.#count.get(counted(tool, place)) ?? 0;
  }

  /** The number of answers of the instance to one question to a tool that decides, by the first key of that question. */
  countOfAnswers(question: string): number {
    return this.#count.get(question) ?? 0;
  }

  #counts({ key, tool, place, decides }: Call, by: 1 | -1): void {
    const name = decides ? firstOf(key) : counted(tool, place);
    this.#count.set(name, (this.#count.get(name) ?? 0) + by);
  }

  /**
   * The calls of a tool with an unknown outcome, or whose answer no step received. Costs these calls, and the calls
   * settled since.
   */
  unheard(tool: string): Call[] {
    const found: Call[] = [];
    const all = this.#unheard.get(tool);
    for (const call of all ?? []) {
      const { status, isAnswered } = call;
      if (status === 'unknown' || (status === 'confirmed' && !isAnswered)) found.push(call);
      else if (status === 'confirmed' || status === 'failed' || status === 'compensated') all?.delete(call);
    }
    return found.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  }

  /** The calls of any tool whose answer was not heard. */
  unanswered(): Call[] {
    return [...this.#unheard.keys()].flatMap((tool) => this.unheard(tool));
  }

  /** The calls whose intents lie after one event and up to another. Costs its result and two searches. */
  between(after: number, upTo: number): Call[] {
    return this.#inOrder.slice(this.#countUpTo(after), this.#countUpTo(upTo));
  }

  #countUpTo(limit: number): number {
    let [low, high] = [0, this.#inOrder.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#inOrder[middle]?.at ?? 0) <= limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function counted(tool: string, place: string | null): string {
  return place === null ? tool : JSON.stringify([tool, place]);
}
