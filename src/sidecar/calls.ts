/**
 * A run's calls of tools: through the guard, to the counterparty that is asked what became of one, and to what undoes one
 * (semantics.md E1, E2, E5). What happens is written before anybody relies on it.
 */
import type { Retry, Tool } from '../boundaries/config.ts';
import { LONGEST_WAIT } from '../boundaries/page/time.ts';
import { setAlarm } from '../effects/alarm.ts';
import { admission, bill } from '../effects/budgets.ts';
import type { Claim, Claims } from '../effects/claims.ts';
import type { Inverse, StagingArea, Undo, UndoCall } from '../effects/counterparty.ts';
import { type Admission, type GuardedCall, guardedCall, type Reply } from '../effects/guard.ts';
import type { LedgerCall } from '../effects/ledger.ts';
import { errorMessage, NotApplied } from '../effects/signals.ts';
import { areasOver, claimsOn, keysTouched, meet, readBy, readsOf, writesOf } from '../effects/touched.ts';
import { type Effect, isOpen } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import { isExternal } from '../model/external-keys.ts';
import type { Signal } from '../model/failure.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Facts } from '../predicates/predicate.ts';
import { reliesOnUncommitted } from '../recovery/covered.ts';
import { areIndependent } from '../recovery/dependence.ts';
import type { Call } from '../runtime/runtime.ts';
import type { Approvals } from './approvals.ts';
import type { RunParts, Writer } from './parts.ts';
import { broughtAs } from './registered.ts';

/** How often an undo is tried, and how long is waited before each further try, in milliseconds. */
const TRIES = [0, 20, 100];
/** How much longer is waited before each further question to a counterparty. */
const FACTOR = 5;
/** How long is waited for the next question at once, in milliseconds: what takes longer is asked later. */
const AT_ONCE = 1_000;

/** Whose a call is, and the name that it has in keys. */
type Whose = Pick<GuardedCall, 'instance' | 'keyedAs'>;

/** The calls of one run. */
export class Calls {
  readonly #parts: RunParts;
  readonly #write: Writer;
  readonly #approvals: Approvals;
  readonly #clear: () => Promise<void>;
  /** The calls that are under way in this process, by their keys. */
  readonly #underWay = new Map<string, { readonly abort: AbortController; readonly returned: Promise<unknown> }>();
  /** The calls under way that change nothing. */
  readonly #plain = new Set<{ readonly tool: string; readonly returned: Promise<unknown> }>();
  /** What is being staged at this moment. */
  readonly #staging = new Set<Promise<unknown>>();
  #stopping = false;

