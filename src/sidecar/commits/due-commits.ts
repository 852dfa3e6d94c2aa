/** Makes the calls of a decided commit visible, group by group, until all of them are: redo-only (semantics.md E4). */

import { completion } from '../../effects/acting.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { CommitRefused, errorMessage, NotApplied } from '../../effects/signals.ts';
import { timed } from '../../effects/timed.ts';
import type { OutcomeEntry, PublishEntry } from '../../model/call-entries.ts';
import { isOpen } from '../../model/effect.ts';
import { billed } from '../calls/billing.ts';
import type { RunParts, Writer } from '../parts.ts';
import { waitOf } from '../retry.ts';
import { type Refusal, refusalOf } from './preparing.ts';
import { type Group, isRepeatable, type Staging } from './staging.ts';
import { triesOf } from './tries.ts';

/** The port of publishing to the run. */
export interface PublishingPort extends Writer {
  /** The function of a tool, as the machine has it. */
  toolOf(name: string): ((call: { input: unknown; key: string; signal: AbortSignal }) => Promise<unknown>) | undefined;
  reconcile(key: string): Promise<unknown>;
  /** Keeps a call that is being made visible as one under way (E2). */
  track(key: string, own: AbortSignal, act: (signal: AbortSignal) => Promise<unknown>): Promise<unknown>;
  /** Parks the run on a commit that cannot be made visible. Resolves once it is to be tried again. */
  park(call: LedgerCall, error: unknown): Promise<void>;
}

/** The publishing of one run's commits. */
export class DueCommits {
  readonly #parts: RunParts;
  readonly #run: PublishingPort;
  readonly #staging: Staging;

  constructor(parts: RunParts, run: PublishingPort, staging: Staging) {
    this.#parts = parts;
    this.#run = run;
    this.#staging = staging;
  }

  /**
   * Makes a commit visible. @returns the refusal that withdraws it, or null. @param fresh true where none of it was tried
   * before.
   */
  async publish(entry: PublishEntry, fresh: boolean): Promise<Refusal | null> {
    for (const [index, group] of this.#staging.groups(entry).entries()) {
      const refusal = await this.#group(entry, group, fresh, index === 0);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** @param isFirst true where nothing of the commit is visible before. */
  async #group(entry: PublishEntry, group: Group, fresh: boolean, isFirst: boolean): Promise<Refusal | null> {
    const { calls } = group;
    const tries = triesOf(this.#parts.config, entry);
    let unsure = !fresh;
    for (let round = 0; await this.#goesOn(); round += 1) {
      const [first] = calls.filter((call) => !isThrough(call));
      if (first === undefined) return null;
      const isBlind = unsure && !this.#mayRepeat(first) && (await this.#staysOpen(first));
      if (isThrough(first)) return null;
      if (isBlind || round >= tries) {
        this.#parts.lifecycle.note({ commit: 'owed' });
        await this.#run.park(first, new Error(first.error ?? 'it is unknown whether it was made visible'));
        this.#parts.lifecycle.note({ commit: 'publishing' });
        round = -1;
        continue;
      }
      await this.#parts.pause(waitOf('commit', round));
      await this.#leaveAgain(calls.filter((call) => !isThrough(call) && call.status !== 'intended'));
      // While it waited, a rollback may have taken them back.
      if (calls.every((call) => isThrough(call)) || this.#parts.lifecycle.leave.aborted) return null;
      const result = await this.#act(entry, group);
      if (typeof result !== 'boolean') {
        if (isFirst && isUnseen(entry, calls)) return result;
        // Asking again cannot help, and what is visible stays: it is owed until a person has acted.
        round = tries;
      }
      unsure = result === true;
    }
    return null;
  }

  /** Waits until a commit may become visible. @returns false where the process takes leave of the run. */
  async #goesOn(): Promise<boolean> {
    const { lifecycle } = this.#parts;
    await lifecycle.past('publish');
    return !lifecycle.leave.aborted;
  }

  /** Asks the counterparty of a call. @returns true where it is still not known what became of it. */
  async #staysOpen(call: LedgerCall): Promise<boolean> {
    await this.#run.reconcile(call.key);
    return isOpen(call.status);
  }

  /** True where it is safe to ask again without knowing what became of it: its counterparty tells by the key. */
  #mayRepeat(call: LedgerCall): boolean {
    const buffer = this.#parts.config.tools.get(call.intent.tool)?.buffer ?? null;
    return call.intent.class === 'idempotent' || (buffer !== 'call' && isRepeatable(call));
  }

