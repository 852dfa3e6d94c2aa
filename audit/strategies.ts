/** The five ways of recovering, each as it is really run; and what each of them refuses, done all the same. */

import { type InstanceId, instanceName } from 'belay-sidecar';
import type { Checkpoint } from 'belay-sidecar/decision';
import type { Agent } from 'belay-sidecar/xstate';
import { DECISION_POLICY, type DecisionPolicy } from '#seam';
import type { Case, Domain, Strategy } from './case.ts';
import { ENTRIES_ONLY, forcing } from './guards.ts';
import { type Measured, measure } from './measure.ts';
import {
  type Attaching,
  type Choice,
  NeverFailed,
  type Outcome,
  type Recovery,
  underSidecar,
  withoutSidecar,
} from './run.ts';
import type { Persisted } from './workloads/plain.ts';

/** A case, and what it is run with. */
export interface Site {
  readonly agent: Agent;
  readonly domain: Domain;
  readonly given: Case;
  /** The judges of Belay: all of them, unless the audit is to show what one is for. */
  readonly judges: DecisionPolicy;
  /** Attaches its runs to what executes the agent; its machine, if left out. */
  readonly attach?: Attaching;
  /** True if counterparties are asked; left out, as the strategy says. */
  readonly asks?: boolean;
}

/** The attachment of the runs of a site. */
function attachment({ attach }: Site): Pick<Recovery, 'attach'> {
  return attach === undefined ? {} : { attach };
}

/** A run of a case, measured. Null where the strategy has nowhere to begin. */
export interface Ran {
  readonly outcome: Outcome;
  readonly measured: Measured;
}

const RECOVERIES: Readonly<Partial<Record<Strategy, Omit<Recovery, 'judges'>>>> = {
  'comp-entry-only': { policy: 'dart', asks: false },
  'comp-frozen': { policy: 'dart', asks: false },
  belay: { policy: 'line', asks: true },
};

/** The run of a case that never fails. @throws where it does not end. */
export async function undisturbed(site: Site, seed: number): Promise<Outcome> {
  const { agent, given } = site;
  const reference = await underSidecar(agent, given, seed, null, {
    policy: 'line',
    judges: DECISION_POLICY,
    asks: true,
    ...attachment(site),
  });
  if (reference.status !== 'done' || reference.decisions > 0)
    throw new Error(
      `${given.domain}/${given.name}: the run that never fails does not end: ${reference.status} after ${reference.decisions} decisions`,
    );
  return reference;
}

/** Runs a case under a strategy. Null where a coarse runtime has taken no snapshot to go back to. */
export async function recover(site: Site, strategy: Strategy, seed: number, reference: Outcome): Promise<Ran | null> {
  const { agent, domain, given, judges } = site;
  const recovery = RECOVERIES[strategy];
  if (recovery === undefined) {
    const choose = strategy === 'retry-only' ? () => null : coarsely(domain);
    return plainly(site, strategy, seed, reference, choose);
  }
  const own: Partial<Record<Strategy, DecisionPolicy>> = { belay: judges, 'comp-entry-only': ENTRIES_ONLY };
  const chosen = own[strategy] ?? DECISION_POLICY;
  const outcome = await underSidecar(agent, given, seed, given.failing, {
    ...recovery,
    ...(site.asks !== undefined && { asks: site.asks }),
    judges: chosen,
    ...attachment(site),
  });
  if (outcome.decision === null) throw new NeverFailed(given);
  return { outcome, measured: measure(domain, given, strategy, outcome, reference, null) };
}

/** The last snapshot at a coarse anchor before the failed instance began. */
function coarsely({ coarse }: Domain): Choice {
  return (steps, before, { failed }) => {
    const own = before.instances.find(({ id }) => failed !== null && instanceName(id) === instanceName(failed));
    const entered = own?.checkpoints[0]?.step ?? 0;
    return steps.slice(0, entered).findLast(({ states }) => states.some((state) => coarse.includes(state)));
  };
}

async function plainly(
  { agent, domain, given }: Site,
  strategy: Strategy,
  seed: number,
  reference: Outcome,
  choose: Choice,
): Promise<Ran | null> {
  let step = -1;
  const chosen: Choice = (steps, before, decision) => {
    const from = choose(steps, before, decision);
    if (from !== null && from !== undefined) step = steps.indexOf(from);
    return from;
  };
  const outcome = await withoutSidecar(agent, given, seed, chosen);
  return outcome && { outcome, measured: measure(domain, given, strategy, outcome, reference, step) };
}

/**
 * The means by which a refused checkpoint is restored: a whole snapshot without a ledger, as the paper's runtime; or
 * Belay's own line.
 */
export type Means = 'snapshot' | 'line';

/** Restores a checkpoint of an instance, whatever stands against it. Null where there is no way to. */
export async function force(
  site: Site,
  means: Means,
  instance: InstanceId,
  checkpoint: Checkpoint,
  reference: Outcome,
): Promise<Measured | null> {
  const { agent, domain, given } = site;
  if (means === 'snapshot') {
    const ran = await plainly(site, 'comp-frozen', 0, reference, at(instance, checkpoint));
    return ran?.measured ?? null;
  }
  const recovery: Recovery = {
    policy: 'line',
    judges: forcing(checkpoint),
    asks: false,
    lies: true,
    ...attachment(site),
  };
  const outcome = await underSidecar(agent, given, 0, given.failing, recovery);
  const measured = measure(domain, given, 'belay', outcome, reference, null);
  const dropped = takenBack(outcome, instance);
  return { ...measured, dropped, safe: measured.safe && dropped.length === 0 };
}

/** The others who had promised something and whom a line has moved: a line past the gate takes back promises without leave. */
export function takenBack({ decision, before }: Outcome, producer: InstanceId): readonly string[] {
  const { moves = [] } = decision?.line ?? {};
  const moved = new Set(moves.map(({ instance }) => instanceName(instance)));
  const others = before.instances.map(({ id, committed }) => ({ name: instanceName(id), committed }));
  return others
    .filter(({ name, committed }) => committed && moved.has(name) && name !== instanceName(producer))
    .map(({ name }) => name);
}

/** The snapshot of the step at which a checkpoint stands. */
function at(instance: InstanceId, { at: place }: Checkpoint): Choice {
  return (steps: readonly Persisted[], before) => {
    const own = before.instances.find(({ id }) => instanceName(id) === instanceName(instance));
    const step = own?.checkpoints.find((each) => each.at === place)?.step;
    return step === undefined ? undefined : steps[step];
  };
}
