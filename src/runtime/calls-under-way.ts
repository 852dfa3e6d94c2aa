/** Calls that a program has under way: the program may be entered again, and its calls go on. */
import { doneEvent } from '../model/reply-event.ts';
import type { Child, Place, RuntimeEvent } from './microstep.ts';
import type { Watcher } from './runtime.ts';
import type { Act } from './tool-call.ts';

/** A call under way, which is the handle of its actor. */
export class CallUnderWay {
  /** The id of its actor. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly stop = new AbortController();
  /** Null until the call has an answer. */
  output: { readonly is: unknown } | null = null;
  /** @see Call.ofNode */
  protected readonly ofNode: boolean = false;
  #answer: Promise<unknown> | null = null;

  constructor(id: string, tool: string, input: unknown) {
    this.id = id;
    this.tool = tool;
    this.input = input;
  }

  /** The actor, as the step tells it that starts it in a state. */
  startedIn(place: Place): Child {
    return { ref: this, id: this.id, src: this.tool, place, kind: 'promise', input: this.input };
  }

  /** The event that tells its answer. */
  answered(): RuntimeEvent {
    return { type: doneEvent(this.id), output: this.output?.is, actorId: this.id };
  }

  /** Makes the call, once: who asks for it again waits for the same answer. @param then does what comes first, once it is there. */
  make(watcher: Watcher, act: Act, input = this.input, then = async (output: unknown) => output): Promise<unknown> {
    this.#answer ??= watcher
      .call({
        ref: this,
        tool: this.tool,
        input,
        signal: this.stop.signal,
        act: async (key, signal, counts) => act({ input: counts, key, signal }),
        handles: () => false,
        ofNode: this.ofNode,
      })
      .then((is) => {
        this.output = { is };
        return then(is);
      });
    return this.#answer;
  }
}

/** The calls of one run that are under way, by the ids of their actors, and the functions of the tools that it has called. */
export class CallsUnderWay<TCall extends CallUnderWay = CallUnderWay> {
  readonly underWay = new Map<string, TCall>();
  readonly tools = new Map<string, Act>();
  readonly #called: (id: string, tool: string, input: unknown) => TCall;

  constructor(called: (id: string, tool: string, input: unknown) => TCall) {
    this.#called = called;
  }

  /** The one call of a program that makes one at a time; null where none is under way. */
  get only(): TCall | null {
    return [...this.underWay.values()][0] ?? null;
  }

  /** Notes a call under the id of its actor. */
  add(id: string, tool: string, input: unknown): TCall {
    const call = this.#called(id, tool, input);
    this.underWay.set(id, call);
    return call;
  }

  /** Stops all calls but some. */
  keep(ids: readonly string[]): void {
    for (const [id, call] of this.underWay) {
      if (ids.includes(id)) continue;
      call.stop.abort();
      this.underWay.delete(id);
    }
  }
}

/** Does something for a part of a program, and never returns to a part that does not count any more. */
export async function whileItCounts<T>(isStale: () => boolean, go: () => Promise<T>): Promise<T> {
  if (isStale()) return never();
  const answer = await go();
  return isStale() ? never() : answer;
}

/** Waits for ever: so does a part of a program that does not count any more. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
