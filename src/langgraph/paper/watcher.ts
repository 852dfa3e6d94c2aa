/** The watcher of a graph on paper: a call is answered from the past where it is given the same, and nothing leaves (semantics.md PA14). */
import { eventType } from '../../model/reply-event.ts';
import { never } from '../../runtime/calls-under-way.ts';
import type { ActorHandle, Microstep, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Call, PaperChange } from '../../runtime/runtime.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { Visits } from './visits.ts';

/** A call of the past: the number of its actor, and its answer; null while it has none. */
interface PastCall {
  readonly number: number;
  answer: { readonly is: unknown } | null;
}

/** The turns of the event loop in which a graph has to come to its next step. */
const PATIENCE = 100;

/** Watches one entry on paper. */
export class PaperWatcher extends SilentWatcher {
  /** The numbers of the calls that meet the same. */
  readonly met = new Set<number>();
  readonly #change: Pick<PaperChange, 'hasActed'>;
  readonly #past: ReadonlyMap<string, PastCall>;
  readonly #visits = new Visits();
  #turn: RuntimeEvent | null;
  #beats = 0;
  #isOver = false;

  /** @param turn the event that brings the changed turn; null where the change is none of a turn. */
  constructor(change: Pick<PaperChange, 'steps' | 'hasActed'>, turn: RuntimeEvent | null) {
    super();
    this.#change = change;
    this.#past = callsOf(change);
    this.#turn = turn;
  }

  /** The graph goes no further on paper: nothing that it comes to counts from now on. */
  ends(): void {
    this.#isOver = true;
  }

  /** Resolves once the graph goes no further on paper. */
  async over(): Promise<void> {
    for (let waited = 0, before = -1; !this.#isOver && waited < PATIENCE; waited += 1) {
      if (before !== this.#beats) waited = 0;
      before = this.#beats;
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.ends();
  }

  override steps(_: ActorHandle, seen: readonly Microstep[]): void {
    this.#beats += 1;
    // Its turn has come.
    this.#turn = null;
    for (const { event, value } of seen) this.#visits.takes(event, value);
  }

  override call({ ref, input }: Call): Promise<unknown> {
    this.#beats += 1;
    const past = this.#past.get(this.#visits.nameOf((ref as { readonly id: string }).id));
    if (this.#isOver || past === undefined || !this.#change.hasActed(past.number, input)) return never();
    this.met.add(past.number);
    return past.answer === null ? never() : Promise.resolve(past.answer.is);
  }

  override toComeAgain(): readonly RuntimeEvent[] {
    return this.#turn === null ? [] : [this.#turn];
  }

  override async crashed(): Promise<void> {
    this.ends();
  }

  override holdsEnd(): boolean {
    this.ends();
    return true;
  }

  override endsTurn(): void {
    this.ends();
  }
}

/** The calls behind a change, by their lanes and visits. */
function callsOf({ steps }: Pick<PaperChange, 'steps'>): Map<string, PastCall> {
  const calls = new Map<string, PastCall>();
  const open = new Map<string, PastCall>();
  const visits = new Visits();
  for (const { event, value, started } of steps()) {
    visits.takes(event, value);
    const { actorId, output } = (event ?? {}) as { readonly actorId?: string; readonly output?: unknown };
    const answered = eventType(event) === '' || actorId === undefined ? undefined : open.get(actorId);
    if (answered !== undefined) answered.answer = { is: output };
    for (const { id, number } of started) {
      const call = { number, answer: null };
      open.set(id, call);
      calls.set(visits.nameOf(id), call);
    }
  }
  return calls;
}