  /** @param clear resolves once no plan is being carried out. */
  constructor(parts: RunParts, write: Writer, approvals: Approvals, clear: () => Promise<void>) {
    this.#clear = clear;
    this.#parts = parts;
    this.#write = write;
    this.#approvals = approvals;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Makes a call through the guard, unless its instance lacks an input or the governor denies it. */
  async ask(asked: Call, number: number, { instance, keyedAs }: Whose, lacks: () => string | null): Promise<Reply> {
    const call = this.#asJournaled(asked, number);
    const denied = (await this.#claimed(call, instance)) ?? (await this.#denied(call, instance));
    // Its actor was stopped meanwhile, and its instance may be gone with it: no intent of it belongs into the journal.
    if (call.signal.aborted) return { is: 'dropped' };
    const lacking = lacks();
    if (lacking !== null)
      return { is: 'failed', signal: 'MISSING_INPUT', error: new Error(lackText(lacking, instance)), key: null };
    if (denied !== null) return { is: 'failed', signal: 'GOVERNOR_DENIED', error: new Error(denied), key: null };
    const port = {
      run: this.#parts.run,
      ledger: this.#parts.runState.ledger,
      append: (entries: readonly Entry[]) => this.#append(entries, instance),
      durable: () => this.#write.durable(),
      clear: this.#clear,
      secret: this.#parts.runState.secret,
      codecs: this.#parts.runState.codecs,
      stopping: () => this.#stopping,
    };
    return guardedCall(port, this.#guarded(call, number, { instance, keyedAs }, lacks));
  }

  /** Whoever makes a call again that was about to leave sends what was journaled with it: one key has one body (E3). */
  #asJournaled(call: Call, number: number): Call {
    const known = this.#parts.runState.ledger.ofActor(number);
    return known === undefined ? call : { ...call, input: this.#argsOf(known.intent) };
  }

  #guarded(call: Call, number: number, { instance, keyedAs }: Whose, lacks: () => string | null): GuardedCall {
    const tool = this.#parts.config.tools.get(call.tool);
    const { input: args, signal } = call;
    let since = 0;
    let admitted: Readonly<Record<string, number>> = {};
    return {
      name: call.tool,
      tool,
      undo: this.mayUndo(call.tool, instance),
      instance,
      keyedAs,
      actor: number,
      args,
      signal,
      gated: this.#isGated(call, number, instance),
      act: (key, own) => {
        const acting = this.#track(key, own, this.#positioned(call, number, instance));
        return tool !== undefined && typeof tool.buffer === 'object' && tool.buffer !== null
          ? this.#stages(acting)
          : acting;
      },
      admit: (of): Admission => {
        if (this.#parts.config.budgets.size === 0) return { entries: [] };
        const asked = admission(this.#parts.config.budgets, this.#parts.runState.budgets, tool, args);
        if ('refused' in asked) return asked;
        since = this.#parts.now();
        admitted = asked.amounts;
        return { entries: [{ do: 'spend', of, is: 'admitted', amounts: admitted }] };
      },
      charge: (of, settled) => {
        const took = Math.max(0, this.#parts.now() - since);
        return bill(of, admitted, tool, { args, took, ...('output' in settled && { output: settled.output }) });
      },
      allowed: tool?.when || tool?.check ? () => this.#unmet(call, number, instance) : null,
      approval: (key, digest, like) =>
        this.#approvals.approval({ key, digest, instance, lasts: tool?.gate?.expires ?? null, signal, like }),
      relation: (earlier) => this.#relation(earlier, call, number, instance),
      stillAllowed: async () => {
        const why = (await this.#denied(call, instance)) ?? (await this.#unmet(call, number, instance));
        if (why !== null) return why;
        const lacking = lacks();
        return lacking === null ? null : lackText(lacking, instance);
      },
      opens: (gate, digest) => this.#approvals.opens(gate, digest, instance),
      discard: (key) => this.discard(this.#parts.runState.ledger.get(key)),
    };
  }

  /** How an earlier call of the same tool by the same instance relates to one (E3). */
  #relation(
    earlier: LedgerCall,
    call: Call,
    number: number,
    instance: InstanceId,
  ): ReturnType<GuardedCall['relation']> {
    const { runState, config } = this.#parts;
    const [before, now] = [runState.actor(earlier.intent.actor), runState.actor(number)];
    if (before.ended === null) return 'waited for';
    if (before.started?.id !== now.started?.id) return 'unsure';
    const reads = readsOf(config, { tool: call.tool, args: call.input, entity: instance.entity });
    const isRead = (key: Key) => reads.some((read) => overlaps(read, key));
    const since = earlier.at ?? 0;
    const { registry, versions } = runState.history;
    // Steps of its own instance are credited with what the call itself may have changed outside; only other calls of it count there.
    const isRewritten = [...registry.all()].some((record) => {
      const isOwn = instanceName(record.id) === instanceName(instance);
      return versions
        .writesBetween(record, since, Number.POSITIVE_INFINITY)
        .some(({ key }) => isRead(key) && !(isOwn && isExternal(key)));
    });
    const others = runState.ledger
      .after(instance, since)
      .filter(({ status, intent }) => status !== 'failed' && status !== 'buffered' && intent.actor !== number);
    const written = others.flatMap(({ intent }) =>
      writesOf(config, { tool: intent.tool, args: this.#argsOf(intent), entity: instance.entity }),
    );
    if (written.some(isRead)) return 'unsure';
    return isRewritten ? 'unsure' : 'same';
  }

  /** The call, which has the staging areas first say where they are whose things it reads (E4). */
  #positioned(call: Call, number: number, instance: InstanceId): Call {
    const { config, buffers } = this.#parts;
    const reads = readBy(config, { tool: call.tool, args: call.input, entity: instance.entity });
    const areas =
      reads.length === 0 ? [] : areasOver(config, reads).filter((name) => broughtAs(buffers, name)?.position);
    if (areas.length === 0) return call;
    const texts = reads.map(({ text }) => text);
    const act = async (key: string | undefined, own: AbortSignal, input: unknown) => {
      const said: Record<string, string> = {};
      for (const name of areas) said[name] = await positionOf(name, broughtAs(buffers, name), texts);
      if (own.aborted) throw new NotApplied('the call was stopped before it acted');
      const what = { actor: number, instance, ...(key !== undefined && { key }), reads: texts, areas: said };
      this.#write.append([{ do: 'position', ...what }]);
      return call.act(key, own, input);
    };
    return { ...call, act };
  }

  #track(key: string | undefined, own: AbortSignal, call: Call): Promise<unknown> {
    if (key === undefined) return this.#trackPlain(call.tool, call.act(key, own, call.input));
    const abort = new AbortController();
    const forward = () => abort.abort(own.reason);
    if (own.aborted) forward();
    own.addEventListener('abort', forward, { once: true });
    const acting = call.act(key, abort.signal, call.input);
    const returned = acting.then(
      () => {},
      () => {},
    );
    const mine = { abort, returned };
    this.#underWay.set(key, mine);
    void returned.then(() => {
      own.removeEventListener('abort', forward);
      if (this.#underWay.get(key) === mine) this.#underWay.delete(key);
    });
    return acting;
  }

  #trackPlain(tool: string, acting: Promise<unknown>): Promise<unknown> {
    const mine = { tool, returned: acting.then(noted, noted) };
    this.#plain.add(mine);
    void mine.returned.then(() => this.#plain.delete(mine));
    return acting;
  }

  /** The tools whose calls change nothing and have not come back: whoever ends now drops their answers. */
  get plainUnderWay(): string[] {
    return [...this.#plain].map(({ tool }) => tool);
  }

  /** Waits until what is under way has come back, and no longer than so many milliseconds. */
  async drain(longest: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, longest);
    });
    const all = [...this.#underWay.values(), ...this.#plain].map(({ returned }) => returned);
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
    // What they say is written down in the same turn, after whoever waits for them was told.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Whether a call has left and not come back yet. */
  isUnderWay(key: string): boolean {
    return this.#underWay.has(key);
  }

  /**
   * Aborts a call that is under way and waits, for a while, until it has come back: then what it says of itself is in the ledger (C11).
   * @returns whether it has.
   */
  async abort(key: string): Promise<boolean> {
    const call = this.#underWay.get(key);
    if (call === undefined) return false;
    call.abort.abort(new Error('the work that made this call is rolled back'));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#patience(key));
    });
    const back = await Promise.race([call.returned.then(() => true as const), late]);
    clearTimeout(timer);
    // What it says is written down in the same turn, after whoever waits for it was told.
    if (back) await new Promise((resolve) => setImmediate(resolve));
    return back;
  }

  /** How long a call is waited for that was aborted, in milliseconds: as long as it may take. */
  #patience(key: string): number {
    const tool = this.#parts.config.tools.get(this.#parts.runState.ledger.get(key)?.intent.tool ?? '');
    return tool?.timeout ?? AT_ONCE;
  }

  #stages(staging: Promise<unknown>): Promise<unknown> {
    this.#staging.add(staging);
    const done = () => this.#staging.delete(staging);
    staging.then(done, done);
    return staging;
  }

  /** Waits, for a while, until nothing is being staged: what is put aside after its discarding would stay there. */
  async staged(): Promise<void> {
    if (this.#staging.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, AT_ONCE);
    });
    await Promise.race([Promise.allSettled(this.#staging), late]);
    clearTimeout(timer);
  }

  /** Writes what a call does, and what a person should know of it: what cannot be taken back relies on work that still can (E4). */
  #append(entries: readonly Entry[], instance: InstanceId): void {
    this.#write.append(entries);
    const [intent] = entries;
    if (intent?.do !== 'intent' || intent.class !== 'irreversible' || intent.held === 'buffer') return;
    const { history } = this.#parts.runState;
    const open = reliesOnUncommitted(history, instance, history.head, ({ skeleton }) => skeleton === ROOT);
    if (open === null) return;
    const text = `${intent.tool} is irreversible, and relies on what ${instanceName(open)} has not committed`;
    const finding = { do: 'finding', code: 'uncovered_read', instance, text } as const;
    this.#write.append([finding]);
    this.#parts.onFinding(finding);
  }

  /** Waits until what a call touches is this run's (§12). @returns why it does not get it, or null. */
  async #claimed({ tool, input: args, signal }: Call, instance: InstanceId): Promise<string | null> {
    const { claims, config } = this.#parts;
    const keys = claims === null ? [] : keysTouched(config, { tool, args, entity: instance.entity });
    return claims === null || keys.length === 0 ? null : this.#take(claims, claimsOn(config, keys), signal, instance);
  }

  /**
   * Claims what this run has touched so far, as one that is taken up has to: what its history has read and written, and what calls have
   * changed that a restore has undone. @returns why it does not get that, or null.
   */
  async claimAgain(): Promise<string | null> {
    const { claims, config, runState } = this.#parts;
    const { registry, versions } = runState.history;
    const accesses = [...registry.all()].flatMap((record) => [
      ...versions.readsBy(record),
      ...versions.writesOf(record),
    ]);
    const calls = [...runState.ledger.all()].flatMap(({ intent }) =>
      keysTouched(config, { tool: intent.tool, args: this.#argsOf(intent), entity: intent.instance.entity }),
    );
    const keys = [...accesses.map(({ key }) => key).filter(isExternal), ...calls];
    if (claims === null || keys.length === 0) return null;
    return this.#take(claims, claimsOn(config, keys), new AbortController().signal, null);
  }

  #take(claims: Claims, wanted: readonly Claim[], signal: AbortSignal, instance: InstanceId | null) {
    return claims.take(this.#parts.run, wanted, signal, (reason) => {
      const finding = { do: 'finding', code: 'waits_for_run', instance, text: `waits: ${reason}` } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
    });
  }

  async #denied({ tool, input: args }: Call, instance: InstanceId): Promise<string | null> {
    try {
      return await this.#parts.governor({ tool, args, instance });
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** The first precondition of a call that is not met, or of which nobody can tell. */
  async #unmet({ tool: name, input: args }: Call, number: number, instance: InstanceId): Promise<string | null> {
    const tool = this.#parts.config.tools.get(name);
    if (tool?.when) {
      const answer = tool.when.ask(this.#facts(name, args, number, instance));
      if (answer.is === 'no') return `${name} is called only when ${tool.when.text}`;
      if (answer.is === 'unknown') return `nobody can tell whether ${tool.when.text}: ${answer.reason}`;
    }
    if (!tool?.check) return null;
    const check = broughtAs(this.#parts.checks, tool.check);
    if (check === undefined) return `nothing is registered that checks ${tool.check}`;
    try {
      return await check({ tool: name, args, instance });
    } catch (error) {
      return `${tool.check}: ${errorMessage(error)}`;
    }
  }

  /** True where a call waits for an approval: also where nobody can tell. */
  #isGated({ tool: name, input: args }: Call, number: number, instance: InstanceId): boolean {
    const gate = this.#parts.config.tools.get(name)?.gate ?? null;
    if (gate === null) return false;
    return gate.when === null || gate.when.ask(this.#facts(name, args, number, instance)).is !== 'no';
  }

  #facts(action: string, args: unknown, number: number, { entity }: InstanceId): Facts {
    const { context } = this.#parts.runState.actor(this.#parts.runState.actor(number).parent ?? 0);
    return { state: '', action, args, entity, memory: context, event: {} };
  }

  mayUndo(name: string, instance: InstanceId): boolean {
    const tool = this.#parts.config.tools.get(name);
    if (tool === undefined || this.#undoOf(name) === null) return false;
    const policy = this.#parts.config.skeletons.get(instance.skeleton)?.rollback.compensable ?? 'block';
    return tool.effect === 'reversible' || policy === 'undo';
  }

  #undoOf(name: string): Undo | Inverse | null {
    const undo = this.#parts.config.tools.get(name)?.undo ?? null;
    return undo === null ? null : (broughtAs(this.#parts.undos, undo) ?? null);
  }

  /** Whether the machine handles the error itself and the config does not want it (F2). */
  isMachines(call: Call, { error, signal }: Extract<Reply, { is: 'failed' }>): boolean {
    const wanted = this.#parts.config.recover.some(
      ({ tool, signals }) => tool === call.tool && signals.includes(signal),
    );
    if (wanted) return false;
    return call.handles(error);
  }

  /**
   * A call that came back with an error, once its counterparty was asked what became of it: a machine hears of no error before
   * (E2).
   */
  async outcome(key: string | null): Promise<LedgerCall | undefined> {
    if (key === null) return undefined;
    await this.reconcile(key);
    return this.#parts.runState.ledger.get(key);
  }

  /**
   * Waits until a failed call is made again, as its tool's `retry` says: where nothing has happened, or where the same call again changes
   * nothing (E2).
   * @param tries how often it was made again before.
   * @returns whether it is.
   */
  async again(call: Call, reply: Extract<Reply, { is: 'failed' }>, tries: number): Promise<boolean> {
    const tool = this.#parts.config.tools.get(call.tool);
    const retry = tool?.retry ?? null;
    if (tool === undefined || retry === null || tries >= retry.max || isFinal(reply, retry)) return false;
    const known = await this.outcome(reply.key);
    const isSafe = known === undefined ? tool.effect === 'none' : known.status === 'failed';
    if (!isSafe && !(tool.effect === 'idempotent' && known?.status === 'unknown')) return false;
    const wait = Math.min(retry.backoff * retry.factor ** tries, LONGEST_WAIT);
    await pause(wait * (1 - retry.jitter * Math.random()), this.#parts.now, call.signal);
    return true;
  }

  /**
   * Asks the counterparty of a call whose outcome is open, as often as its tool says and with longer and longer waits (E2). What is
   * left for later than at once stays for later.
   * @param now asks once at least, whatever has been asked before: a run that is taken up, a person who wants to know.
   * @returns the wall clock of the next question, or null where the outcome is known or nobody is left to be asked.
   */
  async reconcile(key: string, now = false): Promise<number | null> {
    const { ledger } = this.#parts.runState;
    const tool = this.#parts.config.tools.get(ledger.get(key)?.intent.tool ?? '');
    const reconciler = tool?.reconcile ? broughtAs(this.#parts.reconcilers, tool.reconcile) : undefined;
    if (tool === undefined || reconciler === undefined) return null;
    for (let owed = now; !this.#stopping; owed = false) {
      const call = ledger.get(key);
      if (call === undefined || !isOpen(call.status)) return null;
      if (call.asked.tries >= tool.asking.tries && !owed) return null;
      const wait = owed ? 0 : (call.asked.next ?? 0) - this.#parts.now();
      if (wait > AT_ONCE) return call.asked.next;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      if (!(await this.#askOnce(call, reconciler, tool.asking))) return null;
    }
    return null;
  }

  /**
   * Asks the counterparty of an open call once, whatever has been asked before: a person is about to say what became of it (E2).
   */
  async askNow(key: string): Promise<void> {
    const call = this.#parts.runState.ledger.get(key);
    const tool = this.#parts.config.tools.get(call?.intent.tool ?? '');
    const reconciler = tool?.reconcile ? broughtAs(this.#parts.reconcilers, tool.reconcile) : undefined;
    if (call === undefined || tool === undefined || reconciler === undefined || !isOpen(call.status)) return;
    await this.#askOnce(call, reconciler, tool.asking);
  }

  /**
   * Asks once, and writes down what came of it. @returns whether that is known to the fold: a journal may take nothing any more.
   */
  async #askOnce(
    call: LedgerCall,
    reconciler: RunParts['reconcilers'][string],
    asking: Tool['asking'],
  ): Promise<boolean> {
    const isCurrent = () => this.#parts.runState.ledger.get(call.key) === call && isOpen(call.status);
    const before = call.asked;
    const entry = isCurrent() ? await this.#asked(call, reconciler, asking) : null;
    // While it was waited, or asked, the call itself may have come back, or a replay may have claimed its key.
    if (!isCurrent()) return true;
    this.#write.append([entry ?? this.#unknown(call, asking)]);
    return !isCurrent() || call.asked !== before;
  }

  /** Nobody knew: when it is asked again, if it is. */
  #unknown({ key, asked, calledAt }: LedgerCall, { tries, wait, settles }: Tool['asking']): Entry {
    const now = this.#parts.now();
    const later = now + Math.min(wait * FACTOR ** asked.tries, LONGEST_WAIT);
    const settled = calledAt + (settles ?? 0);
    const isLast = asked.tries + 1 >= tries;
    if (now >= settled) return { do: 'asked', key, tries: asked.tries + 1, next: isLast ? null : later };
    // The last question waits until its counterparty has to know.
    return isLast
      ? { do: 'asked', key, tries: asked.tries, next: Math.max(later, settled) }
      : { do: 'asked', key, tries: asked.tries + 1, next: later };
  }

  /** Asks once. Null where it is not known: it is asked again, and never guessed. */
  async #asked(
    { key, intent, calledAt }: LedgerCall,
    reconciler: RunParts['reconcilers'][string],
    { settles }: Tool['asking'],
  ): Promise<Extract<Entry, { do: 'outcome' }> | null> {
    try {
      const finding = await reconciler({ key, tool: intent.tool, args: this.#argsOf(intent), calledAt });
      if (finding.is === 'applied') return { do: 'outcome', key, status: 'confirmed', output: finding.output };
      if (finding.is !== 'not_applied') return null;
      // An answer that may be older than the call says nothing of it (E2).
      if (settles !== null && this.#parts.now() < calledAt + settles) return null;
      return { do: 'outcome', key, status: 'failed', error: 'the counterparty says that it did not happen' };
    } catch {
      return null;
    }
  }

  #argsOf({ args, actor }: LedgerCall['intent']): unknown {
    return args === undefined ? this.#parts.runState.actor(actor).started?.input : args;
  }

  #undoCall(call: LedgerCall): UndoCall {
    const { key, intent, output } = call;
    return { key, undoKey: `${key}~undo`, tool: intent.tool, args: this.#argsOf(intent), output };
  }

  /**
   * Why a confirmed call cannot be undone any more, because what it changed has moved on; null where it can, or where that cannot be
   * told beforehand: then its undo finds out.
   */
  async moved(effect: Effect): Promise<string | null> {
    const call = effect.id === null ? undefined : this.#parts.runState.ledger.get(effect.id);
    const undo = call === undefined ? null : this.#undoOf(call.intent.tool);
    if (call === undefined || undo === null || typeof undo === 'function' || call.status !== 'confirmed') return null;
    try {
      return await undo.moved(this.#undoCall(call));
    } catch {
      return null;
    }
  }

  /**
   * Whether an effect may be undone while another one stands: neither rests on the other, and they touch nothing in common (E5).
   */
  mayUndoBeside(effect: Effect, other: Effect): boolean {
    const { runState, config } = this.#parts;
    const called = (of: Effect) => {
      const intent = runState.ledger.get(of.id ?? '')?.intent;
      return intent && { tool: intent.tool, args: this.#argsOf(intent), entity: intent.instance.entity };
    };
    const [own, others] = [called(effect), called(other)];
    if (own === undefined || others === undefined || meet(config, own, others)) return false;
    return areIndependent(runState.history, effect.instance, other.instance);
  }

  /** Undoes one effect, under a key of its own (E5). @returns what went wrong, or null. */
  async undo(effect: Effect): Promise<string | null> {
    const call = effect.id === null ? undefined : this.#parts.runState.ledger.get(effect.id);
    if (call === undefined) return 'the ledger does not know the call';
    if (call.status === 'compensated') return null;
    const undo = this.#undoOf(call.intent.tool);
    let failure = `nothing is registered that undoes ${call.intent.tool}`;
    this.#write.append([{ do: 'phase', phase: 'COMPENSATING', effect: call.key }]);
    await this.#write.durable();
    for (const delay of undo === null ? [] : TRIES) {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      try {
        await (typeof undo === 'function' ? undo : (undo as Inverse).undo)(this.#undoCall(call));
        this.#write.append([
          { do: 'outcome', key: call.key, status: 'compensated' },
          { do: 'phase', phase: 'COMPENSATED', effect: call.key },
        ]);
        return null;
      } catch (error) {
        failure = this.#parts.runState.redaction.text(errorMessage(error));
      }
    }
    return failure;
  }

  /** Removes what a held call has staged: it never happened (E4). What cannot be removed stays invisible, and is told. */
  async discard(call: LedgerCall | undefined): Promise<void> {
    const tool = call === undefined ? undefined : this.#parts.config.tools.get(call.intent.tool);
    if (call === undefined || !tool?.buffer || tool.buffer === 'call') return;
    const { key, intent, output } = call;
    try {
      await broughtAs(this.#parts.buffers, tool.buffer.name)?.discard([
        { key, tool: intent.tool, args: this.#argsOf(intent), staged: output },
      ]);
    } catch (error) {
      const text = `what ${intent.tool} has staged stays aside, unseen: ${errorMessage(error)}`;
      const finding = { do: 'finding', code: 'not_discarded', instance: intent.instance, text } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
    }
  }
}

/** The failures of a tool itself, which another try may not have. */
const OWN_FAILURES: ReadonlySet<Signal> = new Set(['TOOL_EXCEPTION', 'TIMEOUT', 'INVALID_OUTPUT']);

/** Whether a failure is none that its tool is called again after. */
function isFinal({ signal, error, held }: Extract<Reply, { is: 'failed' }>, { never }: Retry): boolean {
  if (held === true || !OWN_FAILURES.has(signal)) return true;
  const { name, code } = (typeof error === 'object' && error !== null ? error : {}) as {
    name?: unknown;
    code?: unknown;
  };
  return [signal, name, code].some((word) => never.has(String(word)));
}

/** Waits so many milliseconds, or until nobody waits for the call any more. */
function pause(wait: number, now: () => number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      alarm.cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const alarm = setAlarm(now() + wait, now, over, true);
    signal.addEventListener('abort', over, { once: true });
  });
}

/** Where a staging area is. @throws NotApplied where it does not say so: nobody could tell later what has moved on. */
async function positionOf(name: string, area: StagingArea | undefined, reads: readonly string[]): Promise<string> {
  try {
    return (await area?.position?.(reads)) ?? '';
  } catch (error) {
    throw new NotApplied(`the staging area ${name} does not say where it is: ${errorMessage(error)}`);
  }
}

function lackText(lacking: string, { skeleton }: InstanceId): string {
  return `nothing that is kept has written ${lacking}, which ${skeleton} requires`;
}

function noted(): void {}
