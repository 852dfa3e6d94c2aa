/**
 * Shows a run to an observer. The observer stands beside the run: its errors are dropped, and it receives an entry only
 * after the journal has taken the entry.
 */
import type { Settled } from '../effects/timed.ts';
import type { EffectClass } from '../model/effect.ts';
import type { Entry, TraceContext } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import type { RunState } from '../projection/run-state.ts';

/** A call of a tool that is being made. */
export interface ObservedCall {
  /** The number of its actor. */
  readonly actor: number;
  readonly tool: string;
  readonly class: EffectClass;
  readonly instance: InstanceId;
  /** Left out where its class takes none. */
  readonly key?: string;
  readonly args: unknown;
}

/** An observer of the entries of one run, and perhaps of more. */
export interface EntryObserver {
  /**
   * Takes the run in, as it is when this process opens it. @param flush resolves once all that the journal has taken is durable.
   * @returns its place in a trace, which a run that begins is stored with.
   */
  opens(run: string, agent: string, runState: RunState, flush: () => Promise<unknown>): TraceContext | null;
  /** Takes an entry in that was folded in. @returns what tells of it, which is called once the journal has it; null for nothing. */
  appended(entry: Entry): (() => void) | null;
  /** Has a call made: calls `act` at once, and once. */
  calls?(call: ObservedCall, act: () => void): void;
  /** The call of an actor has come back, or its time was over; null where its actor was stopped. */
  came?(actor: number, settled: Settled | null): void;
  /** The process takes leave of the run. */
  closes?(): void;
}

/** An observer of one run. */
export interface Observer extends Required<EntryObserver> {}

/** The option that hands a run its observer: `belay-sidecar/otel` sets it. */
export const OBSERVER: unique symbol = Symbol('the observer of the run');

/** The observers of a run, among its options and of its program; null where there are none. */
export function observing(
  options: object,
  own: EntryObserver | undefined,
  flush: () => Promise<unknown>,
): Observing | null {
  const given = (options as { readonly [OBSERVER]?: Observer })[OBSERVER];
  const observers = [given, own].filter((each) => each !== undefined);
  return observers.length === 0 ? null : new Observing(observers, flush);
}

/** The observers of one run, kept apart from it. */
export class Observing {
  readonly #observers: readonly EntryObserver[];
  readonly #flush: () => Promise<unknown>;
  #noted: (() => void)[] = [];

  constructor(observers: readonly EntryObserver[], flush: () => Promise<unknown>) {
    this.#observers = observers;
    this.#flush = flush;
  }

  /** @see {@link Observer.opens} */
  opens(run: string, agent: string, runState: RunState): TraceContext | null {
    const places = this.#observers.map((each) => apart(() => each.opens(run, agent, runState, this.#flush)));
    return places.find((place) => place != null) ?? null;
  }

  /** Notes an entry that was folded in. */
  appended(entry: Entry): void {
    for (const observer of this.#observers) {
      const tell = apart(() => observer.appended(entry)) ?? null;
      if (tell !== null) this.#noted.push(tell);
    }
  }

  /** The journal has taken what was noted: it is told once what is happening now is over. */
  taken(): void {
    if (this.#noted.length === 0) return;
    const noted = this.#noted;
    this.#noted = [];
    queueMicrotask(() => {
      for (const tell of noted) apart(tell);
    });
  }

  /** Makes a call where the observer has it made: whatever the observer does, it is made once. */
  calls(call: ObservedCall, stopped: AbortSignal, act: () => Promise<unknown>): Promise<unknown> {
    let acting: Promise<unknown> | null = null;
    const once = (): Promise<unknown> => {
      acting ??= (async () => act())();
      return acting;
    };
    for (const observer of this.#observers) apart(() => observer.calls?.(call, () => void once()));
    const left = () => this.came(call.actor, null);
    stopped.addEventListener('abort', left, { once: true });
    const over = () => stopped.removeEventListener('abort', left);
    once().then(over, over);
    return once();
  }

  /** @see {@link Observer.came} */
  came(actor: number, settled: Settled | null): void {
    for (const observer of this.#observers) apart(() => observer.came?.(actor, settled));
  }

  /** @see {@link Observer.closes} */
  closes(): void {
    for (const observer of this.#observers) apart(() => observer.closes?.());
  }
}

/** Calls an observer. What it throws is its own business. */
function apart<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
