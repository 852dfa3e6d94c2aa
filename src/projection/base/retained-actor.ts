/** An actor of a run; its beginning is read from the step that started it. */
import type { PlacedStep } from '../../history/step-lists.ts';
import type { Region } from '../../model/region.ts';
import type { HistoryValue, Started, StateValue } from '../../model/step-entry.ts';
import type { ActorState, RecordedStep } from '../state-types.ts';

/** Its beginning, where no step says it. */
interface Beginning {
  readonly started: Started | null;
  readonly event: unknown;
}

/** An actor of the run. */
export class RetainedActor implements ActorState {
  readonly number: number;
  readonly parent: number | null;
  readonly by: PlacedStep | null;
  readonly region: Region | null;
  last: unknown;
  context: unknown;
  value: StateValue;
  remembered: HistoryValue;
  sinceBase: number;
  begun: boolean;
  ended: PlacedStep | null;
  readonly #own: Beginning | null;

  /** @param of its members, and its beginning; null where the step that started it says that. */
  constructor(of: Omit<ActorState, 'started' | 'event' | 'isSaid'> & { readonly own: Beginning | null }) {
    this.number = of.number;
    this.parent = of.parent;
    this.by = of.by;
    this.region = of.region;
    this.last = of.last;
    this.context = of.context;
    this.value = of.value;
    this.remembered = of.remembered;
    this.sinceBase = of.sinceBase;
    this.begun = of.begun;
    this.ended = of.ended;
    this.#own = of.own;
  }

  get isSaid(): boolean {
    return this.#own === null;
  }

  get started(): Started | null {
    if (this.#own !== null) return this.#own.started;
    const by = this.by as RecordedStep | null;
    return by?.entry?.started[this.number - by.firstStarted] ?? null;
  }

  get event(): unknown {
    return this.#own === null ? (this.by as RecordedStep | null)?.entry?.event : this.#own.event;
  }
}
