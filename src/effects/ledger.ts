/**
 * The ledger: every call of a tool that may change the world, under the key that names the decision to make it (semantics.md
 * §6, E3). It is a projection of intents and outcomes; it remembers what a restore has undone, because the world does.
 */
import type { IntentEntry, OutcomeEntry } from '../model/call-entries.ts';
import { isOpen } from '../model/effect.ts';
import type { NamedProcess } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { PassedOn } from '../model/passed-on.ts';
import type { Promised, PromisedEntry } from '../model/promised-entry.ts';
import { Acts, actOf, isAct } from './acts.ts';
import { DisplacedCalls } from './displaced-calls.ts';
import { KeyNames } from './key-names.ts';
import { firstOf, freeKey, isKeySpent, type KeyedCall, keyOf } from './keys.ts';
import { isAskedAgain, type LedgerCall, statusOf } from './ledger-call.ts';
import { PlacedCalls } from './placed-calls.ts';
import { RetainedCall } from './retained-call.ts';

const NONE_FREED: readonly string[] = [];

/** A run that another one was forked from. */
export interface ForkedFrom {
  readonly of: string;
  /** The row of that run up to which the two have one past. */
  readonly at: number;
  /** The number of calls in that past. */
  readonly calls: number;
  /** The number of the last event of the history in that past. */
  readonly upTo: number;
}

/** The calls of a run. */
export class Ledger {
  /** The secret under which the run's keys and digests are made. */
  secret = '';
  /** The seq up to which the rows are by a process that may still live; 0 for none (E2). */
  overtaken = 0;
  /**
   * The calls that another process left under way when it gave the run back, by their keys: they may act while that
   * process lives (E2).
   */
  readonly left = new Map<string, NamedProcess>();
  /** The runs that this one has a past in common with, the nearest last: it was forked from the last one (FK1). */
  readonly forks: ForkedFrom[] = [];
  /** The keys that the run has released, each with the run that was given it where that is known (ER1, ER3). */
  readonly released = new Map<string, PassedOn | null>();
  /** The keys that the run has promised not to touch any more, each with the boundary that says so (ER9). */
  readonly promised = new Map<string, Promised>();
  readonly #calls = new Map<string, LedgerCall>();
  /** The calls that have a place in the history, by the name of their instance, in the order of their intents. */
  readonly #placed = new Map<string, PlacedCalls<LedgerCall>>();
  readonly #byActor = new Map<number, LedgerCall>();
  readonly #displaced = new DisplacedCalls<LedgerCall>();
  readonly #heldBack = new Set<LedgerCall>();
  /** The calls with an identity (ON1). */
  readonly acts = new Acts();
  readonly names = new KeyNames();
  /** The calls that hold no act of the store any more, and of which the store was not told (ON6). */
  #freed: string[] = [];

