/**
 * The results of a case: the outcome under each strategy and seed; and the outcome of doing what was refused. All of it
 * is plain data.
 */

import {
  type Decision,
  decide,
  type InstanceId,
  instanceName,
  type Verdict,
  type VetoCode,
  vetoes,
} from 'belay-sidecar';
import type { Checkpoint } from 'belay-sidecar/decision';
import type { Agent } from 'belay-sidecar/xstate';
import { DECISION_POLICY, type DecisionPolicy } from '#seam';
import { keysOf, there } from '../domains/there.ts';
import { type Case, type Domain, type Expected, type Failing, FROZEN, STRATEGIES, type Strategy } from './case.ts';
import { GUARDS, type Guard, WITHOUT } from './guards.ts';
import { historyOf } from './history.ts';
import { type Measured, occurrencesOf } from './measure.ts';
import { type Outcome, rawOf } from './run.ts';
import { mismatchesOf, shownBy } from './shown.ts';
import { force, type Means, recover, type Site, undisturbed } from './strategies.ts';

/** One run of a case under one strategy. */
export interface Row extends Measured {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly raw: string | null;
  /** The result that a case would expect; null where the strategy decides nothing. */
  readonly shown: Expected | null;
  /** Where that is not what the case says. */
  readonly mismatches: readonly string[];
  readonly level: number | null;
  /** True if the recovery was refused. */
  readonly blocked: boolean;
  /** A recovery that was let through and did not end as it has to. (A strategy without a gate lets nothing through: it just does it.) */
  readonly unsafeAdmission: boolean;
}

/** A refused checkpoint, and what came of restoring it anyway, in every world that looked the same. */
interface Counterfactual {
  readonly strategy: 'comp-frozen' | 'belay';
  readonly boundary: string;
  readonly codes: readonly VetoCode[];
  /** By what had become of the call: `before` its effect or `after` it. One where that was known, or does not matter. */
  readonly forced: readonly (Measured & { readonly world: 'as it was' | 'before' | 'after' })[];
  /** True if it ends as required in each of them; then the block was needless. */
  readonly harmless: boolean;
}

/** The instance that the failed name means, and those that it could mean if names had no ordinals (K2). */
interface Localisation {
  readonly failed: string | null;
  /** Every instance there was, and those of them that would share a name without ordinals. */
  readonly instances: number;
  readonly ambiguous: number;
  /** The names that several would share. */
  readonly aliases: readonly string[];
  /** The number of instances that the failed name would fit, and the answer then. */
  readonly candidates: number;
  readonly weakened: { readonly verdict: Verdict; readonly codes: readonly VetoCode[] } | null;
  /** The result of taking an older occurrence for the failed one, and restoring its newest checkpoint. */
  readonly stale: { readonly instance: string; readonly forced: Measured } | null;
}

/** A case without one guard of Belay. */
export interface Unguarded {
  readonly guard: Guard;
  readonly verdict: Verdict;
  readonly checkpoint: string | null;
  readonly mismatches: readonly string[];
  readonly harmed: boolean;
  readonly dropped: readonly string[];
  readonly difference: Measured['difference'];
}

/** A case, under every strategy and seed. */
export interface JudgedCase extends Pick<Case, 'domain' | 'name' | 'regime' | 'family' | 'probes' | 'requires'> {
  /** The number of calls of the run that never fails. */
  readonly calls: number;
  readonly rows: readonly Row[];
  readonly counterfactuals: readonly Counterfactual[];
  readonly localisation: Localisation;
  /** For a block of the paper's rule over an unknown outcome: its answer once it is known that the call happened. */
  readonly onceKnown: { readonly verdict: Verdict; readonly codes: readonly VetoCode[] } | null;
  /** Belay's answer where no counterparty is asked, to a failure that it answers where one is; null for any other. */
  readonly unasked: { readonly verdict: Verdict; readonly blocked: boolean; readonly safe: boolean } | null;
  /** The guards of Belay that this case turns on, with what comes of it without each. */
  readonly unguarded: readonly Unguarded[];
}

/** The runs to make. */
export interface Wanted {
  readonly strategies: readonly Strategy[];
  readonly repeat: number;
  /** A guard that Belay goes without; null for none. */
  readonly without: Guard | null;
  /** True to force what is refused, weaken names and remove guards. */
  readonly probes: boolean;
}

/** Everything. */
export const ALL: Wanted = { strategies: STRATEGIES, repeat: 5, without: null, probes: true };

