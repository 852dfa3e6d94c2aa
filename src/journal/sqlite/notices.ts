/** The messages to people of a file. Bodies are sealed like those of rows. The table is no part of any hash chain, and nothing of a run depends on it. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import {
  type DueNotice,
  ERROR_LIMIT,
  KEPT,
  type ListedNotice,
  type NoticeBoard,
  type SeenCauses,
  TOLD,
} from '../notices.ts';
import { noticeBytes } from '../rows.ts';
import { corrupt } from './errors.ts';
import { type Cipher, noticePlace } from './file/cipher.ts';
import { preparing } from './file/statements.ts';
import { atOnce, immediately } from './file/transaction.ts';

const SEEN = 'SELECT max(seen) AS seen FROM notice WHERE channel = ? AND run = ?';
const SEE = 'UPDATE notice SET seen = @head WHERE channel = @channel AND run = @run AND seen < @head';
const OPEN = `INSERT INTO notice (channel, id, run, seen, body, since, told, tried, round, tries, due, lease)
    VALUES (@channel, @id, @run, @head, @body, @now, 0, 0, 0, 0, @now, 0)
  ON CONFLICT (channel, id) DO UPDATE SET seen = @head, body = @body, since = @now, over = NULL, told = 0, tried = 0,
    round = round + 1, tries = 0, due = @now, error = NULL WHERE over IS NOT NULL`;
const END = `UPDATE notice SET over = @now, due = CASE WHEN told = 1 THEN @now WHEN tried = 1 THEN due END
  WHERE channel = @channel AND run = @run AND over IS NULL AND id NOT IN (SELECT value FROM json_each(@ids))`;
const SWEEP = 'DELETE FROM notice WHERE due IS NULL AND over <= ?';
const DUE = 'SELECT id FROM notice WHERE channel = ? AND due <= ? ORDER BY due LIMIT ?';
const TAKE = `UPDATE notice SET tried = 1, due = @until, lease = lease + 1 WHERE channel = @channel AND id = @id
  RETURNING id, run, body, round, tries, lease, over`;
const SENT = `UPDATE notice SET told = @told, tries = 0, error = NULL,
    due = CASE WHEN @told = 1 AND over IS NOT NULL THEN @now END
  WHERE channel = @channel AND id = @id AND lease = @lease`;
const PUT_OFF = `UPDATE notice SET tries = tries + 1, lease = lease + 1, due = @due, error = @error
  WHERE channel = @channel AND id = @id AND lease = @lease`;
const LIST = `SELECT channel, id, run, round, tries, since, over, told, due, error FROM notice
  WHERE (@channel IS NULL OR channel = @channel) AND (over IS NULL OR due IS NOT NULL) ORDER BY since, id`;

/** What the messages need of the file. */
interface Host {
  readonly db: Database.Database;
  readonly path: string;
  readonly cipher: Cipher;
  readonly now: () => number;
  /** Makes a call to the file: turns errors of SQLite into the journal's own. */
  watched<T>(call: () => T, doing: 'read' | 'write'): T;
}

/** The messages of one file. */
export class SqliteNotices implements NoticeBoard {
  readonly #host: Host;
  readonly #prepared: (sql: string) => Statement;

  constructor(host: Host) {
    this.#host = host;
    this.#prepared = preparing(host.db);
  }

  note({ channel, run, head, causes }: SeenCauses): void {
    const { now, cipher } = this.#host;
    const bodies = causes.map(({ id, body }) => ({
      id,
      body: cipher.seal(noticePlace(channel, id), noticeBytes(body)),
    }));
    this.#writing(() => {
      const { seen } = this.#prepared(SEEN).get(channel, run) as { seen: number | null };
      if (seen !== null && seen > head) return;
      const of = { channel, run, head, now: now() };
      this.#prepared(SEE).run({ channel, run, head });
      for (const each of bodies) this.#prepared(OPEN).run({ ...of, ...each });
      this.#prepared(END).run({ channel, run, now: of.now, ids: JSON.stringify(bodies.map(({ id }) => id)) });
    });
  }

  take(channel: string, limit: number, leaseMs: number): readonly DueNotice[] {
    const now = this.#host.now();
    // Where nothing is due, the file is not locked.
    if (this.#reading(() => this.#prepared(DUE).all(channel, now, 1)).length === 0) return [];
    const rows = this.#writing(() => {
      this.#prepared(SWEEP).run(now - KEPT);
      const due = this.#prepared(DUE).all(channel, now, limit) as { id: string }[];
      return due.map(({ id }) => this.#prepared(TAKE).get({ channel, id, until: now + leaseMs }) as Taken);
    });
    return rows.map(({ body, over, ...row }) => {
      const text = this.#host.cipher.open(noticePlace(channel, row.id), body)?.toString('utf8');
      if (text === undefined)
        throw corrupt(this.#host.path, row.run, 0, 'a notice about it is sealed under another key');
      return { ...row, channel, is: over === null ? 'needed' : 'resolved', body: text };
    });
  }

  sent({ channel, id, lease, is }: DueNotice): void {
    const told = is === 'needed' ? 1 : 2;
    this.#writing(() => this.#prepared(SENT).run({ channel, id, lease, told, now: this.#host.now() }));
  }

  putOff({ channel, id, lease }: DueNotice, milliseconds: number, error: string): void {
    const due = this.#host.now() + milliseconds;
    const kept = error.slice(0, ERROR_LIMIT).toWellFormed();
    this.#writing(() => this.#prepared(PUT_OFF).run({ channel, id, lease, due, error: kept }));
  }

  list(channel: string | null): readonly ListedNotice[] {
    const now = this.#host.now();
    const rows = this.#reading(() => this.#prepared(LIST).all({ channel })) as Row[];
    return rows.map(({ told, due, ...row }) => {
      return { ...row, told: TOLD[told] ?? null, due: due === null ? null : Math.max(0, due - now) };
    });
  }

  #writing<T>(work: () => T): T {
    return this.#host.watched(() => immediately(this.#host.db, work), 'write');
  }

  #reading<T>(work: () => T): T {
    return this.#host.watched(() => atOnce(this.#host.db, work), 'read');
  }
}

type Row = Omit<ListedNotice, 'told'> & { readonly told: number };

interface Taken {
  readonly id: string;
  readonly run: string;
  readonly body: Buffer;
  readonly round: number;
  readonly tries: number;
  readonly lease: number;
  readonly over: number | null;
}
