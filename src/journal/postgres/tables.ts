/**
 * Reads the tables of a store. They are not trusted to hold what was written: every value is checked before it is used, and
 * rows against the chain of their groups' hashes before they are told. Rows never change, so that their reading needs no transaction.
 */
import type { HeldAct } from '../acts.ts';
import { chained, type Entry, type Group, noteDigest, seed } from '../chain.ts';
import type { Posted, RunSummary, RunsFilter, StoredRow } from '../journal.ts';
import type { Database } from './database.ts';
import { corrupt } from './errors.ts';

/** A run as its row names it. */
export interface Run {
  readonly id: number;
  readonly name: string;
}

/** The end of a run: the next group is chained to it. */
export interface Head {
  readonly seq: number;
  readonly time: number;
  readonly hash: Buffer;
}

/** The number of rows that are fetched and checked at once, if the groups are small. */
const BATCH = 1_024;
/** The length of a hash, and the link of a note: in the row of its run it is bound to no commit group, as both move in one statement. */
const [DIGEST, NO_LINK] = [32, Buffer.alloc(0)];
/** The number of runs that are listed at once. */
const RUNS = 2_000;

const SUMMARY = `SELECT r.id, r.name, r.head, r.time, r.note, r.posts, w.id IS NOT NULL AS held FROM belay.run r
  LEFT JOIN belay.worker w ON w.id = r.worker AND w.expires > clock_timestamp()`;

const HEAD = `SELECT r.id, r.head, r.hash, r.time,
    (SELECT max(seq) FROM belay.entry WHERE run = r.id) AS entries,
    (SELECT max(last) FROM belay.commit_group WHERE run = r.id) AS groups
  FROM belay.run r WHERE r.name = $1`;

/** The rows of an answer. */
type Answer = Awaited<ReturnType<Database['ask']>>;

/** The tables of one store. */
export class Tables {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A run and its head, which has to be the end of its rows and of its groups; null where there is none. */
  async found(name: string): Promise<{ readonly run: Run; readonly head: Head } | null> {
    const identity = await this.#database.identity();
    const [row] = await this.#database.ask('read', HEAD, [name]);
    if (row === undefined) return null;
    const [id, seq, time] = [whole(row.id), whole(row.head), whole(row.time)];
    if (id === null || seq === null || time === null) throw this.#corrupt(name, 0, 'its row has no form');
    if ((whole(row.entries) ?? 0) !== seq || (whole(row.groups) ?? 0) !== seq)
      throw this.#corrupt(name, seq, 'its rows or commit groups do not end at its head');
    if (seq === 0) return { run: { id, name }, head: { seq, time, hash: seed(identity, id, name) } };
    const { hash } = row;
    if (!isHash(hash)) throw this.#corrupt(name, seq, 'its head has no hash');
    return { run: { id, name }, head: { seq, time, hash } };
  }

  /** The call that has an act (J9); null where none has. */
  async actOf(act: string): Promise<HeldAct | null> {
    const [row] = await this.#database.ask('read', 'SELECT run, key FROM belay.act WHERE act = $1', [act]);
    return row === undefined ? null : { run: String(row.run), key: String(row.key) };
  }

  /** Checks the last commit group of a run against its head, before it is appended to. */
  async check(run: Run, head: Head): Promise<void> {
    if (head.seq === 0) return;
    for await (const _ of this.rows(run, head.seq - 1, head));
  }

  /** The rows after `after` and up to a head, each checked before it is told. */
  async *rows(run: Run, after: number, head: Head): AsyncGenerator<StoredRow> {
    let at = await this.#before(run, Math.min(after, head.seq));
    while (at.seq < head.seq) {
      const groups = await this.#groups(run, at.seq, head.seq);
      const end = groups.at(-1)?.last;
      if (end === undefined) throw this.#corrupt(run.name, at.seq + 1, 'no commit group covers the row');
      const entries = await this.#entries(run, at.seq, end);
      let from = 0;
      for (const group of groups) {
        const members = entries.slice(from, from + group.last - at.seq);
        if (!chained(at.hash, group.token, group.time, members).equals(group.hash))
          throw this.#corrupt(run.name, group.last, 'the commit group that ends here does not have its hash');
        for (const { seq, kind, body } of members)
          if (seq > after) yield { seq, kind, body: body.toString('utf8'), time: group.time };
        from += members.length;
        at = { seq: group.last, hash: group.hash };
      }
    }
    if (!at.hash.equals(head.hash)) throw this.#corrupt(run.name, head.seq, 'its head has another hash than its rows');
  }

