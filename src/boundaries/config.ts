/**
 * A reviewed boundary config, read, checked and compiled: the unit of work, its begin and its commits, its reads and
 * writes, and the effects of its tools on the world (boundary-format.md).
 */
import type { Certificate } from '../model/certificate.ts';
import type { EffectClass } from '../model/effect.ts';
import type { Signal } from '../model/failure.ts';
import type { Key } from '../model/key.ts';
import type { SteerFrom } from '../model/message-entries.ts';
import type { Expression, Facts, Predicate, Score } from '../predicates/predicate.ts';
import type { Scope, Scopes } from './keys/scopes.ts';

/** A key with holes, `slots/{args.slot}/value`. */
export interface KeyTemplate {
  readonly text: string;
  /** The scheme's rules for its names; null for a key in the context, and where the scheme has no canonical form. */
  readonly scope: Scope | null;
  /**
   * Fills the holes. Each value is escaped into one segment (K4), or read together with the rest where there is a
   * scope. A hole without a value makes the key wider, never narrower: the answer then is the longest known prefix, as
   * a pattern (`slots/**`), or `**`.
   */
  fill(facts: Facts): Key;
  /**
   * Every key that the filled text names, the one of `fill` first: an order may also name the item that it consumes.
   */
  fillAll(facts: Facts): readonly Key[];
}

/** A whole number, fixed or taken from a call. Null where the call has none. */
export interface Amount {
  readonly text: string;
  of(call: { readonly args: unknown; readonly output: unknown }): number | null;
}

/**
 * The amount that a call takes of a budget: the most, known before the call leaves, and the real amount, known after
 * it; null where both are one.
 */
export interface Spend {
  readonly atMost: Amount;
  readonly charge: Amount | null;
}

/** A condition on the sum of the calls of one commit, to be met before any of them becomes visible. */
export interface Invariant {
  readonly id: string;
  /** The amount that each call of a tool adds; one that begins with a minus is subtracted. */
  readonly sum: ReadonlyMap<string, Amount>;
  readonly is: number;
}

/** The rule for calling a tool again after failures that are known to have changed nothing (E2). */
export interface Retry {
  /** The number of further calls at most. */
  readonly max: number;
  /** The wait before the second call, in milliseconds, and the factor by which the wait grows before each next call. */
  readonly backoff: number;
  readonly factor: number;
  /** The part of each wait that is left to chance, from 0 to 1. */
  readonly jitter: number;
  /** Names or codes of errors, or signals, after which the tool is not called again. */
  readonly never: ReadonlySet<string>;
}

/** The identity of the acts of a tool (semantics.md ON1). */
export interface Once {
  /** The parts of the arguments that say which act a call is, as in the file: `args.invoice`. */
  readonly by: readonly string[];
  /** `run`: an act is one within its run; `store`: also over all runs of the store. */
  readonly scope: 'run' | 'store';
  /** The values of those parts; null if a part is missing. */
  identityOf(args: unknown): readonly unknown[] | null;
}

/** The rule for looking again at what a tool has seen, before a call leaves that rests on it (semantics.md RV2). */
export interface Revalidate {
  /** The age in milliseconds up to which an answer is good. */
  readonly for: number;
  /** The comparison of two answers, `then` and `now`, that counts as no change; null where only an equal answer does. */
  readonly same: Predicate | null;
  /** What becomes of an answer that has changed: the run finds it wrong, or a person is asked. */
  readonly else: 'redo' | 'park';
}

/** The rule for settling a call by looking at the world again (semantics.md RV6). */
export interface See {
  /** The tool that looks. */
  readonly tool: string;
  /** Holds for the answers before and after a call, `then` and `now`, where the call has happened. */
  readonly applied: Predicate;
  /** True where a reply alone does not say that a call had an effect. */
  readonly always: boolean;
}

/** The obligations that a call of a tool takes on (semantics.md OB1). */
export interface Obligations {
  /** The part of the arguments that lists them, as in the file, or the list itself. */
  readonly each: string | readonly unknown[];
  /** The time until an obligation is due, in milliseconds, or the part of the obligation with its due time; null for none. */
  readonly due: { readonly after: number } | { readonly at: string } | null;
  /** The tool that keeps them. */
  readonly keptBy: string;
  /** The condition under which a call keeps one; null for any call of that tool. */
  readonly as: Predicate | null;
  /** The condition that releases one while it holds; null for none. */
  readonly until: Predicate | null;
}

