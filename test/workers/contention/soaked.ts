/** A soak of a fleet of 8 workers, on SQLite and on PostgreSQL, with the numbers of its runs and its seed as the words of its command. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '../../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { startServer } from '../../postgres-server.ts';
import { Chance } from '../../simulation/chance.ts';
import type { Fleet } from './fleet.ts';

interface Drawn {
  readonly runs: number;
  readonly chance: Chance;
}

/** Plays it over each store, prints a line of each, and what is wrong. @returns the exit code. */
export async function soaked(
  name: string,
  play: (fleet: Fleet, drawn: Drawn) => Promise<object & { readonly wrong: readonly string[] }>,
): Promise<number> {
  const [runs = 400, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
  if (![runs, seed].every((each) => Number.isSafeInteger(each) && each >= 0)) {
    console.error(`${name} takes two whole numbers: npm run ${name} -- [RUNS] [SEED]`);
    return 2;
  }
  const problems: string[] = [];
  const over = async (kind: string, where: Pick<Fleet, 'store' | 'place' | 'schema' | 'world'>) => {
    const { wrong, ...outcome } = await play(
      { ...where, workers: 8, ms: 5, kills: 2 },
      { runs, chance: new Chance(seed, 0) },
    );
    console.log(JSON.stringify({ store: kind, seed, ...outcome, wrong: wrong.length }));
    problems.push(...wrong.map((each) => `${kind}: ${each}`));
    await where.store.close();
  };
  const folder = mkdtempSync(join(tmpdir(), 'belay-soak-'));
  const place = join(folder, 'belay.sqlite');
  await over('sqlite', { store: sqliteStore(place), place, schema: '', world: join(folder, 'one') });
  const server = await startServer();
  if (server === null) console.error('PostgreSQL is not here: skipped');
  else {
    const schema = `soak ${process.pid}`;
    const store = postgresStore({ address: server.address(), schema });
    await over('postgres', { store, place: server.address(), schema, world: join(folder, 'two') });
    if (!server.own) await server.query(`DROP SCHEMA "${schema}" CASCADE`);
    await server.stop();
  }
  if (problems.length > 0) console.error(`left for a look: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}
