/**
 * The sandboxes of a run (semantics.md SB1 to SB8): started at the first call that needs one, asked about before each call, stopped
 * where the run stands still, and left to a sweep at its end. The calls in a sandbox that is gone count as taken back.
 */
import type { Sandbox as SandboxRules, Tool } from '../../boundaries/config.ts';
import { within } from '../../clock/clock.ts';
import type { Reply, SandboxPass } from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { SandboxAsk, SandboxProvider, SandboxState } from '../../effects/sandbox.ts';
import { errorMessage, NotApplied } from '../../effects/signals.ts';
import type { SandboxDesk } from '../../journal/sandboxes.ts';
import { isOpen } from '../../model/effect.ts';
import type { Entry } from '../../model/entry.ts';
import type { SandboxEntry } from '../../model/sandbox-entry.ts';
import type { Sandbox } from '../../projection/sandboxes.ts';
import type { RunParts, RunWriter } from '../parts.ts';
import { broughtAs } from '../registered.ts';
import { billed } from './billing.ts';
import type { UnderWay } from './under-way.ts';

/** The time between two questions about a sandbox that is being started, in milliseconds. */
const POLL = 250;
/** The waits before a start or a question that failed is tried again, in milliseconds. */
const WAITS = [20, 100, 500];
/** The most sandboxes that are lost one after the other before a person is asked. */
const MOST_LOSSES = 3;

/** The standing of a sandbox for a caller. `lost`: what was done in an earlier one is gone. `off`: nothing is started any more. */
export type Up =
  | { readonly is: 'up'; readonly handle: unknown }
  | { readonly is: 'lost' | 'off' }
  | { readonly is: 'failed'; readonly why: string };

/** What was done in a sandbox, or why it was not. */
export type Made<T> = { readonly is: 'made'; readonly result: T } | Exclude<Up, { is: 'up' }>;

/** The sandboxes of one run. */
export class Sandboxes {
  readonly #parts: RunParts;
  readonly #write: RunWriter;
  readonly #underWay: UnderWay;
  /** The work that one sandbox is asked for, one thing after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The calls and undos inside. */
  readonly #users = new Map<string, number>();
  /** Raised whenever a sandbox may have stopped: what was let in before has to ask again. */
  readonly #serials = new Map<string, number>();
  /** The actors that were let in, each with the serial of that moment. */
  readonly #let = new Map<number, number>();
  /** The calls under way in a sandbox that is gone and that have not come back. */
  readonly #doomed = new Set<string>();
  #onLost: () => void = () => {};

  constructor(parts: RunParts, write: RunWriter, underWay: UnderWay) {
    this.#parts = parts;
    this.#write = write;
    this.#underWay = underWay;
  }

  /** @param listen called once calls of the run are gone with a sandbox. */
  whenLost(listen: () => void): void {
    this.#onLost = listen;
  }

  /** The pass of a call; null where its tool works in no sandbox. */
  pass(tool: Tool | undefined, actor: number): SandboxPass | null {
    const name = tool?.in?.sandbox;
    if (name === undefined) return null;
    return {
      isDue: () => this.#let.get(actor) !== this.#serial(name),
      make: () => this.#letIn(name, actor),
    };
  }

  /** Hands the sandbox of a tool to an act, and holds it open until the act is over. @throws NotApplied where it cannot be had. */
  async inside<T>(tool: Tool | undefined, actor: number, act: (sandbox: unknown) => Promise<T>): Promise<T> {
    const name = tool?.in?.sandbox;
    if (name === undefined) return act(undefined);
    while (this.#let.get(actor) !== this.#serial(name)) {
      const not = await this.#letIn(name, actor);
      if (not !== null) throw new NotApplied(`the sandbox ${name} is not there`);
    }
    this.#let.delete(actor);
    return this.#using(name, () => act(this.#parts.runState.sandboxes.all.get(name)?.handle?.is));
  }

