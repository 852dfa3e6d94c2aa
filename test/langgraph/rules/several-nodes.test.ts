/** A unit over several nodes, in graphs that run one node at a time: it lives from its first node to the node that leaves it (docs/decisions). */
import { Command, interrupt } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { until } from '../../poll.ts';
import { graphOf, type LittleNode, line, once } from './little.ts';

const PAY = 'effect: irreversible, reconcile: find';

/** A unit that quotes and then pays, and what tells of it. */
const buying = (quote: LittleNode = {}, pay: LittleNode = {}) => ({
  quote: { unit: 'Buy', ...quote },
  pay: { unit: 'Buy', reads: ['quote_is'], ...pay },
  tell: { reads: ['pay_is'] },
});

describe('what is found wrong', () => {
  test('in its first node, while the second acts, is done again from there', async () => {
    const it = await graphOf(buying(), line('quote', 'pay', 'tell'), { held: ['pay'], answers: { quote: once } });
    await it.world.at('pay');
    await it.wrong('quote');
    expect(await it.ends()).toEqual({ quote_is: 'good', pay_is: 'pay0', tell_is: 'tell0' });
    expect(it.world.ran).toEqual(['quote', 'pay', 'quote', 'pay', 'tell']);
    expect(it.world.acts.map(({ input }) => input)).toContainEqual({ quote_is: 'good' });
  });

  test('in its second node takes the first one back, too: a unit without boundaries within has one position, its entry', async () => {
    const it = await graphOf(buying(), line('quote', 'pay', 'tell'), { held: ['tell'], answers: { pay: once } });
    await it.world.at('tell');
    await it.wrong('pay');
    expect(await it.ends()).toEqual({ quote_is: 'quote1', pay_is: 'good', tell_is: 'tell0' });
  });

  test('in its second node leaves the first one as it is, where a commit lies on the edge between them', async () => {
    const nodes = buying({ commits: { 'quote -> pay': 'quote_is' } });
    const it = await graphOf(nodes, line('quote', 'pay', 'tell'), { held: ['tell'], answers: { pay: once } });
    await it.world.at('tell');
    await it.wrong('pay');
    expect(await it.ends()).toEqual({ quote_is: 'quote0', pay_is: 'good', tell_is: 'tell0' });
    expect(it.world.ran).toEqual(['quote', 'pay', 'tell', 'pay', 'tell']);
  });

  test('beyond a payment of its own parks the run', async () => {
    const it = await graphOf(buying({}, { tool: PAY }), line('quote', 'pay', 'tell'), {
      held: ['tell'],
      answers: { quote: once },
    });
    await it.world.at('tell');
    await it.wrong('quote');
    expect(await it.ends()).toMatchObject({ message: expect.stringMatching(/irreversible_effect_policy/) });
    expect(it.world.count('pay')).toBe(1);
  });

  test('behind it does not concern it', async () => {
    const nodes = { ...buying({}, { tool: PAY }), look: {}, sum: { reads: ['look_is'] } };
    const it = await graphOf(nodes, line('quote', 'pay', 'look', 'sum', 'tell'), {
      held: ['sum'],
      answers: { look: once },
    });
    await it.world.at('sum');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({ quote_is: 'quote0', pay_is: 'pay0', look_is: 'good' });
    expect(it.world.ran).toEqual(['quote', 'pay', 'look', 'sum', 'look', 'sum', 'tell']);
  });
});

