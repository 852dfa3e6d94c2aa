/**
 * Makes visible what instances have held back, once their boundary has certified and everything that they relied on is promised as
 * well (semantics.md E4). The durable entry is the decision; what follows is redo-only, also across a crash.
 */
import { createHash } from 'node:crypto';
import { bill } from '../effects/budgets.ts';
import type { StagedCall } from '../effects/counterparty.ts';
import { news } from '../effects/guard.ts';
import type { LedgerCall } from '../effects/ledger.ts';
import { NotApplied, told } from '../effects/signals.ts';
import { timed } from '../effects/timed.ts';
import { isOpen } from '../model/effect.ts';
import type { PublishEntry, SpendEntry } from '../model/entry.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { reliesOnUncommitted } from '../recovery/covered.ts';
import type { RunParts, Writer } from './parts.ts';
import { broughtAs } from './registered.ts';

/** How long is waited before each try of a commit, in milliseconds: the last for all further ones. So often it is tried at least. */
const WAITS = [0, 20, 100, 500];

const NEVER = 'commits, which it never did';

/** What publishing asks of the run. */
export interface Publisher extends Writer {
  /** The function of a tool, as the machine has it. */
  toolOf(name: string): ((call: { input: unknown; key: string; signal: AbortSignal }) => Promise<unknown>) | undefined;
  reconcile(key: string): Promise<unknown>;
  discard(call: LedgerCall): Promise<void>;
  /** Parks the run until somebody acts on a commit that cannot be made visible. */
  park(call: LedgerCall, error: unknown): Promise<void>;
}

/** The commits of one run. */
export class Publishing {
  readonly #parts: RunParts;
  readonly #run: Publisher;
  #under: Promise<void> | null = null;
  /** What is being made visible at this moment. */
  #acting: Promise<unknown> | null = null;
  #stopped = false;

