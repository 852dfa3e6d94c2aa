/**
 * Makes a run's calls of tools through the guard: each event is written before anything relies on it (semantics.md E1).
 */

import { misfitOf } from '../../boundaries/computed.ts';
import { edited } from '../../boundaries/edited.ts';
import { plainCall } from '../../effects/acting.ts';
import { actName, identityDigest } from '../../effects/acts.ts';
import { admission, bill, times } from '../../effects/budgets.ts';
import { guardedCall, leavesNow, refusedFor } from '../../effects/guard.ts';
import {
  type Admission,
  type Approval,
  classOf,
  denied,
  type GuardedCall,
  type GuardPort,
  type Misfit,
  type Reply,
} from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { BadArguments, NotApplied } from '../../effects/signals.ts';
import type { SpendEntry } from '../../model/call-entries.ts';
import type { Entry } from '../../model/entry.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { reliesOnUncommitted } from '../../recovery/covered.ts';
import type { Call, Runtime } from '../../runtime/runtime.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Attempting } from '../attempts/attempting.ts';
import type { Mandates } from '../mandates/mandates.ts';
import type { RunParts, RunWriter } from '../parts.ts';
import { argsOf } from './args.ts';
import { billed } from './billing.ts';
import { Branches } from './branches.ts';
import { Claiming } from './claiming.ts';
import { relationOf } from './earlier-calls.ts';
import { isExpired } from './expired.ts';
import type { KinAct } from './kin.ts';
import { confirmed } from './lease.ts';
import { Pooling } from './pooling.ts';
import { positioned } from './positions.ts';
import { Preconditions } from './preconditions.ts';
import { Reconciling } from './reconciling.ts';
import { Releasing } from './releasing.ts';
import { retried } from './retrying.ts';
import { type Look, SecondLooking } from './revalidating.ts';
import { Sandboxes } from './sandboxes.ts';
import { storeAct } from './store-acts.ts';
import { badObligations, withObligations } from './taking-on.ts';
import { UnderWay } from './under-way.ts';
import { Undoing } from './undoing.ts';

type Failed = Extract<Reply, { is: 'failed' }>;

/** The budget of a call. */
type Budgeted = Pick<GuardedCall, 'admit' | 'charge' | 'pools'>;

/** The owner of a call, and the name that it has in keys. */
type Whose = Pick<GuardedCall, 'instance' | 'keyedAs' | 'place'>;

/** What stands beside the calls of a run. */
interface Beside {
  readonly toolNamed: Runtime['toolNamed'];
  readonly attempting: Attempting;
  readonly mandates: Mandates;
}

/** The calls of one run. */
export class Calls {
  readonly #parts: RunParts;
  readonly #write: RunWriter;
  readonly #approvals: Approvals;
  readonly #preconditions: Preconditions;
  readonly #claiming: Claiming;
  readonly #branches: Branches;
  readonly #releasing: Releasing;
  /** What its tools work in. */
  readonly sandboxes: Sandboxes;
  /** What its calls reserve in the pools of the store. */
  readonly pooling: Pooling;
  /** The calls that have left and have not come back. */
  readonly underWay: UnderWay;
  /** Asks counterparties. */
  readonly reconciling: Reconciling;
  /** Takes calls back. */
  readonly undoing: Undoing;

  readonly #toolNamed: Runtime['toolNamed'];
  readonly #attempting: Attempting;
  readonly #mandates: Mandates;