/** Runs a case. */
export async function judge(agent: Agent, domain: Domain, given: Case, wanted: Wanted = ALL): Promise<JudgedCase> {
  const judges = wanted.without === null ? DECISION_POLICY : WITHOUT[wanted.without];
  const site: Site = { agent, domain, given, judges };
  const rows: Row[] = [];
  const outcomes = new Map<Strategy, Outcome>();
  const first = await undisturbed(site, 0);
  for (let seed = 0; seed < wanted.repeat; seed += 1) {
    const reference = seed === 0 ? first : await undisturbed(site, seed);
    for (const strategy of wanted.strategies) {
      const ran = await recover(site, strategy, seed, reference);
      if (ran === null) continue;
      if (seed === 0) outcomes.set(strategy, ran.outcome);
      rows.push(rowOf(given, strategy, seed, ran));
    }
  }
  const { name, regime, family, probes, requires } = given;
  const told = { domain: domain.name, name, regime, family, probes, requires, calls: first.calls.length, rows };
  const belay = outcomes.get('belay');
  const frozen = outcomes.get('comp-frozen');
  if (!wanted.probes || belay === undefined)
    return {
      ...told,
      counterfactuals: [],
      localisation: await localise(site, belay, null),
      onceKnown: null,
      unasked: null,
      unguarded: [],
    };
  const refused = [
    ...(frozen === undefined ? [] : await counterfactuals(site, 'comp-frozen', frozen, first)),
    ...(await counterfactuals(site, 'belay', belay, first)),
  ];
  return {
    ...told,
    counterfactuals: refused,
    localisation: await localise(site, belay, first),
    onceKnown: frozen === undefined ? null : onceKnown(frozen),
    unasked: belay.decision?.verdict === 'settle' ? await unasked(site, first) : null,
    unguarded: await unguard(site, first),
  };
}

function rowOf(
  given: Case,
  strategy: Strategy,
  seed: number,
  { outcome, measured }: { outcome: Outcome; measured: Measured },
): Row {
  const decides = FROZEN.find((each) => each === strategy);
  const plain = strategy === 'retry-only' || strategy === 'coarse-state-retry';
  const shown = plain ? null : shownBy(outcome, measured);
  const verdict = plain ? null : outcome.decision?.verdict;
  const blocked = verdict === 'rerun' || verdict === 'escalate';
  return {
    ...measured,
    strategy,
    seed,
    raw: rawOf(given, seed),
    shown,
    mismatches: decides === undefined || shown === null ? [] : mismatchesOf(given.expect[decides], shown),
    level: outcome.decision?.line?.level ?? null,
    blocked,
    unsafeAdmission: !plain && !blocked && !measured.safe,
  };
}

/** Restores what a strategy refuses. An exit is none of it: it is refused for what it is. */
async function counterfactuals(
  site: Site,
  strategy: 'comp-frozen' | 'belay',
  outcome: Outcome,
  reference: Outcome,
): Promise<readonly Counterfactual[]> {
  const decision = there(outcome.decision, 'decision');
  const { failed } = decision;
  if (failed === null) return [];
  const found: Counterfactual[] = [];
  for (const { candidate } of decision.refusals) {
    if (candidate === null || candidate.kind === 'exit') continue;
    const means = strategy === 'belay' ? 'line' : 'snapshot';
    found.push(await counterfactual(site, strategy, means, decision, failed, candidate, outcome, reference));
  }
  return found;
}

/**
 * Restores a refused checkpoint anyway. Where it is unknown whether a call had happened, the run in which it had and
 * the one in which it had not look the same: a restore is harmless only if it is so in both.
 */
async function counterfactual(
  site: Site,
  strategy: 'comp-frozen' | 'belay',
  means: Means,
  decision: Decision,
  failed: InstanceId,
  checkpoint: Checkpoint,
  { before }: Outcome,
  reference: Outcome,
): Promise<Counterfactual> {
  const own = [...vetoes(decision)].filter(({ candidate }) => candidate?.at === checkpoint.at);
  const { failing } = site.given;
  const unknown = own.some(({ code }) => code === 'effect_outcome_unknown') && !('found' in failing);
  const worlds = unknown ? (['before', 'after'] as const) : (['as it was'] as const);
  const forced: Counterfactual['forced'][number][] = [];
  for (const world of worlds) {
    const there =
      world === 'as it was' || 'found' in failing
        ? site
        : { ...site, given: { ...site.given, failing: inWorld(failing, world) } };
    const measured = await force(there, means, failed, checkpoint, reference);
    if (measured !== null) forced.push({ world, ...measured });
  }
  const boundary = occurrencesOf(before, failed)
    .flatMap(({ checkpoints }) => checkpoints)
    .find(({ at }) => at === checkpoint.at)?.boundary;
  return {
    strategy,
    boundary: boundary ?? '',
    codes: [...new Set(own.map(({ code }) => code))],
    forced,
    harmless: forced.length > 0 && forced.every(({ safe }) => safe),
  };
}

/**
 * The failure in the world in which the call of unknown outcome had happened, or had not: an earlier one, where there
 * is one.
 */
function inWorld(failing: Exclude<Failing, { found: unknown }>, when: 'before' | 'after'): Failing {
  const { handled } = failing;
  return handled === undefined ? { ...failing, when } : { ...failing, handled: { ...handled, when } };
}

