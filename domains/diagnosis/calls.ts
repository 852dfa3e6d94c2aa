/** The tools: what each is called with, and what it answers. Until there is a world for them, they refuse. */
import { unconnected } from '../opening.ts';
import type {
  Change,
  Followed,
  Hypothesis,
  Incident,
  Look,
  Notice,
  Probe,
  Reading,
  Repair,
  Symptom,
  Verdict,
  Verification,
} from './incident.ts';

/** Each tool, by its name. */
export interface ToolTypes {
  collect_symptoms: { input: { service: string }; output: readonly Symptom[] };
  plan_checks: { input: { symptoms: readonly Symptom[] }; output: readonly Hypothesis[] };
  run_check: { input: { hypothesis: Hypothesis; look: Look }; output: Reading };
  probe_queue: { input: { hypothesis: Hypothesis }; output: Probe };
  judge_hypothesis: { input: Judged; output: Verdict };
  plan_repair: { input: { verdicts: Partial<Record<Hypothesis, Verdict>> }; output: readonly Repair[] };
  apply_repair: { input: Repair; output: Change };
  verify_service: { input: Verified; output: Verification };
  notify_customers: { input: Ended & { to: readonly string[] }; output: Notice };
  close_incident: { input: Ended; output: Incident };
}

/**
 * The input of a judgement: a hypothesis with all observations about it, and the one before it on the agenda, or
 * `none`.
 */
export interface Judged extends Followed {
  readonly hypothesis: Hypothesis;
  readonly previous: string;
  readonly before: Verdict | null;
}

/** The input of the verification: the repairs that were made, and those whose outcome is unknown. */
export interface Verified {
  readonly repairs: readonly Change[];
}

/** The input of the notice and of the record. */
export interface Ended {
  readonly service: string;
  readonly causes: readonly Hypothesis[];
}

/** The tools of a machine that has no world. */
export const actors = {
  collect_symptoms: unconnected<ToolTypes['collect_symptoms']>(),
  plan_checks: unconnected<ToolTypes['plan_checks']>(),
  run_check: unconnected<ToolTypes['run_check']>(),
  probe_queue: unconnected<ToolTypes['probe_queue']>(),
  judge_hypothesis: unconnected<ToolTypes['judge_hypothesis']>(),
  plan_repair: unconnected<ToolTypes['plan_repair']>(),
  apply_repair: unconnected<ToolTypes['apply_repair']>(),
  verify_service: unconnected<ToolTypes['verify_service']>(),
  notify_customers: unconnected<ToolTypes['notify_customers']>(),
  close_incident: unconnected<ToolTypes['close_incident']>(),
};
