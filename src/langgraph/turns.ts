/** The turns of a thread, as its caller begins them: which input is the next turn, and which one is a turn that there is (semantics.md RC1). */
import type { Execution } from './execution.ts';
import { GraphError } from './graph-error.ts';

/** The words of a caller about a turn. */
export interface TurnOptions {
  /** The name of the turn, that of the message for instance: handed in twice under one name, it is one turn. */
  readonly id?: string;
}

/**
 * Hands a thread the input of a turn: it is the next turn where the thread rests, and the turn that is open where it is that one once more.
 * @throws GraphError `turn_open`, `turn_differs`, `turn_over`; `run_parked` where the run takes none before a person has acted.
 */
export function handIn(execution: Execution, input: unknown, id: string | undefined, parked: () => GraphError): void {
  const is = execution.digestOf(input);
  const { turn } = execution;
  const known = id === undefined ? undefined : execution.turnNamed(id);
  if (turn?.isOpen === true && turn.id === id && (id !== undefined || turn.is === is)) {
    if (turn.is !== is) throw differs(id, turn.turn);
    return;
  }
  if (known !== undefined) {
    if (known.is !== is) throw differs(id, known.nth);
    // One that was taken back comes again by itself. The last turn is answered with the state that it has led to, which is that of the thread.
    if ((turn?.turn ?? 0) < known.nth || (turn?.isOpen === false && turn.turn === known.nth)) return;
    const text = `Turn ${known.nth}, ${JSON.stringify(id)}, is over, and others came behind it: see getState() for where the thread stands.`;
    throw new GraphError('turn_over', text);
  }
  if (!execution.isResting) {
    const text = `Turn ${turn?.turn ?? 0} of the thread is open, and this is another input: nothing of it was taken. Go on with that turn, by invoke() or by its own input, and send this one once it is over.`;
    throw new GraphError('turn_open', text);
  }
  if (!execution.receive(input, id)) throw parked();
}

function differs(id: string | undefined, nth: number): GraphError {
  return new GraphError('turn_differs', `Turn ${nth} has the id ${JSON.stringify(id)}, and another input.`);
}