describe('a boundary in its second node', () => {
  /** Pays twice in one node, where the second payment cannot be made at first. */
  const paying = (commits: Record<string, string>) =>
    buying(
      {},
      {
        commits,
        does: async ({ quote_is }, world) => {
          const first = await world.tool('log')({ quote_is });
          return { pay_is: [first, await world.tool('pay')({ quote_is })] };
        },
        tool: 'effect: none',
      },
    );

  test('keeps what was answered before, in that node and in the one before', async () => {
    let isDead = true;
    const pay = () => {
      if (!isDead) return 'paid';
      isDead = false;
      throw new Error('the line is dead');
    };
    const nodes = { ...paying({ pay: '' }), pay: { ...paying({ pay: '' }).pay, tool: 'effect: idempotent' } };
    const it = await graphOf(nodes, line('quote', 'pay', 'tell'), { answers: { pay } });
    expect(await it.ends()).toMatchObject({ quote_is: 'quote0', pay_is: ['log0', 'paid'] });
    expect([it.world.count('quote'), it.world.count('log')]).toEqual([1, 1]);
  });

  test('does not keep the exit from promising what an earlier node wrote', async () => {
    const findings: string[] = [];
    const nodes = paying({ pay: 'quote_is' });
    const it = await graphOf(
      { ...nodes, pay: { ...nodes.pay, promises: 'quote_is, pay_is' } },
      line('quote', 'pay', 'tell'),
      {
        onFinding: ({ code, text }) => {
          if (code === 'not_certified') findings.push(text);
        },
      },
    );
    expect(await it.ends()).toMatchObject({ quote_is: 'quote0' });
    expect(findings).toEqual([]);
  });
});

test('a reply that is lost in its second node is asked about: neither node acts twice', async () => {
  let isLost = true;
  const pay = () => {
    if (!isLost) return 'paid twice';
    isLost = false;
    throw new Error('socket hang up');
  };
  const it = await graphOf(buying({}, { tool: PAY }), line('quote', 'pay', 'tell'), { answers: { pay } });
  expect(await it.ends()).toMatchObject({ quote_is: 'quote0', pay_is: 'pay0' });
  expect([it.world.count('quote'), it.world.count('pay'), it.world.asked.length]).toEqual([1, 1, 1]);
});

describe('a node that comes twice in one unit', () => {
  const looping = (held: string[], answers = {}) =>
    graphOf(
      {
        draft: { unit: 'Write', reads: ['check_is'] },
        check: { unit: 'Write', reads: ['draft_is'] },
        send: { reads: ['draft_is'], tool: PAY },
      },
      (graph) =>
        graph
          .addEdge('__start__', 'draft')
          .addEdge('draft', 'check')
          .addConditionalEdges('check', ({ check_is }) => (check_is === 'check0' ? 'draft' : 'send'), ['draft', 'send'])
          .addEdge('send', '__end__'),
      { held, answers },
    );

  test('is one piece of work: one occurrence is there of the unit', async () => {
    const it = await looping(['send']);
    await it.world.at('send');
    await expect(
      it.run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Write', entity: 'it', ordinal: 1 } }),
    ).rejects.toMatchObject({ code: 'bad_failure' });
    expect(await it.ends()).toMatchObject({ draft_is: 'draft1', check_is: 'check1', send_is: 'send0' });
  });

  test('makes its calls under keys of their own, and a second try under the same', async () => {
    const it = await looping(['send'], { draft: (nth: number) => (nth === 1 ? 'bad' : `draft${nth}`) });
    await it.world.at('send');
    await it.wrong('draft');
    expect(await it.ends()).toMatchObject({ send_is: 'send0' });
    expect(it.world.ran).toEqual(['draft', 'check', 'draft', 'check', 'send', 'draft', 'check', 'send']);
  });
});

