/** The errors of a loop: a turn that is not taken, or a tool that cannot be guarded. */
import { CodedError } from '../model/coded-error.ts';

/** The reasons why a turn is not taken, or a tool is refused. */
export type LoopErrorCode =
  /** A turn is open, and another input was handed in. */
  | 'turn_open'
  /** A turn of the run has that id, and another input. */
  | 'turn_differs'
  /** The turn of that id is over, and others came behind it. */
  | 'turn_over'
  /** The turn of that id was retracted. */
  | 'turn_retracted'
  /** The run stands still until a person acts. */
  | 'run_parked'
  /** A person has paused the run: it goes on once a person says so. */
  | 'paused'
  /** A person has ended the run. */
  | 'run_cancelled'
  /** The loop has returned: it receives nothing more. */
  | 'run_over'
  /** A tool or a model that could not be held to what the journal has. */
  | 'unsupported_tool';

/** A turn is not taken, or a tool is refused. */
export class LoopError extends CodedError<LoopErrorCode> {
  override readonly name = 'LoopError';
}
