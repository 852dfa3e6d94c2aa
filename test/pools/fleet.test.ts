/** Runs that spend of the pools of one store under workers in processes of their own, two of which are killed: `npm run prove soak-pools` has 400 of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { Chance } from '../simulation/chance.ts';
import { spend } from './soak/trial.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-pools-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('30 runs over two pools under 4 workers: nothing beyond a limit, nobody waits for good (ER10, ER11)', async () => {
  const runs = 30;
  const place = join(folder, 'belay.sqlite');
  const store = sqliteStore(place, { busyMs: 20_000 });
  const shape = { workers: 4, runs, ms: 5, kills: 2, aborted: 20, chance: new Chance(7, 0) };
  const outcome = await spend({ ...shape, store, place, schema: '', world: join(folder, 'world') });
  await store.close();
  const { wrong, done, compensated, killed, refused } = outcome;
  expect({ wrong, over: done + compensated, killed }).toEqual({ wrong: [], over: runs, killed: 2 });
  // Both ways were gone.
  expect([compensated > 0, refused > 0]).toEqual([true, true]);
});
