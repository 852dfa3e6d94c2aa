/** The reason why a run does not go on by itself, for who waits for an answer of it. */
import type { Refusal } from '../model/veto.ts';
import type { Ending } from './report.ts';

/** The codes of a run that does not go on by itself. */
type StandstillCode = 'run_parked' | 'paused' | 'run_cancelled';

/** A code, and the text for a person. */
export interface Standstill {
  readonly code: StandstillCode;
  readonly text: string;
}

/** True for a run that goes on only once a person has acted. */
export function isStill(status: string): boolean {
  return status === 'parked' || status === 'stuck' || status === 'paused';
}

/** Tells of a thread that takes no turn before a person has acted. */
export function noTurn(status: string): Standstill {
  const text = `The thread is ${status}, and takes no turn before a person has acted: no input was taken. See finished(), or "belay show".`;
  const isEnded = status === 'cancelled' || status === 'compensated';
  return { code: status === 'paused' ? 'paused' : isEnded ? 'run_cancelled' : 'run_parked', text };
}

/** Tells of a run that does not go on by itself. */
export function standstill(ending: Exclude<Ending, { status: 'done' }>): Standstill {
  if (ending.status === 'cancelled')
    return {
      code: 'run_cancelled',
      text: `The run was cancelled by ${JSON.stringify(ending.by)}: it goes on no more.`,
    };
  if (ending.status === 'compensated')
    return {
      code: 'run_cancelled',
      text: `The run was aborted by ${JSON.stringify(ending.by)}: what could be undone is, and it goes on no more.`,
    };
  if (ending.status === 'paused')
    return {
      code: 'paused',
      text: `The run was paused by ${JSON.stringify(ending.by)}: unpause it, and then call invoke() again.`,
    };
  const { decision } = ending;
  const why =
    decision.verdict === 'escalate' ? [...new Set(decision.refusals.flatMap(codesOf))].join(', ') : decision.verdict;
  const errors = ending.status === 'parked' ? ending.over : [ending.error];
  const lines = errors.map((error) => error.split('\n', 1)[0] as string).filter((line) => line !== '');
  const over = lines.length === 0 ? '' : ` over ${lines.map((line) => `"${line}"`).join(' and ')}`;
  const text = `The run is ${ending.status} (${why})${over}, and stands still until a person acts: see finished(), or "belay show". Then call invoke() again.`;
  return { code: 'run_parked', text };
}

/** The codes of a refusal: its own, or those of the vetoes against a checkpoint. */
function codesOf(refusal: Refusal): readonly string[] {
  return 'code' in refusal ? [refusal.code] : refusal.adds.map(({ code }) => code);
}
