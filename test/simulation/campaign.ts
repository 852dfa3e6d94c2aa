/** Runs many scenarios, one after the other. */
import type { Feature } from './features.ts';
import { Tally } from './tally.ts';
import { type Also, runScenario, scenarioOf } from './trial.ts';

/** What is to be run. */
export interface Campaign extends Also {
  readonly runs: number;
  readonly seed: number;
  /** The number of the first run. */
  readonly from: number;
  readonly only: readonly Feature[] | null;
  /** True for runs without faults: attaching the sidecar alone must change nothing. */
  readonly calm?: boolean;
}

/** Runs a campaign. */
export async function runCampaign({ runs, seed, from, only, calm: isCalm = false, ...also }: Campaign): Promise<Tally> {
  const tally = new Tally();
  for (let index = from; index < from + runs; index++) {
    const { scenario, calm } = await scenarioOf(seed, index, only, also);
    const result = await runScenario(isCalm ? { ...scenario, faults: [] } : scenario, calm);
    if (result === null) throw new Error(`run ${index} of seed ${seed} has no faultless run`);
    tally.take(index, result);
  }
  return tally;
}
