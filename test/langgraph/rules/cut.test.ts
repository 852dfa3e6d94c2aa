/** C1 to C4 in graphs: what goes back where something is found wrong, what is set aside, and that nothing sees that. */
import { Command, interrupt } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { until } from '../../poll.ts';
import { graphOf, line, once } from './little.ts';

describe('C1: each task of a superstep has control of its own, and the barrier behind it reads them all', () => {
  test('one of two tasks is found wrong behind the barrier: the barrier goes back, it is done again, and the other stands', async () => {
    const it = await graphOf(
      { b: {}, c: {}, z: { reads: ['b_is'] } },
      (graph) => graph.addEdge('__start__', 'b').addEdge('__start__', 'c').addEdge(['b', 'c'], 'z'),
      { held: ['z'], answers: { b: once } },
    );
    await it.world.at('z');
    await it.wrong('b');
    expect(await it.ends()).toEqual({ b_is: 'good', c_is: 'c0', z_is: 'z0' });
    expect(it.world.acts.map(({ tool, input }) => [tool, input.b_is])).toEqual([
      ['b', undefined],
      ['c', undefined],
      ['b', undefined],
      ['z', 'good'],
    ]);
  });
});

describe('C1a: the barrier is one step', () => {
  test('undone for one of the tasks behind it, it is undone for the other, whose call keeps its answer', async () => {
    const it = await graphOf(
      { b: {}, c: {}, y: { reads: ['b_is'] }, z: { reads: ['c_is'], tool: 'effect: idempotent' } },
      (graph) =>
        graph.addEdge('__start__', 'b').addEdge('__start__', 'c').addEdge(['b', 'c'], 'y').addEdge(['b', 'c'], 'z'),
      { held: ['y'], answers: { b: once } },
    );
    await it.world.at('y');
    await until(() => it.world.count('z') === 1);
    await it.run.durable();
    await it.wrong('b');
    expect(await it.ends()).toEqual({ b_is: 'good', c_is: 'c0', y_is: 'y0', z_is: 'z0' });
    // Control came to z twice, and z acted once; c stands.
    expect(it.world.ran.filter((node) => 'cz'.includes(node))).toEqual(['c', 'z', 'z']);
    expect(it.world.count('z')).toBe(1);
  });
});

describe('C1b: an answer to a question is an event from outside', () => {
  test('taken back with what was asked about, it is not given again: the graph asks anew', async () => {
    const it = await graphOf(
      {
        price: { rollback: 'joint: [ASK]' },
        ask: { does: ({ price_is }) => ({ ask_is: interrupt(`Pay ${price_is}?`) }) },
        pay: {},
      },
      line('price', 'ask', 'pay'),
      { held: ['pay'], answers: { price: once } },
    );
    expect(await it.going).toMatchObject({ __interrupt__: [{ value: 'Pay bad?' }] });
    void it.run.resume(new Command({ resume: 'yes' })).catch(() => {});
    await it.world.at('pay');
    await it.wrong('price');
    it.world.letGo();
    expect(await it.run.invoke()).toMatchObject({ __interrupt__: [{ value: 'Pay good?' }] });
    expect(it.world.count('pay')).toBe(0);
    expect(await it.run.resume(new Command({ resume: 'no' }))).toEqual({
      price_is: 'good',
      ask_is: 'no',
      pay_is: 'pay0',
    });
    await it.run.close();
  });

  test('a question that waits is taken back with what it was asked about, and takes no answer until it is asked anew', async () => {
    let answer = (_: string) => {};
    const again = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const it = await graphOf(
      { price: {}, ask: { does: ({ price_is }) => ({ ask_is: interrupt(`Pay ${price_is}?`) }) } },
      line('price', 'ask'),
      { answers: { price: (nth) => (nth === 0 ? 'bad' : again) } },
    );
    expect(await it.going).toMatchObject({ __interrupt__: [{ value: 'Pay bad?' }] });
    await it.wrong('price');
    expect(it.run.questions()).toEqual([]);
    await expect(it.run.resume(new Command({ resume: 'yes' }))).rejects.toMatchObject({ code: 'no_question' });
    answer('good');
    expect(await it.run.invoke()).toMatchObject({ __interrupt__: [{ value: 'Pay good?' }] });
    expect(await it.run.resume(new Command({ resume: 'no' }))).toEqual({ price_is: 'good', ask_is: 'no' });
    await it.run.close();
  });
});

describe('C2: what is beyond the cut and read nothing of it is set aside', () => {
  test('a payment behind a look that is found wrong is neither undone nor made again', async () => {
    const it = await graphOf(
      { look: {}, pay: { tool: 'effect: irreversible' }, tell: {} },
      line('look', 'pay', 'tell'),
      {
        held: ['tell'],
        answers: { look: once },
      },
    );
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', pay_is: 'pay0', tell_is: 'tell0' });
    expect([it.world.count('look'), it.world.count('pay'), it.world.undone]).toEqual([2, 1, []]);
  });

  test('one that has read what was found wrong is none of these, and the run is parked', async () => {
    const it = await graphOf(
      { look: {}, pay: { tool: 'effect: irreversible', reads: ['look_is'] }, tell: {} },
      line('look', 'pay', 'tell'),
      { held: ['tell'], answers: { look: once } },
    );
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({
      code: 'run_parked',
      message: expect.stringMatching(/irreversible_effect_policy/),
    });
    expect([it.world.count('look'), it.world.count('pay')]).toEqual([1, 1]);
  });
});

/** A graph that goes left while the look is wrong, and right once it is not; left leads on to a node that reads what it wrote. */
const forked = () =>
  graphOf(
    {
      look: {},
      left: {},
      more: { reads: ['left_is'] },
      right: { does: (state) => ({ right_is: Object.keys(state).sort().join() }) },
      tell: {},
    },
    (graph) =>
      graph
        .addEdge('__start__', 'look')
        .addConditionalEdges('look', ({ look_is }) => (look_is === 'bad' ? 'left' : 'right'), ['left', 'right'])
        .addEdge('left', 'more')
        .addEdge('more', 'tell')
        .addEdge('right', 'tell'),
    { held: ['tell'], answers: { look: once } },
  );

describe('C3: what is set aside is invisible', () => {
  test('a node of the other branch sees no channel that a record wrote, and neither does the end', async () => {
    const it = await forked();
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', right_is: 'look_is', tell_is: 'tell0' });
  });
});

describe('C4: work that has read what is set aside goes with it', () => {
  test('a node that rests on a record of the branch that is left does not stand alone', async () => {
    const it = await forked();
    await it.world.at('tell');
    await it.wrong('look');
    const ended = await it.ends();
    expect(Object.keys(ended)).not.toContain('more_is');
    expect([it.world.count('left'), it.world.count('more')]).toEqual([1, 1]);
  });
});