  constructor(parts: RunParts, run: Publisher) {
    this.#parts = parts;
    this.#run = run;
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
    if (this.#parts.fold.ledger.buffered().length === 0) return;
    const due = this.#due(isOver);
    if (due.length === 0) return;
    this.#run.append(due);
    this.#carryOn(due, true);
  }

  /** Goes on with what was decided and is not visible yet, after a crash or a person's word. */
  goOn(): void {
    if (this.#parts.fold.publications.length > 0) this.#carryOn([...this.#parts.fold.publications], false);
  }

  /** The keys of the calls that were given up because their commits never came, as the journal tells. */
  abandoned(): string[] {
    const given = [...this.#parts.fold.ledger.all()].filter(
      ({ intent, status, error }) => intent.held === 'buffer' && status === 'failed' && error?.endsWith(NEVER) === true,
    );
    return given.map(({ key }) => key);
  }

  /** Removes what was staged and whose commit never came: the run is over. @returns the keys of those calls. */
  async abandon(): Promise<string[]> {
    const abandoned: string[] = [];
    for (const call of this.#parts.fold.ledger.buffered()) {
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
    const { ledger, history } = this.#parts.fold;
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
    const boundary = this.#parts.fold.boundaryAt(instance, at);
    const keys = calls.map(({ key }) => key);
    const named = JSON.stringify([this.#parts.run, instanceName(instance), boundary, keys]);
    const { invariants } = this.#parts.config.skeletons
      .get(instance.skeleton)
      ?.boundaries.find(({ id }) => id === boundary) ?? { invariants: [] };
    return {
      do: 'publish',
      id: createHash('sha256').update(named).digest('hex').slice(0, 32),
      instance,
      boundary,
      at,
      keys,
      invariants: invariants.map(({ id }) => id),
    };
  }

  #carryOn(entries: readonly PublishEntry[], fresh: boolean): void {
    const before = this.#under ?? Promise.resolve();
    const under = before.then(async () => {
      await this.#run.durable();
      for (const entry of entries) await this.#publish(entry, fresh);
      await this.#run.durable();
    });
    const done = under
      .catch(() => {}) // The journal has broken, and says so to whoever waits for the run.
      .then(() => {
        if (this.#under === done) this.#under = null;
      });
    this.#under = done;
  }

  async #publish(entry: PublishEntry, fresh: boolean): Promise<void> {
    for (const calls of this.#groups(entry)) await this.#group(entry, calls, fresh);
  }

  /** The calls of a commit by who makes them visible: all of one buffer at once, any other each by itself. */
  #groups({ keys }: PublishEntry): LedgerCall[][] {
    const groups = new Map<string, LedgerCall[]>();
    for (const key of keys) {
      const call = this.#parts.fold.ledger.get(key) as LedgerCall;
      const buffer = this.#bufferOf(call);
      const name = typeof buffer === 'object' && buffer !== null && isRepeatable(call) ? buffer.name : `\0${key}`;
      groups.set(name, [...(groups.get(name) ?? []), call]);
    }
    return [...groups.values()];
  }

  #bufferOf({ intent }: LedgerCall) {
    return this.#parts.config.tools.get(intent.tool)?.buffer ?? null;
  }

  async #group(entry: PublishEntry, calls: readonly LedgerCall[], fresh: boolean): Promise<void> {
    let unsure = !fresh;
    for (let round = 0; !this.#stopped; round += 1) {
      const [first] = calls.filter((call) => !isThrough(call));
      if (first === undefined) return;
      if (unsure && !this.#mayRepeat(first)) {
        await this.#run.reconcile(first.key);
        if (isThrough(first)) return;
      }
      const blind = unsure && !this.#mayRepeat(first) && isOpen(first.status);
      if (blind || round >= this.#tries(entry)) {
        await this.#run.park(first, new Error(first.error ?? 'nobody can tell whether it was made visible'));
        round = -1;
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, WAITS[Math.min(round, WAITS.length - 1)]));
      await this.#leaveAgain(calls.filter((call) => !isThrough(call) && call.status !== 'intended'));
      // While it waited, a rollback may have taken them back.
      if (calls.every((call) => isThrough(call)) || this.#stopped) return;
      const acting = this.#act(entry, calls);
      this.#acting = acting;
      unsure = await acting.finally(() => {
        this.#acting = null;
      });
    }
  }

  /** How often a commit is tried before a person is asked: what its skeleton may have recoveries for, and a few times in any case. */
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

  /** Makes calls visible once. @returns whether it is not known what became of them. */
  async #act(entry: PublishEntry, calls: readonly LedgerCall[]): Promise<boolean> {
    const buffer = this.#bufferOf(calls[0] as LedgerCall);
    if (buffer === 'call') return this.#actAlone(calls[0] as LedgerCall);
    const { id, instance, boundary } = entry;
    // It is asked for all of them again: what one commit makes visible is one thing.
    const owed = calls.filter((call) => !isThrough(call));
    try {
      const registered = broughtAs(this.#parts.buffers, buffer?.name ?? '');
      if (registered === undefined) throw new NotApplied(`no buffer ${buffer?.name ?? ''} is registered`);
      const publication = { id, run: this.#parts.run, instance: instanceName(instance), boundary };
      await registered.publish(calls.filter(({ at }) => at !== null).map(stagedOf), publication);
      this.#run.append(owed.map(({ key }) => ({ do: 'outcome', key, status: 'confirmed' }) as const));
      return false;
    } catch (error) {
      const status = error instanceof NotApplied ? 'failed' : 'unknown';
      this.#run.append(owed.map(({ key }) => ({ do: 'outcome', key, status, error: told(error) }) as const));
      return status === 'unknown';
    }
  }

  /** What a call that has become visible took, where it says so itself. */
  #billed({ key, status, intent, output }: LedgerCall): SpendEntry[] {
    const { time: _, ...admitted } = this.#parts.fold.budgets.admitted(key);
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
        if (call.status === 'unknown') this.#run.append([{ do: 'outcome', key, ...news(late) }]);
      },
    );
    const refusal = 'error' in settled ? null : (tool?.refuses(settled.output) ?? null);
    if (refusal !== null) this.#run.append([{ do: 'outcome', key, status: 'unknown', error: refusal }]);
    else this.#run.append([{ do: 'outcome', key, ...news(settled) }]);
    this.#run.append(this.#billed(call));
    return call.status === 'unknown';
  }
}

function stagedOf({ key, intent, output }: LedgerCall): StagedCall {
  return { key, tool: intent.tool, args: intent.args, staged: output };
}

/** Whether a buffer may be asked for a call again: what cannot be taken back is never asked for twice on a guess. */
function isRepeatable({ intent }: LedgerCall): boolean {
  return intent.class !== 'irreversible';
}

/** Whether nothing is owed any more: it is visible, a person gave it up, or a rollback took it back. */
function isThrough({ status, at }: LedgerCall): boolean {
  return status === 'confirmed' || status === 'compensated' || at === null;
}
