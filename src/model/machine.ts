/**
 * The shape of a state machine, as far as a reviewed config can describe it: states, edges and tools. A plain value, so
 * that a config can be checked against a machine of any runtime.
 */

/** A state of the machine, or of a machine that it invokes. */
export interface StateShape {
  /**
   * Its name in a config: the path of keys from the root joined with `.` (`A.a1`), behind `tool/` for a state of a machine
   * that is invoked by the name `tool` (`inner/x`, `outer/inner/x`). The root itself is `''` (or `inner/`).
   */
  readonly path: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** The child that is entered first; null where there is none. */
  readonly initial: string | null;
  /**
   * The tools that the state invokes; `tool` is null where the logic is inline, so that no call of it can be guarded.
   */
  readonly invokes: readonly { readonly id: string; readonly tool: string | null }[];
  /** True if the state has delayed transitions. */
  readonly delayed: boolean;
}

/** A transition. An internal transition that stays in its state has `to` equal to `from`. */
export interface EdgeShape {
  readonly from: string;
  readonly to: string;
  /** The event descriptor: `submit`, `xstate.done.actor.query`, `''` for an eventless transition. */
  readonly event: string;
  readonly guarded: boolean;
}

/** The keys that actions assign by name. */
export interface AssignShape {
  readonly keys: readonly string[];
  /** False where code assigns more: an `assign` with a function, or `enqueueActions`. */
  readonly all: boolean;
}

/** The code in a machine that a check can see. */
export interface CodeShape {
  /** The places of actions that are code without a name: a state, or a state and the event of its transition. */
  readonly actions: readonly string[];
  /** The inputs of invoked actors about which something is to be said. */
  readonly inputs: readonly {
    readonly path: string;
    readonly actor: string;
    /** The place in the input that no journal holds without a codec, and what it is. */
    readonly lost: { readonly path: string; readonly reason: string } | null;
    /** The field by which the input names a tool, where the actor is one tool to a config. */
    readonly names: string | null;
  }[];
}

/** A machine as a config sees it. */
export interface MachineShape {
  readonly id: string;
  readonly states: readonly StateShape[];
  readonly edges: readonly EdgeShape[];
  /** The names under which actors were provided: promises are tools; nested machines bring states of their own. */
  readonly actors: readonly {
    readonly name: string;
    readonly kind: 'promise' | 'machine' | 'callback' | 'observable' | 'transition' | 'other';
    /**
     * False where a promise cannot take its idempotency key (semantics.md E3): the machine does not pass the key, or
     * the function does not read it.
     */
    readonly takesKey: boolean;
  }[];
  /** The channels of a graph, which its nodes write by themselves. They are functions, and may call tools that the structure does not tell. */
  readonly channels?: readonly string[];
  /** The channels of a graph that are only added to. */
  readonly appended?: readonly string[];
  /** The keys of their contexts that the actions of its machines assign. Left out where that is not read. */
  readonly assigns?: AssignShape;
  /** The code that can be seen in it. Left out where that is not read. */
  readonly code?: CodeShape;
  /** Digest of states and edges, for `checkpoint_stale` (semantics.md §5). */
  readonly digest: string;
}
