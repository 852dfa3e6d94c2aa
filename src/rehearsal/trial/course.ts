/** The result of one run of a rehearsal. */
import type { Decision } from '../../model/decision.ts';
import type { Ending } from '../../sidecar/report.ts';
import type { Observation } from './observation.ts';

/** The manner in which a run came to rest. */
export type RestStatus =
  | Ending['status']
  /** The machine waits for an event or an approval, and nothing else is under way. */
  | 'waiting'
  /** A call never answers, and nothing ends the waiting. */
  | 'hangs'
  | 'endless'
  /** Something threw where nothing catches it. */
  | 'broken';

/** An act on an event as it was answered. */
export type Answered = 'done' | 'same' | 'refused';

/** The result of a run. */
export interface Course {
  readonly status: RestStatus;
  readonly state: string;
  readonly context: unknown;
  /** The input of the machine. */
  readonly input: unknown;
  /** The world before the run, and after it. */
  readonly before: unknown;
  readonly world: unknown;
  readonly decision: Decision | null;
  /** The error of a run that broke, or the failure of one that is stuck. */
  readonly error: string | null;
  readonly seen: Observation;
  readonly appends: number;
  readonly fired: boolean;
  /** `found` once what was wrong was found and the complaint was taken; else why not. Null for other faults. */
  readonly complaint: 'taken' | 'refused' | 'never' | null;
  /** The answers to acts on events, in their order; null for other faults, and where none was answered. */
  readonly steered: readonly Answered[] | null;
  /** The calls that waited for an approval, each with its tool. */
  readonly approvals: readonly { readonly tool: string; readonly nth: number }[];
  /** The types of the events that were not sent. */
  readonly unsent: readonly string[];
  /** The tools of which a call never answered. */
  readonly hanging: readonly string[];
  /** The edges of the machine that were taken, as texts. */
  readonly edges: ReadonlySet<string>;
  /** The reconcilers that the agent brings. */
  readonly reconcilers: readonly string[];
  /** The findings that a person should know: boundaries that do not certify, names that are not registered. */
  readonly findings: readonly string[];
}

/** A course as far as it is judged. */
export interface Judged extends Omit<Course, 'seen'> {
  readonly seen: Pick<Observation, 'calls' | 'timers' | 'foundAt' | 'timeline'>;
}

/** The decision and the error at the end of a run. @param broken what threw where nothing catches it; null where nothing did. */
export function endOf(ending: Ending | null, broken: unknown): Pick<Course, 'decision' | 'error'> {
  const decision = ending !== null && 'decision' in ending ? ending.decision : null;
  if (broken === null) return { decision, error: ending?.status === 'stuck' ? ending.error : null };
  return { decision, error: broken instanceof Error ? broken.message : String(broken) };
}
