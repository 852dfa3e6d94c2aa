/** The view that a rehearsal has of a run: its calls, its events, and what its journal says about both, in order. */
import { isDeepStrictEqual } from 'node:util';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import type { StoredRow } from '../../journal/journal.ts';
import type { Entry } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import { instanceName } from '../../model/instance.ts';
import { answeringChild } from '../../model/reply-event.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { stateText } from '../../reports/timeline.ts';
import type { CallSite, WrongFault } from '../faults/fault.ts';

/** A call of a tool, as it reached the world. */
export interface ObservedCall extends CallSite {
  readonly args: unknown;
  readonly key: string | null;
  /** The number of the moment at which it left, from 1. */
  readonly moment: number;
  /** The time at which it left, in milliseconds. */
  readonly time: number;
  /** The ticks at which the call left and was answered; null while it is under way. */
  readonly left: number;
  back: number | null;
  /** The answer that the machine received; absent while nothing was. */
  answer?: { readonly output: unknown };
  /** True once the tool looked at its idempotency key. */
  tookKey: boolean;
  /** True once the tool itself answered: it has acted, if it acts. */
  acted: boolean;
  /** True once a step of the machine heard the answer. */
  heard: boolean;
}

/** A delayed event that was armed: the nth of its name. */
export interface ObservedTimer {
  readonly name: string;
  readonly nth: number;
  /** The time at which it is due, in milliseconds. */
  readonly due: number;
  rang: boolean;
  /** The tick of the arming, and the tick of the ringing or cancelling; null while the delay is armed. */
  readonly armed: number;
  gone: number | null;
}

/** An answer that a step heard, and the keys of the context that the step wrote for an instance. */
export interface Hearing {
  readonly call: ObservedCall;
  readonly instance: InstanceId;
  readonly keys: readonly string[];
  /** The place in the order of hearings and boundaries. */
  readonly order: number;
}

/** A boundary that was certified. */
export interface Certified {
  readonly instance: InstanceId;
  readonly boundary: string;
  readonly kind: 'commit' | 'exit' | 'outcome';
  readonly order: number;
  /** The number of moments before it. */
  readonly moment: number;
}

/** A thing that a process notes as it happens, for the process after it. */
export type Note =
  | { readonly told: string }
  | { readonly call: ObservedCall }
  /** The call of this number, from 0, has acted. */
  | { readonly acted: number }
  | { readonly sent: number };

/** Observes one run. */
export class Observation {
  readonly calls: ObservedCall[] = [];
  readonly timers: ObservedTimer[] = [];
  readonly hearings: Hearing[] = [];
  /** The events that told the machine itself of the ends of its actors. */
  readonly answers: { readonly type: string; readonly output: unknown }[] = [];
  readonly certified: Certified[] = [];
  /** The calls that were answered, or refused, for an act that was made before (semantics.md ON2, ON3). */
  readonly repeats: { readonly key: string; readonly tool: string; isRefused: boolean }[] = [];
  /** The events, a line each. */
  readonly timeline: string[] = [];
  /** Calls that leave and events that are sent so far. */
  moments = 0;
  /** The moment at which the wrong answer was found; 0 before, and in a run without one. */
  foundAt = 0;
  /** The number of events of the path that were sent. */
  sent = 0;
  /** The moments of the events of the path. */
  readonly sentAt: number[] = [];
  readonly #note: (note: Note) => void;
  readonly #reader = new EntryDecoder();
  #order = 0;
  #ticks = 0;

  /**
   * @param note keeps a note for the process that takes the run up.
   * @param before the notes of the processes before.
   */
  constructor(note: (note: Note) => void = () => {}, before: readonly Note[] = []) {
    this.#note = () => {};
    for (const each of before) {
      if ('told' in each) this.tell(each.told);
      if ('call' in each) this.call(each.call);
      if ('acted' in each) this.act(each.acted);
      if ('sent' in each) this.sent = each.sent;
    }
    this.#note = note;
  }

  /** A call leaves. */
  call(call: ObservedCall): void {
    this.calls.push(call);
    this.#note({ call });
  }

  /** A call has acted. */
  act(index: number): void {
    const call = this.calls[index];
    if (call !== undefined) call.acted = true;
    this.#note({ acted: index });
  }