  /** Makes sure that a sandbox is there for what undoes or asks about a call. `lost` where the call is gone with it. */
  async around<T>({ intent }: LedgerCall, act: (sandbox: unknown) => Promise<T>): Promise<Made<T>> {
    const name = intent.sandbox ?? this.#parts.config.tools.get(intent.tool)?.in?.sandbox;
    if (name === undefined) return { is: 'made', result: await act(undefined) };
    const up = await this.#up(name);
    if (up.is !== 'up') return up;
    return { is: 'made', result: await this.#using(name, () => act(up.handle)) };
  }

  /** A call has come back. A call may have failed because its sandbox is gone; after a call that has happened a snapshot is taken. */
  async cameBack(tool: Tool | undefined, reply: Reply): Promise<void> {
    const name = tool?.in?.sandbox;
    if (name === undefined || this.#parts.lifecycle.leave.aborted) return;
    if (reply.is === 'failed' && reply.key !== null) await this.#up(name);
    else if (reply.is === 'done' && tool?.effect !== 'none') await this.keep(name);
  }

  /** Keeps the contents of a sandbox, where its rules say so and nothing is under way in it. */
  async keep(name: string | undefined): Promise<void> {
    const rules = this.#parts.config.sandboxes.get(name ?? '');
    if (name === undefined || rules?.snapshot !== true) return;
    await this.#inTurn(name, async () => {
      const box = this.#box(name);
      const provider = this.#providerOf(rules.provider);
      if (box?.is !== 'started' || box.fresh.size === 0 || this.#users.has(name) || !provider?.snapshot) return;
      this.#shut(name);
      try {
        const snapshot = await provider.snapshot(this.#ask(box));
        if (this.#isLeft || this.#box(name)?.key !== box.key) return;
        this.#say({ ...naming(box), is: 'kept', snapshot });
      } catch (error) {
        this.#find('sandbox_not_kept', `the contents of ${name} could not be kept: ${errorMessage(error)}`);
      }
    });
  }

  /** The run stands still: stops each sandbox that nothing is under way in. */
  rest(): void {
    if (!this.#isStill) return;
    for (const { name } of this.#parts.runState.sandboxes.all.values())
      void this.#inTurn(name, () => (this.#isStill && !this.#isLeft ? this.#stop(name) : undefined)).catch(() => {});
  }

  /** The process gives the run back: stops what nothing is under way in. A question that is not answered soon is asked again by the next process. */
  async closing(): Promise<void> {
    const stopped = async (name: string) => {
      const turn = this.#turns.get(name);
      if (
        turn === undefined ||
        (await within(
          POLL,
          turn.catch(() => {}),
        )) !== null
      )
        await this.#stop(name);
    };
    await Promise.all([...this.#parts.runState.sandboxes.all.keys()].map((name) => stopped(name).catch(() => {})));
  }

  /**
   * Before the run ends: asks whether each sandbox is there, stops it, and leaves it to a sweep.
   * @returns why the run cannot end yet; null where it can, `lost` where calls are gone.
   */
  async atEnd(): Promise<{ readonly name: string; readonly why: string } | 'lost' | null> {
    for (const { name } of [...this.#parts.runState.sandboxes.all.values()]) {
      const not = await this.#inTurn(name, () => this.#there(name));
      if (not === 'lost') return 'lost';
      if (not !== null) return { name, why: not };
    }
    await this.over();
    return null;
  }

  /** Stops every sandbox for good, and says from when each may be destroyed. */
  async over(): Promise<void> {
    const { runState, config, now } = this.#parts;
    for (const { name } of [...runState.sandboxes.all.values()]) {
      await this.#inTurn(name, async () => {
        await this.#stop(name);
        const box = this.#box(name);
        if (box === undefined || this.#isLeft) return;
        await this.#put(box, now() + (config.sandboxes.get(name)?.grace ?? 0));
      });
    }
  }

  /** Says whether a sandbox is there still, before the end: null if it is or holds nothing, `lost` if not, else why that is not known. */
  async #there(name: string): Promise<string | null> {
    const box = this.#box(name);
    if (box === undefined || box.is === 'gone' || box.fresh.size + box.covered.size === 0) return null;
    const state = await this.#probed(box);
    if (state.is === 'unknown') return state.why;
    if (state.is !== 'gone') return null;
    return (await this.#lose(box)) ? 'lost' : null;
  }

  /** Lets an actor in once its sandbox is there. @returns the reply where it is not. */
  async #letIn(name: string, actor: number): Promise<Reply | null> {
    const up = await this.#up(name);
    if (up.is === 'up') {
      this.#let.set(actor, this.#serial(name));
      return null;
    }
    if (up.is === 'failed') return { is: 'unready', sandbox: name, why: up.why };
    return { is: up.is === 'lost' ? 'again' : 'dropped' };
  }

  #up(name: string): Promise<Up> {
    const rules = this.#parts.config.sandboxes.get(name);
    if (rules === undefined) return Promise.resolve({ is: 'failed', why: 'the config has it no more' });
    return this.#inTurn(name, () => this.#bring(name, rules));
  }

  /** Brings a sandbox up, whatever became of the one before. */
  async #bring(name: string, rules: SandboxRules): Promise<Up> {
    const tried = { starts: 0, losses: 0, why: 'it is lost again and again', answer: null as { is: unknown } | null };
    for (;;) {
      if (this.#isLeft) return { is: 'off' };
      const box = this.#box(name);
      if (box === undefined || box.is === 'gone') {
        if (tried.losses >= MOST_LOSSES) return { is: 'failed', why: tried.why };
        tried.losses += 1;
        tried.starts = 0;
        tried.answer = null;
        await this.#start(await this.#named(name, rules, box), tried);
        continue;
      }
      const state = await this.#probed(box);
      if (this.#isLeft) return { is: 'off' };
      const next = await this.#next(box, rules, state, tried);
      if (next !== null) return next;
    }
  }

  /** The next thing to do about a sandbox that stands so. @returns null where it is to be looked at again. */
  async #next(
    box: Sandbox,
    rules: SandboxRules,
    state: SandboxState | { readonly is: 'unknown'; readonly why: string },
    tried: { starts: number; why: string; answer: { is: unknown } | null },
  ): Promise<Up | null> {
    switch (state.is) {
      case 'unknown':
        return { is: 'failed', why: state.why };
      case 'running':
        return this.#takes(box, tried.answer ?? { is: state.handle });
      case 'starting':
        // It was up before: the time counts from here.
        if (box.is !== 'starting') this.#say({ ...naming(box), is: 'starting', provider: box.provider });
        if (this.#parts.now() - box.since <= rules.ready) {
          await this.#parts.pause(POLL, this.#parts.lifecycle.leave);
          return null;
        }
        return this.#late(box);
      case 'stopped':
        this.#shut(box.name);
        return this.#startAgain(box, tried);
      case 'gone':
        // Nothing was ever done in it: its start has not happened.
        if (box.handle === null) return this.#startAgain(box, tried);
        return (await this.#lose(box)) ? { is: 'lost' } : null;
    }
  }

  /** A sandbox runs: what it is to hold is put there before anything is done in it. */
  async #takes(box: Sandbox, handle: { readonly is: unknown }): Promise<Up | null> {
    if (box.is === 'started') return { is: 'up', handle: box.handle?.is };
    const provider = this.#providerOf(box.provider);
    if (box.handle === null && box.snapshot !== null)
      try {
        await provider?.restore?.({ ...this.#ask(box), handle: handle.is }, box.snapshot.is);
      } catch (error) {
        return { is: 'failed', why: `what it held could not be restored: ${errorMessage(error)}` };
      }
    if (this.#isLeft) return { is: 'off' };
    this.#shut(box.name);
    this.#say({ ...naming(box), is: 'started', handle: handle.is });
    return { is: 'up', handle: handle.is };
  }

  /** A sandbox has taken too long to start: it is destroyed, and counts as gone. */
  async #late(box: Sandbox): Promise<Up | null> {
    try {
      await this.#providerOf(box.provider)?.destroy(this.#ask(box));
    } catch (error) {
      return { is: 'failed', why: `it does not start, and could not be destroyed: ${errorMessage(error)}` };
    }
    if (this.#isLeft) return { is: 'off' };
    return (await this.#lose(box)) ? { is: 'lost' } : null;
  }

  async #startAgain(box: Sandbox, tried: { starts: number; why: string; answer: { is: unknown } | null }) {
    if (tried.starts > WAITS.length) return { is: 'failed', why: tried.why } as const;
    this.#say({ ...naming(box), is: 'starting', provider: box.provider });
    await this.#start(box, tried);
    return null;
  }

  /** Has a row made for a sandbox and its start journaled. @param before the sandbox that is gone. */
  async #named(name: string, { provider }: SandboxRules, before: Sandbox | undefined): Promise<Sandbox> {
    const nth = before === undefined ? 0 : before.nth + 1;
    const key = `${this.#parts.run}/${name}${nth === 0 ? '' : `~${nth}`}`;
    this.#shut(name);
    this.#say({ do: 'sandbox', name, key, is: 'starting', provider });
    return this.#box(name) as Sandbox;
  }

  /** Starts a sandbox under its key. Whatever comes of that is asked about. */
  async #start(box: Sandbox, tried: { starts: number; why: string; answer: { is: unknown } | null }): Promise<void> {
    const provider = this.#providerOf(box.provider);
    const { ready } = this.#parts.config.sandboxes.get(box.name) as SandboxRules;
    if (tried.starts > 0) await this.#parts.pause(WAITS[tried.starts - 1] ?? 0, this.#parts.lifecycle.leave);
    tried.starts += 1;
    // No sandbox without a row, which a sweep finds whatever becomes of this process; no row without an entry, which has the end of the run see to it.
    await this.#write.durable();
    await this.#put(box, null);
    if (this.#isLeft) return;
    if (provider === undefined) {
      tried.why = `nothing is registered as ${box.provider}`;
      tried.starts = Number.POSITIVE_INFINITY;
      return;
    }
    try {
      tried.answer = await within(ready, provider.start(this.#ask(box)));
    } catch (error) {
      tried.why = `it does not start: ${errorMessage(error)}`;
    }
  }

  /** Asks how a sandbox stands, again where that cannot be told. */
  async #probed(box: Sandbox): Promise<SandboxState | { readonly is: 'unknown'; readonly why: string }> {
    const provider = this.#providerOf(box.provider);
    if (provider === undefined) return { is: 'unknown', why: `nothing is registered as ${box.provider}` };
    for (let round = 0; ; round += 1) {
      try {
        return await provider.probe(this.#ask(box));
      } catch (error) {
        if (round >= WAITS.length || this.#isLeft)
          return { is: 'unknown', why: `it is unknown how it stands: ${errorMessage(error)}` };
      }
      await this.#parts.pause(WAITS[round] as number, this.#parts.lifecycle.leave);
    }
  }

  /**
   * A sandbox is gone: the calls in it that no snapshot has are taken back, and a call under way has not happened.
   * @returns true where anything was.
   */
  async #lose(box: Sandbox): Promise<boolean> {
    this.#shut(box.name);
    const { ledger } = this.#parts.runState;
    const open = () => ledger.open().filter(({ intent }) => intent.sandbox === box.name);
    for (const { key } of open())
      if (this.#underWay.has(key) && !(await this.#underWay.abort(key))) this.#doomed.add(key);
    if (this.#isLeft) return true;
    const provider = this.#providerOf(box.provider);
    const lost = provider?.restore && box.snapshot ? [...box.fresh] : [...box.fresh, ...box.covered];
    const isGone = (key: string) => ledger.get(key)?.status === 'confirmed';
    const taken = lost.filter(isGone).map((key) => ({ do: 'outcome', key, status: 'compensated' }) as const);
    const failed = open().flatMap(({ key }) => (this.#doomed.has(key) ? [] : [notHappened(key)]));
    this.#append([{ ...naming(box), is: 'gone' }, ...taken, ...failed]);
    await this.#write.durable();
    if (taken.length > 0) this.#onLost();
    return taken.length + failed.length > 0;
  }

  /** A call in a sandbox that is gone has come back after all. */
  #doom(): void {
    const { ledger } = this.#parts.runState;
    for (const key of this.#doomed) {
      const status = ledger.get(key)?.status;
      if (this.#underWay.has(key) || status === undefined) continue;
      this.#doomed.delete(key);
      if (status === 'confirmed') this.#append([{ do: 'outcome', key, status: 'compensated' }]);
      else if (isOpen(status)) this.#append([notHappened(key)]);
      if (status === 'confirmed') this.#onLost();
    }
  }

  /** Stops a sandbox, also one that is being started, unless something is under way in it. */
  async #stop(name: string): Promise<void> {
    const box = this.#box(name);
    if (box === undefined || box.is === 'stopped' || box.is === 'gone' || this.#users.has(name)) return;
    this.#shut(name);
    try {
      const { ready } = this.#parts.config.sandboxes.get(name) ?? { ready: POLL };
      if ((await within(ready, this.#providerOf(box.provider)?.stop(this.#ask(box)) ?? Promise.resolve())) === null)
        throw new Error('it takes too long');
      this.#say({ ...naming(box), is: 'stopped' });
    } catch (error) {
      this.#find('sandbox_not_stopped', `${name} could not be stopped: ${errorMessage(error)}`);
    }
  }

  async #using<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1);
    try {
      return await act();
    } finally {
      const left = (this.#users.get(name) ?? 1) - 1;
      if (left > 0) this.#users.set(name, left);
      else this.#users.delete(name);
      setImmediate(() => {
        if (this.#isLeft) return;
        this.#doom();
        if (left === 0 && this.#isStill) this.rest();
      });
    }
  }

  #inTurn<T>(name: string, act: () => T | Promise<T>): Promise<T> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const ends = this.#parts.activity.begin();
    const mine = before.then(act, act);
    this.#turns.set(name, mine);
    const over = () => {
      ends();
      if (this.#turns.get(name) === mine) this.#turns.delete(name);
    };
    mine.then(over, over);
    return mine;
  }

  get #isStill(): boolean {
    const { status } = this.#parts.lifecycle;
    return status === 'paused' || status === 'parked' || status === 'stuck';
  }

  get #isLeft(): boolean {
    return this.#parts.lifecycle.leave.aborted;
  }

  #serial(name: string): number {
    return this.#serials.get(name) ?? 0;
  }

  /** Calls that were let in before have to ask again. */
  #shut(name: string): void {
    this.#serials.set(name, this.#serial(name) + 1);
  }

  #box(name: string): Sandbox | undefined {
    return this.#parts.runState.sandboxes.all.get(name);
  }

  #ask({ key, name, handle }: Sandbox): SandboxAsk {
    return { key, run: this.#parts.run, name, handle: handle?.is };
  }

  #providerOf(name: string): SandboxProvider | undefined {
    return broughtAs(this.#parts.sandboxes, name);
  }

  async #put({ name, key, provider }: Sandbox, until: number | null): Promise<void> {
    await (this.#parts.sandboxDesk as SandboxDesk).put({ run: this.#parts.run, name, key, provider, until });
  }

  #say(entry: SandboxEntry): void {
    this.#append([entry]);
  }

  #append(entries: readonly Entry[]): void {
    this.#write.append(billed(this.#parts, entries));
  }

  #find(code: string, text: string): void {
    if (this.#isLeft) return;
    const finding = { do: 'finding', code, instance: null, text } as const;
    this.#append([finding]);
    this.#parts.onFinding(finding);
  }
}

function naming({ name, key }: Sandbox) {
  return { do: 'sandbox', name, key } as const;
}

function notHappened(key: string) {
  return { do: 'outcome', key, status: 'failed', error: 'its sandbox is gone' } as const;
}
