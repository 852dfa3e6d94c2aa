/**
 * The objects and refs of a repository, read and written by git commands that stay. No index and no work tree is
 * touched.
 */
import { createHash, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, lines, Staying } from './command.ts';
import { GitRefused } from './refused.ts';

/** A file as a tree holds it. */
export interface Entry {
  readonly mode: string;
  readonly oid: string;
}

/** Files by path, as they are to be in the next tree; null for a file that is not to be there. */
export type Changes = ReadonlyMap<string, Entry | null>;

/** A commit, as far as the adapter reads it. */
export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parent: string | null;
  readonly message: string;
}

const TREE = '40000';

/** The object store of one repository. */
export class Objects {
  readonly #folder: string;
  readonly #own: string;
  readonly #hash: string;
  /** Tells the temporary files of two adapters on one checkout apart. */
  readonly #name = randomUUID();
  readonly #cat: Staying;
  readonly #blobs: Staying;
  readonly #commits: Staying;
  readonly #trees: Staying;
  readonly #refs: Staying;

  /** @param own the folder for files that are on their way into the store. */
  constructor(folder: string, own: string, hash: string) {
    this.#folder = folder;
    this.#own = own;
    this.#hash = hash;
    this.#cat = new Staying(folder, ['cat-file', '--batch']);
    this.#blobs = new Staying(folder, ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin-paths']);
    this.#commits = new Staying(folder, ['hash-object', '-w', '-t', 'commit', '--no-filters', '--stdin-paths']);
    this.#trees = new Staying(folder, ['mktree', '-z', '--missing', '--batch']);
    this.#refs = new Staying(folder, ['update-ref', '--no-deref', '--stdin']);
  }

