/**
 * Makes visible what instances have held back, once their boundary has certified and everything that they relied on is promised as
 * well (semantics.md E4). The staging areas are asked first; then the durable entry is the decision; what follows is redo-only, also
 * across a crash.
 */
import { bill } from '../effects/budgets.ts';
import { completion } from '../effects/guard.ts';
import { commitIdOf } from '../effects/keys.ts';
import type { LedgerCall } from '../effects/ledger.ts';
import { CommitRefused, errorMessage, NotApplied } from '../effects/signals.ts';
import { timed } from '../effects/timed.ts';
import { isOpen } from '../model/effect.ts';
import type { PublishEntry, SpendEntry } from '../model/entry.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { reliesOnUncommitted } from '../recovery/covered.ts';
import type { Raised, RunParts, Writer } from './parts.ts';
import { type Asking, prepareAll, type Refusal, refusalOf, withdrawAll } from './preparing.ts';
import { failureOf, waitBefore } from './refusing.ts';
import { type Group, isRepeatable, Staging } from './staging.ts';

/**
 * How long is waited before each try of a commit, in milliseconds: the last for all further ones. So often it is tried at least.
 */
const WAITS = [0, 20, 100, 500];

const NEVER = 'commits, which it never did';

/** What publishing asks of the run. */
export interface OutboxPort extends Writer {
  /** The function of a tool, as the machine has it. */
  toolOf(name: string): ((call: { input: unknown; key: string; signal: AbortSignal }) => Promise<unknown>) | undefined;
  reconcile(key: string): Promise<unknown>;
  discard(call: LedgerCall): Promise<void>;
  /** Parks the run until somebody acts on a commit that cannot be made visible. */
  park(call: LedgerCall, error: unknown): Promise<void>;
  /** A commit was refused before anything of it was visible: its instance has failed. */
  refused(raised: Raised): void;
}

/** The commits of one run. */
export class Outbox {
  readonly #parts: RunParts;
  readonly #run: OutboxPort;
  readonly #staging: Staging;
  #under: Promise<void> | null = null;
  /** The commits that are being prepared, or were refused: they are not begun again. */
  readonly #begun = new Set<string>();
  /** What is being made visible at this moment. */
  #acting: Promise<unknown> | null = null;
  #stopped = false;

  constructor(parts: RunParts, run: OutboxPort) {
    this.#parts = parts;
    this.#run = run;
    this.#staging = new Staging(parts);
  }

  /**
   * True while a commit may still be refused: then its instance has to be done again, which it cannot be after the end of the
   * run.
   */
  get mayRefuse(): boolean {
    const { ledger, publications } = this.#parts.runState;
    const isAsked = (call: LedgerCall) => this.#staging.area(this.#staging.areaOf(call))?.prepare !== undefined;
    return ledger.buffered().some(isAsked) || publications.some(({ prepared }) => prepared !== undefined);
  }

