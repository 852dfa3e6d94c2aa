/** What a case shows under each strategy: whether it is as frozen, whether an admission was safe, and whether a block was needed. */
import {
  type Act,
  type Agent,
  type Checkpoint,
  type Decision,
  decide,
  type Effect,
  type InstanceId,
  instanceName,
  type Verdict,
  type Veto,
  type VetoCode,
  vetoes,
} from 'belay-sidecar';
import { type Case, type Expected, STRATEGIES, type Strategy } from './case.ts';
import { type Forced, forceRerun, forceRestore } from './force.ts';
import { historyOf, type Observed, observe, refusedBy } from './recover.ts';
import { type Difference, differenceOf, isSame } from './worlds.ts';

/** A refused checkpoint, and what came of restoring it anyway, in every world that looked the same. */
interface Counterfactual {
  readonly boundary: string;
  readonly codes: readonly string[];
  /** By what had become of the call: `before` its effect or `after` it. One where that was known, or does not matter. */
  readonly forced: readonly (Forced & { readonly world: 'as it was' | 'before' | 'after' })[];
  readonly harmless: boolean;
}

/** One case under one strategy. */
export interface Judged {
  readonly case: string;
  readonly domain: string;
  readonly strategy: Strategy;
  readonly observed: Expected;
  readonly level: number | null;
  readonly ending: Observed['ending'];
  readonly difference: Difference;
  readonly counterfactuals: readonly Counterfactual[];
  /** Where it is not what the case says. */
  readonly mismatches: readonly string[];
  readonly blocked: boolean;
  /** An admission after which the world or the ending is not that of the run that never failed. */
  readonly unsafeAdmission: boolean;
  /** A block although a checkpoint could have been restored without harm. */
  readonly falseBlocked: boolean;
  /** For a block of `dart` over an outcome that nobody knows: its answer once it is known that the call happened. */
  readonly onceKnown: { readonly verdict: Verdict; readonly codes: readonly VetoCode[] } | null;
}

/** A case, under every strategy that was asked for. */
export interface JudgedCase {
  readonly case: Case;
  /** How many calls the run makes that never fails. */
  readonly calls: number;
  readonly rows: readonly Judged[];
  readonly rerun: Forced;
  readonly localisation: Localisation | null;
}

/** Who is meant by the failed instance's name, and who could be if names had no ordinals (K2). */
interface Localisation {
  readonly failed: string | null;
  readonly withoutOrdinals: readonly string[];
  /** The answer to the failure by that name. */
  readonly weakened: { readonly verdict: Verdict; readonly codes: readonly VetoCode[] } | null;
  /** What comes of taking an older occurrence for the failed one, and restoring its newest checkpoint. */
  readonly stale: { readonly instance: string; readonly forced: Forced } | null;
}

/** Runs a case under strategies, and whatever it refuses by force. */
export async function judge(
  agent: Agent,
  given: Case,
  strategies: readonly Strategy[] = STRATEGIES,
): Promise<JudgedCase> {
  const reference = await observe(agent, given, null, 'belay');
  if (reference.ending !== 'done') throw new Error(`${given.name}: the run that never fails does not end`);
  const rows: Judged[] = [];
  let localisation: Localisation | null = null;
  for (const strategy of strategies) {
    const observed = await observe(agent, given, given.failing, strategy);
    if (observed.decision === null) throw new Error(`${given.name}: the failure never came`);
    localisation ??= await localise(agent, given, observed, reference);
    rows.push(await judged(agent, given, strategy, observed, observed.decision, reference));
  }
  return {
    case: given,
    calls: reference.calls,
    rows,
    rerun: await forceRerun(agent, given, reference.world),
    localisation,
  };
}

async function judged(
  agent: Agent,
  given: Case,
  strategy: Strategy,
  observed: Observed,
  decision: Decision,
  reference: Observed,
): Promise<Judged> {
  const shown = shownBy(observed, decision);
  const difference = differenceOf(observed.world, reference.world);
  const blocked = decision.verdict === 'rerun' || decision.verdict === 'escalate';
  const counterfactuals: Counterfactual[] = [];
  for (const checkpoint of refusedBy(decision))
    counterfactuals.push(await counterfactual(agent, given, observed, decision, checkpoint, reference));
  return {
    case: given.name,
    domain: given.domain,
    strategy,
    observed: shown,
    level: decision.line?.level ?? null,
    ending: observed.ending,
    difference,
    counterfactuals,
    mismatches: mismatchesOf(given.expect[strategy], shown),
    blocked,
    unsafeAdmission: !blocked && (observed.ending !== 'done' || !isSame(difference)),
    falseBlocked: blocked && counterfactuals.some(({ harmless }) => harmless),
    onceKnown: blocked && strategy === 'dart' ? onceKnown(observed) : null,
  };
}

/**
 * Restores a refused checkpoint anyway. Where nobody knows whether a call had happened, the run in which it had and the one in
 * which it had not look the same: what is harmless is so in both.
 */
