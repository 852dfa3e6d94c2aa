/**
 * Answers the questions of recoveries to the projections of a run: the rules for a failure, the usable checkpoints, the
 * position of each instance, and the place where control goes on. It changes nothing.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { rulesOf } from '../../boundaries/version-rules.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { errorMessage } from '../../effects/signals.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Act, Counterparty, Decision, Policy, Rules } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import type { DecisionEntry, Thrown } from '../../model/entry.ts';
import { isExternal } from '../../model/external-keys.ts';
import type { Failure } from '../../model/failure.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { Region } from '../../model/region.ts';
import type { Unavailable } from '../../model/veto.ts';
import type { Facts } from '../../predicates/predicate.ts';
import { goneCalls } from '../../projection/gone-calls.ts';
import { budgetKey } from '../../projection/open-decisions.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Live } from '../../projection/state-types.ts';
import { type Placed, regionOfCall } from '../../recording/entry-states.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Raised, RunParts, Suspect } from '../parts.ts';
import type { Resume } from '../plan/restore-plan.ts';
import type { MovedInput } from '../report.ts';
import { keyedAs, rootOf } from './call-names.ts';
import { movedInputs } from './moved-inputs.ts';
import {
  hasActed,
  isAnswer,
  lostCalls,
  type Occurrence,
  repeatedAct,
  repeatedByGone,
  type SuspectAnswers,
  wrongAnswers,
} from './recorded-answers.ts';
import { keptOf, Resuming } from './resuming.ts';

/** The queries of one run. */
export class RecoveryQueries {
  readonly #runState: RunState;
  readonly #config: BoundaryConfig;
  readonly #versions: RunParts['versions'];
  readonly #policy: Policy;
  readonly #placed: readonly Placed[];
  readonly #resuming: Resuming;
  readonly #runtime: Pick<Runtime, 'placeAt' | 'machines'>;

  /** @param placed the places of the config's skeletons in the machine. */
  constructor(
    {
      runState,
      config,
      decisionPolicy,
      versions,
    }: Pick<RunParts, 'runState' | 'config' | 'decisionPolicy'> & Partial<Pick<RunParts, 'versions'>>,
    placed: readonly Placed[],
    runtime: Pick<Runtime, 'placeAt' | 'valueWithin' | 'machines'>,
  ) {
    this.#runState = runState;
    this.#config = config;
    this.#versions = versions;
    this.#policy = decisionPolicy.policy;
    this.#placed = placed;
    this.#runtime = runtime;
    this.#resuming = new Resuming(runState, config, placed, runtime);
  }

  /** True for a run of machines: their steps begin calls and hear the answers. */
  get hasMachines(): boolean {
    return this.#runtime.machines !== null;
  }

