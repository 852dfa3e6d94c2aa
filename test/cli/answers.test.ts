/** Answers that reach a living process, answers that somebody forges, and `belay settle` for a call of unknown outcome. */
import { describe, expect, test } from 'vitest';
import { type Answered, answeredCode, answeredText } from '../../src/cli/approvals/answering.ts';
import { movesOn } from '../../src/cli/explain/moves.ts';
import { JOURNAL } from '../../src/cli/reading/place.ts';
import { readRun } from '../../src/cli/reading/reading.ts';
import { argsDigest } from '../../src/effects/digest.ts';
import { type Answer, messageOf } from '../../src/effects/messages/answers.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Line } from '../sidecar/stations.ts';
import { answers, asked, desk, LOSES, openOffice, post, row } from './office.ts';

openOffice();

const TAKEN = 'The process that has the run has taken it';

describe('a living process', () => {
  test('takes an answer while the verb waits for that, or later, goes on, and is said to', async () => {
    const running = desk.begin('run', 'office', '--run', 'alive', '--input', '{"stays":true}');
    await desk.until('alive', ({ effects }) => effects.some(({ tool }) => tool === 'send'));
    expect((await desk.ask('runs')).out).toMatch(/alive +office +running +approval of send +\w+\n/);
    const [{ gate }] = await desk.json('approvals', 'alive');
    const { code, out } = await desk.ask('approve', gate, '--by', 'Ada');
    // A busy machine may take longer than the two seconds for which the verb waits.
    const isLate = out.includes('which has not');
    expect([code, out]).toEqual([0, isLate ? expect.anything() : expect.stringContaining(`${TAKEN}.\n`)]);
    expect(await running.closed).toMatchObject({ code: 0, out: row('mail', 1) });
    expect((await answers('alive')).map(({ verdict, by }) => [verdict, by])).toEqual([['approved', 'Ada']]);
  });

  test('need not be waited for', async () => {
    const running = desk.begin('run', 'office', '--run', 'strict', '--input', '{"stays":true}');
    await desk.until('strict', ({ effects }) => effects.some(({ tool }) => tool === 'send'));
    const [{ gate }] = await desk.json('approvals', 'strict');
    const denied = await desk.ask('deny', gate, '--by', 'Bob', '--no-wait', '--json');
    expect(denied.code).toBe(0);
    expect(JSON.parse(denied.out)).toMatchObject({ held: true, taken: null, next: 'belay approvals strict' });
    // A no is final: the work is done again as often as it may be, and nobody is asked twice.
    expect(await running.closed).toMatchObject({ code: 1 });
    expect(await desk.json('approvals', 'strict')).toEqual([]);
    expect((await answers('strict')).map(({ verdict, by }) => [verdict, by])).toEqual([['denied', 'Bob']]);
  });

  test('that refuses an answer is said to, with its reason and exit 1', () => {
    const answered: Answered = {
      run: 'r',
      gate: 'g',
      tool: 'send',
      verdict: 'approved',
      by: 'Ada',
      why: null,
      post: 1,
      held: true,
      taken: { verdict: 'refused', why: 'it has expired' },
      next: null,
    };
    expect(answeredCode(answered)).toBe(1);
    const medium = { columns: 80, colours: false };
    const told = answeredText(answered, medium);
    expect(told).toBe(
      'g: send of r is approved by "Ada"\n  The process that has the run refuses it: it has expired.\n',
    );
    const taken = { ...answered, taken: { verdict: 'approved', why: null } } as const;
    expect(answeredText(taken, medium)).toContain(TAKEN);
    expect(answeredText({ ...answered, taken: null, next: 'belay approvals r' }, medium)).toMatch(
      /has not\s+taken\s+it\s+yet\.\s+This\s+shows\s+whether\s+it\s+has:\n {2}belay approvals r\n$/,
    );
  });
});

describe('a message that somebody forges', () => {
  test('never opens a gate, and is refused with its reason', async () => {
    const { gate, digest, epoch } = await asked('forged');
    const answer = { gate, digest, epoch, by: 'Eve', why: null, verdict: 'approved' } satisfies Answer;
    const garbage = 'x'.repeat(60 * 1024);
    for (const body of [
      messageOf({ ...answer, digest: argsDigest({ to: 'eve' }, null) }),
      messageOf({ ...answer, epoch: epoch + 1 }),
      messageOf({ ...answer, gate: '000000000000' }),
      messageOf({ ...answer, verdict: 'settled', status: 'confirmed', output: 'x' }),
      messageOf({ ...answer, by: '' }),
      JSON.stringify({ ...answer, more: 1 }),
      'no JSON',
      '{"gate":',
      garbage,
      JSON.stringify({ ...answer, why: garbage }),
    ])
      await post('forged', body);
    const [listed] = await desk.json('approvals', 'forged');
    expect(listed.status).toBe('pending');
    const { code, out } = await desk.ask('resume', 'forged');
    expect([code, out]).toEqual([1, row('mail', 0)]);
    expect(await answers('forged')).toEqual([
      { verdict: 'refused', by: 'Eve', why: 'it is for other arguments' },
      { verdict: 'refused', by: 'Eve', why: `it is for epoch ${epoch} of its instance, which is at ${epoch + 1}` },
      { verdict: 'refused', by: 'Eve', why: 'no request asks for it' },
      { verdict: 'refused', by: 'Eve', why: 'it asks for an approval' },
      ...Array.from({ length: 6 }, () => ({ verdict: 'refused', by: null, why: 'it is no answer' })),
    ]);
    await desk.ask('approve', gate, '--by', 'Ada');
    expect((await desk.ask('resume', 'forged')).out).toEqual(row('mail', 1));
  });

  test('with a name that a terminal would obey is printed harmless', async () => {
    const { gate } = await asked('hostile');
    const name = 'Ada\u001b[2J\u202e\nroot';
    const approved = await desk.ask('approve', gate, '--by', name, '--why', '\u001b]0;x\u0007');
    const left = await desk.ask('approvals', 'hostile');
    await desk.ask('resume', 'hostile');
    const all = await desk.ask('approvals', 'hostile', '--all');
    for (const { out } of [approved, left, all]) {
      expect(out).toContain('Ada\\u001b[2J');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
    }
  });
});

