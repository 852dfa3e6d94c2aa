/** The files of a checkout, read and replaced one by one, each by a rename. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotApplied } from '../../effects/signals.ts';
import { nameOf } from '../call.ts';
import { Root } from '../files/root.ts';
import type { Change } from './history.ts';
import type { Entry, Objects } from './objects.ts';
import { GitRefused } from './refused.ts';

/** The checkout of a run. */
export class WorkTree {
  readonly own: string;
  readonly #root: Root;
  readonly #objects: Objects;
  readonly #settled: string;
  readonly #name = randomUUID();

  /** @param own the folder of the adapter in the folder of git. */
  constructor(folder: string, own: string, run: string, objects: Objects) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    this.#root = new Root(folder, own);
    this.own = this.#root.aside;
    this.#objects = objects;
    this.#settled = join(this.own, `${nameOf(run)}.settled`);
  }

  /** The full path of a file that may be changed. @throws GitRefused where there is none. */
  place(path: string): string {
    const refuse = (why: string) => new GitRefused('bad_path', `${JSON.stringify(path)} ${why}`);
    const names = path.split('/');
    if (/\p{Cc}/u.test(path)) throw refuse('holds a control character');
    if (names.some((name) => name.startsWith('-'))) throw refuse('has a segment with a leading dash');
    if (names.some(isGitFolder)) throw refuse('lies in a folder of git');
    try {
      const place = this.#root.place(path);
      for (let end = 1; end < names.length; end += 1) {
        const inner = join(this.#root.folder, ...names.slice(0, end), '.git');
        if (lstatSync(inner, { throwIfNoEntry: false }) !== undefined) throw refuse('lies in another repository');
      }
      return place;
    } catch (error) {
      throw error instanceof GitRefused || !(error instanceof NotApplied)
        ? error
        : new GitRefused('bad_path', error.message);
    }
  }

  /** The file as it is now, and its bytes; null if there is none. */
  now(path: string): { entry: Entry; bytes: Buffer } | null {
    const place = this.place(path);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    const bytes = readFileSync(place);
    const mode = (stat.mode & 0o100) !== 0 ? '100755' : '100644';
    return { entry: { mode, oid: this.#objects.nameOf(bytes) }, bytes };
  }

  /** A file that holds bytes on their way into the store. */
  part(bytes: Uint8Array): string {
    const file = join(this.own, `part-${this.#name}`);
    writeFileSync(file, bytes);
    return file;
  }

  /** True if the run of this adapter has written files here. */
  isOwn(): boolean {
    return existsSync(this.#settled);
  }

  /** True if the files of this commit were all written. */
  isSettled(oid: string): boolean {
    try {
      return readFileSync(this.#settled, 'utf8') === oid;
    } catch {
      return false;
    }
  }

  /**
   * Writes the files of a commit, each once. @throws where a file is neither as it was before the commit nor as it is
   * after: somebody else has changed it.
   */
  async settle(oid: string, changes: readonly Change[]): Promise<void> {
    if (this.isSettled(oid)) return;
    for (const { path, before, after } of changes) {
      const now = this.now(path)?.entry ?? null;
      if (same(now, after)) continue;
      if (!same(now, before)) throw new Error(`${path} was changed by another writer, and is left as it is`);
      await this.#put(path, after);
    }
    const next = `${this.#settled}-${this.#name}`;
    writeFileSync(next, oid);
    renameSync(next, this.#settled);
  }

  async #put(path: string, entry: Entry | null): Promise<void> {
    const place = this.place(path);
    if (entry === null) {
      rmSync(place, { force: true });
      return;
    }
    const blob = await this.#objects.read(entry.oid);
    if (blob === null) throw new Error(`the content of ${path} is missing from the repository`);
    const next = this.part(blob.bytes);
    const kept = lstatSync(place, { throwIfNoEntry: false })?.mode;
    const mode = kept ?? lstatSync(next).mode;
    // Who may read a file may also run it.
    chmodSync(next, entry.mode === '100755' ? (mode & 0o777) | ((mode & 0o444) >> 2) : mode & 0o666);
    this.#root.makeWay(place);
    renameSync(next, place);
  }
}

export function same(one: Entry | null, other: Entry | null): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}

/** True for `.git` in every spelling that some file system takes for it. */
function isGitFolder(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  return /^(\.git|git~\d+)[ .]*(:.*)?$/.test(plain);
}