  constructor(parts: RunParts, write: RunWriter, approvals: Approvals, { toolNamed, attempting, mandates }: Beside) {
    this.#parts = parts;
    this.#toolNamed = toolNamed;
    this.#attempting = attempting;
    this.#mandates = mandates;
    this.#write = write;
    this.#approvals = approvals;
    this.#preconditions = new Preconditions(parts);
    this.#releasing = new Releasing(parts, write);
    this.#claiming = new Claiming(parts, write, this.#releasing, (reason) => attempting.standsInLine(reason));
    this.#branches = new Branches(parts);
    this.pooling = new Pooling(parts, write);
    this.underWay = new UnderWay(parts);
    this.sandboxes = new Sandboxes(parts, write, this.underWay);
    const lookFor = (instance: InstanceId, signal: AbortSignal) => this.lookFor(instance, signal);
    this.reconciling = new Reconciling(parts, write, { lookFor, sandboxes: this.sandboxes });
    this.undoing = new Undoing(parts, write, { releasing: this.#releasing, sandboxes: this.sandboxes });
  }

  /** Makes a call through the guard, unless its arguments are none that its tool takes, its instance lacks an input or the governor denies it. */
  async ask(asked: Call, number: number, whose: Whose, lacks: () => string | null): Promise<Reply> {
    const { instance } = whose;
    const call = this.#asJournaled(asked, number);
    const port = this.#port(call, number, instance);
    const bad =
      this.#misfit(call, number) === null ? null : refusedFor(port, this.#guarded(call, number, whose, lacks));
    const reply = bad ?? (await this.#made(call, number, whose, { lacks, port }));
    await this.sandboxes.cameBack(this.#parts.config.tools.get(call.tool), reply);
    if (reply.is === 'failed' && reply.error instanceof BadArguments && !call.signal.aborted)
      this.#find(reply.error.code, instance, `${call.tool}: ${reply.error.reason}`);
    return reply;
  }

  /** Makes a call whose arguments fit, unless its instance lacks an input or the governor denies it. */
  async #made(
    call: Call,
    number: number,
    whose: Whose,
    { lacks, port }: { readonly lacks: () => string | null; readonly port: GuardPort },
  ): Promise<Reply> {
    const { instance } = whose;
    // Before it claims anything: an attempt that waits for the choice has no key for which another attempt stands in line.
    if (this.#attempting.holds(call.tool) && leavesNow(port, this.#guarded(call, number, whose, lacks)))
      await this.#attempting.stand(call.tool, call.signal);
    const refused = await this.#claiming.claim(call, instance);
    const denied = refused === null ? await this.#preconditions.denied(call, instance) : null;
    if (this.#parts.kin.isForked) await this.#parts.kin.look();
    // The actor was stopped meanwhile, and its instance may be gone as well: the journal must not have an intent of the
    // call.
    if (call.signal.aborted) return { is: 'dropped' };
    const lacking = lacks();
    if (lacking !== null)
      return { is: 'failed', signal: 'MISSING_INPUT', error: new Error(lackText(lacking, instance)), key: null };
    const error = refused ?? (denied === null ? null : new Error(denied));
    if (error !== null) return { is: 'failed', signal: 'GOVERNOR_DENIED', error, key: null };
    return guardedCall(port, this.#guarded(call, number, whose, lacks));
  }

  /** Where a call of an actor that acts is written. */
  #port(call: Call, number: number, instance: InstanceId): GuardPort {
    const { run, runState, activity, lifecycle } = this.#parts;
    return {
      ...this.#plainPort(instance),
      run,
      ledger: runState.ledger,
      leaves: (key: string) => this.underWay.leaves(key),
      now: this.#parts.now,
      free: () =>
        activity.waitFor(this.#branches.apart(call, number, instance, this.#write) ?? lifecycle.until('leave')),
      mandated: (tool: string) => this.#mandates.held(tool),
      under: () => this.#mandates.under,
      confirm: () => confirmed(this.#parts, this.#write),
      secret: runState.secret,
      codecs: runState.codecs,
      received: (of: LedgerCall) => this.#received(of, call.signal),
      elsewhere: (key: string) => this.#elsewhere(key),
    };
  }

  /** Says why the arguments of a call are none that its tool takes; null where they are, and for a call that is journaled: it was asked then (CS1). */
  #misfit({ tool, input: args }: Call, number: number): Misfit | null {
    const { config, runState } = this.#parts;
    if (runState.ledger.ofActor(number) !== undefined) return null;
    const reason = misfitOf(config, tool, args);
    return reason === null ? badObligations(this.#parts, tool, args) : { code: 'bad_arguments', reason };
  }

  /** Where the calls of an instance write that change nothing. */
  #plainPort(instance: InstanceId) {
    const { activity, lifecycle } = this.#parts;
    return {
      append: (entries: readonly Entry[]) => this.#append(entries, instance),
      durable: () => this.#write.durable(),
      clear: () => activity.waitFor(lifecycle.until('leaveApproved')),
      stopping: () => lifecycle.isLeft,
      cancelled: () => lifecycle.answer('leave').is === 'no',
    };
  }

  /** The second looks before a call of an actor leaves (RV2); null where the config revalidates nothing, or the call changes nothing. */
  looksBefore(
    { tool, input: args }: Pick<Call, 'tool' | 'input'>,
    { actor, instance }: { readonly actor: number; readonly instance: InstanceId },
    signal: AbortSignal,
  ): SecondLooking | null {
    const { tools } = this.#parts.config;
    const isUsed = [...tools.values()].some(({ revalidate }) => revalidate !== null);
    if (!isUsed || classOf(tools.get(tool)) === 'none') return null;
    const unmet = () => this.#preconditions.tooOld({ tool, input: args }, actor, instance);
    return new SecondLooking(this.#parts, { actor, instance, tool }, this.lookFor(instance, signal), unmet);
  }

  /** Makes second looks on account of an instance: calls like the first, with its budgets and its timeout (RV3). */
  lookFor(instance: InstanceId, signal: AbortSignal): Look {
    return async (actor, { tool: name, args }) => {
      const tool = this.#parts.config.tools.get(name);
      const made = this.#toolNamed(name);
      if (made === undefined || tool === undefined) return denied(`the machine has no tool ${name}`);
      const act = (_: unknown, own: AbortSignal) => made({ input: args, signal: own });
      const call = { tool: name, input: args, signal, act: act as Call['act'] };
      const budgeted = this.#budgeted(call, actor, instance);
      const looked = (key: string | undefined, own: AbortSignal) => this.#act(key, own, call, actor, instance);
      return plainCall(this.#plainPort(instance), { actor, tool, signal, ...budgeted, act: looked });
    };
  }

  /** A call that is made again and was about to leave sends what was journaled with it: one key has one body (E3). */
  #asJournaled(call: Call, number: number): Call {
    const known = this.#parts.runState.ledger.ofActor(number);
    if (known === undefined) return call;
    // Where a person had other arguments sent, the call still asks for what the machine does (PE2).
    const { instead } = known.intent;
    return { ...call, input: instead === undefined ? argsOf(this.#parts.runState, known.intent) : instead.args };
  }

  /** Resolves at the next append; null where no actor waits for a call any more, and nothing of it is under way. */
  #received({ key, intent, status, undoing }: LedgerCall, signal: AbortSignal): Promise<void> | null {
    const { runState, activity } = this.#parts;
    const isAwaited = status === 'buffered' || undoing || runState.actor(intent.actor).ended === null;
    if (!isAwaited && !this.underWay.has(key) && !this.underWay.isLeaving(key)) return null;
    const stop = this.#parts.lifecycle.leave;
    const over = new AbortController();
    const received = new Promise<void>((resolve) => {
      const tell = () => {
        over.abort();
        resolve();
      };
      this.#write.atNext(tell);
      for (const end of [signal, stop]) end.addEventListener('abort', tell, { signal: over.signal });
    });
    return activity.waitFor(received);
  }

  async #elsewhere(key: string): Promise<string | null> {
    const { config, runState, journal } = this.#parts;
    const intent = runState.ledger.get(key)?.intent;
    if (intent === undefined) return null;
    const act = storeAct(config, intent.tool, argsOf(runState, intent), runState.codecs);
    const held = act === null ? null : await journal.actOf(act);
    return held === null || held.key === key ? null : held.run;
  }

  #guarded(call: Call, number: number, whose: Whose, lacks: () => string | null): GuardedCall {
    const { instance, keyedAs, place } = whose;
    const { input: args, signal } = call;
    const [tool, asks] = [this.#parts.config.tools.get(call.tool), this.#preconditions];
    const budgeted = this.#observed(number, this.#budgeted(call, number, instance));
    const holds = this.#branches.holds(call.tool, number);
    const kin = () => this.#kinOf(call, instance);
    return {
      instance,
      keyedAs,
      place,
      ...budgeted,
      name: call.tool,
      tool,
      undo: this.undoing.mayUndo(call.tool, instance) || this.#branches.undoes(call.tool, number),
      holds,
      actor: number,
      args,
      signal,
      version: call.version,
      gated: !holds && (asks.isGated(call, number, instance) || kin() !== null),
      act: (key, own) =>
        this.#act(key, own, positioned(call, number, instance, this.#parts, this.#write), number, instance),
      misfit: () => this.#misfit(call, number),
      allowed: tool?.when || tool?.check ? () => asks.unmet(call, number, instance) : null,
      approval: (key, digest, like) =>
        this.#approved(() => ({
          ...{ key, digest, instance, signal, like, kin: kin() },
          lasts: tool?.gate?.expires ?? null,
        })),
      comesAfter: (earlier) => call.ofNode === true && this.#isOfSameNode(earlier, instance),
      relation: (earlier) => relationOf(earlier, call, number, instance, this.#parts),
      stillAllowed: async () => {
        const why = (await asks.denied(call, instance)) ?? (await asks.unmet(call, number, instance));
        const late = badObligations(this.#parts, call.tool, args);
        if (why !== null || late !== null) return why ?? `${late?.code}: ${late?.reason}`;
        const lacking = lacks();
        return lacking === null ? null : lackText(lacking, instance);
      },
      edited: ({ with: change }) => {
        const made = edited(this.#parts.config, call.tool, args, change);
        return 'args' in made ? this.#guarded({ ...call, input: made.args }, number, whose, lacks) : null;
      },
      sending: (sent) => ({
        ...this.#guarded({ ...call, input: sent }, number, whose, lacks),
        own: this.#guarded(call, number, whose, lacks),
      }),
      opens: (gate, digest) => this.#approvals.opens(gate, digest, instance),
      box: this.sandboxes.pass(tool, number),
      looks: this.looksBefore(call, { actor: number, instance }, signal),
      seen: tool?.see?.always ? (key) => this.reconciling.outcome(key) : null,
      isExpired: (earlier) => isExpired(earlier, tool, this.#parts.now()),
      discard: (key) => this.undoing.discard(this.#parts.runState.ledger.get(key)),
    };
  }

  /** Waits for a person's approval of a call, and asks again where a kin has acted since the question was asked (FK4). */
  async #approved(asking: () => Parameters<Approvals['approval']>[0]): Promise<Approval> {
    const { kin } = this.#parts;
    for (;;) {
      const given = await this.#approvals.approval(asking());
      if (given.is !== 'approved' || !kin.isForked) return given;
      await kin.look();
      if (this.#approvals.isAbout(given.gate, asking().kin)) return given;
    }
  }

  /** The act of a kin that a call may repeat, by the last look at the kin (FK4); null if there is none. */
  #kinOf({ tool, input: args }: Call, { entity }: InstanceId): KinAct | null {
    const { kin, config, runState } = this.#parts;
    if (!kin.isForked || classOf(config.tools.get(tool)) === 'none') return null;
    const identity = config.tools.get(tool)?.once?.identityOf(args) ?? null;
    const act = identity === null ? null : actName(tool, identityDigest(identity, runState.secret, runState.codecs));
    return kin.like({ tool, args, entity, act });
  }

  /** True where a kept call was made by the same execution of a node: the instance has no other node. */
  #isOfSameNode({ status, intent }: LedgerCall, instance: InstanceId): boolean {
    const skeleton = this.#parts.config.skeletons.get(instance.skeleton);
    return (
      status === 'confirmed' &&
      skeleton?.states.length === 1 &&
      instanceName(intent.instance) === instanceName(instance)
    );
  }

  /** Tells the observer of the run how a call came back. */
  #observed(actor: number, budgeted: Budgeted): Budgeted {
    const { observing } = this.#parts;
    if (observing === null) return budgeted;
    const charge: Budgeted['charge'] = (of, settled) => {
      observing.came(actor, settled);
      return budgeted.charge(of, settled);
    };
    return { ...budgeted, charge };
  }

  /** Admits what a call may spend, and bills what it has spent. */
  #budgeted(call: Pick<Call, 'tool' | 'input' | 'signal'>, actor: number, instance: InstanceId): Budgeted {
    const { tool: name, input: args } = call;
    const { config, runState, now } = this.#parts;
    const tool = config.tools.get(name);
    let since = 0;
    let admitted: Readonly<Record<string, number>> = {};
    let admits: Readonly<Record<string, number>> = {};
    return {
      pools: this.pooling.pass(call, instance, () => admits),
      admit: (of): Admission => {
        const refused =
          this.#branches.refuses(call, actor, instance) ?? this.#preconditions.outsideMandate(call, actor, instance);
        if (refused !== null) return { refused };
        if (config.budgets.size === 0) return { entries: [] };
        const asked = admission(config.budgets, runState.budgets, tool, args, { pools: config.pools, of });
        if ('refused' in asked) return asked;
        since = now();
        admitted = asked.amounts;
        admits = asked.admits;
        return { entries: [{ do: 'spend', of, is: 'admitted', amounts: admits }] };
      },
      charge: (of, settled) => {
        const took = Math.max(0, now() - since);
        const bills = bill(of, admitted, tool, { args, took, ...('output' in settled && { output: settled.output }) });
        // No outcome of it will be known: what it may have taken of a pool is spent.
        const isLost = config.pools.size > 0 && of === String(actor) && 'error' in settled;
        return isLost ? [...bills, lostCharge(of, admitted, settled.error)] : bills;
      },
    };
  }

  #act(
    key: string | undefined,
    own: AbortSignal,
    call: Pick<Call, 'tool' | 'input' | 'act' | 'signal'>,
    actor: number,
    instance: InstanceId,
  ): Promise<unknown> {
    const { observing, config } = this.#parts;
    const { tool, input: args } = call;
    const of = { actor, tool, args, instance, class: classOf(config.tools.get(tool)) };
    const about = { ...of, ...(key !== undefined && { key }) };
    const made = (signal: AbortSignal) => {
      const rules = config.tools.get(tool);
      const act = () =>
        rules?.in
          ? this.sandboxes.inside(rules, actor, (sandbox) => call.act(key, signal, args, sandbox))
          : call.act(key, signal, args);
      return observing === null ? act() : observing.calls(about, call.signal, act);
    };
    const acting = key === undefined ? this.underWay.trackPlain(tool, made(own)) : this.underWay.track(key, own, made);
    const buffer = this.#parts.config.tools.get(call.tool)?.buffer ?? null;
    return typeof buffer === 'object' && buffer !== null ? this.underWay.trackStaging(acting) : acting;
  }

  /**
   * Writes what a call does, and what a person should know of it: what cannot be taken back relies on work that still can (E4).
   */
  #append(entries: readonly Entry[], instance: InstanceId): void {
    this.#write.append(withObligations(this.#parts, billed(this.#parts, entries)));
    const [intent] = entries;
    if (intent?.do !== 'intent' || intent.class !== 'irreversible' || intent.held === 'buffer') return;
    const { history } = this.#parts.runState;
    const open = reliesOnUncommitted(history, instance, history.head, ({ skeleton }) => skeleton === ROOT);
    if (open === null) return;
    const text = `${intent.tool} is irreversible, and relies on what ${instanceName(open)} has not committed`;
    this.#find('uncovered_read', instance, text);
  }

  /** Writes something that a person should know. */
  #find(code: string, instance: InstanceId, text: string): void {
    const finding = { do: 'finding', code, instance, text } as const;
    this.#write.append([finding]);
    this.#parts.onFinding(finding);
  }

  /** True where the machine handles the error itself and the config does not want it (F2). */
  isMachines(call: Call, { error, signal }: Failed): boolean {
    const wanted = this.#parts.config.recover.some(
      ({ tool, signals }) => tool === call.tool && signals.includes(signal),
    );
    if (wanted) return false;
    return call.handles(error);
  }

  /** @see {@link retried} */
  again(call: Call, reply: Failed, tries: number): Promise<boolean> {
    return retried(call, reply, tries, this.#parts, this.reconciling);
  }

  /** The reason why a call that is held back is outside of the mandate that its commit would leave under; null where it is not (MD2). */
  outsideMandate({ intent }: LedgerCall): string | null {
    if ((intent.under ?? null) === this.#mandates.under) return null;
    const { tool, actor, instance } = intent;
    return this.#preconditions.outsideMandate({ tool, input: argsOf(this.#parts.runState, intent) }, actor, instance);
  }

  /** @see {@link Reconciling.outcome} */
  outcome(key: string | null): Promise<LedgerCall | undefined> {
    return this.reconciling.outcome(key);
  }

  /** @see {@link Reconciling.reconcile} */
  reconcile(key: string): Promise<number | null> {
    return this.reconciling.reconcile(key);
  }

  /** @see {@link Undoing.discard} */
  discard(call: LedgerCall | undefined): Promise<void> {
    return this.undoing.discard(call);
  }

  /** @see {@link Releasing.release} */
  release(ahead: ReadonlySet<string> | null): Promise<void> {
    return this.#releasing.release(ahead);
  }

  /** @see {@link Claiming.claimAgain} */
  claimAgain(): Promise<string | null> {
    return this.#claiming.claimAgain();
  }

  /** @see {@link Claiming.cancel} */
  cancel(): void {
    this.pooling.cancel();
    this.#claiming.cancel();
  }
}

/** The charge of a call without a key that came back with an error: the most, unless it is known that nothing has happened. */
function lostCharge(of: string, { calls: _, time: __, ...most }: SpendEntry['amounts'], error: unknown): SpendEntry {
  return { do: 'spend', of, is: 'charged', amounts: error instanceof NotApplied ? times(most, 0) : most };
}

function lackText(lacking: string, { skeleton }: InstanceId): string {
  return `nothing that is kept has written ${lacking}, which ${skeleton} requires`;
}
