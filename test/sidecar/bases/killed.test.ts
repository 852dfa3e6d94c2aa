/** A process that is killed leaves a base that fits, or none: whatever it was doing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import type { Base } from '../../../src/journal/journal.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { baseDifference } from '../../../src/sidecar/bases/compared.ts';
import { wrapJournals } from '../../../src/testing/wrap-journals.ts';
import { Bundle } from '../../bundled.ts';
import { freshPath } from '../../journal/files.ts';
import { opened, standing } from './agent.ts';

const scripts = new Bundle(['test/sidecar/bases/dying.ts', 'test/sidecar/bases/closing.ts']);
afterAll(() => scripts.close());

/** Kills a process once it has said that some of its steps are durable. */
async function killed(path: string, mode: string, after: number): Promise<void> {
  const child = spawn(process.execPath, [scripts.path('dying'), path, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (Number(said.trimEnd().split('\n').at(-1)) >= after) child.kill('SIGKILL');
  });
  await once(child, 'close');
}

/** What the run stands at where it is taken up from its base, and where all rows are read. */
async function stands(path: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const hasBase of [true, false]) {
    const store = sqliteStore(path, { now: () => Date.now() + 3_600_000 });
    const again = await opened(
      wrapJournals(store, () => (hasBase ? {} : { base: () => null })),
      'resume',
      1_000_000,
    );
    found.push(standing(again));
    await again.close();
    await store.close();
  }
  return found;
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
  const [based, read] = await stands(path);
  expect(based).toEqual(read);
});

describe('the base at a close fits, or there is none, where the process dies', () => {
  const MOMENTS = [
    ['before it is kept', null],
    ['once it is handed over', null],
    ['while its file is written', undefined],
    ['once the journal is closed', true],
  ] as const;
  test.each(MOMENTS)('%s', async (moment, isThere) => {
    const path = freshPath();
    const child = spawn(process.execPath, [scripts.path('closing'), path, moment], { stdio: 'inherit' });
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
    const store = sqliteStore(path, { readonly: true });
    const base = store.base('r') as Base | null;
    const difference = base === null ? null : await baseDifference(base, store.read('r'));
    await store.close();
    expect(difference).toBeNull();
    if (isThere !== undefined) expect(base !== null).toBe(isThere === true);
    const [based, read] = await stands(path);
    expect(based).toEqual(read);
    expect(read).toMatchObject({ context: { rows: { row1: 57 } } });
  });
});
