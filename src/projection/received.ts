/**
 * The events that a run was sent from outside, and the fate of each: a function of its journal (semantics.md CH1, CH2,
 * CH7).
 */
import type { HeldEntry, MessageEntry, Sent, SteeredEntry } from '../model/message-entries.ts';
import type { RecordedStep } from './state-types.ts';

/** The fate of an event. `taken_back`: a restore has taken its receipt back, and it comes again where it meets the same. `retracted`: it never was (ST2). */
export type Fate = 'held' | 'taken' | 'taken_back' | 'refused' | 'retracted';

/** An event from outside, as the journal knows it. */
export interface ReceivedEvent extends Sent {
  /** Its name: the id that its sender gave it, else the number of its message as `#12`. */
  readonly name: string;
  readonly post: number | null;
  readonly event: string;
  readonly by: string | null;
  is: Fate;
  /** The reason why it was refused; null where it was not. */
  why: string | null;
  /** The number of the step that took it; null where none stands. */
  step: number | null;
  /** The number of the first actor that its first receipt started or could have started; null before one. */
  since: number | null;
  /** The number of times that it was revised. */
  version: number;
  /** The acts on it that have a name, in order (ST2). */
  acts: readonly ActedOn[];
}

/** An act on an event, as it was answered. */
export interface ActedOn {
  readonly id: string;
  readonly digest: string | null;
  readonly refused: string | null;
}

/** The name of an event that has none of its own: that of the step that took it. */
export function nameOfStep(nth: number): string {
  return `@${nth}`;
}

/** The number of the step that a name is made of; null for any other name. */
export function stepOfName(name: string): number | null {
  return /^@\d{1,15}$/.test(name) ? Number(name.slice(1)) : null;
}

/** The name of an event by its sender's id, or by the number of its message; null where it has neither. */
function nameOf({ id, post }: { readonly id?: string; readonly post: number | null }): string | null {
  return id ?? (post === null ? null : `#${post}`);
}

/** The parts of an entry that say which event it is. */
type Note = Sent & Pick<MessageEntry, 'post' | 'by'>;

/** The received events of one run. */
export class Received {
  readonly #events = new Map<string, ReceivedEvent>();
  readonly #bySteps = new Map<number, string>();

  /** The name of the event that the next step from outside takes. */
  #next: string | null = null;
  #thrown: string | null = null;
  /** The acts on events, by the names that their senders gave them. */
  readonly #acts = new Map<string, ActedOn & { readonly of: string }>();

  /** Every event that has a name, in the order of its first entry. */
  get all(): readonly ReceivedEvent[] {
    return [...this.#events.values()];
  }

  get(name: string): ReceivedEvent | undefined {
    return this.#events.get(name);
  }

  /** The event that a step took; undefined where it has no name. */
  takenBy(step: number): ReceivedEvent | undefined {
    return this.#events.get(this.#bySteps.get(step) ?? '');
  }

  /** Goes on from what a base holds. */
  resumeAt(events: readonly ReceivedEvent[]): void {
    for (const event of events) {
      this.#events.set(event.name, { ...event });
      if (event.step !== null) this.#bySteps.set(event.step, event.name);
      for (const act of event.acts) this.#acts.set(act.id, { ...act, of: event.name });
    }
  }

  /** An act on an event by the name that its sender gave it; undefined where none has the name. */
  act(id: string): (ActedOn & { readonly of: string }) | undefined {
    return this.#acts.get(id);
  }

  /** Notes an act on an event. One that had no name has that of its step from here on. */
  steered({ of, act, type, id, digest, refused, version }: SteeredEntry): void {
    const step = stepOfName(of);
    const unnamed = {
      name: of,
      post: null,
      event: type,
      by: null,
      is: 'taken',
      why: null,
      since: null,
      version: 0,
      acts: [],
    } as const;
    // A refusal makes no event of a name that none has.
    if (refused !== null && !this.#events.has(of)) return;
    const known = this.#events.get(of) ?? { ...unnamed, step };
    if (id !== undefined) {
      const acted = { id, digest: digest ?? null, refused };
      this.#acts.set(id, { ...acted, of });
      known.acts = [...known.acts, acted];
    }
    if (!this.#events.has(of)) {
      this.#events.set(of, known);
      if (step !== null) this.#bySteps.set(step, of);
    }
    if (refused !== null) return;
    known.version = version;
    if (act === 'retract') known.is = 'retracted';
  }

  /** The run holds an event. @returns its name. */
  hold(entry: HeldEntry): string | null {
    const type = String((entry.event as { readonly type?: unknown }).type);
    return this.#note(entry, type)?.name ?? null;
  }

  /**
   * An event was sent to the root, or refused. One whose id was taken has no id in its entry: it is known by the number of its message.
   * @returns the name of the event that was told of; null where it has none.
   */
  told(entry: MessageEntry): string | null {
    this.#next = null;
    const event = this.#events.get(nameOf(entry) ?? '') ?? this.#note(entry, entry.event);
    if (event === undefined) return null;
    event.is = entry.refused === null ? 'taken' : 'refused';
    event.why = entry.refused;
    if (entry.refused === null) this.#next = event.name;
    return event.name;
  }

  /** A step has taken an event from outside. @param again the name of the event that was taken back and comes again. */
  taken({ nth: step, firstStarted }: Pick<RecordedStep, 'nth' | 'firstStarted'>, again: string | null): void {
    const name = this.#next ?? again;
    this.#next = null;
    const event = name === null ? undefined : this.#events.get(name);
    if (event === undefined) return;
    event.is = 'taken';
    event.step = step;
    event.since ??= firstStarted;
    this.#bySteps.set(step, event.name);
  }

  /** An event never was: an act on another one says so. */
  retract(name: string): void {
    const event = this.#events.get(name);
    if (event !== undefined) event.is = 'retracted';
  }

  /** A step that took an event does not stand any more. @returns the name of the event. */
  undone(step: number): string | null {
    const name = this.#bySteps.get(step);
    const event = name === undefined ? undefined : this.#events.get(name);
    if (event === undefined) return null;
    this.#bySteps.delete(step);
    if (event.is !== 'retracted') event.is = 'taken_back';
    event.step = null;
    return event.name;
  }

  /** The step threw that was to take the event which was sent last: the event comes again with a retry (TH6). */
  threw(): void {
    const event = this.#next === null ? undefined : this.#events.get(this.#next);
    if (event !== undefined) event.is = 'taken_back';
    this.#thrown = this.#next;
    this.#next = null;
  }

  /** The name of the event whose step threw last. */
  get thrown(): string | null {
    return this.#thrown;
  }

  /** A step was done again as another one, by a claim. */
  moved(before: number, now: number): void {
    const name = this.#bySteps.get(before);
    const event = name === undefined ? undefined : this.#events.get(name);
    if (event === undefined) return;
    this.#bySteps.delete(before);
    event.step = now;
    this.#bySteps.set(now, event.name);
  }

  #note({ id, digest, seen, instead, post, by }: Note, type: string): ReceivedEvent | undefined {
    const name = nameOf({ post, ...(id !== undefined && { id }) });
    if (name === null) return undefined;
    const sent = {
      ...(id !== undefined && { id }),
      ...(digest !== undefined && { digest }),
      ...(seen && { seen }),
      ...(instead !== undefined && { instead }),
    };
    const event: ReceivedEvent = {
      name,
      post,
      event: type,
      by,
      ...sent,
      is: 'held',
      why: null,
      step: null,
      since: null,
      version: 0,
      acts: [],
    };
    this.#events.set(name, event);
    return event;
  }
}