  /** An event of the path is sent. */
  send(): void {
    this.sentAt[this.sent] = this.moments;
    this.sent += 1;
    this.#note({ sent: this.sent });
  }

  /**
   * The work that a complaint about a wrong answer names: who has heard it in this run, else who heard it in the run
   * without faults.
   */
  suspectOf({ tool, nth, instance, key }: WrongFault): Pick<WrongFault, 'instance' | 'key'> {
    const heard = this.hearings.find(({ call, keys }) => call.tool === tool && call.nth === nth && keys.length > 0);
    if (heard === undefined) return { instance, key };
    return { instance: heard.instance, key: key === null ? null : (heard.keys[0] ?? key) };
  }

  /** The next tick: calls and delays happen in their order. */
  tick(): number {
    this.#ticks += 1;
    return this.#ticks;
  }

  /** Adds a line to the timeline. */
  tell(text: string): void {
    if (this.timeline.length >= 400) return;
    this.timeline.push(text);
    this.#note({ told: text });
  }

  /** Takes a row of the journal in; an old one was told by the process that wrote it. */
  row(row: StoredRow, isOld: boolean): void {
    const entry = this.#reader.entry(row);
    if (entry !== null && !isOld) this.#entry(entry);
  }

  #entry(entry: Entry): void {
    if (entry.do === 'step') this.#step(entry);
    if (entry.do === 'intent' && entry.repeats !== undefined)
      this.repeats.push({ key: entry.key, tool: entry.tool, isRefused: false });
    if (entry.do === 'outcome' && entry.status === 'failed')
      for (const call of this.repeats) call.isRefused ||= call.key === entry.key;
    if (entry.do === 'outcome' && entry.status !== 'confirmed' && entry.status !== 'buffered')
      this.tell(`the call of ${this.#toolOf(entry.key)} is ${entry.status}`);
    if (entry.do === 'claimed') this.tell(`the replay takes over ${instanceName(entry.instance)}`);
    if (entry.do === 'phase' && entry.phase === 'COMPENSATING')
      this.tell(`${this.#toolOf(entry.effect ?? '')} is undone`);
    if (entry.do === 'end') this.tell('the run ends');
  }

  #toolOf(key: string): string {
    const call = this.calls.find((each) => each.key === key);
    return call === undefined ? 'a tool' : `${call.tool}#${call.nth}`;
  }

  #step(step: StepEntry): void {
    this.#hear(step);
    this.tell(`state ${stateText(step.value)}`);
    let index = 0;
    for (const mark of step.marks) {
      if (mark.do !== 'boundary') continue;
      const boundary = step.boundaries[index] ?? '';
      index += 1;
      this.#order += 1;
      const { in: instance, kind } = mark;
      this.certified.push({ instance, boundary, kind, order: this.#order, moment: this.moments });
      if (boundary !== '') this.tell(`${instanceName(instance)} certifies ${boundary}`);
    }
  }

  #hear({ actor, event, marks }: StepEntry): void {
    const { type, output } = event as { type: string; output?: unknown };
    if (answeringChild(type) === null) return;
    if (actor === 0) this.answers.push({ type, output });
    const call = this.calls.find(
      ({ heard, answer }) => !heard && answer !== undefined && isDeepStrictEqual(plain(answer.output), plain(output)),
    );
    if (call === undefined) return;
    call.heard = true;
    this.#order += 1;
    const writes = marks.flatMap((mark) => (mark.do === 'write' ? [mark] : []));
    const names = new Map(writes.map((write) => [instanceName(write.in), write.in]));
    for (const [name, instance] of names) {
      const own = writes.filter((write) => instanceName(write.in) === name).map(({ key }) => key.text);
      // The machine did not receive values outside of the context.
      const keys = own.filter((key) => !/^[a-z][a-z0-9+.-]*:/.test(key));
      this.hearings.push({ call, instance, keys, order: this.#order });
    }
  }
}

/** A value as plain data: what JSON keeps of it. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (each instanceof Map) return { map: [...each] };
    if (each instanceof Set) return { set: [...each] };
    if (typeof each === 'number' && !Number.isFinite(each)) return String(each);
    return each;
  });
  return text === undefined ? null : JSON.parse(text);
}
