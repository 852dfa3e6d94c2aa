/** Reads microsteps out of xstate, and makes the reports for a run. */
import type { AnyActorLogic, AnyActorRef, AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { isDelay } from '../../model/reply-event.ts';
import type { Child, Microstep } from '../../runtime/microstep.ts';
import { isInline, isRaising, isSending, maySend, tellsStateDone } from '../events.ts';
import { kindOf } from '../shape.ts';
import { activeNodes, remembered, runs } from '../structure.ts';
import type { DelayedEvents } from '../timers.ts';
import { toolOf } from '../toolbox.ts';
import { type Announcements, isMachine, type Micro } from './announcements.ts';
import { Control } from './control.ts';
import type { Layout } from './layout.ts';

const NONE: readonly never[] = [];

/** Reads the microsteps of one machine and of the machines that it invokes. */
export class MicrostepReader {
  readonly #layout: Layout;
  readonly #announcements: Announcements;
  readonly #delayed: DelayedEvents;
  readonly #control: Control;

  /** @param delayed the delayed events of no state that are on their way. */
  constructor(layout: Layout, announcements: Announcements, delayed: DelayedEvents) {
    this.#delayed = delayed;
    this.#layout = layout;
    this.#announcements = announcements;
    this.#control = new Control(layout);
  }

  /** The microsteps that one event caused, from where the actor stood. */
  steps(start: AnyMachineSnapshot | null, micros: readonly Micro[]): Microstep[] {
    const steps: Microstep[] = [];
    for (let index = 0; index < micros.length; index += 1) steps.push(this.#step(start, micros, index));
    return steps;
  }

  #step(start: AnyMachineSnapshot | null, micros: readonly Micro[], index: number): Microstep {
    const { event, snapshot, transitions, sent } = micros[index] as Micro;
    const before = index === 0 ? start : (micros[index - 1] as Micro).snapshot;
    const control = this.#control.step(before, snapshot, transitions);
    const isRemembered = before !== null && before.historyValue === snapshot.historyValue;
    const source = index === 0 ? this.#announcements.sourceOf(event) : null;
    const tells = sent.length === 0 ? NONE : sent.flatMap(sourceTold);
    return {
      turn: control.kept ? control : undefined,
      event,
      before: control.before,
      after: control.after,
      entered: control.entered,
      hears: control.hears,
      sources: control.sources,
      contextBefore: before?.context,
      context: snapshot.context,
      value: control.value,
      remembered: isRemembered ? null : remembered(snapshot),
      done: snapshot.status === 'done',
      output: snapshot.output,
      bare: control.quiet && before !== null && before.context === snapshot.context,
      started: this.#started(before, snapshot),
      outside: this.#announcements.takeOutside(event),
      gone: goneBetween(before, snapshot),
      moves: control.moves,
      looks: control.looks,
      parts: transitions.length < 2 ? NONE : this.#control.parts(before, snapshot, transitions),
      raisedBack: index === 0 ? NONE : raisedBack(micros, index, start),
      sends: start === null ? runs(maySend, before, snapshot, transitions) : sent.some(isSentAtOnce),
      told: sent.length === 0 ? NONE : sent.flatMap(told),
      fired: (index === 0 ? this.#delayed.of(event) : undefined) ?? null,
      sender: index === 0 ? this.#announcements.senderOf(event) : null,
      ...(source !== null && { source }),
      ...(tells.length > 0 && { tells }),
    };
  }

  #started(before: AnyMachineSnapshot | null, after: AnyMachineSnapshot): readonly Child[] {
    if (before?.children === after.children) return NONE;
    const started: Child[] = [];
    for (const [id, ref] of Object.entries(after.children) as [string, AnyActorRef | undefined][]) {
      if (ref === undefined || before?.children[id] === ref) continue;
      const node = activeNodes(after).find((active) => active.invoke.some((invoke) => invoke.id === id));
      const { logic, options } = ref as unknown as {
        logic: AnyActorLogic;
        options: { input?: unknown; systemId?: string };
      };
      const told = kindOf(logic);
      const name = typeof ref.src === 'string' && !isInline(ref.src) ? ref.src : null;
      // A machine without a name is not watched: like every source, it cannot be put back.
      const kind = told === 'promise' || (told === 'machine' && name !== null) ? told : 'other';
      const { tool: src, input } =
        name === null ? { tool: null, input: options.input } : toolOf(name, logic, options.input);
      const place = node === undefined ? null : this.#layout.of(node);
      const named = place === null && options.systemId !== undefined ? { systemId: options.systemId } : {};
      started.push({ ref, id, src, place, kind, input, ...named });
    }
    return started;
  }
}

function isSentAtOnce({ type, params }: Micro['sent'][number]): boolean {
  return isSending(type) && typeof params.delay !== 'number';
}

/** The event that an action sends to another machine, or schedules for later where it belongs to no state. */
function told(sent: Micro['sent'][number]): readonly AnyEventObject[] {
  const { event, delay } = sent.params;
  return isSentAtOnce(sent) || (typeof delay === 'number' && !isDelay(event.type)) ? [event] : NONE;
}

/** The actor that an action sends an event to, now or later, where that is no machine. */
function sourceTold({ type, params: { to } }: Micro['sent'][number]): readonly AnyActorRef[] {
  return isSending(type) && isActor(to) && !isMachine(to) ? [to] : NONE;
}

function isActor(to: unknown): to is AnyActorRef {
  return typeof to === 'object' && to !== null && 'logic' in to;
}

function goneBetween(before: AnyMachineSnapshot | null, after: AnyMachineSnapshot): readonly AnyActorRef[] {
  if (before === null || before.children === after.children) return NONE;
  return (Object.entries(before.children) as [string, AnyActorRef | undefined][]).flatMap(([id, ref]) =>
    ref === undefined || after.children[id] === ref ? [] : [ref],
  );
}

/** The microsteps that took the machine somewhere: what no state heard is no step, also where other steps came before it. */
export function taken(micros: readonly Micro[], start: AnyMachineSnapshot | null): readonly Micro[] {
  if (micros.length === 1 && (micros[0] as Micro).transitions.length > 0) return micros;
  return micros.filter(
    ({ transitions, snapshot: after }, index) =>
      transitions.length > 0 || after !== (micros[index - 1]?.snapshot ?? start),
  );
}

/**
 * The microsteps, counted back, that may have raised the event of a microstep; none for an eventless one, or for an
 * event from elsewhere.
 */
function raisedBack(micros: readonly Micro[], index: number, start: AnyMachineSnapshot | null): number[] {
  const { event, transitions } = micros[index] as Micro;
  const first = micros[0] as Micro;
  const isOwn = event === first.event || transitions.every(({ eventType }) => eventType === '');
  if (isOwn || tellsStateDone(event.type)) return [];
  const earlier = micros
    .slice(0, index)
    .map((micro, at) => ({ micro, back: index - at, from: micros[at - 1]?.snapshot ?? start }));
  const raising = earlier.filter(({ micro, from }) => runs(isRaising, from, micro.snapshot, micro.transitions));
  return (raising.length > 0 ? raising : earlier).map(({ back }) => back);
}
