/**
 * The functions by which the sidecar asks about the world and changes it back: what a program registers beside its tools, by the names
 * that its config uses (semantics.md E2, E4, E5). Every function here may be asked again with the same keys, after a crash too.
 */

/** The answer of a counterparty about a call, asked with the same key. `not_applied` is final: it will not happen later. */
export type ReconcileResult =
  | { readonly is: 'applied'; readonly output?: unknown }
  | { readonly is: 'not_applied' }
  | { readonly is: 'unknown' };

/** Asks a counterparty whether a call happened: read-only, and asked again a few times when it throws. */
export type Reconciler = (call: {
  readonly key: string;
  readonly tool: string;
  readonly args: unknown;
  /** The wall clock at which the call was about to leave, in milliseconds. A run always tells it. */
  readonly calledAt?: number;
  /** The handle of the sandbox that its tool works in; left out where it works in none. */
  readonly sandbox?: unknown;
}) => Promise<ReconcileResult> | ReconcileResult;

/** A confirmed call that is to be undone. */
export interface UndoCall {
  readonly key: string;
  /** Names the decision to undo it. */
  readonly undoKey: string;
  readonly tool: string;
  readonly args: unknown;
  readonly output: unknown;
  /** The handle of the sandbox that its tool works in; left out where it works in none, and before the undo. */
  readonly sandbox?: unknown;
}

/**
 * Undoes a confirmed call: an inverse or a compensation. The sidecar may call it again, with the same key, until it has
 * succeeded.
 */
export type Undo = (call: UndoCall) => Promise<void> | void;

/**
 * An undo that can tell beforehand whether it still works: a later change of the same thing may prevent it (§6,
 * reversible).
 */
export interface Inverse {
  readonly undo: Undo;
  /**
   * Read-only: why it cannot be undone any more, or null. A call that cannot is demoted, and blocks like one without an undo.
   * `undoneBefore` are the keys of the later calls that the same plan undoes before this one; left out, there are none.
   */
  moved(call: UndoCall & { readonly undoneBefore?: readonly string[] }): Promise<string | null> | string | null;
}

/** A call that is staged, and not visible yet (E4). */
export interface StagedCall {
  readonly key: string;
  readonly tool: string;
  readonly args: unknown;
  /** The answer of the tool when it staged the call. */
  readonly staged: unknown;
  /**
   * Versions this call depends on, in order: positions it read, or earlier calls of the run that may have written the
   * same thing. Left out if there are none. What counts is the first read after the last such call of the same thing;
   * without one, that call.
   */
  readonly relies?: readonly Reliance[];
}

/** A read, by the `position` of the area before it, or an earlier call of the run, by its key. */
export type Reliance = { readonly position: string } | { readonly call: string };

/** The commit that makes staged calls visible. */
export interface Publication {
  /** Names the commit: the same when it is asked for again. */
  readonly id: string;
  readonly run: string;
  /** The instance that commits, as it is shown, and the id of its boundary. */
  readonly instance: string;
  readonly boundary: string;
  /** The token that `prepare` of the same area returned; left out where it returned nothing. */
  readonly prepared?: string;
}

/**
 * A staging area: holds calls back until the boundary of their instance certifies (E4). An area with `prepare` is asked
 * before the commit is decided: if a commit covers several areas, a refusal comes while nothing is visible yet.
 */
export interface StagingArea {
  /**
   * The place of this area in the fixed order in which a commit becomes visible: the lowest first, held calls last. 100 if left out. The
   * area that most often refuses comes first: what it refuses withdraws the whole commit.
   */
  readonly order?: number;
  /**
   * Names the present state of the area, before a tool leaves that reads what calls of the area change.
   * @param reads the keys that the tool is declared to read.
   */
  position?(reads: readonly string[]): Promise<string> | string;
  /**
   * Checks that the calls can be published, and reserves what they change where the area can. It may be asked again with the same
   * publication, also by another process. Nothing becomes visible.
   * @returns a durable token, which `publish` gets.
   * @throws CommitRefused where they never can be, above all where what a call changes moved on since the run read it.
   */
  prepare?(calls: readonly StagedCall[], publication: Publication): Promise<string | undefined> | string | undefined;
  /**
   * True where a publication is visible, in part or as a whole. Asked after a crash: as long as nothing is visible, a commit that was
   * decided is prepared again, and withdrawn where it is refused.
   */
  published?(publication: Publication): Promise<boolean> | boolean;
  /** Gives free what `prepare` has reserved: the commit was withdrawn. The calls stay staged. */
  withdraw?(calls: readonly StagedCall[], publication: Publication): Promise<void> | void;
  /**
   * Makes staged calls visible, all of them or none. It may be asked again with the same calls until it has succeeded, and then
   * changes nothing any more. To throw `NotApplied` says that nothing is visible.
   */
  publish(calls: readonly StagedCall[], publication: Publication): Promise<void> | void;
  /** Removes what was staged for calls that were rolled back: they never happened. May be asked again. */
  discard(calls: readonly StagedCall[]): Promise<void> | void;
}
