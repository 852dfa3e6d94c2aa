/** `belay run` and `belay resume` with what cannot be done: exit 2, one sentence, and no run begun. */
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENTS, Desk } from './agents.ts';
import { belay, file } from './belay.ts';

const desk = new Desk();
beforeAll(() => desk.ask('run', 'order', '--run', 'order-1'));
afterAll(() => desk.clear());

describe('what cannot be done is said in one sentence, with exit 2, and begins no run', () => {
  test('a module that is not there', async () => {
    expect(await desk.ask('run', 'order', '--machines', 'no.mjs')).toEqual({
      code: 2,
      out: '',
      err: 'no.mjs: cannot_read there is no such file\n',
    });
  });

  test.each<[string, string[], string | RegExp]>([
    ['an agent that is not there', ['run', 'odrer'], /^there is no agent "odrer"\. Did you mean "order"\?\n {2}AGENT/],
    ['an input that is not JSON', ['run', 'order', '--input', '{'], /^--input is not JSON: /],
    [
      'an input that is none of its',
      ['run', 'order', '--input', '7'],
      'order: cannot_open the input is {"item": "tea"}\n',
    ],
    [
      'a run that is there',
      ['run', 'order', '--run', 'order-1'],
      /^there is a run "order-1" already\. To go on with it: belay resume order-1/,
    ],
    ['a name that is none', ['run', 'order', '--run', ''], /^--run: /],
    ['a config that is not there', ['run', 'order', '--config', 'no.yaml'], /^no\.yaml:1:1 cannot_read ENOENT/],
    [
      'a tool that is not there',
      ['run', 'order', '--fail-at', 'apy'],
      '--fail-at: "apy" is no tool of order. Did you mean "pay"?\n',
    ],
    [
      'a call that is none',
      ['run', 'order', '--fail-at', 'pay#0'],
      '--fail-at: calls are counted from 1, so 0 is none of them\n',
    ],
    [
      'a signal without a step',
      ['run', 'order', '--signal', 'TIMEOUT'],
      '--signal needs --fail-at STEP: which call is to fail\n',
    ],
    [
      'a time without a step',
      ['run', 'order', '--when', 'after'],
      '--when needs --fail-at STEP: which call is to fail\n',
    ],
    [
      'a signal of the machine',
      ['run', 'order', '--fail-at', 'pay', '--signal', 'CHAIN_EXCEPTION'],
      /^--fail-at: CHAIN_EXCEPTION comes from the machine itself/,
    ],
    [
      'a denial after the call',
      ['run', 'order', '--fail-at', 'pay', '--signal', 'GOVERNOR_DENIED', '--when', 'after'],
      /^--fail-at: GOVERNOR_DENIED comes before the call/,
    ],
    [
      'an output that nobody refuses',
      ['run', 'order', '--fail-at', 'ship', '--signal', 'INVALID_OUTPUT'],
      /^--signal INVALID_OUTPUT: whatever "ship" answers is taken/,
    ],
    [
      'a run to resume that is not there',
      ['resume', 'oder-1'],
      'belay.sqlite: run_unknown There is no run "oder-1". Did you mean "order-1"?\n',
    ],
    [
      'a call without a word on it',
      ['resume', 'order-1', '--settle', 'pay'],
      '--settle needs --as: confirmed, failed, compensated\n',
    ],
    [
      'a person without a name',
      ['resume', 'order-1', '--settle', 'pay', '--as', 'failed', '--by', ' '],
      '--by needs a name: who says so?\n',
    ],
    [
      'a reason of no person',
      ['resume', 'order-1', '--settle', 'pay', '--as', 'failed', '--why', 'seen'],
      '--why goes with --by NAME: who says so?\n',
    ],
    ['a person without a word', ['resume', 'order-1', '--by', 'ann'], '--by and --why go with --settle EFFECT\n'],
    ['a word without a call', ['resume', 'order-1', '--as', 'failed'], '--as needs --settle EFFECT: of which call?\n'],
    [
      'an answer of what did not happen',
      ['resume', 'order-1', '--settle', 'pay', '--as', 'failed', '--by', 'ann', '--output', '1'],
      /^--output goes with --as confirmed/,
    ],
    [
      'two things at once',
      ['resume', 'order-1', '--settle', 'pay', '--as', 'failed', '--by', 'ann', '--rerun'],
      /^--settle and --rerun exclude each other/,
    ],
    [
      'a rerun that nobody advised',
      ['resume', 'order-1', '--rerun'],
      /^no rerun is advised for "order-1": it is not parked/,
    ],
    [
      'a call that is settled',
      ['resume', 'order-1', '--settle', 'pay', '--as', 'failed', '--by', 'ann'],
      '--settle: no open call is called "pay". Nothing in this run waits to be settled.\n',
    ],
    [
      'a key of a call that is settled',
      ['resume', 'order-1', '--settle', '["order-1","Payment","tea",0,"pay",0]', '--as', 'failed', '--by', 'ann'],
      /^--settle: "pay" is confirmed already, so it can only be compensated/,
    ],
  ])('%s', async (_name, args, complaint) => {
    const { code, out, err } = await desk.ask(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/^config_unreviewed.*\n/, '')).toMatch(complaint);
  });

  test('an open call that is named wrongly is refused with those that there are', async () => {
    await desk.ask('run', 'order', '--run', 'misnamed', '--fail-at', 'pay', '--no-reconcilers');
    const { code, err } = await desk.ask('resume', 'misnamed', '--settle', 'row 1', '--as', 'failed', '--by', 'ann');
    expect(code).toBe(2);
    expect(err).toContain('--settle: no open call is called "row 1". There is "row ');
    expect(err).toMatch(/"row \d+" \(pay, unknown\)\.\n/);
    const answerless = await desk.ask('resume', 'misnamed', '--settle', 'pay', '--as', 'confirmed', '--by', 'ann');
    expect(answerless.err).toContain('--as confirmed needs --output JSON: "pay" has to answer by its output schema');
    const wrong = await desk.ask(
      'resume',
      'misnamed',
      '--settle',
      'pay',
      '--as',
      'confirmed',
      '--by',
      'ann',
      '--output',
      '7',
    );
    expect(wrong.err).toContain('--output is not what "pay" answers by its output schema: the output must be string');
  });

  test('a module without agents, and one with something that is none', async () => {
    const none = file('none.mjs', 'export const x = 1;');
    expect(await belay(['run', 'order', '--machines', none])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no_machine'),
    });
    const bad = file('bad.mjs', 'export const agents = { order: { about: "x" } };');
    expect((await belay(['run', 'order', '--machines', bad])).err).toBe(
      `${bad}: bad_agent "order" of its agents has no machine of xstate v5\n`,
    );
    expect((await belay(['run', 'order'], '', {}, dirname(none))).err).toMatch(/^there are no agents to run: /);
  });

  test('an agent that opens nothing, and one whose close answers at once is let go of', async () => {
    const like = (open: string) =>
      `import { agents as own } from ${JSON.stringify(pathToFileURL(AGENTS).href)};
       export const agents = { order: { ...own.order, open: async (of) => ${open} } };`;
    const nothing = file('nothing.mjs', like('undefined'));
    expect(await desk.ask('run', 'order', '--machines', nothing)).toMatchObject({
      code: 2,
      err: expect.stringContaining('order: cannot_open open() has answered with nothing'),
    });
    const atOnce = file('at-once.mjs', like('({ ...(await own.order.open(of)), close: () => {} })'));
    const own = new Desk();
    const { code, out, err } = await own.ask('run', 'order', '--machines', atOnce);
    own.clear();
    expect([code, out.split('\n')[0], err]).toEqual([
      0,
      expect.stringContaining('done'),
      expect.not.stringContaining('cannot_'),
    ]);
  });

  test('nothing of this has left a run or a folder', async () => {
    const runs = (await desk.json('runs')).map(({ run }) => run);
    expect(runs.filter((run) => /^order-/.test(run))).toEqual([...new Set(runs.filter((run) => /^order-/.test(run)))]);
    expect((await desk.ask('run', 'order', '--input', '7')).code).toBe(2);
    const [next] = /^order-\d+/.exec((await desk.ask('run', 'order')).out) as RegExpExecArray;
    expect(next).toBe(`order-${runs.filter((run) => /^order-/.test(run)).length + 1}`);
  });
});
