/**
 * The store in memory: the same rules without a medium. Runs outlive their closed journals, and end with the process.
 */

import { CODE, optional, refuseOther, shape } from '../../model/argument.ts';
import type { HeldAct } from '../acts.ts';
import {
  type Base,
  JournalError,
  type LocalJournal,
  type LocalStore,
  type OpenMode,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type SeenRun,
  type StoredRow,
} from '../journal.ts';
import { checkRoom, postBytes } from '../posts.ts';
import { checkLimit, checkRunName, wrongRun } from '../rows.ts';
import { MemoryClaims } from './claims.ts';
import { MemoryJournal, type MemoryRun, newRun } from './journal.ts';
import { MemoryNotices } from './notices.ts';
import { MemoryPools } from './pools.ts';
import { MemorySandboxes } from './sandboxes.ts';
import { MemoryWork } from './work.ts';

/**
 * A store that keeps nothing beyond the process.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 *
 * const store = memoryStore();
 * const journal = await store.open('order-1', 'create');
 * journal.append([{ kind: 1, body: '{}' }]);
 * await journal.close();
 * assert.deepEqual([...store.read('order-1')].map(({ seq }) => seq), [1]);
 */
export function memoryStore(options: MemoryOptions = {}): LocalStore {
  refuseOther('memoryStore', { options: [options, OPTIONS] });
  return new MemoryStore(options.now ?? Date.now);
}

interface MemoryOptions {
  readonly now?: () => number;
}

const OPTIONS = shape<MemoryOptions>('an object', { now: optional(CODE) });

class MemoryStore implements LocalStore {
  readonly confidential = true;
  readonly work: MemoryWork;
  readonly claims: MemoryClaims;
  readonly notices: MemoryNotices;
  readonly pools: MemoryPools;
  readonly sandboxes: MemorySandboxes;
  readonly #runs = new Map<string, MemoryRun>();
  readonly #acts = new Map<string, HeldAct>();
  readonly #now: () => number;
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
    const refuse = () => this.#refuseIfClosed();
    this.claims = new MemoryClaims(this.#runs, now, refuse);
    this.notices = new MemoryNotices(now, refuse);
    this.pools = new MemoryPools(refuse);
    this.sandboxes = new MemorySandboxes(refuse);
    this.work = new MemoryWork(this.#runs, now, refuse, (run) => this.claims.has(run));
  }

  async open(run: string, mode: OpenMode): Promise<LocalJournal> {
    this.#refuseIfClosed();
    checkRunName(run);
    const found = this.#runs.get(run);
    if (found === undefined && mode === 'resume') throw wrongRun('run_unknown', run);
    if (found !== undefined && mode === 'create') throw wrongRun('run_exists', run);
    if (found?.held === true) {
      const reason = `Run ${JSON.stringify(run)} is open in this process. Close that journal first.`;
      throw new JournalError('lease_held', reason);
    }
    const opened = found ?? newRun(run);
    opened.held = true;
    this.#runs.set(run, opened);
    this.work.taken(run);
    return new MemoryJournal(opened, this.#now, { acts: this.#acts, pools: this.pools }, (rest) => {
      this.claims.closed(run);
      this.work.given(opened, rest);
    });
  }

  *read(run: string): Generator<StoredRow> {
    this.#refuseIfClosed();
    const found = this.#found(run);
    yield* found.rows.slice(0, found.durable);
  }

  base(run: string): Base | null {
    this.#refuseIfClosed();
    return this.#found(run).durableBase;
  }

  post(run: string, body: string): number {
    this.#refuseIfClosed();
    postBytes(body);
    const { posts } = this.#found(run);
    checkRoom(run, posts.length);
    const number = posts.push({ number: posts.length + 1, time: this.#now(), body });
    this.work.posted(run);
    return number;
  }

  posts(run: string): readonly Posted[] {
    this.#refuseIfClosed();
    return [...this.#found(run).posts];
  }

  delete(run: string, { head, posts }: SeenRun): boolean {
    this.#refuseIfClosed();
    const found = this.#found(run);
    if (found.held)
      throw new JournalError('lease_held', `Run ${JSON.stringify(run)} is open. Close that journal first.`);
    if (found.durable !== head || found.posts.length !== posts) return false;
    this.#runs.delete(run);
    this.work.deleted(run);
    this.claims.deleted(run);
    this.pools.deleted(run);
    return true;
  }

  run(name: string): RunSummary | null {
    this.#refuseIfClosed();
    const found = this.#runs.get(name);
    return found === undefined ? null : summary(found);
  }

  runs({ after, limit, state }: RunsFilter = {}): readonly RunSummary[] {
    this.#refuseIfClosed();
    checkLimit(limit);
    const all = [...this.#runs.values()];
    const later = after === undefined ? all : all.slice(all.indexOf(this.#found(after)) + 1);
    const asked = state === undefined ? later : later.filter(({ held }) => held === (state === 'held'));
    return asked.slice(0, limit).map(summary);
  }

  async close(): Promise<void> {
    const open = [...this.#runs.values()].filter(({ held }) => held).map(({ name }) => JSON.stringify(name));
    if (open.length > 0)
      throw new JournalError('lease_held', `Journals are open. Close them first: ${open.join(', ')}.`);
    this.#closed = true;
  }

  #found(run: string): MemoryRun {
    const found = this.#runs.get(run);
    if (found === undefined) throw wrongRun('run_unknown', run);
    return found;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new JournalError('journal_closed', 'The store is closed.');
  }
}

function summary({ name, rows, durable, held, durableNote: note, posts }: MemoryRun): RunSummary {
  const time = rows[durable - 1]?.time ?? 0;
  const more = { ...(note !== undefined && { note }), ...(posts.length > 0 && { posts: posts.length }) };
  return { run: name, head: durable, time, held, ...more };
}
