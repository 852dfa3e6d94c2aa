/** A process that is killed leaves a base that fits, or none: whatever it was doing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Base } from '../../../src/journal/journal.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { baseDifference } from '../../../src/sidecar/bases/compared.ts';
import { wrapJournals } from '../../../src/testing/wrap-journals.ts';
import { freshPath } from '../../journal/files.ts';
import { opened, standing } from './agent.ts';

const CHILD = join(import.meta.dirname, 'dying.ts');

/** Kills a process once it has said that some of its steps are durable. */
async function killed(path: string, mode: string, after: number): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, path, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (Number(said.trimEnd().split('\n').at(-1)) >= after) child.kill('SIGKILL');
  });
  await once(child, 'close');
}

test('each of several processes goes on from the base of the one before it, and the last stands where its rows lead', async () => {
  const path = freshPath();
  let before = 0;
  for (const [round, after] of [35, 5, 60, 20, 45].entries()) {
    await killed(path, round === 0 ? 'attach' : 'resume', after);
    const store = sqliteStore(path, { readonly: true });
    const base = store.base('r') as Base;
    expect(base.at).toBeGreaterThanOrEqual(before);
    expect(await baseDifference(base, store.read('r'))).toBeNull();
    before = base.at;
    await store.close();
  }
  const stands: unknown[] = [];
  for (const hasBase of [true, false]) {
    const store = sqliteStore(path, { now: () => Date.now() + 3_600_000 });
    const again = await opened(
      wrapJournals(store, () => (hasBase ? {} : { base: () => null })),
      'resume',
      1_000_000,
    );
    stands.push(standing(again));
    await again.close();
    await store.close();
  }
  expect(stands[0]).toEqual(stands[1]);
});
