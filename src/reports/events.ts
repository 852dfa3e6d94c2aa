/**
 * The events that a run was sent from outside, each with its present content and its fate: a function of the journal
 * (semantics.md ST1).
 */
import { INPUT } from '../model/message-entries.ts';
import { eventType } from '../model/reply-event.ts';
import { type Fate, nameOfStep } from '../projection/received.ts';
import type { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';

/** An event of a run. */
export interface RunEvent {
  /** The name of the event: its sender's id, the number of its message (`#12`) or of its step (`@12`), or `input`. */
  readonly name: string;
  readonly type: string;
  /** The whole event as it is now, redacted; null where no step and no list has it. */
  readonly event: unknown;
  readonly by: string | null;
  /** The number of times that it was revised. */
  readonly version: number;
  readonly is: Fate;
  /** The reason why it was refused; null where it was not. */
  readonly why: string | null;
  /** The name of the event that this event replaces from its own place on; null if it replaces none. */
  readonly instead: string | null;
}

/**
 * Lists the events of a run: the input first, the events taken in their order, then the events that wait, and the
 * events that the run never took.
 */
export function eventsOf(runState: RunState): RunEvent[] {
  const { places, received, toRedeliver, held } = runState;
  const taken = places.steps.all.filter((step) => step.isOutside && step.actor === 0);
  const listed: RunEvent[] = [];
  const [first] = places.steps.all;
  if (first !== undefined) listed.push(inputOf(first, runState));
  for (const step of taken) listed.push(shownOf(nameAt(step, runState), step.outside, 'taken', runState));
  for (const [waiting, is] of [[toRedeliver, 'taken_back'] as const, [held, 'held'] as const])
    for (const { name, event } of waiting) if (name !== null) listed.push(shownOf(name, event, is, runState));
  const named = new Set(listed.map(({ name }) => name));
  const others = received.all.filter(({ name }) => !named.has(name));
  return [...listed, ...others.map(({ name }) => shownOf(name, null, null, runState))];
}

/**
 * The events that a restore took back and that would meet other values now: their senders have to decide about them.
 */
export function waitingEvents(runState: RunState): RunEvent[] {
  return runState.toRedeliver.flatMap(({ name, event, confirmed }) =>
    name === null || confirmed ? [] : [shownOf(name, event, 'taken_back', runState)],
  );
}

function nameAt({ nth }: RecordedStep, { received }: RunState): string {
  return received.takenBy(nth)?.name ?? nameOfStep(nth);
}

function inputOf({ entry }: RecordedStep, { received, redaction }: RunState): RunEvent {
  const { input } = (entry?.event ?? {}) as { readonly input?: unknown };
  const version = received.get(INPUT)?.version ?? 0;
  const none = { by: null, version, is: 'taken', why: null, instead: null } as const;
  return { name: INPUT, type: INPUT, event: redaction.value(input), ...none };
}

function shownOf(name: string, event: unknown, is: Fate | null, { received, redaction }: RunState): RunEvent {
  const known = received.get(name);
  const type = event === null ? (known?.event ?? '') : eventType(event);
  const { by = null, version = 0, why = null } = known ?? {};
  const said = { by: by === null ? null : redaction.text(by), why: why === null ? null : redaction.text(why) };
  const instead = known?.instead ?? null;
  return { name, type, event: redaction.value(event), version, is: is ?? known?.is ?? 'taken', ...said, instead };
}
