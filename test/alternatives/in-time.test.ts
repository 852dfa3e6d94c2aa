/** AL4, AL10: no branch is given up before its time: before its counterparty has said what it will, or by time in which it could do nothing. */
import { expect, test } from 'vitest';
import { run, type Seen } from './agent.ts';
import type { Scenario } from './scenario.ts';
import { play } from './trial.ts';

const LOOK = '  look: { reads: [], writes: [], effect: none }';
const BOOK = `  book: { reads: [], writes: ['seat:{args.branch}'], effect: compensable, undo: un, reconcile: { ask: find, settles_within: 1m } }`;
const PLAIN = { rule: 'best', losers: 'owe', fault: null, word: null, crash: null, person: 'never' } as const;
const BOTH = [['compensable'], ['compensable']] as const;

/** The books of a course that are in the world. */
const bookedIn = ({ world }: Awaited<ReturnType<typeof play>>) =>
  [...world.acts.values()].flatMap(({ branch, isThere }) => (isThere && branch !== null ? [branch] : []));

test('AL10: a branch waits until its counterparty has to know what became of its call', async () => {
  const course = await play({ ...PLAIN, branches: BOTH, fault: { is: 'settles', branch: 1 } });
  expect(course.ending?.status).toBe('done');
  expect(course.context.won).toBe('b1');
  expect(bookedIn(course)).toEqual(['b1']);
});

test('AL10: so it does in the process that takes the run up', async () => {
  for (const append of [8, 10, 12, 14]) {
    const crash = { append, when: 'after' } as const;
    const course = await play({ ...PLAIN, branches: BOTH, fault: { is: 'settles', branch: 1 }, crash });
    expect([append, course.ending?.status, course.context.won]).toEqual([append, 'done', 'b1']);
  }
});

test('AL4: a branch that is over waits until its counterparty has to know what became of a call that it left', async () => {
  const act = ({ tool }: Seen) => (tool === 'book' ? new Promise(() => {}) : tool);
  let asked = 0;
  const find = () => {
    asked += 1;
    return { is: Date.now() > since + 60_000 ? ('applied' as const) : ('not_applied' as const) };
  };
  let since = 0;
  const given = { branches: { rome: ['left'], oslo: ['look'] }, tools: [LOOK, BOOK].join('\n'), act, find };
  const { context, ending } = await run(
    { ...given, choose: `rule: best, score: 'entity == "rome" ? 1 : 0'` },
    async () => {
      since = Date.now();
    },
  );
  expect([ending.status, context.won]).toEqual(['done', 'rome']);
  expect(asked).toBeGreaterThan(1);
});

test('AL10: so does a branch whose machine would go on where the call fails', async () => {
  let since = 0;
  const act = ({ tool, branch }: Seen) => {
    if (branch === 'rome') throw new Error('the reply is lost');
    return tool;
  };
  const find = () => ({
    is: Date.now() > since + 30_000 ? ('applied' as const) : ('not_applied' as const),
    output: 'seat',
  });
  const { context, ending } = await run(
    {
      ...{ branches: { rome: ['caught'], oslo: ['look'] }, tools: [LOOK, BOOK].join('\n'), act, find },
      choose: `rule: best, score: 'event.output.outs[0] == "none" ? 0 : (entity == "rome" ? 2 : 1)'`,
    },
    async () => {
      since = Date.now();
    },
  );
  expect([ending.status, context.won, context.out]).toEqual(['done', 'rome', { outs: ['seat'] }]);
});

test('AL4: of the first, too, a branch that is over before another waits for what became of a call that it left', async () => {
  let since = 0;
  const slow = ({ tool }: Seen) =>
    tool === 'book' ? new Promise(() => {}) : new Promise((resolve) => setTimeout(resolve, 500, tool));
  for (const isBooked of [true, false]) {
    const find = () => ({
      is: isBooked && Date.now() > since + 30_000 ? ('applied' as const) : ('not_applied' as const),
    });
    const { context, ending } = await run(
      {
        ...{ branches: { rome: ['left'], oslo: ['look'] }, tools: [LOOK, BOOK].join('\n'), act: slow, find },
        choose: 'rule: first',
      },
      async () => {
        since = Date.now();
      },
    );
    expect([ending.status, context.won]).toEqual(['done', 'rome']);
  }
  const { context } = await run({
    ...{ branches: { rome: ['left'], oslo: ['look'] }, tools: [LOOK, BOOK].join('\n'), act: slow },
    choose: 'rule: first, deadline: 5s',
  });
  expect(context.won).toBe('oslo');
});

test('AL4: the time in which no process had the run is none of its branches', async () => {
  const of: Scenario = { ...PLAIN, branches: BOTH, isDead: true };
  const alive = await play(of);
  for (let append = 4; append < alive.appends; append += 1) {
    const course = await play({ ...of, crash: { append, when: append % 2 === 0 ? 'after' : 'lost' }, person: 'helps' });
    expect([append, course.ending?.status, course.context.won]).toEqual([append, 'done', 'b1']);
  }
});

test('AL4: the time of a pause is none of the branches', async () => {
  const act = ({ branch }: Seen) => new Promise((resolve) => setTimeout(resolve, 50, branch));
  const { context } = await run(
    {
      branches: { rome: ['look', 'look'], oslo: ['wait'] },
      tools: LOOK,
      act,
      choose: 'rule: best, score: "1", deadline: 150ms',
    },
    async (own) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await own.pause({ by: 'ada' });
      await new Promise((resolve) => setTimeout(resolve, 400));
      await own.unpause({ by: 'ada' });
    },
  );
  expect(context.won).toBe('rome');
});