describe('a question what became of a call', () => {
  test('is asked where the reply was lost, and settled by whoever knows', async () => {
    const { gate } = await asked('lost', ...LOSES);
    await desk.ask('approve', gate, '--by', 'Ada');
    const parked = await desk.ask('resume', 'lost', ...LOSES);
    expect(parked.code).toBe(1);
    const [outcome] = await desk.json('approvals', 'lost');
    expect(outcome).toMatchObject({ asks: 'outcome', tool: 'send', expires: null });
    const commands = [
      `belay settle ${outcome.gate} --as confirmed --output JSON --by NAME`,
      `belay settle ${outcome.gate} --as failed --by NAME`,
    ];
    expect(outcome.commands).toEqual(commands);
    const approved = await desk.ask('approve', outcome.gate, '--by', 'Ada');
    expect(approved).toMatchObject({
      code: 1,
      err: expect.stringContaining(`what became of the call: ${commands[0]}`),
    });
    const needed = { err: expect.stringContaining('--as confirmed needs --output JSON: what "send" answered') };
    const bare = ['--as', 'confirmed', '--by', 'Ada'];
    expect(await desk.ask('settle', outcome.gate, ...bare)).toMatchObject({ code: 1, ...needed });
    expect(await desk.ask('settle', outcome.key, '--run', 'lost', ...bare)).toMatchObject({ code: 1, ...needed });
    expect(await desk.ask('resume', 'lost', '--settle', 'send', ...bare, ...LOSES)).toMatchObject({
      code: 2,
      ...needed,
    });
    const said = ['--as', 'confirmed', '--output', '"found it"', '--by', 'Ada', '--why', 'saw it'];
    const settled = await desk.ask('settle', outcome.gate, ...said);
    expect([settled.code, settled.out]).toEqual([0, expect.stringContaining('send of lost is confirmed by "Ada"\n')]);
    const { code, out } = await desk.ask('resume', 'lost', ...LOSES);
    expect([code, out]).toEqual([0, row('mail', 1)]);
    expect((await desk.ask('approvals', 'lost', '--all')).out).toContain('\n  is     settled by "Ada": "saw it"\n');
  });

  test('is answered to a living process by a message, as that has the run', async () => {
    const loses = {
      a: () => {
        throw new Error('connection reset');
      },
    };
    const journal = memoryStore();
    const run = await new Line([{ name: 'a', tool: 'effect: irreversible' }], loses).begin({ journal });
    run.send('go');
    await run.finished();
    await run.sidecar.durable();
    const [gate] = run.sidecar.gates();
    expect(movesOn(await readRun(journal, 'r'), JOURNAL).map(({ command }) => command)).toEqual([
      `belay settle ${gate?.gate} --as confirmed --output JSON --by NAME`,
      `belay settle ${gate?.gate} --as failed --by NAME`,
    ]);
    await run.close();
    expect(movesOn(await readRun(journal, 'r'), JOURNAL).map(({ command }) => command)).toEqual([
      'belay resume r --settle a --as confirmed --output JSON --by NAME',
      'belay resume r --settle a --as failed --by NAME',
    ]);
  });

  test('that failed, so that the call is made again', async () => {
    const { gate } = await asked('gone', ...LOSES);
    await desk.ask('approve', gate, '--by', 'Ada');
    await desk.ask('resume', 'gone', ...LOSES);
    const [outcome] = await desk.json('approvals', 'gone');
    expect(await desk.ask('settle', outcome.gate, '--as', 'failed', '--by', 'Ada')).toMatchObject({ code: 0 });
    // What leaves again is asked about again.
    expect((await desk.ask('resume', 'gone')).code).toBe(1);
    const [again] = await desk.json('approvals', 'gone');
    expect(again).toMatchObject({ asks: 'approval' });
    await desk.ask('approve', again.gate, '--by', 'Ada');
    expect((await desk.ask('resume', 'gone')).out).toEqual(row('mail', 2));
  });

  test('is no question of an approval', async () => {
    const { gate } = await asked('other');
    const { code, err } = await desk.ask('settle', gate, '--as', 'failed', '--by', 'Ada');
    expect(code).toBe(1);
    expect(err).toContain(`${gate} asks for an approval: belay approve ${gate} --by NAME, or belay deny ${gate}`);
  });
});