  /** The parts that a base holds. */
  get parts() {
    const [calls, placed, byActor, displaced] = [this.#calls, this.#placed, this.#byActor, this.#displaced];
    return { calls, placed, byActor, displaced, heldBack: this.#heldBack, acts: this.acts };
  }

  get(key: string): LedgerCall | undefined {
    return this.#calls.get(key);
  }

  /** The call that a person names: by its key, or by the key's ingredients, as JSON. */
  named(text: string): LedgerCall | undefined {
    const call = this.#calls.get(text) ?? this.#calls.get(keyOf(text, this.secret));
    return call?.decides ? undefined : call;
  }

  /** The run was forked here: its calls so far are those of another run (FK1). */
  fork(of: string, at: number, upTo: number): void {
    this.forks.push({ of, at, calls: this.#calls.size, upTo });
  }

  /** Keys are released. */
  letGo(keys: readonly string[]): void {
    for (const key of keys) this.released.set(key, null);
  }

  /** Keys are promised not to be touched any more. */
  promise({ keys, instance, boundary, at }: PromisedEntry): void {
    for (const key of keys) this.promised.set(key, { instance, boundary, at });
  }

  /** All released keys were taken back but for some. */
  reclaim(passed: readonly PassedOn[]): void {
    this.released.clear();
    for (const each of passed) this.released.set(each.key, each);
  }

  /** The keys of the calls that another run has made: nothing here undoes them (FK2). */
  get common(): ReadonlySet<string> {
    const newest = this.forks.at(-1)?.calls ?? 0;
    const keys = new Set<string>();
    for (const key of this.#calls.keys()) {
      if (keys.size === newest) break;
      keys.add(key);
    }
    return keys;
  }

  /** The calls that may change the world. */
  *all(): IterableIterator<LedgerCall> {
    for (const call of this.#calls.values()) if (!call.decides) yield call;
  }

  /** The calls that may change the world, and those of tools that decide. */
  recorded(): IterableIterator<LedgerCall> {
    return this.#calls.values();
  }

  /** The calls whose outcome is not known, in the order of their intents. */
  open(): LedgerCall[] {
    const open: LedgerCall[] = [];
    for (const call of this.#calls.values()) if (isOpen(call.status)) open.push(call);
    return open;
  }

  /** The run was taken from a process that may still live, and wrote its rows up to a seq: what it has not heard of may still leave. */
  overtake(upTo: number): void {
    this.overtaken = upTo;
    for (const call of this.open()) {
      call.mayLeave = true;
      this.left.delete(call.key);
    }
  }

  /** A process gave the run back while these calls were under way: the open ones among them may still act. */
  giveBack(keys: readonly string[], by: NamedProcess): void {
    for (const key of keys) {
      const call = this.#calls.get(key);
      if (call === undefined || !isOpen(call.status)) continue;
      // Of a call that another process may make as well, the return of one process says nothing.
      if (call.mayLeave) this.left.delete(key);
      else this.left.set(key, by);
      call.mayLeave = true;
    }
  }

  /** A call that was under way as its run was given back acts no more. */
  returned(key: string): void {
    const call = this.#calls.get(key);
    if (this.left.delete(key) && call !== undefined) call.mayLeave = false;
  }

  /** The call that an actor has made, if it has made one: it keeps its key when it is started again. */
  ofActor(actor: number): LedgerCall | undefined {
    const call = this.#byActor.get(actor);
    return call?.at === null ? undefined : call;
  }

  /**
   * The key of the next call of a tool by an instance: its number among those that are retained in its region (E3). A call that was
   * compensated is another decision when it is made again, since its counterparty would answer from memory; and so is one with other
   * arguments than were sent, or were about to be, by a call that is known not to have happened: one key has one body. A call of the common
   * past of a fork keeps its key; any other has one of this run (FK3).
   */
  nextKey(run: string, call: KeyedCall): string {
    const { instance, tool, digest, place } = call;
    const nth = this.#placed.get(instanceName(instance))?.countOf(tool, place) ?? 0;
    const nameIn = (name: string) => {
      const parts = [...this.names.partsOf(name, call), nth];
      const key = keyOf(JSON.stringify(place === null ? parts : [...parts, place]), this.secret);
      return freeKey(key, digest, (each) => this.#calls.get(each));
    };
    return this.#keyIn(run, nameIn);
  }

  /** A key by the name of the run, or of a run that this one was forked from if a call of the common past has it (FK3). */
  #keyIn(run: string, nameIn: (run: string) => string): string {
    const made = this.forks.map(({ of }) => nameIn(of)).find((key) => this.#calls.has(key));
    return made ?? nameIn(run);
  }

  /**
   * The key of an answer to a question: its number among the answers of the instance to that question, so that an equal
   * question of a replay comes to the answer that it had (WH3).
   */
  answerKey(run: string, call: KeyedCall): string {
    const nameIn = (name: string) => {
      const parts = [...this.names.partsOf(name, call), call.place, { asks: call.digest }];
      const question = keyOf(JSON.stringify(parts), this.secret);
      const nth = this.#placed.get(instanceName(call.instance))?.countOfAnswers(question) ?? 0;
      return nth === 0 ? question : `${question}~${nth}`;
    };
    return this.#keyIn(run, nameIn);
  }

  /**
   * The key under which the actor of a call makes it again: the same key, or the next one if a counterparty refuses it.
   */
  keyAgain(call: LedgerCall): string {
    const { key, intent } = call;
    return isKeySpent(call) ? freeKey(firstOf(key), intent.digest, (name) => this.#calls.get(name)) : key;
  }

  /**
   * The earlier calls of a tool by an instance of which it is not known what became, or whose answer came too late for the machine to hear, in
   * the order of their intents. One outcome answers one call.
   */
  unheard(instance: InstanceId, tool: string): LedgerCall[] {
    const unheard = this.#placed.get(instanceName(instance))?.unheard(tool) ?? [];
    return unheard.filter(({ repeats }) => repeats === null);
  }

  /** The calls of an instance, of whichever tool, whose answer the machine may not have received. */
  unanswered(instance: InstanceId): LedgerCall[] {
    return this.#placed.get(instanceName(instance))?.unanswered() ?? [];
  }

  /** True where a call of a tool has an intent. */
  hasCalled(tool: string): boolean {
    for (const call of this.#calls.values()) if (call.tool === tool) return true;
    return false;
  }

  /** A finding names a call as standing and left. */
  name(key: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.isNamed = true;
  }

  /** Records an intent at event `at` and wall clock `time`; an earlier call of the same key is claimed by it. */
  intend(intent: IntentEntry, at: number, time: number): void {
    const known = this.#calls.get(intent.key);
    const facts = {
      key: intent.key,
      tool: intent.tool,
      status: statusOf(intent, known),
      error: null,
      undo: intent.undo,
      undoing: false,
      staged: false,
      asked: { tries: 0, next: null },
      calledAt: time,
      keyedAt: known?.keyedAt ?? (intent.held === undefined ? time : null),
      at,
      wrong: known === undefined ? null : askedAgain(known),
      promise: null,
      isAnswered: false,
      isNamed: false,
      discarded: false,
      stands: false,
      voided: false,
      mayLeave: known?.mayLeave === true && isOpen(known.status),
      act: actOf(intent),
      repeats: intent.repeats ?? null,
      decides: intent.class === 'none' && intent.repeats === undefined,
      place: intent.place ?? null,
    };
    const answers = intent.repeats === undefined ? known : this.#calls.get(intent.repeats);
    const output = answers?.repeats === null ? answers.output : undefined;
    const call = new RetainedCall(facts, { intent, output });
    this.#calls.set(intent.key, call);
    this.acts.add(call);
    this.#giveWay(this.ofActor(intent.actor), intent.key);
    this.#byActor.set(intent.actor, call);
    if (known !== undefined) this.#displaced.delete(known);
    this.#place(call);
  }

  /** The same actor makes its call under another key, which takes the place of the one that is refused. */
  #giveWay(before: LedgerCall | undefined, key: string): void {
    if (before === undefined || before.key === key || !isKeySpent(before)) return;
    this.#placed.get(instanceName(before.intent.instance))?.remove(before.key);
    before.at = null;
    this.#displaced.add(before);
  }

  #place(call: LedgerCall): void {
    if (call.status === 'buffered' && call.intent.held === 'buffer') this.#heldBack.add(call);
    const name = instanceName(call.intent.instance);
    const placed = this.#placed.get(name) ?? new PlacedCalls<LedgerCall>();
    this.#placed.set(name, placed);
    placed.add(call);
  }

  /** The calls of an instance, by its name, whose intents lie after one event and up to another. */
  between(name: string, after: number, upTo: number): LedgerCall[] {
    return this.#placed.get(name)?.between(after, upTo) ?? [];
  }

  /** A replay takes the record over that a call belongs to: it has a place again, with the instance that it is now (C5). */
  claim(key: string, at: number, instance: InstanceId): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    this.#displaced.delete(call);
    call.at = at;
    call.intent = { ...call.intent, instance };
    call.promise = null;
    this.#place(call);
  }

  /** The record that a call belongs to is given up: what had not left never will. */
  dismiss(key: string): void {
    const call = this.#calls.get(key);
    if (call?.at === null) this.#neverLeaves(call);
  }

  /** The recorded answer of a call was found wrong, or may be: it is not served again (C10). */
  distrust(key: string, isSure: boolean): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.wrong = { output: call.output, isSure, isOutdated: call.wrong?.isOutdated ?? false };
  }

  /**
   * An instance goes back to before its calls after an event. An idempotent one that the machine has had no answer of is asked again: what it
   * answers, before or after the restore, was asked for too early (C11).
   */
  outdate(instance: InstanceId, after: number): void {
    for (const call of this.between(instanceName(instance), after, Number.POSITIVE_INFINITY)) outdate(call);
  }

  /** The calls whose places a restore has taken back and that no replay has taken over, in the order of their intents. */
  displaced(): LedgerCall[] {
    return this.#displaced.all().filter(({ decides }) => !decides);
  }

  /** The same, and the kept answers of tools that decide. */
  lost(): LedgerCall[] {
    return this.#displaced.all();
  }

  /** The calls whose undo has begun, and was not finished. */
  halfUndone(): LedgerCall[] {
    return this.#displaced.all().filter(({ undoing, status }) => undoing && status === 'confirmed');
  }

  /** The calls that stand in the world and that no replay has taken over (C8, C9). */
  get kept(): Pick<DisplacedCalls<LedgerCall>, 'isKept' | 'keptOf' | 'keptBy'> {
    return this.#displaced;
  }

  /** The arguments of a held call were changed by the person who has approved it: they are its body (PE2). */
  edit(key: string, args: unknown, by: string): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    call.intent = { ...call.intent, args, instead: { args: call.intent.args, by } };
  }

  /** A held call leaves. @param under the mandate that it leaves under. */
  leave(key: string, time: number, under?: string): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    if (under !== undefined) call.intent = { ...call.intent, under };
    call.calledAt = time;
    call.keyedAt ??= time;
  }

  /** Records news of a call. */
  settle(outcome: OutcomeEntry): LedgerCall | undefined {
    const call = this.#calls.get(outcome.key);
    if (call === undefined) return undefined;
    call.status = outcome.status;
    call.error = outcome.error ?? null;
    if (!isOpen(outcome.status)) {
      call.mayLeave = false;
      this.left.delete(call.key);
    }
    if (outcome.status === 'compensated') call.undoing = false;
    if ('output' in outcome) {
      call.output = outcome.output;
      // Where several answers may have been the wrong one, one that is given again was not.
      if (call.wrong?.isSure === false && !call.wrong.isOutdated && !isOpen(outcome.status)) call.wrong = null;
    }
    if (outcome.status === 'buffered') call.staged = true;
    else this.#heldBack.delete(call);
    this.#placed.get(instanceName(call.intent.instance))?.changed(call);
    if (!isAct(call)) this.#free(call);
    return call;
  }

  /** The counterparty of a call refuses its key from now on. */
  void(key: string): void {
    const call = this.#calls.get(key);
    if (call?.status === 'failed') call.voided = true;
  }

  /** The commit that a call belongs to is withdrawn before anything of it was visible: it waits again (E4). */
  hold(key: string): LedgerCall | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || call.at === null) return undefined;
    call.status = 'buffered';
    this.#heldBack.add(call);
    this.#placed.get(instanceName(call.intent.instance))?.changed(call);
    return call;
  }

  /** The calls that are held back until their instance commits (E4), in the order of their intents; of one instance, or all. */
  buffered(instance?: InstanceId): LedgerCall[] {
    const all = [...this.#heldBack];
    return instance === undefined
      ? all
      : all.filter(({ intent }) => instanceName(intent.instance) === instanceName(instance));
  }

  /**
   * A restore took back the intents of an instance after event `after`: the calls stay known and lose their places.
   * Calls that had not left never will, unless they belong to work that is set aside: such a call stays staged and
   * unseen.
   * @param aside the keys of such calls.
   * @returns the calls that never leave.
   */
  displace(instance: InstanceId, after: number, aside: ReadonlySet<string> = new Set()): LedgerCall[] {
    const name = instanceName(instance);
    const never: LedgerCall[] = [];
    for (const call of this.between(name, after, Number.POSITIVE_INFINITY)) {
      this.#placed.get(name)?.remove(call.key);
      call.at = null;
      if (!aside.has(call.key)) outdate(call);
      if (call.repeats === null) this.#displaced.add(call);
      this.#heldBack.delete(call);
      if (!aside.has(call.key) && this.#neverLeaves(call)) never.push(call);
    }
    return never;
  }

  /** A unit is discarded: its calls lose their places, and no replay waits for them. @returns those that never leave. */
  discard(instance: InstanceId): LedgerCall[] {
    const name = instanceName(instance);
    return this.abandon(({ intent }) => instanceName(intent.instance) === name);
  }

  /** Takes calls out of the past for good (PA11, AL6). @returns those that never leave. */
  abandon(isMeant: (call: LedgerCall) => boolean): LedgerCall[] {
    const never: LedgerCall[] = [];
    for (const call of this.#calls.values()) {
      if (call.repeats !== null || !isMeant(call)) continue;
      if (call.at !== null) this.#placed.get(instanceName(call.intent.instance))?.remove(call.key);
      call.at = null;
      call.discarded = true;
      this.#displaced.delete(call);
      this.#heldBack.delete(call);
      if (this.#neverLeaves(call)) never.push(call);
    }
    return never;
  }

  /** The calls of a discarded unit, in the order of their intents. */
  discardedOf(instance: InstanceId): LedgerCall[] {
    const name = instanceName(instance);
    return [...this.all()].filter((call) => call.discarded && instanceName(call.intent.instance) === name);
  }

  /** A call of discarded work cannot be undone. */
  stand(key: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.stands = true;
  }

  #neverLeaves(call: LedgerCall): boolean {
    if (call.status !== 'buffered') return false;
    call.status = 'failed';
    call.error = 'rolled back before it left';
    this.#free(call);
    return true;
  }

  /** The run is over: what is held never leaves. */
  end(): void {
    for (const call of this.#calls.values()) if (call.status === 'buffered') this.#free(call);
  }

  #free({ key, act, repeats, intent }: LedgerCall): void {
    if (act !== null && repeats === null && intent.inStore) this.#freed.push(key);
  }

  /** The keys of the calls that hold no act of the store any more; each is told once (ON6). */
  freed(): readonly string[] {
    if (this.#freed.length === 0) return NONE_FREED;
    return this.#freed.splice(0);
  }

  /** The kept effects of an instance that its replay has not claimed (E7). */
  orphans(instance: InstanceId): LedgerCall[] {
    const kept = this.#displaced.keptOf(instance);
    return kept.filter((call) => call.status === 'confirmed' && call.intent.instance.ordinal === instance.ordinal);
  }
}

/** No answer of a call is served that the machine has not had, where the tool can be asked again (C11). */
function outdate(call: LedgerCall): void {
  if (!isAskedAgain(call)) return;
  if (!isOpen(call.status) && (call.status !== 'confirmed' || call.isAnswered)) return;
  call.wrong = { output: call.wrong?.output, isSure: call.wrong?.isSure ?? false, isOutdated: true };
}

/** The answer that a call must not give when it is made again, as far as one is known. */
function askedAgain({ wrong, output }: LedgerCall): LedgerCall['wrong'] {
  if (wrong === null || !wrong.isOutdated) return wrong;
  return { output: wrong.isSure ? wrong.output : output, isSure: wrong.isSure, isOutdated: false };
}