describe('a unit that lies beyond the cut', () => {
  const behind = (answers: NonNullable<Parameters<typeof graphOf>[2]>['answers'] = {}, reads: readonly string[] = []) =>
    graphOf(
      { look: {}, quote: { unit: 'Buy', reads }, pay: { unit: 'Buy', reads: ['quote_is'], tool: PAY }, tell: {} },
      (graph) =>
        graph
          .addEdge('__start__', 'look')
          .addEdge('look', 'quote')
          .addConditionalEdges('quote', ({ quote_is }) => (quote_is === 'none' ? 'tell' : 'pay'), ['pay', 'tell'])
          .addEdge('pay', 'tell'),
      { held: ['tell'], answers },
    );

  test('C2, C5: is set aside whole and taken over whole: it runs no node again, and pays once', async () => {
    const it = await behind({ look: once });
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', quote_is: 'quote0', pay_is: 'pay0', tell_is: 'tell0' });
    expect(it.world.ran).toEqual(['look', 'quote', 'pay', 'tell', 'look', 'tell']);
  });

  test('C2: is not set aside where its first node read what goes back, and blocks where the second has paid', async () => {
    const it = await behind({ look: once }, ['look_is']);
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({ message: expect.stringMatching(/irreversible_effect_policy/) });
  });

  test('C6: is not set aside where an edge within it read what goes back', async () => {
    const it = await graphOf(
      {
        look: { rollback: 'joint: [Buy, TELL]' },
        quote: { unit: 'Buy' },
        note: { unit: 'Buy' },
        mark: { unit: 'Buy' },
        tell: {},
      },
      (graph) =>
        graph
          .addEdge('__start__', 'look')
          .addEdge('look', 'quote')
          .addConditionalEdges('quote', ({ look_is }) => (look_is === 'good' ? 'note' : 'mark'), ['note', 'mark'])
          .addEdge('note', 'tell')
          .addEdge('mark', 'tell'),
      { held: ['tell'], answers: { look: once } },
    );
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({ look_is: 'good', note_is: 'note0' });
    expect(it.world.ran).toEqual(['look', 'quote', 'mark', 'tell', 'look', 'quote', 'note', 'tell']);
  });

  test('C5a: leads on by the state as it is now', async () => {
    const it = await graphOf(
      { look: {}, quote: { unit: 'Buy' }, pay: { unit: 'Buy', tool: PAY }, good: {}, bad: {} },
      (graph) =>
        graph
          .addEdge('__start__', 'look')
          .addEdge('look', 'quote')
          .addEdge('quote', 'pay')
          .addConditionalEdges('pay', ({ look_is }) => look_is as string, ['good', 'bad']),
      { held: ['bad'], answers: { look: once } },
    );
    await it.world.at('bad');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', quote_is: 'quote0', pay_is: 'pay0', good_is: 'good0' });
    expect([it.world.count('quote'), it.world.count('pay')]).toEqual([1, 1]);
  });
});

describe('a question in its second node', () => {
  const asking = (options: Parameters<typeof graphOf>[2] = {}) =>
    graphOf(
      buying(
        {},
        {
          does: async ({ quote_is }, world) => {
            const may = interrupt(`Pay ${quote_is}?`);
            return { pay_is: await world.tool('pay')({ quote_is, may }) };
          },
          tool: PAY,
        },
      ),
      line('quote', 'pay', 'tell'),
      options,
    );

  test('is answered once, and the first node does not run again', async () => {
    const it = await asking();
    await until(() => it.run.questions().length === 1);
    const ended = await it.run.resume(new Command({ resume: 'yes' }));
    expect(ended).toMatchObject({ quote_is: 'quote0', pay_is: 'pay0' });
    expect(it.world.acts.find(({ tool }) => tool === 'pay')?.input).toEqual({ quote_is: 'quote0', may: 'yes' });
    expect(it.world.ran).toEqual(['quote', 'pay', 'pay', 'tell']);
    await it.run.close();
  });

  test('is asked anew where the first node is done again', async () => {
    const it = await asking({ answers: { quote: once }, held: ['pay'] });
    await until(() => it.run.questions().length === 1);
    it.run.resume(new Command({ resume: 'yes' })).catch(() => {});
    await it.world.at('pay');
    await it.wrong('quote');
    await until(() => it.run.questions().length === 1);
    expect(it.run.questions()[0]?.value).toBe('Pay good?');
    it.world.letGo();
    expect(await it.run.resume(new Command({ resume: 'now' }))).toMatchObject({ quote_is: 'good', pay_is: 'pay0' });
    await it.run.close();
  });
});
