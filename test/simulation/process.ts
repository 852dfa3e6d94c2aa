/**
 * One process of a run that is killed for good: it takes the run up where its journal in SQLite ends, or begins it. The world, and those
 * who look at the run, are kept in a file beside it, which is written before anything else happens. A script; its argument is a `Task`.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal, JournalStore } from 'belay-sidecar';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { wrapJournals } from 'belay-sidecar/testing';
import { Course } from './course.ts';
import type { Journals, Saved } from './ending.ts';
import type { Feature } from './features.ts';
import { judged, scenarioOf } from './trial.ts';

/** What a process is to do. */
export interface Task {
  readonly seed: number;
  readonly index: number;
  readonly only: readonly Feature[] | null;
  readonly folder: string;
  /** The append at which it dies, from 1, before it or after it; null for one that lives. */
  readonly death: { readonly append: number; readonly when: 'before' | 'after' } | null;
}

/** What a process finds that is the first, or that follows one which was killed before it did anything. */
const NOTHING: Saved = {
  world: { acts: [], calls: [], found: [], wrong: [], fired: [], undone: [], void: [], byHand: [] },
  instances: [],
  sent: [],
  refused: [],
  unheard: [],
  rounds: 0,
  told: [],
};

/** A file of SQLite whose process dies at an append. */
class DeadlyFile implements Journals {
  appends = 0;
  onDeath = () => {};
  readonly #store: JournalStore;
  readonly #death: Task['death'];

  constructor(file: string, death: Task['death']) {
    this.#store = sqliteStore(file);
    this.#death = death;
  }

  async next(): Promise<JournalStore> {
    return wrapJournals(this.#store, (journal) => this.#deadly(journal));
  }

  #deadly(journal: Journal): Partial<Journal> {
    return {
      append: (rows) => {
        this.appends += 1;
        const isFatal = this.appends === this.#death?.append;
        if (isFatal && this.#death?.when === 'before') die();
        const head = journal.append(rows);
        if (isFatal) die();
        return head;
      },
    };
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}

async function live({ seed, index, only, folder, death }: Task): Promise<void> {
  const { scenario: drawn, calm } = await scenarioOf(seed, index, only);
  const scenario = { ...drawn, faults: drawn.faults.filter(({ fault }) => fault !== 'killed') };
  const file = join(folder, 'world.json');
  const saved = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Saved) : NOTHING;
  const course = new Course(scenario, new DeadlyFile(join(folder, 'run.sqlite'), death), saved);
  course.world.onChange = () => {
    writeFileSync(`${file}.new`, JSON.stringify(course.saved()));
    renameSync(`${file}.new`, file);
  };
  const result = await judged(scenario, course, await course.run(), calm);
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

await live(JSON.parse(process.argv[2] as string));
