/** The words of the agent: what may be wrong with a service, what is seen of it, what was repaired, and what the agent remembers. */

/** The possible causes, in the order in which they are checked: an earlier one hides the later ones. */
export const HYPOTHESES = ['config', 'lock', 'quota', 'certificate', 'queue'] as const;
export type Hypothesis = (typeof HYPOTHESES)[number];

/**
 * The possible faults of a service. An empty keystore looks like a bad certificate, and no check can tell them apart.
 */
export const FAULTS = [...HYPOTHESES, 'keystore'] as const;
export type Fault = (typeof FAULTS)[number];

/** Where a check looks. */
export type Look = 'file' | 'port' | 'row' | 'directory';

/** The looks of each check, the first one being at the thing itself. */
export const LOOKS: Readonly<Record<Hypothesis, readonly Look[]>> = {
  config: ['file', 'port'],
  lock: ['row'],
  quota: ['row', 'port'],
  certificate: ['row'],
  queue: ['directory'],
};

/** A request to the agent: find out what is wrong with a service, and repair it. */
export interface Request {
  readonly service: string;
  readonly faults: readonly Fault[];
  /** The used part of the quota, where that is a fault; the quota is 100. */
  readonly used: number;
  /** The recipients of the notice at the end. */
  readonly customers: readonly string[];
}

/** Something that the service does and should not, as its port shows it. */
export interface Symptom {
  readonly endpoint: string;
  readonly says: string;
}

/** The result of a check; `fine` is null where it shows nothing either way. */
export interface Reading {
  readonly fine: boolean | null;
  readonly says: string;
}

/** The result of taking the head of the queue aside. */
export interface Probe {
  readonly message: string;
  /** True if the queue goes on without it. Otherwise the message is back in its place. */
  readonly freed: boolean;
}

/** The judgement of a hypothesis. */
export const VERDICTS = ['confirmed', 'ruled_out', 'inconclusive'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A hypothesis as far as it was followed. One that is opened again begins with its first reading. */
export interface Followed {
  readonly readings?: Readonly<Partial<Record<Look, Reading>>>;
  readonly probe?: Probe;
  readonly verdict?: Verdict;
}

/** A repair that is to be made; `by` is how much more quota there is to be, and null for other causes. */
export interface Repair {
  readonly cause: Hypothesis;
  readonly by: number | null;
}

/** A repair as far as it is known; `now` is its result, null where its outcome is unknown. */
export interface Change {
  readonly cause: Hypothesis;
  readonly now: string | null;
}

/** The state of the service after repairs, and the hypotheses to follow next, where there are any. */
export interface Verification {
  readonly after: readonly Change[];
  readonly symptoms: readonly Symptom[];
  readonly agenda: readonly Hypothesis[];
}

/** The notice to the customers. */
export interface Notice {
  readonly to: readonly string[];
  readonly text: string;
}

/** The record of an incident that is over. */
export interface Incident {
  readonly service: string;
  readonly causes: readonly Hypothesis[];
}

/** The agent's memory. */
export interface Memory {
  readonly asked: Request;
  readonly symptoms: readonly Symptom[] | null;
  /** The hypotheses to follow, in this order. */
  readonly agenda: readonly Hypothesis[];
  readonly hypotheses: Readonly<Record<Hypothesis, Followed>>;
  /** The hypothesis that is being followed. */
  readonly current: Hypothesis | null;
  /** The repairs that are still to be made. */
  readonly due: readonly Repair[];
  readonly repairs: Readonly<Partial<Record<Hypothesis, Change>>>;
  readonly verification: Verification | null;
  readonly notice: Notice | null;
  readonly incident: Incident | null;
}
