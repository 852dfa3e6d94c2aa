/** The turn of a loop, a flow or a thread that a message has begun: a function of the journal of its run (semantics.md RC7). */
import type { ReceivedEvent } from '../projection/received.ts';
import type { RunState } from '../projection/run-state.ts';

/** A turn, as who has left its message reads it. */
export interface MessageTurn {
  readonly nth: number;
  /** False while the run works on it, and where a restore has taken it back. */
  readonly isOver: boolean;
  /** What it has said, where it is over: redacted, and left out for a graph, whose state says it. */
  readonly said?: unknown;
}

/** The parts of a context that tell of turns. */
interface WithTurns {
  readonly __belay?: { readonly thread?: { readonly turn: number; readonly isOpen: boolean } };
  readonly said?: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
}

/** The turn that an event has begun; null where it has begun none that stands. */
export function turnOf({ step }: Pick<ReceivedEvent, 'step'>, runState: RunState): MessageTurn | null {
  if (step === null) return null;
  const taken = runState.places.steps.all.find(({ nth }) => nth === step);
  const { turn: nth } = (taken?.outside ?? {}) as { readonly turn?: unknown };
  const { __belay: own, ...context } = (runState.actor(0).context ?? {}) as WithTurns;
  if (typeof nth !== 'number' || own?.thread === undefined) return null;
  const { turn, isOpen } = own.thread;
  const isOver = turn > nth || (turn === nth && (!isOpen || 'output' in context));
  const said = context.said?.[nth];
  return { nth, isOver, ...(isOver && said !== undefined && { said: runState.redaction.value(said) }) };
}
