/** 400 runs over 20 lists under 8 workers, on SQLite and on PostgreSQL: `npm run soak:claims -- [RUNS] [SEED]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '../../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { startServer } from '../../postgres-server.ts';
import { Chance } from '../../simulation/chance.ts';
import { contend, type Outcome } from './trial.ts';

const [runs = 400, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
if (![runs, seed].every((each) => Number.isSafeInteger(each) && each >= 0)) {
  console.error('soak:claims takes two whole numbers: npm run soak:claims -- [RUNS] [SEED]');
  process.exit(2);
}
const shape = { workers: 8, runs, ms: 5, kills: 2, cancelled: 10 };
const problems: string[] = [];

function tell(name: string, { wrong, ...outcome }: Outcome): void {
  console.log(JSON.stringify({ store: name, seed, ...outcome, wrong: wrong.length }));
  problems.push(...wrong.map((each) => `${name}: ${each}`));
  const over = outcome.done + outcome.cancelled;
  if (over !== runs || outcome.left > 0) problems.push(`${name}: ${runs - over} runs, ${outcome.left} claims are left`);
}

const folder = mkdtempSync(join(tmpdir(), 'belay-claims-'));
const place = join(folder, 'belay.sqlite');
const file = sqliteStore(place);
tell(
  'sqlite',
  await contend({ ...shape, store: file, place, schema: '', world: join(folder, 'one'), chance: new Chance(seed, 0) }),
);
await file.close();

const server = await startServer();
if (server !== null) {
  const schema = `claims ${process.pid}`;
  const store = postgresStore({ address: server.address(), schema });
  const where = { store, place: server.address(), schema, world: join(folder, 'two') };
  tell('postgres', await contend({ ...shape, ...where, chance: new Chance(seed, 0) }));
  await store.close();
  if (!server.own) await server.query(`DROP SCHEMA "${schema}" CASCADE`);
  await server.stop();
}
rmSync(folder, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
