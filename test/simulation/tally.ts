/** Counts what came of the runs of a campaign. */
import { addCounted, noneCounted } from '../control-counters.ts';
import { FEATURES, featuresOf } from './features.ts';
import { lateClasses } from './late.ts';
import type { Scenario } from './scenario.ts';
import { isShared } from './sharing.ts';
import type { Result } from './trial.ts';

/** A run that ended badly. */
export interface Failure {
  readonly index: number;
  readonly result: Result;
}

type Counts = Record<string, number>;

/** What came of a campaign. */
export class Tally {
  readonly same: number[] = [];
  readonly parked: number[] = [];
  /** Runs by the kinds of harm that they did. */
  readonly harms: Counts = {};
  /** Parked runs by the codes of their last decision. */
  readonly codes: Counts = {};
  /** Of the parked runs, which were needless. */
  readonly needless: { of: number; runs: number[] } = { of: 0, runs: [] };
  /** In how many runs each feature was there, and each fault happened. */
  readonly features: Counts = Object.fromEntries(FEATURES.map((feature) => [feature, 0]));
  readonly faults: Counts = {};
  /** Runs with a reply that comes late, by the class of its tool. */
  readonly late: Counts = {};
  /** How often the rules of control were needed, over all runs. */
  readonly counters = noneCounted();
  /** Runs with one skeleton in several places. */
  shared = 0;
  readonly failures: Failure[] = [];

  /** How many runs did harm, or hung. */
  failed(is: 'harm' | 'hang'): number {
    return this.failures.filter(({ result }) => result.verdict.is === is).length;
  }

  /** Takes in a run. */
  take(index: number, result: Result): void {
    const { verdict, scenario } = result;
    addCounted(this.counters, result.counts);
    for (const feature of featuresOf(scenario)) count(this.features, feature);
    for (const fault of new Set([...result.fired, ...untold(scenario)])) count(this.faults, fault);
    for (const effect of new Set(lateClasses(scenario))) count(this.late, effect);
    if (isShared(scenario)) this.shared += 1;
    switch (verdict.is) {
      case 'same':
        this.same.push(index);
        return;
      case 'parked':
        this.parked.push(index);
        for (const code of verdict.codes) count(this.codes, code);
        this.needless.of += 1;
        if (verdict.needless) this.needless.runs.push(index);
        return;
      case 'harm':
        for (const harm of verdict.harms) count(this.harms, harm);
        this.failures.push({ index, result });
        return;
      case 'hang':
        this.failures.push({ index, result });
    }
  }
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Faults of which the world is told nothing. */
function untold(scenario: Scenario): string[] {
  if (scenario.faults.length === 0) return ['none'];
  return scenario.faults.filter(({ fault }) => fault === 'killed').map(({ fault }) => fault);
}
