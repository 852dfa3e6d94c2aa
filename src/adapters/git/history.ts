/** The commits of one run: each says in its message which call made it, and what it changed. */
import type { Entry, Objects } from './objects.ts';

/** A file that a commit changed. */
export interface Change {
  readonly path: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** A commit on its way to a ref of a remote. */
export interface Push {
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
}

/** What a commit of a run is about, as its message holds it. */
export interface Made {
  /** The key of the call, or of the undo; null for files that the run found changed. */
  readonly key: string | null;
  /** The key of the call that is undone. */
  readonly undoes?: string;
  /** The digest of the request, by which another request under the same key is noticed. */
  readonly request?: string;
  readonly changes: readonly Change[];
  readonly added?: number | null;
  readonly removed?: number | null;
  /** The commit for people that a call of `commit` has made; it has the tree of this one. */
  readonly commit?: string;
  /** The number of files that a commit for people changes. */
  readonly files?: number;
  /** The push that is about to leave. */
  readonly push?: Push;
  /** True for the first commit of the run. */
  readonly first?: true;
}

/** A commit of a run. */
export interface Step extends Made {
  readonly oid: string;
  readonly tree: string;
}

const RECORD = 'Belay-Record: ';

/** The commits of a run, oldest first, as they were when the ref was last read. */
export class History {
  readonly #objects: Objects;
  readonly #ref: string;
  #steps: Step[] = [];
  #calls = new Map<string, Step>();
  #undone = new Set<string>();
  #files = new Map<string, Entry | null>();

  /** @param ref the hidden ref of the run. */
  constructor(objects: Objects, ref: string) {
    this.#objects = objects;
    this.#ref = ref;
  }

  /** Oldest first. */
  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** The newest commit. */
  get tip(): Step | null {
    return this.#steps.at(-1) ?? null;
  }

  /** The commit of a call or of an undo. */
  of(key: string): Step | null {
    return this.#calls.get(key) ?? null;
  }

  /** The commit of a call that is made again; null for a first call. @throws Error where the key names another request, or was undone. */
  asked(key: string, request: string): Step | null {
    const known = this.of(key);
    if (known !== null && known.request !== request) throw new Error(`${key} names another request already`);
    if (known !== null && this.isUndone(key)) throw new Error(`${key} was undone, and is not made again`);
    return known;
  }

  isUndone(key: string): boolean {
    return this.#undone.has(key);
  }

  /** The file as the run left it; undefined for a file that the run has not touched. */
  file(path: string): Entry | null | undefined {
    return this.#files.get(path);
  }

  /** Reads the ref again, and the commits that have come since. */
  async refresh(): Promise<void> {
    let commit = await this.#objects.commit(this.#ref);
    if ((commit?.oid ?? null) === (this.tip?.oid ?? null)) return;
    const known = new Map(this.#steps.map((step, index) => [step.oid, index]));
    const newer: Step[] = [];
    let kept = 0;
    while (commit !== null) {
      const at = known.get(commit.oid);
      if (at !== undefined) {
        kept = at + 1;
        break;
      }
      const made = madeBy(commit.message);
      if (made === null) break;
      newer.push({ ...made, oid: commit.oid, tree: commit.tree });
      commit = made.first === true || commit.parent === null ? null : await this.#objects.commit(commit.parent);
    }
    const steps = [...this.#steps.slice(0, kept), ...newer.reverse()];
    this.#steps = [];
    this.#calls = new Map();
    this.#undone = new Set();
    this.#files = new Map();
    for (const step of steps) this.add(step);
  }

  /** Adds a commit that this process has made. */
  add(step: Step): void {
    this.#steps.push(step);
    if (step.key !== null) this.#calls.set(step.key, step);
    if (step.undoes !== undefined) this.#undone.add(step.undoes);
    for (const { path, after } of step.changes) this.#files.set(path, after);
  }
}

/** The message of a commit, with trailers that `git log` can print. */
export function messageOf(subject: string, trailers: Readonly<Record<string, string>>, made: Made): string {
  const shown = Object.entries(trailers).map(([name, value]) => `Belay-${name}: ${oneLine(value)}\n`);
  return `${oneLine(subject)}\n\n${shown.join('')}${RECORD}${JSON.stringify(made)}\n`;
}

function madeBy(message: string): Made | null {
  const at = message.lastIndexOf(`\n${RECORD}`);
  return at < 0 ? null : (JSON.parse(message.slice(at + RECORD.length + 1)) as Made);
}

/** A text from outside may not begin a line of its own in a message. */
function oneLine(text: string): string {
  return [...text]
    .map((one) => (one < ' ' || one === '\u007f' ? ' ' : one))
    .join('')
    .trim();
}
