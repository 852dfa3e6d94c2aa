/** The messages to people of a database. Nothing of a run depends on the table. */
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
import type { Database } from './database.ts';
import { whole } from './tables.ts';

const NOTE = 'SELECT belay.note($1, $2, $3, $4, $5)';
const SWEEP = `DELETE FROM belay.notice WHERE due IS NULL AND over <= clock_timestamp() - $1 * interval '1 ms'`;
const TAKE = `UPDATE belay.notice n SET tried = true, due = clock_timestamp() + $3 * interval '1 ms', lease = n.lease + 1
  FROM (SELECT channel, id FROM belay.notice WHERE channel = $1 AND due <= clock_timestamp() ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED) AS d
  WHERE n.channel = d.channel AND n.id = d.id
  RETURNING n.id, n.run, n.body, n.round, n.tries, n.lease, n.over IS NOT NULL AS over`;
const SENT = `UPDATE belay.notice SET told = $4, tries = 0, error = NULL, due = CASE WHEN $4 = 1 AND over IS NOT NULL THEN clock_timestamp() END
  WHERE channel = $1 AND id = $2 AND lease = $3`;
const PUT_OFF = `UPDATE belay.notice SET tries = tries + 1, lease = lease + 1, due = clock_timestamp() + $4 * interval '1 ms', error = $5
  WHERE channel = $1 AND id = $2 AND lease = $3`;
const LIST = `SELECT channel, id, run, round, tries, told, error, floor(extract(epoch FROM since) * 1000) AS since,
    floor(extract(epoch FROM over) * 1000) AS over,
    CASE WHEN due IS NOT NULL THEN greatest(0, ceil(extract(epoch FROM due - clock_timestamp()) * 1000)) END AS due
  FROM belay.notice n WHERE ($1::text IS NULL OR channel = $1) AND (n.over IS NULL OR n.due IS NOT NULL) ORDER BY n.since, n.id`;

/** The messages of one store. */
export class PostgresNotices implements NoticeBoard {
  readonly #database: Database;
  readonly #refuseIfClosed: () => void;

  constructor(database: Database, refuseIfClosed: () => void) {
    this.#database = database;
    this.#refuseIfClosed = refuseIfClosed;
  }

  async note({ channel, run, head, causes }: SeenCauses): Promise<void> {
    const bodies = causes.map(({ body }) => noticeBytes(body));
    await this.#ask('write', NOTE, [channel, run, head, causes.map(({ id }) => id), bodies]);
  }

  async take(channel: string, limit: number, leaseMs: number): Promise<readonly DueNotice[]> {
    await this.#ask('write', SWEEP, [KEPT]);
    const rows = await this.#ask('write', TAKE, [channel, limit, leaseMs]);
    return rows.map(({ id, run, body, round, tries, lease, over }) => ({
      ...{ channel, id: String(id), run: String(run), body: (body as Buffer).toString('utf8') },
      is: over === true ? 'resolved' : 'needed',
      ...{ round: whole(round) ?? 0, tries: whole(tries) ?? 0, lease: whole(lease) ?? 0 },
    }));
  }

  async sent({ channel, id, lease, is }: DueNotice): Promise<void> {
    await this.#ask('write', SENT, [channel, id, lease, is === 'needed' ? 1 : 2]);
  }

  async putOff({ channel, id, lease }: DueNotice, milliseconds: number, error: string): Promise<void> {
    const kept = error.slice(0, ERROR_LIMIT).toWellFormed().replaceAll('\0', ' ');
    await this.#ask('write', PUT_OFF, [channel, id, lease, milliseconds, kept]);
  }

  async list(channel: string | null): Promise<readonly ListedNotice[]> {
    const rows = await this.#ask('read', LIST, [channel]);
    return rows.map((row) => ({
      ...{ channel: String(row.channel), id: String(row.id), run: String(row.run) },
      ...{ round: whole(row.round) ?? 0, tries: whole(row.tries) ?? 0, since: whole(row.since) ?? 0 },
      ...{ over: row.over === null ? null : whole(row.over), due: row.due === null ? null : whole(row.due) },
      ...{ told: TOLD[whole(row.told) ?? 0] ?? null, error: row.error === null ? null : String(row.error) },
    }));
  }

  async #ask(doing: 'read' | 'write', text: string, values: unknown[]) {
    this.#refuseIfClosed();
    await this.#database.identity();
    return this.#database.ask(doing, text, values);
  }
}
