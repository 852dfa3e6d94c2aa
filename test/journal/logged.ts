/** Files with long logs, made in one transaction, and what is read of them. */
import Database from 'better-sqlite3';
import { chained, seed } from '../../src/journal/chain.ts';
import { Log } from '../../src/journal/sqlite/log/log.ts';
import { StoredRows } from '../../src/journal/sqlite/log/stored-rows.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';

/** The runs of a log, each of which takes part in every so many-th commit. */
export interface Parts {
  readonly [run: string]: number;
}

/** Makes a file whose log has so many commits, beside the rows for its leases. @returns the bodies of each run. */
export async function longLog(path: string, commits: number, parts: Parts): Promise<Record<string, string[]>> {
  const store = sqliteStore(path);
  for (const run of Object.keys(parts)) await (await store.open(run, 'create')).close();
  await store.close();
  const db = new Database(path);
  const identity = db.prepare('SELECT identity FROM file').pluck().get() as Buffer;
  const log = new Log(db, path, identity);
  const runs = Object.entries(parts).map(([name, every], index) => {
    const id = index + 1;
    return { id, name, every, at: { last: 0, before: 0, hash: seed(identity, id, name) }, bodies: [] as string[] };
  });
  db.transaction(() => {
    for (let commit = 1; commit <= commits; commit += 1) {
      const mine = runs.filter(({ every }) => commit % every === 0);
      const groups = mine.map(({ id, name, at, bodies }) => {
        const text = JSON.stringify(`${name} ${commit}`);
        const entries = [{ seq: at.last + 1, kind: 1, body: Buffer.from(text) }];
        bodies.push(text);
        return {
          run: id,
          before: at.before,
          last: at.last + 1,
          token: 1,
          time: commit,
          hash: chained(at.hash, 1, commit, entries),
          entries,
        };
      });
      const row = log.add(groups);
      mine.forEach((run, index) => {
        const { last, hash } = groups[index] as (typeof groups)[number];
        run.at = { last, hash, before: row };
      });
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return Object.fromEntries(runs.map(({ name, bodies }) => [name, bodies]));
}

/** Counts the rows of the log that something reads. */
export function rowsRead(work: () => void): number {
  let count = 0;
  const proto = StoredRows.prototype;
  const { after, group, groups, link, whole } = proto;
  proto.after = function (...asked) {
    const found = after.apply(this, asked);
    count += found.length;
    return found;
  };
  proto.groups = function (run, rows) {
    count += rows.length;
    return groups.call(this, run, rows);
  };
  for (const [name, method] of Object.entries({ group, link, whole }))
    Object.assign(proto, {
      [name](this: StoredRows, ...asked: never[]) {
        count += 1;
        return (method as (...asked: never[]) => unknown).apply(this, asked);
      },
    });
  try {
    work();
  } finally {
    Object.assign(proto, { after, group, groups, link, whole });
  }
  return count;
}

/** Changes a closed file behind the back of the store. */
export function raw(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}
