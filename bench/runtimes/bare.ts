/** What there is without a runtime: a plain machine, and one row in one transaction. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createActor } from 'xstate';
import { sentMachine } from './belay.ts';
import { postgresPlace, schemaBytes } from './postgres.ts';
import type { Opener } from './work.ts';

/** A plain actor that is sent an event for each step. */
export const plain: Opener = async (_, pace) => {
  const machine = sentMachine(pace);
  return {
    chain: async () => {
      const actor = createActor(machine).start();
      while (pace.more()) actor.send({ type: 'step' });
      actor.stop();
    },
    close: async () => {},
  };
};

/** A row for each step, with what it changes, in a transaction of its own that is synced to the disk. */
export const rowInFile: Opener = async ({ folder }, pace) => {
  const path = join(folder, 'bare.sqlite');
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE entry (run TEXT, seq INTEGER, body BLOB, PRIMARY KEY (run, seq)) WITHOUT ROWID');
  const insert = db.prepare('INSERT INTO entry VALUES (?, ?, ?)');
  return {
    chain: async (run) => {
      for (let seq = 0; pace.more(); seq += 1) insert.run(run, seq, Buffer.from(JSON.stringify(pace.step(seq))));
    },
    bytes: async () => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      return statSync(path).size;
    },
    close: async () => {
      db.close();
    },
  };
};

/** The same in PostgreSQL, each run over a connection of its own. */
export const rowInPostgres: Opener = async (place, pace) => {
  const { address, schema } = postgresPlace(place);
  const pool = new pg.Pool({ connectionString: address, max: 64 });
  await pool.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.entry (run text, seq bigint, body bytea, PRIMARY KEY (run, seq))`,
  );
  const insert = `INSERT INTO ${schema}.entry VALUES ($1, $2, $3)`;
  return {
    chain: async (run) => {
      const client = await pool.connect();
      for (let seq = 0; pace.more(); seq += 1) {
        await client.query(insert, [run, seq, Buffer.from(JSON.stringify(pace.step(seq)))]);
      }
      client.release();
    },
    bytes: () => schemaBytes(address, schema),
    close: () => pool.end(),
  };
};
