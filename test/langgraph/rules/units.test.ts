/** Where nodes run beside each other, a unit is one node: work over two of them is two units, or one node with both in it (docs/decisions). */
import { expect, test } from 'vitest';
import { graphOf, once } from './little.ts';

/** Quotes and pays beside a look and what follows it, superstep by superstep; then tells of both. */
const sideBySide = () =>
  graphOf(
    {
      quote: {},
      look: { rollback: 'joint: [NOTE]' },
      pay: { reads: ['quote_is'], tool: 'effect: irreversible' },
      note: { reads: ['look_is'] },
      tell: {},
    },
    (graph) =>
      graph
        .addEdge('__start__', 'quote')
        .addEdge('__start__', 'look')
        .addEdge('quote', 'pay')
        .addEdge('look', 'note')
        .addEdge(['pay', 'note'], 'tell'),
    { held: ['tell'], answers: { look: once } },
  );

test('a task beside the first of two nodes is found wrong: the payment of the second is neither undone nor made again', async () => {
  const it = await sideBySide();
  await it.world.at('tell');
  await it.wrong('look');
  expect(await it.ends()).toMatchObject({ look_is: 'good', quote_is: 'quote0', pay_is: 'pay0', tell_is: 'tell0' });
  expect(['quote', 'look', 'pay', 'note'].map(it.world.count)).toEqual([1, 2, 1, 2]);
});

test('with both in one node, that node stands as it is', async () => {
  const it = await graphOf(
    {
      buy: {
        tool: 'effect: irreversible',
        does: async (_, world) => {
          const quote = await world.tool('log')({});
          return { buy_is: await world.tool('buy')({ quote }) };
        },
      },
      look: { rollback: 'joint: [NOTE]' },
      note: { reads: ['look_is'] },
      tell: {},
    },
    (graph) =>
      graph
        .addEdge('__start__', 'buy')
        .addEdge('__start__', 'look')
        .addEdge('look', 'note')
        .addEdge(['buy', 'note'], 'tell'),
    { held: ['tell'], answers: { look: once } },
  );
  await it.world.at('tell');
  await it.wrong('look');
  expect(await it.ends()).toMatchObject({ look_is: 'good', buy_is: 'buy0', tell_is: 'tell0' });
  expect(['log', 'buy', 'look', 'note'].map(it.world.count)).toEqual([1, 1, 2, 2]);
});
