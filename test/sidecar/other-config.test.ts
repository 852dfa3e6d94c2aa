/** Checkpoints of another config are stale (semantics.md §5). */
import { describe, expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Line, of, type Station } from './stations.ts';

describe('§5, CO1: another config', () => {
  const stations = (rollback = ''): readonly Station[] => [{ name: 'a', reads: ['wanted'], rollback }, { name: 'b' }];

  test("its predecessor's checkpoints are stale", async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations('outcome_checkpoints: true'));
    const next = await second.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(second.codes()).toEqual(['no_stable_checkpoint', 'checkpoint_stale']);
    expect(second.verdicts).toEqual(['rerun']);
    await next.close();
  });

  /** The changes of fields that no certificate rests on: of the tool, of the rollback, of the page. */
  const FREE: readonly (readonly [field: string, tool: string, rollback: string, page: string])[] = [
    ['timeout', 'timeout: 6s', '', ''],
    ['retry', 'retry: { max: 2 }', '', ''],
    ['reconcile', 'reconcile: { ask: find, tries: 3, wait: 5s, settles_within: 2m, refuses_key: true }', '', ''],
    ['when', 'when: \'args.wanted == "x"\'', '', ''],
    ['spends', 'spends: { tokens: 1 }', '', 'budgets: { tokens: 100 }'],
    ['redact of a tool', 'redact: [args.wanted]', '', ''],
    ['compensable', '', 'compensable: undo', ''],
    ['tries of a skeleton', '', 'tries: 7', ''],
    ['tries', '', '', 'tries: 7'],
    ['redact', '', '', 'redact: [turn]'],
    ['recover', '', '', 'recover: [{ tool: a, signals: [TIMEOUT] }]'],
  ];

  test.each(FREE)('%s: no certificate rests on it, and no checkpoint is stale', async (_, tool, rollback, page) => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const own = { tool: `effect: none${tool === '' ? '' : `, ${tool}`}`, rollback };
    const second = new Line([{ name: 'a', reads: ['wanted'], ...own }, { name: 'b' }], {}, page);
    expect(second.config.digest).not.toBe(first.config.digest);
    const next = await second.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await next.at('rest');
    expect(second.verdicts).toEqual(['restore 0']);
    await next.close();
  });

  test('a tool that the run has never called makes none stale', async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations());
    const { config } = loadConfig(
      second.text.replace('tools:', 'tools:\n  post: { writes: [posted], effect: irreversible }'),
      { file: 'line.yaml' },
    );
    expect(config?.digest).not.toBe(second.config.digest);
    const next = await second.resume({ journal, config: config as BoundaryConfig });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await next.at('rest');
    expect(second.verdicts).toEqual(['restore 0']);
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
    const second = new Line(stations('outcome_checkpoints: true'), {
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
