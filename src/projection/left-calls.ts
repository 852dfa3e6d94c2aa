/** Acts that stand in the world and that the past of a run does not have: the machine left them without their answers (semantics.md PA11). */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { StandingAct } from './aborted.ts';
import type { RunState } from './run-state.ts';

/** True for a call that has happened and whose answer the machine never received and no longer waits for. */
export function isLeft(runState: RunState, { status, at, isAnswered, repeats, intent }: LedgerCall): boolean {
  if (status !== 'confirmed' || at === null || isAnswered || repeats !== null) return false;
  return runState.actor(intent.actor).ended !== null;
}

/** The calls that the machine left and that have happened, in the order of their intents. */
export function leftCalls(runState: RunState): LedgerCall[] {
  return [...runState.ledger.all()].filter((call) => isLeft(runState, call));
}

/** The keys of the acts that stand and that no work of the run has: no replay has taken them over (C9), or the machine left them. */
export function keysLeft(runState: RunState): string[] {
  const { ledger } = runState;
  const displaced = ledger.displaced().filter(({ status }) => status === 'confirmed');
  const discarded = [...ledger.all()].filter(({ stands, status }) => stands && status === 'confirmed');
  return [...displaced, ...discarded, ...leftCalls(runState)].map(({ key }) => key);
}

/** The standing calls of an aborted run, each with the reason, and with the undone calls that it rested on. */
export function standingActs({ aborted, ledger }: RunState): StandingAct[] {
  const standing = [...aborted.stands].filter(([key]) => ledger.get(key)?.status === 'confirmed');
  return standing.map(([key, stands]) => {
    const gone = stands.on.filter((other) => ledger.get(other)?.status === 'compensated');
    return { key, ...stands, gone };
  });
}
