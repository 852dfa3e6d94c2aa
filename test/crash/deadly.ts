/**
 * A journal that kills its process at a chosen append: before it, after it, or once it and all before it are durable and nothing
 * that followed is. It says on standard output what it has acknowledged, and when it dies. It only delegates otherwise.
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { Base, Journal, JournalStore, OpenMode, Posted, Row, Rows, StoredRow } from '../../src/journal/journal.ts';

/** The phases of R5, as the journal has them. A decision and its fence are one append. */
export const PHASES = ['DECIDED', 'COMPENSATED', 'RESTORED', 'RESUMED'] as const;
export type Phase = (typeof PHASES)[number];

/** A call's intent, and its outcome. */
const MARKS = ['INTENT', 'OUTCOME'] as const;
type Mark = (typeof MARKS)[number];

/** `appended` has not been flushed; `durable` has, and not a row more. */
export const MOMENTS = ['before', 'appended', 'durable'] as const;
export type Moment = (typeof MOMENTS)[number];

/** At the n-th append of the process, from 1, at the first that has a phase in it, or as soon as it is said that the run is over. */
export interface Death {
  readonly at: number | Phase | Mark | 'END';
  readonly when: Moment;
}

/** What a process says while it lives, one JSON object a line. */
export type Said =
  /** Rows up to `ack` are durable; `digest` is over their contents. */
  | { readonly ack: number; readonly digest: string }
  | { readonly died: Death; readonly append: number }
  | { readonly end: unknown };

export function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/** The digest of rows, each with that of those before it. */
export function digestAfter(digest: string, { seq, kind, body }: Pick<StoredRow, 'seq' | 'kind' | 'body'>): string {
  return createHash('sha256').update(`${digest} ${seq} ${kind} ${body}`).digest('hex');
}

/** A store whose journals kill. `told` counts the appends and names the phases that came. */
export function deadly(
  store: JournalStore,
  death: Death | null,
  told: { appends: number; phases: Phase[] },
): JournalStore {
  return {
    open: async (run: string, mode: OpenMode) => {
      const journal = new Deadly(await store.open(run, mode), death, told);
      await journal.learnAll();
      return journal;
    },
    read: (run) => store.read(run),
    base: (run) => store.base(run),
    post: (run, body) => store.post(run, body),
    posts: (run) => store.posts(run),
    run: (name) => store.run(name),
    runs: (filter) => store.runs(filter),
    delete: (run, seen) => store.delete(run, seen),
    work: store.work,
    claims: store.claims,
    close: () => store.close(),
  };
}

class Deadly implements Journal {
  readonly #journal: Journal;
  readonly #death: Death | null;
  readonly #told: { appends: number; phases: Phase[] };
  readonly #reader = new EntryDecoder();
  readonly #digests: string[] = [''];
  #dying = false;

  constructor(journal: Journal, death: Death | null, told: { appends: number; phases: Phase[] }) {
    this.#journal = journal;
    this.#death = death;
    this.#told = told;
  }

  async learnAll(): Promise<void> {
    for await (const row of this.#journal.read()) this.#learn(row);
  }

  get run(): string {
    return this.#journal.run;
  }

  get head(): number {
    return this.#journal.head;
  }

  get durable(): number {
    return this.#journal.durable;
  }

  get overtaken(): number {
    return this.#journal.overtaken;
  }

  append(rows: readonly Row[]): number {
    if (this.#dying) return this.head;
    this.#told.appends += 1;
    const phases = rows.flatMap((row, index) => this.#learn({ ...row, seq: this.head + 1 + index, time: 0 }) ?? []);
    this.#told.phases.push(...phases.filter(isPhase));
    const moment = this.#momentOf(phases);
    if (moment === 'before') this.#die();
    const head = this.#journal.append(rows);
    if (moment === 'appended') this.#die();
    if (moment === 'durable') {
      this.#dying = true;
      void this.#journal.flush().then(() => this.#die());
    }
    return head;
  }

  keep(base: Base): void {
    if (!this.#dying) this.#journal.keep(base);
  }

  actOf(act: string) {
    return this.#journal.actOf(act);
  }

  base() {
    return this.#journal.base();
  }

  async flush(): Promise<number> {
    if (this.#dying) return new Promise(() => {});
    const ack = await this.#journal.flush();
    say({ ack, digest: this.#digests[ack] as string });
    return ack;
  }

  read(after?: number): Rows {
    return this.#journal.read(after);
  }

  catchUp(): Promise<void> | null {
    return this.#journal.catchUp();
  }

  posted(after: number): readonly Posted[] {
    return this.#journal.posted(after);
  }

  confirm(): Promise<void> | null {
    return this.#journal.confirm();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #momentOf(phases: readonly (Phase | Mark)[]): Moment | null {
    if (this.#death === null) return null;
    const { at, when } = this.#death;
    return at === this.#told.appends || phases.includes(at as Phase) ? when : null;
  }

  /** Takes a row into the digests, and says which phase it is, or what of a call. */
  #learn(row: StoredRow): Phase | Mark | null {
    this.#digests[row.seq] = digestAfter(this.#digests[row.seq - 1] as string, row);
    const entry = this.#reader.entry(row);
    if (entry?.do === 'decision' && entry.decision.verdict.startsWith('restore')) return 'DECIDED';
    if (entry?.do === 'restored') return 'RESTORED';
    if (entry?.do === 'intent') return 'INTENT';
    if (entry?.do === 'outcome') return 'OUTCOME';
    return entry?.do === 'phase' && isPhase(entry.phase) ? entry.phase : null;
  }

  #die(): never {
    return die(this.#death as Death, this.#told.appends);
  }
}

function isPhase(phase: string): phase is Phase {
  return (PHASES as readonly string[]).includes(phase);
}

/** Dies here and now. */
export function die(death: Death, append: number): never {
  say({ died: death, append });
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}