/** A tool: the keys that its calls touch, and the rules for them. */
export interface Tool {
  readonly name: string;
  readonly reads: readonly KeyTemplate[];
  readonly writes: readonly KeyTemplate[];
  readonly effect: EffectClass;
  /** The name of the reconciler that can ask whether it happened; null where no party can be asked. */
  readonly reconcile: string | null;
  /** The name of the inverse or the compensation; null where none is registered. */
  readonly undo: string | null;
  /** The number of times that the counterparty is asked, and the wait before the second time, in milliseconds (E2). */
  readonly asking: {
    readonly tries: number;
    readonly wait: number;
    /**
     * The time in milliseconds after a call during which its counterparty may not know the call; null if it knows at
     * once.
     */
    readonly settles: number | null;
    /** True where a counterparty that says "not applied" refuses the key of that call from then on. */
    readonly refusesKey: boolean;
    /** True where its counterparty is not asked by the key, and still knows of a call whose key it has forgotten. */
    readonly outlivesKey: boolean;
    /**
     * True where the config says how often it is asked: a run is parked only after that. Otherwise people are also
     * asked after the first second.
     */
    readonly patient: boolean;
  };
  /** The rule for calling again where nothing has happened; null where the first failure counts. */
  readonly retry: Retry | null;
  /**
   * The approval that a call waits for: every call, or the calls for which `when` holds; and the longest wait, in
   * milliseconds. Null if no approval is needed.
   */
  readonly gate: {
    readonly expires: number | null;
    readonly when: Predicate | null;
    /** The parts of the arguments that the person who approves may change, as in the file: `args.cents` (PE1). */
    readonly edits: readonly string[];
  } | null;
  /**
   * The way in which a call stays invisible until its instance commits (E4), or null for a tool without one. `call`:
   * the whole call waits. A name: the call stages and the buffer of that name publishes. Null within it: the call acts
   * at once.
   */
  readonly buffer: 'call' | { readonly name: string } | null;
  /** The identity of its acts; null for a tool whose calls are acts of their own. */
  readonly once: Once | null;
  /** The condition that must hold before a call leaves, asked again after its approval. */
  readonly when: Predicate | null;
  /** The name of the check, in code, that looks at the world once more before a call leaves. */
  readonly check: string | null;
  /** The amounts that a call takes of the run's budgets. */
  readonly spends: ReadonlyMap<string, Spend>;
  /** True for a tool of class `none` whose answers are decisions: arguments and answer are journaled, and a replay is answered as before (WH3). */
  readonly decides: boolean;
  /** The rule for looking again at what it has answered; null where an answer is a snapshot. */
  readonly revalidate: Revalidate | null;
  /** The rule for settling its calls by looking; null where nothing can be seen of them. */
  readonly see: See | null;
  /** The time in milliseconds after a call for which its counterparty remembers the key; null for ever. */
  readonly keyValid: number | null;
  /** The obligations that its calls take on; null for none. */
  readonly obligations: Obligations | null;
  /** The parts of its calls that are never shown: `args.card`, `output.token`. */
  readonly redact: readonly string[];
  /** The sandbox that its calls work in; null for none. `beyond`: what a call does is not gone with the sandbox (SB4). */
  readonly in: { readonly sandbox: string; readonly beyond: boolean } | null;
  /** The time that a call may take, in milliseconds; null for no limit. */
  readonly timeout: number | null;
  /** The JSON Schema of its arguments; left out where the config has none. */
  readonly input?: unknown;
  /** Says what is wrong with the arguments of a call, computed ones included, or null. Always null where the config has no input schema. */
  misfits(args: unknown): string | null;
  /** The arguments that are computed from the others; null for a tool without any. */
  readonly computed: Computed | null;
  /** The JSON Schema of its output; left out where the config has none. */
  readonly output?: unknown;
  /** Says what is wrong with an output, or null. Always null where the config has no output schema. */
  refuses(output: unknown): string | null;
}

