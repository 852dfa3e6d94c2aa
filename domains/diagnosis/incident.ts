/** The words of the agent: what may be wrong with a service, what is seen of it, what was repaired, and what the agent remembers. */

/** What may be wrong, in the order in which it is looked for: what comes first hides what comes after it. */
export const HYPOTHESES = ['config', 'lock', 'quota', 'certificate', 'queue'] as const;
export type Hypothesis = (typeof HYPOTHESES)[number];

/** What may be broken in a service. A keystore that is empty looks like a bad certificate, and no check can tell. */
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

/** What somebody asks the agent for: to find out what a service has, and to repair it. */
export interface Request {
  readonly service: string;
  readonly faults: readonly Fault[];
  /** How much of the quota is used, where that is a fault; the quota is 100. */
  readonly used: number;
  /** Who is told once it is over. */
  readonly customers: readonly string[];
}

/** Something that the service does and should not, as its port shows it. */
export interface Symptom {
  readonly endpoint: string;
  readonly says: string;
}

/** What a look has shown; `fine` null where it shows nothing either way. */
export interface Reading {
  readonly fine: boolean | null;
  readonly says: string;
}

/** What came of taking the head of the queue aside. */
export interface Probe {
  readonly message: string;
  /** Whether the queue goes on without it. Where it does not, the message is back in its place. */
  readonly freed: boolean;
}

/** What is thought of a hypothesis. */
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

/** A repair as far as it is known; `now` is what it has left, and null where nobody has seen whether it was made. */
export interface Change {
  readonly cause: Hypothesis;
  readonly now: string | null;
}

/** What the service shows after repairs, and what to follow next where that is not nothing. */
export interface Verification {
  readonly after: readonly Change[];
  readonly symptoms: readonly Symptom[];
  readonly agenda: readonly Hypothesis[];
}

/** What the customers were told. */
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
  /** What is to be followed, in this order. */
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
