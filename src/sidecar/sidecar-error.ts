/** The errors of a sidecar whose caller asked for something impossible. */
import { CodedError } from '../model/coded-error.ts';

/** The reasons why a sidecar cannot be attached, or a run not taken up. */
export type SidecarErrorCode =
  /** The config has errors; the message lists them. */
  | 'config_refused'
  /** The config is for another agent than the machine. */
  | 'other_agent'
  /** The states of a skeleton lie in two machines; a unit lives and is restored in one. */
  | 'skeleton_over_machines'
  | 'revalidate_unsupported'
  /** A boundary of the config has a judge, and the program is no machine (JU1). */
  | 'judge_unsupported'
  /** The machine does not fit the alternatives of the config, or the runtime has none (AL2, AL4). */
  | 'alternatives_refused'
  /** Only reviewed configs are wanted, and no person has vouched for this content. */
  | 'config_unreviewed'
  /** The config names a buffer or a check that the program does not bring, or the program has misspelt a name. */
  | 'not_registered'
  /** The config redacts values, and the journal that was given would keep them readable. */
  | 'redaction_needs_encryption'
  /** The machine's states or edges are not those that the run was journaled under. */
  | 'machine_changed'
  /** The run was journaled under another config, so a decision of this config would not be about that run. */
  | 'config_changed'
  /** The run goes on under another release than the caller's. */
  | 'moved'
  /** The run was begun with another input. */
  | 'other_input'
  /** The name of a codec is none, or that of another. */
  | 'bad_codec'
  /** The run has journaled values with a codec that was not given. */
  | 'codec_missing'
  /** A value that no journal could hold is needed to go on. */
  | 'memory_lost'
  /** A pool of the config has another limit in the store (ER13). */
  | 'pool_limit_differs'
  /** The config names a pool, and the store has none. */
  | 'pools_unsupported'
  /** The config names a sandbox, and the runtime, the store or a fork has none (SB8). */
  | 'sandboxes_unsupported'
  /** Another run owns by now what the run has touched. */
  | 'claimed'
  /** A signal, key or instance that is none. */
  | 'bad_failure'
  /** A complaint about work of a turn that has ended: a person has read what it said (RC3). */
  | 'said_to_person'
  /** A word about a call that was never made, or that the journal contradicts. */
  | 'bad_settlement'
  /** A call whose act no person can make in its place (PE5). */
  | 'not_suppliable'
  /** Another event was sent under the same id. */
  | 'message_differs'
  /** The run was sent no event of that name. */
  | 'event_unknown'
  /** A rerun that no decision advises. */
  | 'not_advised'
  /** A mandate that is over or was given before, or a withdrawal of none; the message says which. */
  | 'mandate_refused'
  /** An undo has failed, and nothing else is decided before it is done. */
  | 'stuck'
  /** The run has ended: nothing of it is redone. */
  | 'run_finished'
  /** The past of the run cannot be shared with a fork at that row: something is under way there (FK1). */
  | 'fork_refused'
  /** The attempt cannot be kept: another one was, or it is over, or the run is no attempt (FK9). */
  | 'keep_refused'
  /** A person has paused the run: it is not taken up before a person has it go on (LC10). */
  | 'paused'
  /** A person has ended the run before it had begun. */
  | 'run_cancelled';

/** The sidecar refuses. */
export class SidecarError extends CodedError<SidecarErrorCode> {
  override readonly name = 'SidecarError';
}