/** A sandbox of a run: started at its first use, stopped where the run stands still, destroyed some time after its end (SB1 to SB8). */
export interface Sandbox {
  /** The name under which the program brings what starts it. */
  readonly provider: string;
  /** How long a start may take, in milliseconds. */
  readonly ready: number;
  /** The time between the end of the run and the destroying, in milliseconds. */
  readonly grace: number;
  /** True where a snapshot is taken after each call, from which a lost sandbox is made again. */
  readonly snapshot: boolean;
}

/** The arguments of a tool that are computed from its other arguments, whatever the machine gives for them. */
export interface Computed {
  /** The expression of each computed argument, by its name. */
  readonly texts: ReadonlyMap<string, string>;
  /**
   * The arguments with the computed ones in place, or why one of them has no value. The expressions see none of the computed arguments, so that to
   * compute twice changes nothing.
   */
  of(args: unknown): { readonly args: Readonly<Record<string, unknown>> } | { readonly reason: string };
}

/** The place of a boundary: in a state, or on an edge. States are named as in `MachineShape`. */
export type Site = { readonly at: string } | { readonly from: string; readonly to: string };

/** A commit or exit boundary of a skeleton. */
export interface Boundary {
  readonly id: string;
  readonly kind: 'commit' | 'exit';
  readonly site: Site;
  readonly when: Predicate;
  /**
   * The keys that must have a version by then (semantics.md §4, Closed); the skeleton's outputs unless the boundary
   * names its own.
   */
  readonly outputs: readonly KeyTemplate[];
  /** Conditions that must hold before the calls that the instance has held back become visible (E4). */
  readonly invariants: readonly Invariant[];
  /** The external keys that the run promises not to touch behind it; they are released there (ER9). */
  readonly release: readonly KeyTemplate[];
  /** What a commit here says, from the entity and the context; null for a boundary that says nothing (SP1). */
  readonly message: Expression | null;
  /** The verdict that a commit here waits for; null for a boundary without a judge (JU1). */
  readonly judge: Judge | null;
}

/** The judge of a boundary: the boundary waits for its verdict (semantics.md JU1). */
export interface Judge {
  /** The tool that judges. */
  readonly by: string;
  /** Holds for an answer that lets the work stand. */
  readonly pass: Predicate;
  /** Holds for an answer that counts without a person; null where each does. */
  readonly sure: Predicate | null;
  /** The reason in an answer, for people; null for none. */
  readonly why: Expression | null;
  /** The key in an answer that is found wrong; null where the whole unit is. */
  readonly found: Expression | null;
  /** What becomes of an answer that is not sure: a person is asked, or the work is rejected. */
  readonly weak: 'review' | 'reject';
  /** What becomes of rejected work: it is found wrong and goes back, or the run is aborted. */
  readonly reject: 'restore' | 'abort';
}

