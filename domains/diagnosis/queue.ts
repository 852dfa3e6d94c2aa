/**
 * The queue of the service: a folder of messages, and beside it one for those that were taken aside and one for those that were
 * thrown away. A message moves by one rename, and who took it aside stands in its new name: so each move is made once for each key,
 * also where the process dies in it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a message may be. */
const PLACES = ['queue', 'quarantine', 'discarded'] as const;
type Place = (typeof PLACES)[number];

/** A message that cannot be read: the next consumer of the queue fails on it. */
const POISON = '{"job": "resize", "image": ';

/** The queue of a world. */
export class Queue {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Fills it with three messages; the first one is poison if the queue is to be stuck. */
  fill(stuck: boolean): void {
    for (const place of PLACES) mkdirSync(join(this.#folder, place), { recursive: true });
    for (const number of [1, 2, 3]) {
      const content = stuck && number === 1 ? POISON : JSON.stringify({ job: 'resize', image: number });
      writeFileSync(join(this.#folder, 'queue', `job-${number}.json`), content);
    }
  }

  /** The message that comes next and whether it can be read; null where there is none. */
  head(): { readonly message: string; readonly readable: boolean } | null {
    const [message] = this.#in('queue');
    if (message === undefined) return null;
    try {
      JSON.parse(readFileSync(join(this.#folder, 'queue', message), 'utf8'));
      return { message, readable: true };
    } catch {
      return { message, readable: false };
    }
  }

  /** Takes the message that comes next aside, once for a key. @returns its name; null where there is none. */
  setAside(key: string | undefined): string | null {
    const known = key === undefined ? null : this.aside(key);
    if (known !== null) return known;
    const head = this.head();
    if (head === null) return null;
    this.#move('queue', head.message, 'quarantine', `${markOf(key)}.${head.message}`);
    return head.message;
  }

  /** The message that was taken aside under a key, in any place; null where none was. */
  aside(key: string): string | null {
    const place = this.#placeOf(key);
    return place === null ? null : nameIn(place.file);
  }

  /** Puts a message back that was taken aside under a key; nothing where it is back. @throws where it was thrown away. */
  putBack(key: string): void {
    const place = this.#placeOf(key);
    if (place?.at === 'discarded') throw new Error(`${nameIn(place.file)} was thrown away`);
    if (place !== null) this.#move(place.at, place.file, 'queue', nameIn(place.file));
  }

  /** Throws away what was taken aside. @returns the files. */
  discard(): readonly string[] {
    const files = this.#in('quarantine');
    for (const file of files) this.#move('quarantine', file, 'discarded', file);
    return files;
  }

  /** Takes files back that were thrown away. */
  retrieve(files: readonly string[]): void {
    const there = new Set(this.#in('discarded'));
    for (const file of files) if (there.has(file)) this.#move('discarded', file, 'quarantine', file);
  }

  /** Every message and where it is. */
  rows(): readonly { readonly message: string; readonly at: Place }[] {
    return PLACES.flatMap((at) =>
      this.#in(at)
        .map((file) => (at === 'queue' ? file : nameIn(file)))
        .sort()
        .map((message) => ({ message, at })),
    );
  }

  #placeOf(key: string): { readonly at: Place; readonly file: string } | null {
    const mark = markOf(key);
    const found = (['quarantine', 'discarded'] as const).flatMap((at) =>
      this.#in(at).flatMap((file) => (file.startsWith(`${mark}.`) ? [{ at, file }] : [])),
    );
    return found[0] ?? null;
  }

  #in(place: Place): string[] {
    return readdirSync(join(this.#folder, place)).sort();
  }

  #move(from: Place, file: string, to: Place, name: string): void {
    renameSync(join(this.#folder, from, file), join(this.#folder, to, name));
  }
}

/** The prefix of the name of a message that was taken aside. */
function markOf(key: string | undefined): string {
  return createHash('sha256')
    .update(key ?? randomUUID())
    .digest('hex')
    .slice(0, 16);
}

function nameIn(file: string): string {
  return file.slice(file.indexOf('.') + 1);
}
