/** The values that the server sends to the page. Every text in them is for reading only; ids and gates are plain ASCII. Times are wall clocks, in milliseconds. */

/** The status of a run. `needs` is true where nothing goes on until a person acts. */
export interface WireState {
  readonly is: 'done' | 'parked' | 'stuck' | 'recovering' | 'waiting' | 'open' | 'unread';
  readonly text: string;
  readonly needs: boolean;
}

/** One thing that a run waits for. `act` is the verb that changes it. */
interface WireWait {
  readonly kind: string;
  readonly text: string;
  readonly since: number | null;
  readonly code: string;
  readonly act: string | null;
  readonly until?: number;
}

/** One run of the list. */
export interface WireRunRow {
  readonly id: string;
  readonly run: string;
  readonly agent: string | null;
  readonly state: WireState;
  readonly head: number;
  /** The time of its last row; null where it has none. */
  readonly time: number | null;
  /** The things that it waits for, in words; null where there are none. */
  readonly waitsFor: string | null;
  readonly waits: readonly WireWait[];
  /** The beginning of the longest wait; null where there is none, or it is not known. */
  readonly since: number | null;
  /** The earliest expiry of its approval requests; null where no request expires. */
  readonly expires: number | null;
}

/** The list of runs. */
export interface WireRuns {
  readonly file: string;
  readonly now: number;
  readonly runs: readonly WireRunRow[];
}

/** A sentence and the sentences under it. */
export interface WireOutline {
  readonly label?: string;
  readonly text: string;
  readonly under?: readonly WireOutline[];
}

/** The reason why a run stands still. */
export interface WireCause {
  readonly label: string;
  readonly text: string;
  /** The reasons against going back, each once. */
  readonly why: readonly WireOutline[];
  /** The acts that would set it going again, in words. */
  readonly unblock: readonly string[];
  /** The decision that it is about; null where none was made. */
  readonly decision: number | null;
}

/** An act that is offered. */
export interface WireAct {
  readonly id: string;
  readonly title: string;
  /** A description of the act, shown before a person does it. */
  readonly does: string;
  /** The same as a command. */
  readonly command: string;
  /** `answer` is journaled under a name; `code` runs the agent. */
  readonly kind: 'answer' | 'code';
  /** True where the output of a call is asked for, as JSON; `with`: what an approval changes in its arguments (PE1). */
  readonly output: boolean | 'with';
  /** True where it is done under the name of a person. */
  readonly named: boolean;
  /** The reason why it cannot be done here; null where it can. */
  readonly disabled: string | null;
  /** The one to do next, where the journal tells; false for all where a person has to know the world. */
  readonly first: boolean;
}

/** A question to a person. */
export interface WireGate {
  readonly gate: string;
  readonly asks: string;
  readonly tool: string;
  readonly class: string;
  readonly instance: string;
  readonly args: readonly string[];
  /** The arguments of the earlier call that it may repeat; null where it may repeat none. */
  readonly earlier: readonly string[] | null;
  readonly since: number;
  readonly expires: number | null;
  readonly status: string;
  /** Answers that lie there and that the run has not taken yet. */
  readonly left: readonly string[];
}

/** A decision in short. */
export interface WireDecisionRow {
  readonly number: number;
  readonly time: number;
  readonly signal: string;
  readonly error: string;
  readonly verdict: string;
  readonly level: number | null;
  readonly instance: string | null;
  readonly headline: string;
}

/** A run. */
export interface WireRun {
  readonly id: string;
  readonly run: string;
  readonly agent: string | null;
  readonly state: WireState;
  readonly held: boolean;
  readonly head: number;
  readonly now: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly config: string | null;
  readonly machine: string | null;
  readonly active: readonly { readonly actor: string; readonly state: string }[];
  readonly cause: WireCause | null;
  readonly gates: readonly WireGate[];
  readonly acts: readonly WireAct[];
  readonly decisions: readonly WireDecisionRow[];
  readonly instances: readonly {
    readonly name: string;
    readonly live: boolean;
    readonly committed: boolean;
    readonly epoch: number;
    readonly checkpoints: readonly string[];
  }[];
  /** What its tools work in. */
  readonly sandboxes: readonly {
    readonly name: string;
    readonly is: string;
    readonly since: number;
    readonly provider: string;
    /** Empty while none is known. */
    readonly handle: string;
  }[];
  readonly findings: readonly { readonly code: string; readonly text: string; readonly count: number }[];
}

/** A reason against a checkpoint, and its witness. */
export interface WireReason {
  readonly code: string;
  readonly text: string;
  readonly witness: readonly { readonly what: string; readonly value: string }[];
}

/** A refused checkpoint. */
export interface WireRefusal {
  readonly checkpoint: string;
  readonly reasons: readonly WireReason[];
}

/** The part that a decision gives to an instance. */
export type WirePart = 'failed' | 'back' | 'undone' | 'aside' | 'kept';

/** The dependencies around a decision. */
export interface WireGraph {
  readonly nodes: readonly {
    readonly id: string;
    readonly name: string;
    readonly part: WirePart;
    readonly note: string;
    readonly committed: boolean;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    /** True where the line follows it: its consumer goes back with its producer, or stands in the way. */
    readonly carries: boolean;
  }[];
  /** The number of instances that lie further away. */
  readonly left: number;
}

/** A supposition about a decision that is offered. */
export interface WireToggle {
  readonly id: string;
  readonly text: string;
  /** Of toggles with one group, one can be on. */
  readonly group: string;
}

/** A decision, or what it would be. */
export interface WireAnswer {
  readonly verdict: string;
  readonly level: number | null;
  readonly headline: string;
  readonly refusals: readonly WireRefusal[];
  readonly graph: WireGraph;
  readonly undo: readonly string[];
  readonly unblock: readonly string[];
}

/** A decision of a run. */
export interface WireDecision extends WireAnswer {
  readonly number: number;
  readonly time: number;
  readonly signal: string;
  readonly cause: string;
  readonly policy: string;
  readonly account: WireOutline;
  readonly toggles: readonly WireToggle[];
  /** A note about the numbers of events in a supposed answer; null where they are those of the run. */
  readonly numbers: string | null;
  /** The reason why nothing can be supposed; null where it can. */
  readonly fixed: string | null;
}

/** The result of an act. */
export interface WireTold {
  readonly ok: boolean;
  readonly text: string;
}

/** A line of the stream of events. */
export interface WireTick {
  /** The heads of the runs, by their ids; those that have changed since the line before. */
  readonly heads: Readonly<Record<string, number>>;
  readonly now: number;
}