/** An edge by which a unit is discarded: its work is not wanted any more (semantics.md PA11). */
export interface Discard {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The limits of rolling back a skeleton's instances. */
export interface Rollback {
  /** The ids of the boundaries that may be restored: a boundary that is not listed is not Controllable (§4). */
  readonly anchors: readonly string[];
  /** The ids of boundaries that are still under review: none of them certifies, on purpose. */
  readonly pending: readonly string[];
  /** True if a confirmed compensable effect may be crossed by compensating it. */
  readonly compensable: 'undo' | 'block';
  /** The skeletons whose commitments a line from here may cross (level 2, §8). */
  readonly joint: readonly string[];
  /** `restorable` if the exit of a finished instance may be restored while no other instance is behind it (EX1). */
  readonly exits: 'refused' | 'restorable';
  /** True if an outcome checkpoint follows each confirmed effect that no rollback may cross (§5). */
  readonly outcomeCheckpoints: boolean;
  /** The state to resume from when a boundary's own state lies outside `states` (§4, Separable). */
  readonly resume: string | null;
  /** The number of recoveries that one (skeleton, entity, boundary, signal) may have (R6). */
  readonly tries: number;
}

/** A reviewed template of a unit of work (DART def. 3). */
export interface Skeleton {
  readonly name: string;
  readonly entity: Expression;
  /** A state stands for itself and all states within it. */
  readonly states: readonly string[];
  readonly entry: readonly string[];
  readonly inputs: readonly KeyTemplate[];
  /** Those of `inputs` that must exist before the work can begin (MISSING_INPUT, F1). */
  readonly required: readonly KeyTemplate[];
  readonly outputs: readonly KeyTemplate[];
  readonly boundaries: readonly Boundary[];
  readonly discards: readonly Discard[];
  readonly rollback: Rollback;
}

/** A type of events from outside. */
export interface EventType {
  /**
   * The keys of the context that the senders have seen (CH4); null if none are named: then the whole context, and the
   * control.
   */
  readonly reads: readonly Key[] | null;
  /** The persons who may change an event or say that it still holds (ST2): its sender, anyone, or its sender and these. */
  readonly steer: 'own' | 'any' | readonly string[];
  /** The place from which on a revised event says something else, where the act does not say. */
  readonly from: SteerFrom;
}

/** Alternatives: child machines of one state that try the same thing (semantics.md §25). */
export interface Alternatives {
  readonly name: string;
  /** The state of the machine that invokes the branches. */
  readonly at: string;
  /** The name under which the child machine was provided. */
  readonly branch: string;
  /** `gate`: a person chooses (AL11). */
  readonly rule: 'first' | 'best' | 'gate';
  /** The condition on a branch that is over; null where each may be chosen. */
  readonly when: Predicate | null;
  /** The score of a branch that is over; null where none is asked for. */
  readonly score: Score | null;
  /** The time that the branches have, in milliseconds; null for no limit. */
  readonly deadline: number | null;
  /** How long a person may take to choose, in milliseconds; null for no limit. */
  readonly expires: number | null;
  /** What comes of an act of a loser that cannot be undone: it is owed, or it stands. */
  readonly losers: 'owe' | 'stand';
}

/** A whole config. */
export interface BoundaryConfig {
  /** The machine's id. */
  readonly agent: string;
  /** SHA-256 over the content, without comments and layout, in hex: a review vouches for it. */
  readonly digest: string;
  /** The digests of what certificates rest on. */
  readonly certificate: Certificate;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skeletons: ReadonlyMap<string, Skeleton>;
  /** The states whose child machines are alternatives, by name. */
  readonly alternatives: ReadonlyMap<string, Alternatives>;
  /** The kinds of the names of schemes that have a canonical form, including those that need no declaration. */
  readonly scopes: Scopes;
  /** Keys of which the last writer wins (K6, `blind`). */
  readonly blind: readonly Key[];
  /** Keys that only ever grow (K6, `append`; R1). */
  readonly append: readonly Key[];
  /** The types of events from outside that are declared. */
  readonly events: ReadonlyMap<string, EventType>;
  /** Keys of the context whose values are never shown. */
  readonly redact: readonly Key[];
  /** Errors that the machine handles itself but should leave to Belay (F2). */
  readonly recover: readonly { readonly tool: string; readonly signals: readonly Signal[] }[];
  /** The number of recoveries that a run may have in all (R6). */
  readonly tries: number;
  /** The amounts that a run may spend in all, by budget: whole numbers; `time` in milliseconds of its calls. */
  readonly budgets: ReadonlyMap<string, number>;
  /** The pools of the budgets that runs share, by budget; the limit is the pool's (ER10). */
  readonly pools: ReadonlyMap<string, string>;
  /** What the tools of a run work in, by name. */
  readonly sandboxes: ReadonlyMap<string, Sandbox>;
  /** `whole`: a run keeps the external keys that it has claimed to its end; `final`: until no state that is to come can touch them (ER1). */
  readonly release: 'whole' | 'final';
  /** `first_touch`: a call claims what it touches; `announce`: the first call claims whatever the tools of the config touch (ER6). */
  readonly lineUp: 'first_touch' | 'announce';
  /** The longest that a call stands in line, in milliseconds; null for as long as it takes (ER7). */
  readonly claimTtl: number | null;
}
