/** Checkpoints of another config are stale (semantics.md §5). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Line, of, type Station } from './stations.ts';

describe('§5: another config', () => {
  const stations = (rollback = ''): readonly Station[] => [{ name: 'a', reads: ['wanted'], rollback }, { name: 'b' }];

  test("its predecessor's checkpoints are stale", async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations('tries: 7'));
    const next = await second.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(second.codes()).toEqual(['no_stable_checkpoint', 'checkpoint_stale']);
    expect(second.verdicts).toEqual(['rerun']);
    await next.close();
  });

  test('the same config, read anew, is no other', async () => {
    const first = new Line(stations(), { a: ({ nth }) => `a${nth}` });
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const next = await first.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await next.at('rest');
    expect(first.verdicts).toEqual(['restore 0']);
    await next.close();
  });

  test('what is certified under the new one is not stale', async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations('tries: 7'), {
      a: ({ nth }) => `anew ${nth}`,
      b: ({ nth }) => `anew ${nth}`,
    });
    const next = await second.resume({ journal });
    next.send('again');
    await next.at('rest');
    await next.fail('CONTRACT_VIOLATION', { instance: of('a', 1), key: 'a' });
    await next.at('rest');
    expect(second.verdicts).toEqual(['restore 0']);
    await next.close();
  });
});
