/** The error of the sidecar for a request that it refuses, with a code. */
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
  /** The program takes only reviewed configs, and no person has reviewed this content. */
  | 'config_unreviewed'
  /** The config names a buffer or a check that the program does not bring, or the program has misspelt a name. */
  | 'not_registered'
  /** The config redacts values, and the given journal is not encrypted. */
  | 'redaction_needs_encryption'
  /** The machine's states or edges differ from those of the run's journal. */
  | 'machine_changed'
  /** The run was journaled under another config. */
  | 'config_changed'
  /** The run goes on under another release than the caller's. */
  | 'moved'
  /** The run was begun with another input. */
  | 'other_input'
  /** The name of a codec is invalid, or taken by another codec. */
  | 'bad_codec'
  /** The run has journaled values with a codec that was not given. */
  | 'codec_missing'
  /** To go on, the run needs a value that no journal could hold. */
  | 'memory_lost'
  /** A pool of the config has another limit in the store (ER13). */
  | 'pool_limit_differs'
  /** The config names a pool, and the store has none. */
  | 'pools_unsupported'
  /** The config names a sandbox, and the runtime, the store or a fork has none (SB8). */
  | 'sandboxes_unsupported'
  /** Another run has meanwhile claimed a key that this run has touched. */
  | 'claimed'
  /** A failure with an unknown signal, key or instance. */
  | 'bad_failure'
  /** A complaint about a turn that has ended: a person has read its answer (RC3). */
  | 'said_to_person'
  /** An outcome for a call that was never made, or that the journal contradicts. */
  | 'bad_settlement'
  /** A call that no person can make by hand (PE5). */
  | 'not_suppliable'
  /** Another event was sent under the same id. */
  | 'message_differs'
  /** The run received no event of that name. */
  | 'event_unknown'
  /** A rerun that no decision advises. */
  | 'not_advised'
  /** A mandate that is over or was given before, or a withdrawal without a mandate; the message says which. */
  | 'mandate_refused'
  /** An undo has failed; until it is made, the run decides nothing else. */
  | 'stuck'
  /** The run has ended. */
  | 'run_finished'
  /** The run cannot be forked at that row: something is under way there (FK1). */
  | 'fork_refused'
  /** The attempt cannot be kept: another attempt was kept, this one is over, or the run is no attempt (FK9). */
  | 'keep_refused'
  /** A person has paused the run: it is not taken up before `unpause` (LC10). */
  | 'paused'
  /** A person has ended the run before it had begun. */
  | 'run_cancelled';

/** The sidecar refuses. */
export class SidecarError extends CodedError<SidecarErrorCode> {
  override readonly name = 'SidecarError';
}
