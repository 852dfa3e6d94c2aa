/** What a call that failed has done: nothing, what its counterparty says, or unknown (semantics.md E2). */
import { describe, expect, test } from 'vitest';
import { NotApplied } from '../../src/effects/signals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { calm } from '../poll.ts';
import { held, Line, type Station } from './stations.ts';

describe('E2: what a call that failed has done', () => {
  const acting = (more = ''): Station => ({ name: 'a', reads: ['wanted'], tool: `effect: irreversible${more}` });

  test('is unknown without anybody to ask: the run is parked', async () => {
    const line = new Line([acting()], {
      a: () => {
        throw new Error('connection reset');
      },
    });
    const run = await line.begin();
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect(line.verdicts).toEqual(['escalate']);
    expect(line.codes()).toEqual(['effect_outcome_unknown']);
    await run.close();
  });

  test('is nothing where the tool says NotApplied: the same call is made again, with its key', async () => {
    const line = new Line([acting()], {
      a: ({ nth }) => {
        if (nth === 0) throw new NotApplied('refused');
        return 'acted';
      },
    });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.verdicts).toEqual(['settle']);
    expect(line.calls[0]?.key).toBeDefined();
    expect(line.calls[1]?.key).toBe(line.calls[0]?.key);
    await run.close();
  });

  test('is nothing, over and over: the budget ends it', async () => {
    const line = new Line([{ ...acting(), rollback: 'tries: 2' }], {
      a: () => {
        throw new NotApplied('refused');
      },
    });
    const run = await line.begin();
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect(line.called('a')).toBeLessThan(8);
    expect(line.verdicts.slice(0, 2)).toEqual(['settle', 'settle']);
    await run.close();
  });

  test('is what its counterparty says: the held call is answered', async () => {
    const line = new Line([acting(', reconcile: ask')], {
      a: () => {
        throw new Error('connection reset');
      },
    });
    const run = await line.begin({ reconcilers: { ask: () => ({ is: 'applied', output: 'was there' }) } });
    run.send('go');
    await run.at('rest');
    expect(run.context.a).toBe('was there');
    expect([line.verdicts, line.called('a')]).toEqual([['settle'], 1]);
    await run.close();
  });

  test('is asked for again when the counterparty throws, and never guessed', async () => {
    let asked = 0;
    const line = new Line([acting(', reconcile: ask')], {
      a: () => {
        throw new Error('connection reset');
      },
    });
    const run = await line.begin({
      reconcilers: {
        ask: () => {
          asked += 1;
          throw new Error('busy');
        },
      },
    });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect(asked).toBe(4);
    expect(line.codes()).toEqual(['effect_outcome_unknown']);
    await run.close();
  });

  test('comes to be known when its answer arrives after the deadline', async () => {
    const late = held<string>();
    const line = new Line([{ ...acting(), tool: 'effect: irreversible, timeout: 20' }], { a: () => late.promise });
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    late.resolve('after all');
    await calm();
    await run.close();
    const outcomes = entriesOf(journal.read('r')).flatMap((entry) => (entry.do === 'outcome' ? [entry.status] : []));
    expect(outcomes).toEqual(['unknown', 'confirmed']);
  });
});
