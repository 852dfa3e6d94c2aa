/**
 * A run's writing: entries become rows and are folded in, in one go (architecture.md). The consequences of one event
 * are one piece (J3), and once the journal refuses, nothing is written any more (J4).
 */

import type { ActChange } from '../journal/acts.ts';
import type { Row } from '../journal/journal.ts';
import { type Lost, lostText } from '../journal/lost.ts';
import type { PoolChange } from '../journal/pools.ts';
import type { Entry } from '../model/entry.ts';
import { owedCounts } from '../reports/obligations.ts';
import { argsOf } from './calls/args.ts';
import { storeAct } from './calls/store-acts.ts';
import type { RunParts } from './parts.ts';

/** Entries that others may belong to, which follow at once. */
const LEADS_ON: ReadonlySet<Entry['do']> = new Set(['begin', 'step', 'timer', 'finding'] as const);

/** Entries that say something of the life of the run. */
const LIVES_ON: ReadonlySet<Entry['do']> = new Set([
  ...(['cancel', 'pause', 'end', 'tried', 'kept', 'mandate', 'judging', 'judged'] as const),
]);

function leadsOn(entry: Entry): boolean {
  return LEADS_ON.has(entry.do);
}

function outcomesIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.do === 'outcome' ? [entry.key] : []));
}

/** What an entry changes in the pools of the store: of each call that moved, what it has reserved now and has spent since (ER10). */
function poolChanges({ config, runState }: RunParts, entry: Entry): PoolChange[] {
  const { budgets, ledger } = runState;
  const { admitted } = budgets.parts;
  if ('key' in entry && typeof entry.key === 'string') budgets.touch(entry.key);
  if (entry.do === 'publish') for (const key of entry.keys) budgets.touch(key);
  const isOver = runState.ended !== null;
  if (entry.do === 'end') for (const of of admitted.keys()) budgets.touch(of);
  return [...budgets.moved()].flatMap(([of, spentBy]) => {
    const status = ledger.get(of)?.status;
    return [...config.pools].flatMap(([budget, pool]): PoolChange[] => {
      const most = admitted.get(of)?.[budget];
      const spent = spentBy[budget];
      if (most === undefined && spent === undefined) return [];
      const change = { pool, call: of, amount: most ?? 0, spent: spent ?? 0, open: false };
      if (!isOver) return [{ ...change, open: status === undefined || status === 'intended' }];
      // Nothing of a run that is over leaves any more: what it holds back never does.
      return [status === 'buffered' ? { ...change, amount: 0 } : change];
    });
  });
}

