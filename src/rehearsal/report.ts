/** The parts of a rehearsal as plain data: its settings and its results. */
import type { Place } from '../boundaries/page/finding.ts';
import type { AgentRehearsal } from '../xstate/agent.ts';
import type { CoveredPlace, RehearsedFirst } from './coverage.ts';
import type { Harm } from './difference.ts';
import type { RehearsedFault } from './faults/fault.ts';
import type { RehearsalVerdict } from './judge.ts';

/** A line of the config whose tightening removes a harm. */
export interface Culprit extends Place {
  /** The kind of the mistake. */
  readonly kind: string;
  /** The change to make, in words. */
  readonly text: string;
  /** The end of the run once that is changed. */
  readonly leadsTo: 'same' | 'parked';
}

/** A path that is as short as it can be, and the run on it that does the harm. */
export interface FewestSteps {
  readonly input: unknown;
  readonly events: readonly string[];
  /** The calls of the run with the fault, in order. */
  readonly text: string;
  readonly timeline: readonly string[];
}

/** A loosening of the config, and whether a run noticed. */
export interface RehearsedMutation extends Place {
  readonly kind: string;
  readonly text: string;
  /**
   * The run that does harm under the loosened config, and none under the present config. Null if no run does: the
   * config is stricter than the machine needs, or the paths are too few.
   */
  readonly found: { readonly id: string; readonly text: string; readonly harms: readonly Harm[] } | null;
}

/** The way in which a rehearsal is made. */
export interface RehearsalSettings extends AgentRehearsal {
  /**
   * Appends of the journal after which the process is killed: some of them (`sampled`), if left out. `process` and
   * `process-all` send SIGKILL to processes of their own, which only `belay rehearse` can.
   */
  readonly kills?: 'sampled' | 'all' | 'none' | 'process' | 'process-all';
  /** Acts on the events of the paths, at each moment and two at once: some of them (`sampled`), if left out. */
  readonly acts?: 'sampled' | 'all' | 'none';
  /** Only cells whose id has this text in it: to run one again. */
  readonly only?: string;
  /** The most cells of a path; all of them if left out. The same seed draws the same cells. */
  readonly sample?: number;
  /** The tools and skeletons whose cells are run, and drawn for a sample, before all others. */
  readonly first?: RehearsedFirst;
  /** 1 if left out. */
  readonly seed?: number;
  /** Has every loosening of the config tried, each with at most so many runs. The config has to be a file. */
  readonly mutations?: number;
  /** Told of each mutation before it is tried, and of how many there are. */
  readonly onMutation?: (mutation: { readonly text: string; readonly index: number; readonly of: number }) => void;
  /** Told of each act before it is asked for again, and of how many there are. */
  readonly onAgain?: (run: { readonly id: string; readonly index: number; readonly of: number }) => void;
  /** Told of each cell before it is run, and of how many there are. */
  readonly onCell?: (cell: { readonly id: string; readonly index: number; readonly of: number }) => void;
}

/** One run with one fault, and the answer of the judge. */
export interface RehearsalCell {
  /** The identity of the cell: its path and its fault. */
  readonly id: string;
  readonly path: string;
  readonly fault: RehearsedFault;
  /** The place of the fault: a call, a boundary, an event or an append. */
  readonly site: string;
  /** The fault, in words. */
  readonly text: string;
  readonly verdict: RehearsalVerdict;
  /** The events, a line each. */
  readonly timeline: readonly string[];
  /** Of a cell that does harm: the lines of the config whose tightening removes it, the best first. */
  readonly culprits?: readonly Culprit[];
  /** Of a cell that does harm: a shorter path with the same harm; left out if the path cannot be shortened. */
  readonly fewest?: FewestSteps;
}

/** An act that was asked for once more, from the same state of the machine: a model that plans anew does so. */
export interface ActAgain extends Partial<Place> {
  /** The identity of the run: its path, the state and the tool. */
  readonly id: string;
  readonly path: string;
  readonly state: string;
  readonly tool: string;
  /**
   * `twice`: both calls have acted. `once`: the second is answered with the first act. `refused`: the second is refused
   * for the first. `otherwise`: the run came to another end.
   */
  readonly is: 'twice' | 'once' | 'refused' | 'otherwise';
  readonly text: string;
}

/** One path, as it is run without faults. */
export interface RehearsedPath {
  readonly name: string;
  readonly calls: readonly string[];
  readonly boundaries: readonly string[];
  readonly timeline: readonly string[];
  /** The findings of the run without faults that a person should know. */
  readonly findings: readonly string[];
  /** The number of possible faults; `cells` has a sample of them, or all. */
  readonly faults: number;
}

/** The result of a rehearsal. The same seed gives the same report. */
export interface RehearsalReport {
  readonly agent: string;
  readonly seed: number;
  readonly paths: readonly RehearsedPath[];
  readonly cells: readonly RehearsalCell[];
  /**
   * Each act of a state that makes one call, asked for again on the first path that comes to it. None of it is a harm.
   */
  readonly again: readonly ActAgain[];
  /** Paths that `explore` has found and that cannot be rehearsed, each with the reason. */
  readonly dropped: readonly { readonly path: string; readonly why: string }[];
  /** The tools and boundaries of the config, each with the number of its faults and of those that a run has met. */
  readonly coverage: readonly CoveredPlace[];
  /** Edges of the machine that no path takes without faults. */
  readonly untaken: readonly string[];
  /** The loosenings of the config that were tried. */
  readonly mutations?: readonly RehearsedMutation[];
  readonly totals: Readonly<Record<RehearsalVerdict['is'], number>>;
}