  /** The name that git gives to bytes, without storing them. */
  nameOf(bytes: Uint8Array): string {
    return createHash(this.#hash).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  }

  /** Stores the bytes of a file. */
  async blobOf(file: string): Promise<string> {
    return text(await this.#blobs.ask(`${file}\n`, lines(1)));
  }

  /** Stores bytes. */
  async stored(bytes: Uint8Array): Promise<string> {
    const file = join(this.#own, `blob-${this.#name}`);
    writeFileSync(file, bytes);
    try {
      return await this.blobOf(file);
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** The bytes of an object, by the name of the object or of a ref; null if there is no such object. */
  async read(name: string): Promise<{ oid: string; type: string; bytes: Buffer } | null> {
    let head = 0;
    const reply = await this.#cat.ask(`${name}\n`, (got) => {
      head = got.indexOf(10) + 1;
      if (head === 0) return null;
      const size = / (\d+)\n$/.exec(got.toString('latin1', 0, head))?.[1];
      const length = size === undefined ? head : head + Number(size) + 1;
      return got.length < length ? null : length;
    });
    const [oid = '', type = '', size] = text(reply.subarray(0, head)).split(' ');
    return size === undefined ? null : { oid, type, bytes: reply.subarray(head, -1) };
  }

  /** A commit, by the name of the commit or of a ref; null if there is no such commit. */
  async commit(name: string): Promise<Commit | null> {
    const found = await this.read(name);
    if (found === null || found.type !== 'commit') return null;
    const whole = found.bytes.toString();
    const end = whole.indexOf('\n\n');
    const [tree = '', second = ''] = whole.slice(0, end).split('\n');
    const parent = second.startsWith('parent ') ? second.slice('parent '.length) : null;
    return { oid: found.oid, tree: tree.slice('tree '.length), parent, message: whole.slice(end + 2) };
  }

  /** The entry of a path; null if the tree has none. @throws GitRefused where the path leads into a submodule. */
  async entry(tree: string | null, path: string): Promise<Entry | null> {
    const names = path.split('/');
    let here: Entry | null = tree === null ? null : { mode: TREE, oid: tree };
    for (const name of names) {
      if (here === null) return null;
      if (here.mode === '160000') throw new GitRefused('bad_path', `${JSON.stringify(path)} lies in a submodule`);
      if (here.mode !== TREE) return null;
      here = (await this.#entries(here.oid)).get(name) ?? null;
    }
    return here;
  }

  /** Stores the tree that a tree becomes by changes. */
  async changed(tree: string | null, changes: Changes): Promise<string> {
    const entries: Map<string, Entry> = tree === null ? new Map() : await this.#entries(tree);
    const below = new Map<string, Map<string, Entry | null>>();
    for (const [path, entry] of changes) {
      const [first = '', ...rest] = path.split('/');
      if (rest.length > 0) {
        const inside = below.get(first) ?? new Map<string, Entry | null>();
        below.set(first, inside.set(rest.join('/'), entry));
      } else if (entry !== null) entries.set(first, entry);
      else entries.delete(first);
    }
    for (const [name, inside] of below) {
      const was = entries.get(name);
      const oid = await this.changed(was?.mode === TREE ? was.oid : null, inside);
      if ((await this.#entries(oid)).size === 0) entries.delete(name);
      else entries.set(name, { mode: TREE, oid });
    }
    const rows = [...entries].map(([name, { mode, oid }]) => `${mode} ${typeOf(mode)} ${oid}\t${name}\0`);
    // Names are bytes: those that are no UTF-8 come back as they were read.
    return text(await this.#trees.ask(Buffer.from(`${rows.join('')}\0`, 'latin1'), lines(1)));
  }

  /** Stores a commit. */
  async committed(
    tree: string,
    parents: readonly string[],
    message: string,
    seconds: number,
    author = 'belay <belay@localhost>',
  ): Promise<string> {
    const who = `${author} ${seconds} +0000`;
    const from = parents.map((parent) => `parent ${parent}\n`).join('');
    const file = join(this.#own, `commit-${this.#name}`);
    writeFileSync(file, `tree ${tree}\n${from}author ${who}\ncommitter ${who}\n\n${message}`);
    try {
      return text(await this.#commits.ask(`${file}\n`, lines(1)));
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Moves a ref from one commit, or from nothing, to another. False if it is no longer there. */
  async move(ref: string, to: string, from: string | null): Promise<boolean> {
    const update = `start\nupdate ${ref} ${to} ${from ?? '0'.repeat(to.length)}\ncommit\n`;
    try {
      await this.#refs.ask(update, lines(2));
      return true;
    } catch (error) {
      const now = await this.read(ref);
      if (now?.oid === to) return true;
      if ((now?.oid ?? null) !== from) return false;
      throw error;
    }
  }

  /** The differences of one content, merged into another; null where both changed the same lines. */
  async merged(ours: string, base: string, theirs: string): Promise<Buffer | null> {
    const names = ['ours', 'base', 'theirs'].map((name) => join(this.#own, `${name}-${this.#name}`));
    try {
      for (const [index, oid] of [ours, base, theirs].entries()) {
        writeFileSync(names[index] as string, (await this.read(oid))?.bytes ?? Buffer.alloc(0));
      }
      const { status, out } = await git(this.#folder, ['merge-file', '-p', '-q', ...names]);
      return status === 0 ? out : null;
    } finally {
      for (const name of names) rmSync(name, { force: true });
    }
  }

  /** Ends the commands that stay. */
  close(): void {
    for (const one of [this.#cat, this.#blobs, this.#commits, this.#trees, this.#refs]) one.close();
  }

  /** The entries of a tree; names are keyed by their bytes, as UTF-8 paths are looked up. */
  async #entries(oid: string): Promise<Map<string, Entry>> {
    const found = await this.read(oid);
    const entries = new Map<string, Entry>();
    if (found === null) return entries;
    const { bytes } = found;
    const width = oid.length / 2;
    for (let at = 0; at < bytes.length; ) {
      const space = bytes.indexOf(32, at);
      const end = bytes.indexOf(0, space);
      const mode = bytes.toString('latin1', at, space);
      const name = bytes.toString('latin1', space + 1, end);
      entries.set(name, { mode, oid: bytes.toString('hex', end + 1, end + 1 + width) });
      at = end + 1 + width;
    }
    return entries;
  }
}

/** A path as trees are keyed: each byte of its UTF-8 a character. */
export function bytewise(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function typeOf(mode: string): string {
  if (mode === TREE) return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}

function text(reply: Buffer): string {
  return reply.toString().trim();
}
