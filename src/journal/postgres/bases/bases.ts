/**
 * The bases of runs in a database (J7). A statement of its own stores a base once its rows are durable, and no caller
 * waits for it. If a base cannot be stored or read, all rows are read.
 */
import { baseDigest, hashOf, type KeptPart, KeptParts } from '../../base/kept.ts';
import { seed } from '../../chain.ts';
import type { Base } from '../../journal.ts';
import type { Database } from '../database.ts';
import { type Run, whole } from '../tables.ts';
import type { Writer } from '../writer.ts';

const KEEP = 'SELECT belay.keep_base($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
const SELECT = `SELECT b.at, b.last, b.parts, b.digest, g.hash FROM belay.base b
  JOIN belay.commit_group g ON g.run = b.run AND g.last = b.last WHERE b.run = $1`;
const PARTS = 'SELECT number, body FROM belay.base_part WHERE run = $1 ORDER BY number';

/** The most bytes of the parts that one base adds. */
const LARGEST = 256 * 1024 * 1024;

/** The bases of one database. */
export class Bases {
  readonly #database: Database;
  readonly #parts = new KeptParts();
  readonly #busy = new WeakMap<Writer, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps the base of a writer, where its rows are durable and no other is on its way. */
  offer(writer: Writer): void {
    const { base } = writer;
    if (base === null || base.at > writer.durable.seq || this.#busy.has(writer)) return;
    writer.base = null;
    const kept = this.#keep(writer, base)
      .catch(() => {})
      .then(() => {
        this.#busy.delete(writer);
        this.offer(writer);
      });
    this.#busy.set(writer, kept);
  }

  /** Resolves once no base of a writer is on its way. */
  async settled(writer: Writer): Promise<void> {
    for (let busy = this.#busy.get(writer); busy !== undefined; busy = this.#busy.get(writer)) await busy;
  }

  async #keep({ run, token, nonce, durable }: Writer, { at, parts }: Base): Promise<void> {
    const beginning = seed(await this.#database.identity(), run.id, run.name);
    const [last] = await this.#database.ask(
      'read',
      'SELECT max(number) AS number FROM belay.base_part WHERE run = $1',
      [run.id],
    );
    this.#parts.beginAt(run.id, (whole(last?.number) ?? -1) + 1);
    const { all, added } = this.#parts.numbered(run.id, parts, (_, part) => part);
    const digest = baseDigest({ beginning, at, last: durable.seq, link: durable.hash }, all);
    const places: number[] = [];
    let place = 1;
    for (const { body } of added) {
      places.push(place);
      place += body.length;
    }
    if (place > LARGEST) return;
    await this.#database.ask('write', KEEP, [
      ...[run.id, token, nonce, at, durable.seq, all.map(({ number }) => number), digest],
      ...[added.map(({ number }) => number), places, added.map(({ body }) => body.length)],
      Buffer.concat(added.map(({ body }) => body)),
    ]);
  }

  /** The base of a run whose rows end at a seq; null where there is none, or none that fits. */
  async of(run: Run, head: number): Promise<Base | null> {
    try {
      return await this.#read(run, head);
    } catch {
      return null; // all rows are read then, and say what is wrong
    }
  }

  async #read(run: Run, head: number): Promise<Base | null> {
    const [row] = await this.#database.ask('read', SELECT, [run.id]);
    const [at, last] = [whole(row?.at), whole(row?.last)];
    if (row === undefined || at === null || last === null || at > last || last > head) return null;
    const stored = new Map<number, Buffer>();
    for (const { number, body } of await this.#database.ask('read', PARTS, [run.id]))
      stored.set(Number(number), body as Buffer);
    const bodies = (row.parts as readonly unknown[]).map(
      (number) => [Number(number), stored.get(Number(number))] as const,
    );
    const kept = bodies.map(([number, body]): KeptPart => ({ number, hash: hashOf(body as Buffer) }));
    const beginning = seed(await this.#database.identity(), run.id, run.name);
    const digest = baseDigest({ beginning, at, last, link: row.hash as Buffer }, kept);
    if (!digest.equals(row.digest as Buffer)) return null;
    for (const [index, [, body]] of bodies.entries()) this.#parts.read(run.id, body as Buffer, kept[index] as KeptPart);
    return { at, parts: bodies.map(([, body]) => body as Buffer) };
  }
}