  /** A run without its rows; null where there is none. */
  async summary(name: string): Promise<RunSummary | null> {
    const identity = await this.#database.identity();
    const [row] = await this.#database.ask('read', `${SUMMARY} WHERE r.name = $1`, [name]);
    return row === undefined ? null : this.#summary(row, identity);
  }

  /** The runs that were asked for, without their rows; null where `after` names none. They are read a page at a time: most of what a page takes is free once it is read. */
  async summaries({
    after,
    limit = Number.POSITIVE_INFINITY,
    state,
  }: RunsFilter): Promise<readonly RunSummary[] | null> {
    const identity = await this.#database.identity();
    const found = after === undefined ? { id: 0 } : await this.#id(after);
    if (found === null) return null;
    const told: RunSummary[] = [];
    for await (const rows of this.#pages(found.id, limit, state))
      for (const row of rows) told.push(this.#summary(row, identity));
    return told;
  }

  /** The rows of runs with a number above one, each page on its way while the one before is looked at. */
  async *#pages(after: number, limit: number, state: RunsFilter['state']): AsyncGenerator<Answer> {
    const where = `WHERE r.id > $1 AND ($2::text IS NULL OR (w.id IS NOT NULL) = ($2 = 'held')) ORDER BY r.id LIMIT $3`;
    const page = (last: number, most: number): Promise<Answer> => {
      const asked = this.#database.ask('read', `${SUMMARY} ${where}`, [last, state ?? null, most]);
      // One that nobody comes to, because the page before has no form, refuses for nobody.
      asked.catch(() => {});
      return asked;
    };
    let left = limit;
    for (let next: Promise<Answer> | null = page(after, Math.min(RUNS, left)); next !== null; ) {
      const rows: Answer = await next;
      left -= rows.length;
      next = rows.length < RUNS || left === 0 ? null : page(Number(rows.at(-1)?.id), Math.min(RUNS, left));
      yield rows;
    }
  }

  /** The messages of runs with a number above one for each, in order, without a gap. */
  async posts(asked: readonly { readonly run: Run; readonly after: number }[]): Promise<ReadonlyMap<number, Posted[]>> {
    const told = new Map(asked.map(({ run }) => [run.id, [] as Posted[]]));
    const text = `SELECT i.run, i.number, i.time, i.body FROM unnest($1::bigint[], $2::bigint[]) AS a (run, after)
      JOIN belay.inbox i ON i.run = a.run AND i.number > a.after ORDER BY i.run, i.number`;
    const values = [asked.map(({ run }) => run.id), asked.map(({ after }) => after)];
    const byRun = new Map(asked.map((each) => [each.run.id, each]));
    for (const { run: id, number, time, body } of await this.#database.ask('read', text, values)) {
      const { run, after } = byRun.get(Number(id)) as { run: Run; after: number };
      const list = told.get(run.id) as Posted[];
      const expected = after + list.length + 1;
      const at = Number(time);
      if (whole(number) !== expected || !Number.isSafeInteger(at) || !Buffer.isBuffer(body))
        throw this.#corrupt(run.name, 0, `its message ${expected} is missing or has no form`);
      list.push({ number: expected, time: at, body: body.toString('utf8') });
    }
    return told;
  }

  /** The messages of one run; null where there is no such run. */
  async postsOf(name: string): Promise<readonly Posted[] | null> {
    await this.#database.identity();
    const run = await this.#id(name);
    return run === null ? null : ((await this.posts([{ run, after: 0 }])).get(run.id) ?? []);
  }

  async #id(name: string): Promise<Run | null> {
    const [row] = await this.#database.ask('read', 'SELECT id FROM belay.run WHERE name = $1', [name]);
    if (row === undefined) return null;
    const id = whole(row.id);
    if (id === null) throw this.#corrupt(name, 0, 'its row has no form');
    return { id, name };
  }

