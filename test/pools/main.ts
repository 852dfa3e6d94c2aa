/** `npm run prove pools`: plays drawn scenarios of runs that share a pool, and prints what came of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { drawn } from './draw.ts';
import { play } from './trial.ts';

const [count = 400, from = 1] = process.argv
  .slice(2)
  .filter((each) => !each.startsWith('--'))
  .map(Number);
const isSqlite = process.argv.includes('--sqlite');
const sums = { scenarios: 0, refused: 0, waited: 0, parked: 0, wrong: 0, hang: 0 };
for (let seed = from; seed < from + count; seed += 1) {
  const folder = isSqlite ? mkdtempSync(join(tmpdir(), 'belay-pools-')) : null;
  const store = folder === null ? memoryStore() : sqliteStore(join(folder, 'runs.sqlite'));
  sums.scenarios += 1;
  try {
    const { wrong, refused, waited, parked } = await play(drawn(seed), store);
    sums.refused += refused;
    sums.waited += waited;
    sums.parked += parked;
    if (wrong.length > 0) {
      sums.wrong += 1;
      console.log(seed, wrong[0], JSON.stringify(drawn(seed)));
    }
  } catch (error) {
    sums.hang += 1;
    console.log(seed, String(error).slice(0, 200), JSON.stringify(drawn(seed)));
  }
  if (folder !== null) {
    await store.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(JSON.stringify(sums));
process.exit(sums.wrong + sums.hang === 0 ? 0 : 1);
