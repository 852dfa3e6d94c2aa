/** Calls that are staged, or wait as a whole, until their instance commits (semantics.md E4). */
import { describe, expect, test } from 'vitest';
import { NotApplied } from '../../src/effects/signals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm, until } from '../poll.ts';
import { Book, entries, staged, twice, withCommit } from './staging.ts';
import { held, Line, of, type Station } from './stations.ts';

describe('what an instance holds back', () => {
  test('is invisible until its boundary certifies, and then there under one entry', async () => {
    const book = new Book();
    const journal = memoryStore();
    const line = new Line(twice, { a: ({ key }) => book.stage(key), b: () => [...book.visible] });
    const run = await line.begin({ journal, buffers: { book: book.buffer }, undo: { un: () => {} } });
    run.send('go');
    await run.at('rest');
    // Whoever goes on from the commit sees it.
    expect(run.context.b).toEqual(['done {"wanted":"x"}']);
    expect(entries(journal, 'publish')).toHaveLength(1);
    expect([book.staged.size, line.findings]).toEqual([0, []]);
    await run.close();
  });

  test('is gone without a trace where its instance is rolled back before that', async () => {
    const book = new Book();
    // The boundary of a cannot certify: it never writes what it promises.
    const never = new Line([{ name: 'a', tool: staged(), also: () => ({ a: undefined }) }, { name: 'b' }], {
      a: ({ key }) => book.stage(key),
    });
    const run = await never.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await run.at('rest');
    expect([book.visible, book.staged.size]).toEqual([[], 1]);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await run.at('rest');
    expect([book.visible, book.discarded.length, book.staged.size, never.called('a')]).toEqual([[], 1, 1, 2]);
    await run.close();
  });

  test('is removed also where it was being staged when its instance went back', async () => {
    const book = new Book();
    const slow = held<void>();
    const line = new Line([{ name: 'a', tool: staged(), onError: 'handled' }], {
      a: async ({ key, nth }) => {
        if (nth > 0) throw new NotApplied('not again');
        await slow.promise;
        return book.stage(key);
      },
    });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await until(() => line.called('a') === 1);
    const back = run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await calm();
    slow.resolve();
    await back;
    await run.at('handled');
    expect([book.staged.size, book.visible]).toEqual([0, []]);
    await run.close();
  });

  test('that was never committed is removed at the end of the run, and told', async () => {
    const book = new Book();
    const never = new Line([{ name: 'a', tool: staged(), also: () => ({ a: undefined }) }], {
      a: ({ key }) => book.stage(key),
    });
    const run = await never.begin({ buffers: { book: book.buffer }, undo: { un: () => {} } });
    run.send('go');
    await run.at('rest');
    run.send('end');
    const ending = await run.finished();
    expect(ending).toMatchObject({ status: 'done', unpublished: [never.calls[0]?.key] });
    expect([book.visible, book.staged.size, never.findings]).toEqual([[], 0, ['not_certified', 'never_published']]);
    await run.close();
  });

  test('is not staged twice by a replay, and what fails while it is staged has not happened', async () => {
    const book = new Book();
    const line = new Line([{ name: 'a', tool: staged() }], {
      a: ({ key, nth }) => {
        if (nth === 0) throw new Error('disk full');
        return book.stage(key);
      },
    });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await run.at('rest');
    await until(() => book.visible.length === 1);
    expect([line.verdicts, line.called('a'), book.discarded.length]).toEqual([['settle'], 2, 1]);
    await run.close();
  });
});

describe('a whole call that waits', () => {
  const mail: Station[] = [
    { name: 'a', reads: ['wanted'], tool: 'effect: irreversible, buffer: true, reconcile: ask' },
    { name: 'b' },
  ];

  test('is made at the commit, without an output, and before anybody goes on from there', async () => {
    const order: string[] = [];
    const line = withCommit(new Line(mail, { a: () => void order.push('a'), b: () => void order.push('b') }));
    const run = await line.begin({});
    run.send('go');
    await run.at('rest');
    expect([order, run.context.a]).toEqual([['a', 'b'], undefined]);
    await run.close();
  });

  test('is made once where its answer was lost and its counterparty has it', async () => {
    const sent: string[] = [];
    const line = new Line([{ ...(mail[0] as Station), more: '' }], {
      a: ({ key }) => {
        sent.push(key as string);
        throw new Error('connection reset');
      },
    });
    const committed = withCommit(line);
    const run = await committed.begin({
      reconcilers: { ask: ({ key }) => ({ is: sent.includes(key) ? 'applied' : 'not_applied' }) },
    });
    run.send('go');
    await run.at('rest');
    await until(() => sent.length > 0);
    await calm(50);
    expect(sent).toHaveLength(1);
    await run.close();
  });

  test('is made again where its counterparty has not got it: a commit is not lost', async () => {
    const sent: string[] = [];
    const committed = withCommit(
      new Line([mail[0] as Station], {
        a: ({ key, nth }) => {
          if (nth < 2) throw new Error('connection reset');
          sent.push(key as string);
        },
      }),
    );
    const run = await committed.begin({
      reconcilers: { ask: ({ key }) => ({ is: sent.includes(key) ? 'applied' : 'not_applied' }) },
    });
    run.send('go');
    await until(() => sent.length > 0);
    await calm(50);
    expect(sent).toHaveLength(1);
    await run.close();
  });

  test('is tried as often as its work may have recoveries, where that is more than a few times', async () => {
    const line = new Line([{ ...(mail[0] as Station), rollback: 'tries: 5' }], {
      a: ({ nth }) => {
        if (nth < 5) throw new Error('connection reset');
      },
    });
    const run = await withCommit(line).begin({ reconcilers: { ask: () => ({ is: 'not_applied' }) } });
    run.send('go');
    await until(
      () => line.called('a') === 6,
      () => `${line.called('a')} calls`,
    );
    await calm(50);
    expect([line.verdicts, run.status]).toEqual([[], 'running']);
    await run.close();
  });

  test('parks the run where nobody can tell, and a person settles it', async () => {
    const committed = withCommit(
      new Line([{ ...(mail[0] as Station), tool: 'effect: irreversible, buffer: true' }], {
        a: () => {
          throw new Error('connection reset');
        },
      }),
    );
    const run = await committed.begin({});
    run.send('go');
    const ending = await run.finished();
    expect(ending.status).toBe('parked');
    const [gate] = run.sidecar.gates();
    expect(gate?.asks).toBe('outcome');
    await run.sidecar.settle(gate?.key as string, 'confirmed');
    await run.at('rest');
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    expect([committed.called('a'), run.sidecar.gates()]).toEqual([1, []]);
    await run.close();
  });
});