  async #leaveAgain(calls: readonly LedgerCall[]): Promise<void> {
    if (calls.length === 0) return;
    this.#run.append(calls.map(({ key }) => ({ do: 'outcome', key, status: 'intended' }) as const));
    await this.#run.durable();
  }

  /** Makes calls visible once. @returns true where it is not known what became of them, or why they never can be. */
  #act(entry: PublishEntry, { area, calls }: Group): Promise<boolean | Refusal> {
    return area === null ? this.#actAlone(calls[0] as LedgerCall) : this.#actTogether(entry, area, calls);
  }

  /**
   * Asks an area for all of its calls of the commit, the visible ones too: an area makes one commit visible as a whole.
   */
  async #actTogether(entry: PublishEntry, area: string, calls: readonly LedgerCall[]): Promise<boolean | Refusal> {
    const owed = calls.filter((call) => !isThrough(call));
    try {
      const registered = this.#staging.area(area);
      if (registered === undefined) throw new NotApplied(`no buffer ${area} is registered`);
      const standing = calls.filter(({ at }) => at !== null).map((call) => this.#staging.staged(call));
      await registered.publish(standing, this.#staging.publicationOf(entry, area));
      this.#append(owed.map(({ key }) => ({ do: 'outcome', key, status: 'confirmed' }) as const));
      return false;
    } catch (error) {
      const status = error instanceof NotApplied ? 'failed' : 'unknown';
      this.#run.append(owed.map(({ key }) => ({ do: 'outcome', key, status, error: errorMessage(error) }) as const));
      return error instanceof CommitRefused ? refusalOf(error, owed) : status === 'unknown';
    }
  }

  async #actAlone(call: LedgerCall): Promise<boolean> {
    const { key, intent } = call;
    const tool = this.#parts.config.tools.get(intent.tool);
    const act = this.#run.toolOf(intent.tool);
    if (act === undefined) throw new Error(`the machine has no tool ${intent.tool}`);
    const made = (own: AbortSignal) => act({ input: intent.args, key, signal: own });
    const settled = await timed(
      { tool, signal: this.#parts.lifecycle.leave, act: (_, own) => this.#run.track(key, own, made) },
      key,
      (late) => {
        if (call.status === 'unknown') this.#append([{ do: 'outcome', key, ...completion(late) }]);
      },
    );
    const refusal = 'error' in settled ? null : (tool?.refuses(settled.output) ?? null);
    if (refusal !== null) this.#run.append([{ do: 'outcome', key, status: 'unknown', error: refusal }]);
    else this.#append([{ do: 'outcome', key, ...completion(settled) }]);
    return call.status === 'unknown';
  }

  /** Writes what became of calls, each that is visible with its bill. */
  #append(outcomes: readonly OutcomeEntry[]): void {
    this.#run.append(billed(this.#parts, outcomes));
  }
}

/** True where nothing of a commit is visible, since its first calls are not. Versions that asked no area had another order. */
function isUnseen({ prepared }: PublishEntry, first: readonly LedgerCall[]): boolean {
  return prepared !== undefined && first.every(({ status }) => status === 'failed');
}

/** True where nothing is owed any more: it is visible, a person gave it up, or a rollback took it back. */
function isThrough({ status, at }: LedgerCall): boolean {
  return status === 'confirmed' || status === 'compensated' || at === null;
}