  #summary(row: Readonly<Record<string, unknown>>, identity: Buffer): RunSummary {
    const { id, name, head, time, held, note, posts } = row;
    const [number, seq, at, left] = [whole(id), whole(head), whole(time), whole(posts)];
    if (
      number === null ||
      typeof name !== 'string' ||
      seq === null ||
      at === null ||
      left === null ||
      typeof held !== 'boolean'
    )
      throw this.#corrupt(String(name), 0, 'its row has no form');
    const text = noteIn(note, identity, { id: number, name });
    return {
      run: name,
      head: seq,
      time: at,
      held,
      ...(text !== null && { note: text }),
      ...(left > 0 && { posts: left }),
    };
  }

  /** The link of the chain with which the group after `seq` begins. */
  async #before(run: Run, seq: number): Promise<{ seq: number; hash: Buffer }> {
    const start = { seq: 0, hash: seed(await this.#database.identity(), run.id, run.name) };
    if (seq === 0) return start;
    const text = `SELECT last, token, time, hash FROM belay.commit_group WHERE run = $1 AND last <= $2
      ORDER BY last DESC LIMIT 1`;
    const [row] = await this.#database.ask('read', text, [run.id, seq]);
    if (row === undefined) return start;
    const { last, hash } = this.#group(run, row);
    return { seq: last, hash };
  }

  /** The groups after `after`, as many as end within a batch, and at least one. */
  async #groups(run: Run, after: number, upTo: number): Promise<Group[]> {
    const text = `SELECT last, token, time, hash FROM belay.commit_group WHERE run = $1 AND last > $2 AND last <= $3
      ORDER BY last LIMIT ${BATCH}`;
    const groups = (await this.#database.ask('read', text, [run.id, after, upTo])).map((row) => this.#group(run, row));
    return groups.filter(({ last }, index) => index === 0 || last - after <= BATCH);
  }

  /** The rows after `after` and up to `upTo`: all of them, without a gap. */
  async #entries(run: Run, after: number, upTo: number): Promise<Entry[]> {
    const text = 'SELECT seq, kind, body FROM belay.entry WHERE run = $1 AND seq > $2 AND seq <= $3 ORDER BY seq';
    let expected = after;
    const entries = (await this.#database.ask('read', text, [run.id, after, upTo])).map((row): Entry => {
      expected += 1;
      const [seq, kind] = [whole(row.seq), whole(row.kind)];
      if (seq !== expected) throw this.#corrupt(run.name, expected, `the next row is ${String(row.seq)}`);
      if (kind === null || !Buffer.isBuffer(row.body)) throw this.#corrupt(run.name, expected, 'the row has no form');
      return { seq, kind, body: row.body };
    });
    if (expected !== upTo) throw this.#corrupt(run.name, expected + 1, 'the row is missing');
    return entries;
  }

  #group(run: Run, row: Readonly<Record<string, unknown>>): Group {
    const [last, token, time] = [whole(row.last), whole(row.token), whole(row.time)];
    if (last === null || token === null || time === null || !isHash(row.hash))
      throw this.#corrupt(run.name, last ?? 0, 'the commit group has no form');
    return { last, token, time, hash: row.hash };
  }

  #corrupt(run: string, seq: number, what: string) {
    return corrupt(this.#database.where, run, seq, what);
  }
}

/** A note as the row of its run keeps it: behind its digest. */
export function keptNote(identity: Buffer, { id, name }: Run, note: string): Buffer {
  const body = Buffer.from(note, 'utf8');
  return Buffer.concat([noteDigest(seed(identity, id, name), NO_LINK, body), body]);
}

/** The note in the row of a run; null where there is none, or none that fits. */
function noteIn(kept: unknown, identity: Buffer, { id, name }: Run): string | null {
  if (!Buffer.isBuffer(kept) || kept.length < DIGEST) return null;
  const body = kept.subarray(DIGEST);
  return noteDigest(seed(identity, id, name), NO_LINK, body).compare(kept, 0, DIGEST) === 0
    ? body.toString('utf8')
    : null;
}

/** A whole number from 0; null for anything else. The driver tells those of 64 bits as text. */
export function whole(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}

function isHash(value: unknown): value is Buffer {
  return Buffer.isBuffer(value) && value.length === DIGEST;
}

/** True where the row of a run says that it ends at a head. */
export function isHead({ head, hash }: Readonly<Record<string, unknown>>, { seq, hash: own }: Head): boolean {
  return whole(head) === seq && isHash(hash) && hash.equals(own);
}
