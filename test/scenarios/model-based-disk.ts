/** A disk whose process can crash at any append, and what its rows say of where a run stands. */
import {
  type Journal,
  JournalError,
  type JournalStore,
  type Row,
  type RunSummary,
  type StoredRow,
} from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { instanceName } from '../../src/model/instance.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';

/** A disk that outlives its processes: what was flushed is there, what was not is gone. */
export class Disk {
  readonly rows: StoredRow[] = [];
  now: () => number = () => 1_000_000;
  /** How many appends the process at work still makes; it dies in the one after. */
  left = Number.POSITIVE_INFINITY;
  appends = 0;
  /** Whether what was appended before it dies has reached the disk by then. */
  keepsTail = false;
  #process: Process | null = null;

  /** The process that has this disk now, as a store. Whoever had it before is dead. */
  boot(): JournalStore {
    this.crash();
    this.left = Number.POSITIVE_INFINITY;
    this.#process = new Process(this);
    return this.#process;
  }

  get crashed(): boolean {
    return this.#process === null || this.#process.dead;
  }

  crash(): void {
    if (this.#process !== null) this.#process.dead = true;
    this.#process = null;
  }
}

class Process implements JournalStore {
  readonly work = memoryStore().work;
  readonly claims = memoryStore().claims;
  dead = false;
  readonly disk: Disk;
  readonly #tail: StoredRow[] = [];

  constructor(disk: Disk) {
    this.disk = disk;
  }

  async open(run: string): Promise<Journal> {
    const own = this;
    const { disk } = this;
    return {
      run,
      get head() {
        return disk.rows.length + own.#tail.length;
      },
      get durable() {
        return disk.rows.length;
      },
      overtaken: 0,
      append: (rows) => this.#append(rows),
      actOf: () => null,
      keep: () => {},
      base: () => null,
      flush: () => this.#flush(),
      read: (after = 0) => [...disk.rows, ...this.#tail].slice(after),
      posted: () => [],
      catchUp: () => null,
      confirm: () => null,
      close: async () => {
        if (!this.dead) await this.#flush();
        this.dead = true;
      },
    };
  }

  base(): null {
    return null;
  }

  delete(): boolean {
    throw new Error('no run of a scenario is deleted');
  }

  #append(rows: readonly Row[]): number {
    const { disk } = this;
    if (!this.dead && disk.left <= 0) {
      this.dead = true;
      if (disk.keepsTail) disk.rows.push(...this.#tail.splice(0));
    }
    if (this.dead) throw new JournalError('journal_closed', 'the process is dead');
    disk.left -= 1;
    disk.appends += 1;
    for (const row of rows) {
      this.#tail.push({ ...row, seq: disk.rows.length + this.#tail.length + 1, time: disk.now() });
    }
    return disk.rows.length + this.#tail.length;
  }

  /** What a dead process waits for never comes. */
  async #flush(): Promise<number> {
    if (this.#tail.length > 0 || this.dead) await new Promise((resolve) => setImmediate(resolve));
    if (this.dead) return new Promise(() => {});
    this.disk.rows.push(...this.#tail.splice(0));
    return this.disk.rows.length;
  }

  *read(): Generator<StoredRow> {
    yield* this.disk.rows;
  }

  /** Nobody leaves this run a message. */
  post(): number {
    throw new JournalError('journal_cannot_write', 'no messages here');
  }

  posts(): readonly [] {
    return [];
  }

  run(): null {
    return null;
  }

  runs(): readonly RunSummary[] {
    return [];
  }

  async close(): Promise<void> {}
}

/** Where a run stands, by what its durable rows say: the same for two runs that differ only in how they came there. */
export function digest(rows: readonly StoredRow[]): unknown {
  const { runState: fold } = readRun(rows);
  const [root] = fold.actors;
  const committed = [...fold.history.registry.all()].flatMap(({ id, checkpoints }) => {
    const kinds = checkpoints.all.map(({ kind }) => kind);
    return id.skeleton.startsWith('(') ? [] : [[instanceName(id), kinds]];
  });
  return {
    value: root?.value,
    memory: root?.context,
    // A key is the run's own: calls are told by what it is made of, and by its generation.
    ledger: [...fold.ledger.all()]
      .map(({ key, intent, status }) => [instanceName(intent.instance), intent.tool, key.split('~')[1] ?? '', status])
      .sort(),
    live: [...fold.live.keys()].sort(),
    records: [...fold.records.keys()].sort(),
    committed: Object.fromEntries(committed.sort()),
  };
}