async function counterfactual(
  agent: Agent,
  given: Case,
  { before }: Observed,
  decision: Decision,
  checkpoint: Checkpoint,
  reference: Observed,
): Promise<Counterfactual> {
  const failed = decision.failed as InstanceId;
  const own = [...vetoes(decision)].filter(({ candidate }) => candidate?.at === checkpoint.at);
  const { failing } = given;
  const unknown = own.some(({ code }) => code === 'effect_outcome_unknown') && !('found' in failing);
  const worlds = unknown ? (['before', 'after'] as const) : (['as it was'] as const);
  const forced: Counterfactual['forced'][number][] = [];
  for (const world of worlds) {
    const there =
      world === 'as it was' || 'found' in failing ? given : { ...given, failing: { ...failing, when: world } };
    forced.push({ world, ...(await forceRestore(agent, there, before, failed, checkpoint, reference.world)) });
  }
  return {
    boundary: forced[0]?.what ?? '',
    codes: [...new Set(own.map(({ code }) => code))],
    forced,
    harmless: forced.every(({ harmless }) => harmless),
  };
}

function shownBy(observed: Observed, decision: Decision): Expected {
  const { before, replayed, preserved } = observed;
  const { failed, line, verdict } = decision;
  const name = failed === null ? null : instanceName(failed);
  const own = before.instances.find(({ id }) => instanceName(id) === name);
  const boundaryAt = (at: number) => own?.checkpoints.find((checkpoint) => checkpoint.at === at)?.boundary ?? '';
  const keep = line?.moves.find(({ instance }) => instanceName(instance) === name)?.keep;
  const restored = verdict === 'restore' || verdict === 'restore_joint';
  return {
    verdict,
    instance: name,
    checkpoint: !restored || keep === undefined ? null : keep === 'none' ? 'none' : boundaryAt(keep.at),
    replayed,
    preserved: preserved.map(instanceName),
    vetoes: [...vetoes(decision)].map((veto) => {
      const where = veto.candidate === null ? [] : [boundaryAt(veto.candidate.at)];
      return [...where, veto.code, ...witnessOf(veto)].join(' ');
    }),
    acts: 'unblock' in decision ? decision.unblock.acts.map(actText) : [],
  };
}

/** The witness in short: the consumer, or the tool of the effect. */
function witnessOf(veto: Veto): readonly string[] {
  if ('dependence' in veto) return [instanceName(veto.dependence.consumer)];
  return 'effect' in veto ? [toolOf(veto.effect)] : [];
}

function actText(act: Act): string {
  switch (act.act) {
    case 'name_suspect':
      return act.act;
    case 'allow_joint':
    case 'end_instances':
      return `${act.act} ${act.instances.map(instanceName).join(' ')}`;
    case 'settle_outcome': {
      const asks = act.ask?.reconciler ?? act.ask?.writes.join(' ') ?? '';
      return `${act.act} ${toolOf(act.effect)}${asks === '' ? '' : `, ask ${asks}`}`;
    }
    case 'undo_by_hand':
    case 'register_undo':
      return `${act.act} ${toolOf(act.effect)}`;
  }
}

function toolOf({ tool, id }: Effect): string {
  return tool ?? String(id);
}

function mismatchesOf(expected: Expected | undefined, shown: Expected): readonly string[] {
  if (expected === undefined) return [];
  return (Object.keys(shown) as (keyof Expected)[]).flatMap((field) => {
    const [wanted, got] = [JSON.stringify(expected[field]), JSON.stringify(shown[field])];
    return wanted === got ? [] : [`${field} is ${got}, and not ${wanted}`];
  });
}

async function localise(
  agent: Agent,
  given: Case,
  { decision, before, trace }: Observed,
  reference: Observed,
): Promise<Localisation> {
  const failed = decision?.failed ?? null;
  if (failed === null) return { failed: null, withoutOrdinals: [], weakened: null, stale: null };
  const same = before.instances.filter(({ id }) => id.skeleton === failed.skeleton && id.entity === failed.entity);
  const failure =
    same.length === 1 ? { in: failed, key: null } : ({ in: null, key: null, why: 'fits_several' } as const);
  const answer = decide(historyOf(trace), failure, { policy: 'line', joint: 'none' });
  const older = same.find(({ id }) => id.ordinal < failed.ordinal);
  const newest = older?.checkpoints.findLast(({ kind }) => kind !== 'exit');
  const stale =
    older === undefined || newest === undefined
      ? null
      : {
          instance: instanceName(older.id),
          forced: await forceRestore(agent, given, before, older.id, newest, reference.world),
        };
  return {
    failed: instanceName(failed),
    withoutOrdinals: same.map(({ id }) => instanceName(id)),
    weakened: { verdict: answer.verdict, codes: [...vetoes(answer)].map(({ code }) => code) },
    stale,
  };
}

/**
 * The paper's answer once it is known that what was unknown has happened; null where nothing was unknown. (It knows no rung
 * on which a held call is simply answered; under Belay somebody says so, and the run goes on.)
 */
function onceKnown({ trace, decision, before }: Observed): Judged['onceKnown'] {
  const unknown = before.effects.filter(({ status }) => status === 'unknown' || status === 'intended');
  const failed = decision?.failed ?? null;
  if (failed === null || unknown.length === 0) return null;
  const history = historyOf(trace);
  for (const { instance, key, class: kind } of unknown)
    history.apply({ do: 'effect', in: instance, id: key, class: kind, status: 'confirmed', undo: null });
  const answer = decide(history, { in: failed, key: null }, { policy: 'dart', joint: 'none' });
  return { verdict: answer.verdict, codes: [...new Set([...vetoes(answer)].map(({ code }) => code))] };
}