  /** Resolves once everything that was decided so far is visible. */
  async settled(): Promise<void> {
    while (this.#under !== null) await this.#under;
  }

  /** Resolves once nothing is being made visible at this moment: what waits for a person is not waited for. */
  async quiet(): Promise<void> {
    while (this.#acting !== null) await this.#acting.catch(() => {});
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Decides which commits can be made now, and makes them. `isOver` says that nobody can roll anything back any more. */
  begin(isOver = false): void {
    if (this.#parts.runState.ledger.buffered().length === 0) return;
    const due = this.#due(isOver).filter((entry) => !this.#begun.has(nameOf(entry)));
    const plain = due.filter((entry) => this.#staging.asked(entry).length === 0);
    if (plain.length > 0) {
      this.#run.append(plain);
      this.#carryOn(() => this.#publishAll(plain, true));
    }
    for (const entry of due) if (!plain.includes(entry)) this.#prepare(entry, isOver);
  }

  /** Goes on with what was decided and is not visible yet, after a crash or a person's word. */
  goOn(): void {
    const decided = [...this.#parts.runState.publications];
    if (decided.length > 0) this.#carryOn(() => this.#publishAll(decided, false));
  }

  /** The keys of the calls that were given up because their commits never came, as the journal tells. */
  abandoned(): string[] {
    const given = [...this.#parts.runState.ledger.all()].filter(
      ({ intent, status, error }) => intent.held === 'buffer' && status === 'failed' && error?.endsWith(NEVER) === true,
    );
    return given.map(({ key }) => key);
  }

  /** Removes what was staged and whose commit never came: the run is over. @returns the keys of those calls. */
  async abandon(): Promise<string[]> {
    const abandoned: string[] = [];
    for (const call of this.#parts.runState.ledger.buffered()) {
      await this.#run.discard(call);
      const text = `${call.intent.tool} was held back until ${instanceName(call.intent.instance)} ${NEVER}`;
      const finding = { do: 'finding', code: 'never_published', instance: call.intent.instance, text } as const;
      this.#run.append([{ do: 'outcome', key: call.key, status: 'failed', error: text }, finding]);
      this.#parts.onFinding(finding);
      abandoned.push(call.key);
    }
    return abandoned;
  }

  #due(isOver: boolean): PublishEntry[] {
    const { ledger, history } = this.#parts.runState;
    const instances = new Map<string, InstanceId>();
    for (const { intent } of ledger.buffered()) instances.set(instanceName(intent.instance), intent.instance);
    return [...instances.values()].flatMap((id): PublishEntry[] => {
      const at = history.registry.get(id)?.committed?.at ?? 0;
      const calls = ledger.buffered(id).filter((call) => call.staged && (call.at ?? at) < at);
      if (calls.length === 0) return [];
      if (!isOver && reliesOnUncommitted(history, id, at, ({ skeleton }) => skeleton === ROOT) !== null) return [];
      return [this.#entry(id, at, calls)];
    });
  }

  #entry(instance: InstanceId, at: number, calls: readonly LedgerCall[]): PublishEntry {
    const boundary = this.#parts.runState.boundaryAt(instance, at);
    const keys = calls.map(({ key }) => key);
    const named = JSON.stringify([this.#parts.run, instanceName(instance), boundary, keys]);
    const { invariants } = this.#parts.config.skeletons
      .get(instance.skeleton)
      ?.boundaries.find(({ id }) => id === boundary) ?? { invariants: [] };
    return {
      do: 'publish',
      id: commitIdOf(named, this.#parts.runState.ledger.form),
      instance,
      boundary,
      at,
      keys,
      invariants: invariants.map(({ id }) => id),
    };
  }

  #carryOn(act: () => Promise<void>): void {
    const before = this.#under ?? Promise.resolve();
    const under = before.then(async () => {
      await this.#run.durable();
      await act();
      await this.#run.durable();
    });
    const done = under
      .catch(() => {}) // The journal has broken, and says so to whoever waits for the run.
      .then(() => {
        if (this.#under === done) this.#under = null;
      });
    this.#under = done;
  }

  /** Asks the areas of a commit, decides it, and makes it. */
  #prepare(entry: PublishEntry, isOver: boolean): void {
    const name = nameOf(entry);
    this.#begun.add(name);
    this.#carryOn(async () => {
      // Nothing of a commit is decided that a rollback has taken back meanwhile, or that the process takes leave of.
      const isDue = () => !this.#stopped && this.#due(isOver).some((other) => nameOf(other) === name);
      const prepared = isDue() ? await prepareAll(this.#staging, entry, this.#asking(entry)) : null;
      if (prepared === null || !isDue()) {
        this.#begun.delete(name);
        if (!this.#stopped) await withdrawAll(this.#staging, entry);
      } else if ('refused' in prepared) await this.#refuse(entry, prepared.refused);
      else {
        this.#begun.delete(name);
        const decided = { ...entry, prepared: prepared.tokens };
        this.#run.append([decided]);
        await this.#run.durable();
        await this.#publish(decided, true);
      }
    });
  }

  /** Has the instance of a refused commit fail; asked again, the same commit is tried once more. */
  async #refuse(entry: PublishEntry, refusal: Refusal): Promise<void> {
    const name = nameOf(entry);
    this.#begun.add(name);
    const { runState, now } = this.#parts;
    const relied = this.#staging.relied(refusal.call);
    const wait = waitBefore(runState, entry, refusal, relied, now());
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (this.#stopped) return;
    const again = async () => {
      this.#begun.delete(name);
      this.begin();
      await this.settled();
    };
    this.#run.refused({ ...failureOf(runState, entry, refusal, relied), again });
  }

  async #publishAll(entries: readonly PublishEntry[], fresh: boolean): Promise<void> {
    for (const entry of entries) await this.#publish(entry, fresh);
  }

  async #publish(entry: PublishEntry, fresh: boolean): Promise<void> {
    const moved = fresh ? null : await this.#movedMeanwhile(entry);
    if (moved !== null) return this.#withdraw(entry, moved);
    for (const [index, group] of this.#staging.groups(entry).entries()) {
      const refusal = await this.#group(entry, group, fresh, index === 0);
      if (refusal !== null) return this.#withdraw(entry, refusal);
    }
  }

  async #withdraw(entry: PublishEntry, refusal: Refusal): Promise<void> {
    this.#run.append([{ do: 'withdrawn', id: entry.id, why: refusal.why }]);
    await withdrawAll(this.#staging, entry);
    await this.#refuse(entry, refusal);
  }

  /**
   * Asks the areas of a commit once more that was decided before a crash, if nothing of it is visible yet. @returns why it is
   * refused by now.
   */
  async #movedMeanwhile(entry: PublishEntry): Promise<Refusal | null> {
    const [first] = this.#staging.groups(entry);
    const area = this.#staging.area(first?.area ?? null);
    if (entry.prepared === undefined || area?.published === undefined) return null;
    try {
      if (await area.published(this.#staging.publicationOf(entry, first?.area ?? null))) return null;
    } catch {
      return null;
    }
    const prepared = await prepareAll(this.#staging, entry, this.#asking(entry));
    return 'refused' in prepared && !this.#stopped ? prepared.refused : null;
  }

  #asking(entry: PublishEntry): Asking {
    const waits = Array.from({ length: this.#tries(entry) }, (_, round) => waitOf(round));
    return { waits, isStopped: () => this.#stopped };
  }

  #bufferOf({ intent }: LedgerCall) {
    return this.#parts.config.tools.get(intent.tool)?.buffer ?? null;
  }

  /** Makes a group visible. @returns the refusal that withdraws the commit, or null. `isFirst`: nothing of it is visible before. */
  async #group(entry: PublishEntry, group: Group, fresh: boolean, isFirst: boolean): Promise<Refusal | null> {
    const { calls } = group;
    let unsure = !fresh;
    for (let round = 0; !this.#stopped; round += 1) {
      const [first] = calls.filter((call) => !isThrough(call));
      if (first === undefined) return null;
      if (unsure && !this.#mayRepeat(first)) {
        await this.#run.reconcile(first.key);
        if (isThrough(first)) return null;
      }
      const blind = unsure && !this.#mayRepeat(first) && isOpen(first.status);
      if (blind || round >= this.#tries(entry)) {
        await this.#run.park(first, new Error(first.error ?? 'nobody can tell whether it was made visible'));
        round = -1;
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, waitOf(round)));
      await this.#leaveAgain(calls.filter((call) => !isThrough(call) && call.status !== 'intended'));
      // While it waited, a rollback may have taken them back.
      if (calls.every((call) => isThrough(call)) || this.#stopped) return null;
      const acting = this.#act(entry, group);
      this.#acting = acting;
      const result = await acting.finally(() => {
        this.#acting = null;
      });
      if (typeof result !== 'boolean') {
        if (isFirst && isUnseen(entry, calls)) return result;
        // Asking again cannot help, and what is visible stays: it is owed until a person has acted.
        round = this.#tries(entry);
      }
      unsure = result === true;
    }
    return null;
  }

  /**
   * How often a commit is tried before a person is asked: what its skeleton may have recoveries for, and a few times in any
   * case.
   */
  #tries({ instance }: PublishEntry): number {
    const { skeletons, tries } = this.#parts.config;
    return Math.max(WAITS.length, 1 + (skeletons.get(instance.skeleton)?.rollback.tries ?? tries));
  }

  async #leaveAgain(calls: readonly LedgerCall[]): Promise<void> {
    if (calls.length === 0) return;
    this.#run.append(calls.map(({ key }) => ({ do: 'outcome', key, status: 'intended' }) as const));
    await this.#run.durable();
  }

  /** Whether it is safe to ask again without knowing whether it has happened: its counterparty tells by the key. */
  #mayRepeat(call: LedgerCall): boolean {
    return call.intent.class === 'idempotent' || (this.#bufferOf(call) !== 'call' && isRepeatable(call));
  }

  /** Makes calls visible once. @returns whether it is not known what became of them, or why they never can be. */
  async #act(entry: PublishEntry, { area, calls }: Group): Promise<boolean | Refusal> {
    if (area === null) return this.#actAlone(calls[0] as LedgerCall);
    // It is asked for all of them again: what one commit makes visible is one thing.
    const owed = calls.filter((call) => !isThrough(call));
    try {
      const registered = this.#staging.area(area);
      if (registered === undefined) throw new NotApplied(`no buffer ${area} is registered`);
      const standing = calls.filter(({ at }) => at !== null).map((call) => this.#staging.staged(call));
      await registered.publish(standing, this.#staging.publicationOf(entry, area));
      this.#run.append(owed.map(({ key }) => ({ do: 'outcome', key, status: 'confirmed' }) as const));
      return false;
    } catch (error) {
      const status = error instanceof NotApplied ? 'failed' : 'unknown';
      this.#run.append(owed.map(({ key }) => ({ do: 'outcome', key, status, error: errorMessage(error) }) as const));
      return error instanceof CommitRefused ? refusalOf(error, owed) : status === 'unknown';
    }
  }

  /** What a call that has become visible took, where it says so itself. */
  #billed({ key, status, intent, output }: LedgerCall): SpendEntry[] {
    const { time: _, ...admitted } = this.#parts.runState.budgets.admitted(key);
    const tool = this.#parts.config.tools.get(intent.tool);
    return status === 'confirmed' ? bill(key, admitted, tool, { args: intent.args, output, took: 0 }) : [];
  }

  async #actAlone(call: LedgerCall): Promise<boolean> {
    const { key, intent } = call;
    const tool = this.#parts.config.tools.get(intent.tool);
    const act = this.#run.toolOf(intent.tool);
    if (act === undefined) throw new Error(`the machine has no tool ${intent.tool}`);
    const { signal } = new AbortController();
    const settled = await timed(
      { tool, signal, act: (_, own) => act({ input: intent.args, key, signal: own }) },
      key,
      (late) => {
        if (call.status === 'unknown') this.#run.append([{ do: 'outcome', key, ...completion(late) }]);
      },
    );
    const refusal = 'error' in settled ? null : (tool?.refuses(settled.output) ?? null);
    if (refusal !== null) this.#run.append([{ do: 'outcome', key, status: 'unknown', error: refusal }]);
    else this.#run.append([{ do: 'outcome', key, ...completion(settled) }]);
    this.#run.append(this.#billed(call));
    return call.status === 'unknown';
  }
}

/** Names a commit and the boundary at which it is due: done again, the same commit is another try. */
function nameOf({ id, at }: PublishEntry): string {
  return `${id} ${at}`;
}

/** True where nothing of a commit is visible, since its first calls are not. Versions that asked no area had another order. */
function isUnseen({ prepared }: PublishEntry, first: readonly LedgerCall[]): boolean {
  return prepared !== undefined && first.every(({ status }) => status === 'failed');
}

function waitOf(round: number): number {
  return WAITS[Math.min(round, WAITS.length - 1)] as number;
}

/** Whether nothing is owed any more: it is visible, a person gave it up, or a rollback took it back. */
function isThrough({ status, at }: LedgerCall): boolean {
  return status === 'confirmed' || status === 'compensated' || at === null;
}