async function localise(site: Site, outcome: Outcome | undefined, reference: Outcome | null): Promise<Localisation> {
  const failed = outcome?.decision?.failed ?? null;
  const instances = outcome?.before.instances ?? [];
  const names = new Map<string, number>();
  for (const { id } of instances) {
    const name = instanceName({ ...id, ordinal: 0 }).replace(/::0$/, '');
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  const shared = [...names].filter(([, count]) => count > 1);
  const told = {
    failed: failed === null ? null : instanceName(failed),
    instances: instances.length,
    ambiguous: shared.reduce((sum, [, count]) => sum + count, 0),
    aliases: shared.map(([name]) => name),
  };
  if (failed === null || outcome === undefined || reference === null)
    return { ...told, candidates: 0, weakened: null, stale: null };
  const same = occurrencesOf(outcome.before, failed);
  const failure =
    same.length === 1 ? { in: failed, key: null } : ({ in: null, key: null, why: 'fits_several' } as const);
  const answer = decide(historyOf(outcome.trace), failure, { policy: 'line', joint: 'none' });
  const older = same.find(({ id }) => id.ordinal < failed.ordinal);
  const newest = older?.checkpoints.findLast(({ kind }) => kind !== 'exit');
  const forced =
    older === undefined || newest === undefined ? null : await force(site, 'snapshot', older.id, newest, reference);
  return {
    ...told,
    candidates: same.length,
    weakened: { verdict: answer.verdict, codes: [...new Set([...vetoes(answer)].map(({ code }) => code))] },
    stale: forced === null || older === undefined ? null : { instance: instanceName(older.id), forced },
  };
}

/**
 * The paper's answer once it is known that the unknown call has happened; null where nothing was unknown. (It has no
 * rung on which a held call is simply answered; under Belay a person settles the call, and the run goes on.)
 */
function onceKnown({ trace, decision, before }: Outcome): JudgedCase['onceKnown'] {
  const unknown = before.effects.filter(({ status }) => status === 'unknown' || status === 'intended');
  const failed = decision?.failed ?? null;
  if (failed === null || unknown.length === 0) return null;
  const history = historyOf(trace);
  for (const { instance, key, class: kind } of unknown)
    history.apply({ do: 'effect', in: instance, id: key, class: kind, status: 'confirmed', undo: null });
  const answer = decide(history, { in: failed, key: null }, { policy: 'dart', joint: 'none' });
  return { verdict: answer.verdict, codes: [...new Set([...vetoes(answer)].map(({ code }) => code))] };
}

/** Belay's answer where no counterparty is asked. */
async function unasked(site: Site, reference: Outcome): Promise<JudgedCase['unasked']> {
  const ran = there(await recover({ ...site, asks: false }, 'belay', 0, reference), 'run');
  const { verdict } = there(ran.outcome.decision, 'decision');
  return { verdict, blocked: verdict === 'rerun' || verdict === 'escalate', safe: ran.measured.safe };
}

/** Takes each guard away that the case turns on: those whose judge would have said something else. */
async function unguard(site: Site, reference: Outcome): Promise<readonly Unguarded[]> {
  const turned = new Set<Guard>();
  await recover({ ...site, judges: turning(turned) }, 'belay', 0, reference);
  const found: Unguarded[] = [];
  for (const guard of keysOf<Guard>(GUARDS)) {
    if (!turned.has(guard)) continue;
    const ran = await recover({ ...site, judges: WITHOUT[guard] }, 'belay', 0, reference);
    if (ran === null) continue;
    const { shown, mismatches, unsafeAdmission, dropped, difference } = rowOf(site.given, 'belay', 0, ran);
    const { verdict, checkpoint } = there(shown, 'answer that was shown');
    found.push({ guard, verdict, checkpoint, mismatches, harmed: unsafeAdmission, dropped, difference });
  }
  return found;
}

/** The judges of every run, which note down the guards without which they would have said something else. */
function turning(turned: Set<Guard>): DecisionPolicy {
  const all = keysOf<Guard>(WITHOUT).map((guard) => [guard, WITHOUT[guard]] as const);
  const note = (without: (judges: DecisionPolicy) => unknown, answer: unknown): void => {
    for (const [guard, judges] of all)
      if (JSON.stringify(without(judges)) !== JSON.stringify(answer)) turned.add(guard);
  };
  return {
    policy: DECISION_POLICY.policy,
    heard(answer) {
      if (answer.is !== 'yes') turned.add('closed');
      return DECISION_POLICY.heard(answer);
    },
    certify(evidence) {
      const verdicts = DECISION_POLICY.certify(evidence);
      const said = (judges: DecisionPolicy) => Object.values(judges.certify(evidence)).every(({ is }) => is === 'yes');
      note(said, said(DECISION_POLICY));
      return verdicts;
    },
    decide(...asked) {
      const decision = DECISION_POLICY.decide(...asked);
      note((judges) => judges.decide(...asked).verdict, decision.verdict);
      note((judges) => judges.decide(...asked).line?.moves, decision.line?.moves);
      return decision;
    },
    meant(several) {
      turned.add('decidable');
      return DECISION_POLICY.meant(several);
    },
  };
}
