/**
 * One act of the row adapter in a process of its own, which kills itself before the nth statement that writes, or once all is
 * done: its database only counts and delegates. Prints how many moments there were.
 */
import Database from 'better-sqlite3';
import { rowAdapter } from '../../src/adapters/rows/adapter.ts';
import type { RowDatabase, RowStatement } from '../../src/adapters/rows/database.ts';
import { ACTS, type Act } from './acts-on-rows.ts';
import { OPTIONS } from './ledger.ts';

const { file, act, dieAt } = JSON.parse(process.argv[2] as string) as { file: string; act: Act; dieAt: number };
const db = new Database(file);
let moments = 0;

function moment(): void {
  moments += 1;
  if (moments !== dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}

const counted: RowDatabase = {
  get inTransaction() {
    return db.inTransaction;
  },
  exec(sql) {
    moment();
    return db.exec(sql);
  },
  prepare(sql): RowStatement {
    const statement = db.prepare(sql);
    return {
      run(...values) {
        moment();
        return statement.run(...values);
      },
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
    };
  },
};

await ACTS[act](rowAdapter(counted, OPTIONS));
moment();
process.stdout.write(String(moments));
