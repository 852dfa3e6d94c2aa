/** Recording of the model-driven domains: every run that their cases make is made once by a planner that costs something, and captured. */

import { DECISION_POLICY } from '#seam';
import { diagnosis } from '../domains/diagnosis/agent.ts';
import { navigation } from '../domains/navigation/agent.ts';
import type { Planner } from '../domains/planner/planner.ts';
import { costOf, recording } from '../domains/planner/recorded.ts';
import { scheduleForm } from '../domains/schedule-form/agent.ts';
import { MailServer } from '../domains/schedule-form/mail.ts';
import type { Case } from './case.ts';
import { underSidecar } from './run.ts';

/** The runs of a recording, and its cost. */
export interface Made extends ReturnType<typeof costOf> {
  readonly runs: number;
  /** The runs that did not come to an end: a model may answer nonsense, and a recording keeps that. */
  readonly unfinished: number;
}

/** Runs each case of the model-driven domains twice, without its failure and with it, and captures each answer in a file. */
export async function record(file: string, planner: Planner, cases: readonly Case[]): Promise<Made> {
  const asked = recording(file, planner);
  const agents = [navigation(asked), scheduleForm(asked, MailServer.here), diagnosis(asked)];
  const how = { policy: 'line', judges: DECISION_POLICY, asks: true } as const;
  let [runs, unfinished] = [0, 0];
  for (const given of cases) {
    const agent = agents.find(({ machine }) => machine.id === given.domain);
    if (agent === undefined) continue;
    for (const failing of [null, given.failing]) {
      const { status } = await underSidecar(agent, given, 0, failing, how);
      runs += 1;
      if (status !== 'done') unfinished += 1;
    }
  }
  return { ...costOf(file), runs, unfinished };
}
