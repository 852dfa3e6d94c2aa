/** The errors of a rehearsal that cannot be made. */
import { CodedError } from '../model/coded-error.ts';

/** The reasons why an agent cannot be rehearsed. */
export type RehearsalErrorCode =
  /** The config has errors; the message lists them. */
  | 'config_refused'
  /** The world has no snapshot, so nothing can be judged. */
  | 'no_snapshot'
  /** Two runs did not begin in the same world. */
  | 'reset_leaves_something'
  /** Two runs without faults did not come to the same end. */
  | 'not_stable'
  /** Processes are to be killed, and the world does not say that it outlives them. */
  | 'world_in_process'
  /** The machine has no tools: no promise with a name. */
  | 'no_tools'
  /** A run without faults comes to rest, or goes on for ever, without an end. */
  | 'never_ends'
  /** A run without faults fails, or is parked. */
  | 'fails_without_faults'
  /** An option that is none, or names what is not there. */
  | 'bad_option';

/** The agent cannot be rehearsed. The message says what to change. */
export class RehearsalError extends CodedError<RehearsalErrorCode> {
  override readonly name = 'RehearsalError';
}
