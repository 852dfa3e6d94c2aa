/** The errors of a flow: a turn that is not taken, or not answered. */
import { CodedError } from '../model/coded-error.ts';

/** The reasons why the input of a turn is not taken, or is not answered. */
export type FlowErrorCode =
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
  /** The flow has returned: it receives nothing more. */
  | 'run_over';

/** A turn is not taken, or not answered. */
export class FlowError extends CodedError<FlowErrorCode> {
  override readonly name = 'FlowError';
}