/** The writing of one run. */
export class Writing {
  readonly #parts: RunParts;
  #rows: Row[] = [];
  /** True where the end of what is happening is awaited, to write it. */
  #awaited = false;
  #depth = 0;
  #startsLater = false;
  /** The parts of the entry at hand that no row holds. */
  #lost: Lost[] = [];
  readonly #lose = (what: Lost): void => {
    this.#lost.push(what);
  };
  readonly #later = (): void => {
    this.#awaited = false;
    this.now();
  };
  #entries = 0;
  #broken: unknown = null;
  #onBreak: (error: unknown) => void = () => {};
  #onOutcome: (keys: readonly string[]) => void = () => {};
  /** Those who wait for the next append. */
  #waiting: (() => void)[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
    if (parts.pools !== null) parts.runState.budgets.watch();
  }

  /** The reason why nothing is written any more; null while it is. */
  get broken(): unknown {
    return this.#broken;
  }

  /** The number of entries that were written down. */
  get entries(): number {
    return this.#entries;
  }

  /** True where nothing waits to be appended. */
  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Calls a function when the journal refuses. */
  onBreak(listener: (error: unknown) => void): void {
    this.#onBreak = listener;
  }

  /** Calls a function with the keys of calls whose outcome becomes known. */
  onOutcome(listener: (keys: readonly string[]) => void): void {
    this.#onOutcome = listener;
  }

  /** Calls a function once, after the next append. */
  atNext(listener: () => void): void {
    this.#waiting.push(listener);
  }

  /** Appends the collected rows, unless they belong to something that is still happening. */
  now(): void {
    if (this.#depth === 0) this.write();
  }

  /** Resolves once everything so far is durable. */
  async durable(): Promise<number> {
    try {
      // The caller's rows belong to a happening that is not over: its remaining rows are durable together with them.
      if (this.#depth > 0) await null;
      this.write();
      return await this.#parts.journal.flush();
    } catch (error) {
      this.break(error);
      throw error;
    }
  }

  /**
   * Writes all entries that `run` appends in one piece (J3). With `goesOn`, the piece also has the entries up to the
   * end of the surrounding happening.
   */
  together(run: () => void, goesOn = true): void {
    this.#depth += 1;
    try {
      run();
    } finally {
      this.#over(goesOn);
    }
  }

  /**
   * Writes the first steps of the run together with their consequences, once the root is started; only an entry that
   * must be durable earlier goes first. A process that dies between the two would leave a run that waits for an event
   * without a sender.
   */
  startsLater(): void {
    this.#depth += 1;
    this.#startsLater = true;
  }

  /** The root is being started. */
  started(): void {
    if (this.#startsLater) this.#over(true);
    this.#startsLater = false;
  }

  #over(goesOn: boolean): void {
    this.#depth -= 1;
    if (this.#depth === 0 && !goesOn) this.write();
    else if (!this.#awaited) {
      this.#awaited = true;
      queueMicrotask(this.#later);
    }
  }

  /**
   * Writes entries down and folds them in.
   * @param context the context of the step's actor, after the entry at `at`: the last step of several that one microstep comes to.
   */
  append(entries: readonly Entry[], context?: unknown, at = 0): void {
    if (this.#broken !== null) return;
    // A step leads to steps of parents and children, and to timers, in the same piece; any other entry stands for
    // itself.
    const goesOn = entries.every(leadsOn);
    if (!goesOn && this.#depth === 0) this.write();
    this.#depth += 1;
    try {
      for (let index = 0; index < entries.length; index += 1)
        this.#add(entries[index] as Entry, index === at ? context : undefined);
    } finally {
      this.#over(goesOn);
    }
    const outcomes = outcomesIn(entries);
    if (outcomes.length > 0) this.#onOutcome(outcomes);
    if (this.#waiting.length > 0) for (const listener of this.#waiting.splice(0)) listener();
  }

  #add(given: Entry, context: unknown): void {
    const { runState, encoder, note, observing, lifecycle } = this.#parts;
    const entry = runState.redaction.entry(given);
    this.#entries += 1;
    if (this.#lost.length > 0) this.#lost = [];
    encoder.add(this.#rows, entry, this.#lose);
    const time = this.#parts.now();
    runState.apply(entry, time, entry.do === 'step' ? context : undefined);
    this.#change(entry);
    if (LIVES_ON.has(entry.do)) lifecycle.moved();
    note.take(entry, time);
    observing?.appended(entry);
    if (this.#lost.length === 0) return;
    const lost = this.#lost;
    this.#lost = [];
    for (const what of lost) this.#tellLost(entry, what);
  }

  /** Notes what an entry does to the acts of the store: it takes one, or frees some (ON6). */
  #change(entry: Entry): void {
    const { config, runState } = this.#parts;
    const acts: ActChange[] = [];
    if (entry.do === 'intent' && entry.inStore && entry.repeats === undefined) {
      const act = storeAct(config, entry.tool, argsOf(runState, entry), runState.codecs);
      if (act !== null) acts.push({ is: 'taken', act, key: entry.key });
    }
    for (const key of runState.ledger.freed()) acts.push({ is: 'freed', key });
    const last = this.#rows.at(-1);
    const pools = this.#parts.pools === null ? [] : poolChanges(this.#parts, entry);
    if (acts.length + pools.length > 0 && last !== undefined)
      this.#rows[this.#rows.length - 1] = {
        ...last,
        ...(acts.length > 0 && { acts }),
        ...(pools.length > 0 && { pools }),
      };
  }

  #tellLost(entry: Entry, what: Lost): void {
    const parties = entry.do === 'step' ? entry.parties.map(({ instance }) => instance) : [null];
    for (const instance of parties) {
      const finding = { do: 'finding', code: 'no_codec', instance, text: lostText(what) } as const;
      this.append([finding]);
      this.#parts.onFinding(finding);
    }
  }

  write(): void {
    const rows = this.#rows;
    if (rows.length === 0 || this.#broken !== null) return;
    this.#rows = [];
    try {
      this.#parts.note.owe(owedCounts(this.#parts.runState));
      this.#parts.journal.append(rows, this.#parts.note.text);
      // Other runs wait for what is given back.
      if (rows.some(({ pools }) => pools !== undefined)) void this.#parts.journal.flush().catch(() => {});
      this.#parts.observing?.taken();
      // None is kept while a replay takes work over: one behind it is enough, and each goes through all steps.
      this.#parts.basing.appended(rows, this.#parts.lifecycle.may('base'));
    } catch (error) {
      this.break(error);
    }
  }

  /** The journal does not take any more: nothing leaves, nothing goes on. */
  break(error: unknown): void {
    this.#broken ??= error;
    this.#parts.lifecycle.note({ hold: 'broken' });
    this.#onBreak(error);
  }
}
