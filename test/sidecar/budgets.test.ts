/** What a run may spend: admitted before a call leaves, charged after it, and kept across restarts and rollbacks. */
import { describe, expect, test } from 'vitest';
import { NotApplied } from '../../src/effects/signals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Line, of } from './stations.ts';

const pays = (name: string, cents: number | string) => ({
  name,
  tool: `effect: irreversible, spends: { cents: ${cents} }`,
  onError: 'handled',
});

describe('a call', () => {
  test('that would go beyond the budget does not leave', async () => {
    const line = new Line([pays('a', 40), pays('b', 20)], {}, 'budgets: { cents: 50 }');
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect([line.called('a'), line.called('b')]).toEqual([1, 0]);
    await run.close();
  });

  test('is charged what it really took, where it says so', async () => {
    const line = new Line(
      [
        { ...pays('a', 40), tool: 'effect: irreversible, spends: { cents: { at_most: 40, charge: output.cents } }' },
        pays('b', 20),
      ],
      { a: () => ({ cents: 30 }) },
      'budgets: { cents: 50 }',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.called('b')).toBe(1);
    await run.close();
  });

  test('of which nobody can tell what it takes does not leave', async () => {
    const line = new Line([pays('a', 'args.price')], {}, 'budgets: { cents: 50 }');
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('that nobody declared does not leave under a budget of money', async () => {
    const line = new Line([{ name: 'b' }, { name: 'a', tool: null, onError: 'handled' }], {}, 'budgets: { cents: 50 }');
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('that did not happen has spent nothing', async () => {
    const line = new Line(
      [{ ...pays('a', 40), onError: 'handled' }],
      {
        a: ({ nth }) => {
          if (nth === 0) throw new NotApplied('busy');
          return 'a';
        },
      },
      'budgets: { cents: 50 }\nrecover: [{ tool: a, signals: [TOOL_EXCEPTION] }]',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.called('a')).toBe(2);
    await run.close();
  });

  test('counts as a call whatever its class', async () => {
    const line = new Line(
      [{ name: 'a' }, { name: 'b' }, { name: 'c', onError: 'handled' }],
      {},
      'budgets: { calls: 2 }',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b']);
    await run.close();
  });

  test('takes time where it fails, too', async () => {
    let now = 0;
    const line = new Line(
      [{ name: 'a', tool: 'effect: irreversible', rollback: 'tries: 4' }],
      {
        a: () => {
          now += 400;
          throw new NotApplied('busy');
        },
      },
      'budgets: { time: 1s }',
    );
    const run = await line.begin({ now: () => now });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect(line.called('a')).toBe(3);
    await run.close();
  });

  test('takes time, and none is left once the time is spent', async () => {
    let now = 0;
    const line = new Line(
      [{ name: 'a' }, { name: 'b', onError: 'handled' }],
      {
        a: () => {
          now += 2_000;
        },
      },
      'budgets: { time: 1s }',
    );
    const run = await line.begin({ now: () => now });
    run.send('go');
    await run.at('handled');
    expect(line.called('b')).toBe(0);
    await run.close();
  });
});

test('a call that becomes visible at the second try has spent what it was admitted for', async () => {
  let refused = 0;
  const journal = memoryStore();
  const publish = () => {
    refused += 1;
    if (refused === 1) throw new NotApplied('locked');
  };
  const line = new Line(
    [{ name: 'a', tool: 'effect: reversible, undo: un, buffer: book, spends: { cents: 30 }' }, pays('b', 30)],
    {},
    'budgets: { cents: 50 }',
  );
  const run = await line.begin({ journal, buffers: { book: { publish, discard: () => {} } } });
  run.send('go');
  await run.at('handled');
  expect([refused, line.called('b')]).toEqual([2, 0]);
  await run.close();
});

describe('what was spent', () => {
  test('is spent after a restart, the call included that was under way when its process ended', async () => {
    const journal = memoryStore();
    const line = new Line(
      [pays('a', 30), { name: 'b' }, { ...pays('c', 20), tool: 'effect: idempotent, spends: { cents: 20 }' }],
      { c: ({ nth }) => (nth === 0 ? new Promise(() => {}) : 'c') },
      'budgets: { cents: 60 }',
    );
    const first = await line.begin({ journal });
    first.send('go');
    await first.at('c');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await first.close();
    const second = await line.resume({ journal });
    // 30 and 20 are spent, and 20 more would be: the call that was under way may have spent its 20.
    await second.at('handled');
    expect([line.called('a'), line.called('c')]).toEqual([1, 1]);
    await second.close();
  });

  test('is not given back by a rollback, and a replay from the ledger spends nothing', async () => {
    const line = new Line(
      [{ name: 'a', tool: 'effect: idempotent, spends: { cents: 30 }' }, pays('b', 30)],
      {},
      'budgets: { cents: 60 }',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.close();
    expect([line.called('a'), line.called('b')]).toEqual([1, 1]);

    const again = new Line(
      [{ name: 'a', tool: 'effect: idempotent, spends: { cents: 30 }' }, { name: 'b' }],
      {},
      'budgets: { cents: 30 }',
    );
    const other = await again.begin();
    other.send('go');
    await other.at('rest');
    await other.fail('CONTRACT_VIOLATION', { instance: of('b') });
    await other.at('rest');
    expect([again.called('a'), again.called('b')]).toEqual([1, 2]);
    await other.close();
  });
});

test('a call that is made again under its key counts as two calls, and its money once', async () => {
  const line = new Line(
    [
      { name: 'a', tool: 'effect: idempotent, spends: { cents: 20 }', rollback: 'tries: 9' },
      pays('b', 30),
      { name: 'c', onError: 'handled' },
    ],
    {
      a: ({ nth }) => {
        if (nth === 0) throw new Error('connection reset');
        return 'a';
      },
    },
    'budgets: { cents: 60, calls: 3 }',
  );
  const run = await line.begin();
  run.send('go');
  await run.at('handled');
  expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'a', 'b']);
  await run.close();
});