  /** @see {@link rootOf} */
  rootOf(region: string): InstanceId {
    return rootOf(this.#runState, region);
  }

  /** @see {@link keyedAs} */
  keyedAs(id: InstanceId): InstanceId {
    return keyedAs(this.#runState, this.#placed, id);
  }

  /** The instance that a call in a state belongs to, and what its key is made of (E3). */
  whoseCall(state: Region): {
    readonly instance: InstanceId;
    readonly keyedAs: InstanceId;
    readonly place: string | null;
  } {
    const owner = this.#runState.ownerOf(state, this.#placed);
    const instance = owner?.id ?? this.rootOf(state);
    return {
      instance,
      keyedAs: this.keyedAs(instance),
      place: owner === undefined ? null : this.#placeIn(owner, state),
    };
  }

  #placeIn({ id, region }: Live, state: Region): string | null {
    const placed = this.#placed.find(({ skeleton }) => skeleton.name === id.skeleton);
    return placed === undefined ? null : regionOfCall(placed, region, state, (path) => this.#runtime.placeAt(path));
  }

  /** @see {@link wrongAnswers} */
  wrongAnswers(id: InstanceId, suspect: string | null, after: number): SuspectAnswers {
    return wrongAnswers(this.#runState, id, suspect, after);
  }

  /** @see {@link repeatedAct} */
  repeatedAct(id: InstanceId, at: number | 'last'): LedgerCall | undefined {
    return repeatedAct(this.#runState, id, at);
  }

  /** @see {@link repeatedByGone} */
  repeatedByGone(id: InstanceId, suspect: string | null): LedgerCall[] {
    return repeatedByGone(this.#runState, id, suspect);
  }

  /** @see {@link hasActed} */
  hasActed(id: InstanceId): boolean {
    return hasActed(this.#runState, id);
  }

  /** @see {@link isAnswer} */
  isAnswer(at: number): boolean {
    return isAnswer(this.#runState, at);
  }

  /** @see {@link lostCalls} */
  lost(id: Occurrence): LedgerCall[] {
    return lostCalls(this.#runState, id);
  }

  /** @see {@link movedInputs} */
  movedInputs(kept: readonly Kept[]): MovedInput[] {
    return movedInputs(this.#runState, kept);
  }

  /** @see {@link Resuming.resumes} */
  resumes(kept: readonly Kept[]): Resume[] {
    return this.#resuming.resumes(kept);
  }

  /** @see {@link Resuming.escaping} */
  escaping(): ReturnType<Resuming['escaping']> {
    return this.#resuming.escaping();
  }

  /** A call as an effect; one that the ledger does not know is irreversible. */
  effectOf(key: string, instance: InstanceId): Effect {
    const call = this.#runState.ledger.get(key);
    return {
      instance,
      id: key,
      ...(call !== undefined && { tool: call.intent.tool }),
      class: call?.intent.class ?? 'irreversible',
      status: call?.status ?? 'unknown',
      undo: call?.intent.undo ?? false,
      at: call?.at ?? this.#runState.history.head,
    };
  }

  /** The rules under which a failure is decided. */
  rules({ in: failed }: Failure): Rules {
    const rollback = failed === null ? undefined : this.#config.skeletons.get(failed.skeleton)?.rollback;
    const exits = rollback?.exits === 'restorable' ? { exits: 'all' as const } : {};
    return { policy: this.#policy, joint: rollback?.joint ?? [], ...exits };
  }

  /** Says why a checkpoint cannot be used for a failure; null where it can. To be asked about the checkpoints of one decision. */
  unavailable({
    failure: { in: failed },
    signal,
    thrown,
    steers,
    moved,
  }: Raised): (checkpoint: Checkpoint) => Unavailable | null {
    const runState = this.#runState;
    const tries = this.#config.skeletons.get(failed?.skeleton ?? '')?.rollback.tries ?? this.#config.tries;
    const budgets = new Map<string, number>();
    const spentAt = (id: InstanceId, boundary: string) => {
      const spent = budgets.get(boundary) ?? runState.spent.get(budgetKey(id, boundary, signal)) ?? 0;
      budgets.set(boundary, spent);
      return spent;
    };
    const gone = goneCalls(runState).find(
      ({ intent }) => failed !== null && instanceName(intent.instance) === instanceName(failed),
    );
    return ({ at }) => {
      if (gone !== undefined && at > (gone.at as number))
        return { code: 'effect_gone', call: `${gone.intent.tool} of ${instanceName(gone.intent.instance)}` };
      if (at <= runState.staleUpTo) return { code: 'checkpoint_stale', changed: 'config' };
      if (steers !== undefined) return null;
      if (thrown !== undefined && this.#runtime.machines !== null && runState.hasThrownOn(thrown.on))
        return { code: 'recovery_budget_spent', of: 'throw', spent: 1 };
      if (runState.recoveries >= this.#config.tries) return spentUp(moved, 'run', runState.recoveries);
      const spent = failed === null ? null : spentAt(failed, runState.boundaryAt(failed, at));
      return spent !== null && spent >= tries ? spentUp(moved, 'boundary', spent) : null;
    };
  }

  /** The positions that a decision keeps; under `dart`, which restores a whole snapshot, none beyond the candidate. */
  keptBy(decision: Extract<Decision, { verdict: 'restore' | 'restore_joint' }>): Kept[] {
    const moves = decision.line.moves.map(({ instance, keep }) => [instance, keep === 'none' ? 0 : keep.at] as const);
    const kept = keptOf(moves, decision.aside ?? []);
    if (decision.policy !== 'dart') return kept;
    const { places, history } = this.#runState;
    const failed = instanceName(decision.failed);
    const own = kept[0]?.[1] ?? 0;
    // The whole snapshot is that of the step at which the candidate stands.
    const isEntry = own === history.expect(decision.failed).entry.at;
    const step = isEntry ? places.of(failed)?.entered : places.stepAt(own);
    const limit = step?.to ?? own;
    return [...history.registry.all()].map((record): Kept => {
      if (instanceName(record.id) === failed) return [record.id, own];
      return [record.id, record.entry.at > limit ? 0 : limit];
    });
  }

  /** The decision, with the counterparty to ask for each outcome that a person is to settle: only the config knows. */
  withWhomToAsk(decision: Decision, thrown?: Thrown): Decision {
    if (!('unblock' in decision)) return decision;
    // What a step that threw rests on stands: nothing of it has to be undone by hand.
    if (thrown !== undefined && thrown.lost !== true && decision.verdict === 'escalate')
      return { ...decision, unblock: { leadsTo: 'retry', acts: [actOver(thrown)] } };
    const acts = decision.unblock.acts.map((act): Act => {
      return act.act === 'settle_outcome' ? { ...act, ask: this.#counterparty(act.effect) } : act;
    });
    return { ...decision, unblock: { ...decision.unblock, acts } };
  }

  #counterparty({ id, tool: name, instance }: Effect): Counterparty {
    const call = id === null ? undefined : this.#runState.ledger.get(id);
    const tool = call === undefined ? this.#config.tools.get(name ?? '') : rulesOf(this.#config, this.#versions, call);
    const args = call === undefined ? {} : this.#runState.actor(call.intent.actor).started?.input;
    const facts: Facts = { state: '', action: name ?? '', args, entity: instance.entity, memory: {}, event: {} };
    const writes = (tool?.writes ?? []).flatMap((template) => template.fillAll(facts)).filter(isExternal);
    const expects = tool?.output;
    return {
      reconciler: tool?.reconcile ?? null,
      writes: writes.map(({ text }) => text),
      ...(expects !== undefined && { expects }),
    };
  }

  /** The journal entry of a decision. */
  decisionEntry(
    { signal, error, actor, call, failure, suspect, complaint, commit, gone, thrown, steers, moved }: Raised,
    decision: Decision,
  ): DecisionEntry {
    const own =
      decision.failed === null
        ? undefined
        : decision.line?.moves.find(
            (move) => instanceName(move.instance) === instanceName(decision.failed as InstanceId),
          );
    return {
      do: 'decision',
      signal,
      error: errorMessage(error),
      actor,
      call: call?.actor ?? gone?.intent.actor ?? null,
      key: failure.key?.text ?? null,
      decision,
      checkpoint: own === undefined || own.keep === 'none' ? null : own.keep,
      ...(suspect === true && { suspect }),
      ...(complaint !== undefined && { complaint: named(complaint) }),
      ...(commit !== undefined && { commit }),
      ...(thrown !== undefined && { thrown }),
      ...(steers !== undefined && { steers }),
      ...(moved === true && { moved }),
    };
  }
}

/** The reason of a budget that is used up: an answer that has changed each time is told as that (RV5). */
function spentUp(moved: Raised['moved'], of: 'run' | 'boundary', spent: number): Unavailable {
  return moved === true ? { code: 'never_still', spent } : { code: 'recovery_budget_spent', of, spent };
}

/** The act after which a step that threw is tried again. */
function actOver({ limit, version }: Thrown): Act {
  return limit === undefined ? { act: 'fix_and_retry', version: version ?? null } : { act: 'raise_limit', limit };
}

/** The instance that a caller named, and nothing else that the object may have. */
function named({ skeleton, entity, ordinal }: Suspect): Suspect {
  return { skeleton, entity, ...(ordinal !== undefined && { ordinal }) };
}
