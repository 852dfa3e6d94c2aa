/** `belay approvals`, `approve`, `deny` and `settle`: a call that waits for a person, across processes, on a real file. */

import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answered, answeredCode, answeredText } from '../../src/cli/approvals/answering.ts';
import { movesOn } from '../../src/cli/explain/moves.ts';
import { JOURNAL, readRun } from '../../src/cli/reading/reading.ts';
import { type Answer, messageOf } from '../../src/effects/answers.ts';
import { argsDigest } from '../../src/effects/digest.ts';
import { keyOf } from '../../src/effects/keys.ts';
import { EntryDecoder, EntryEncoder } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { AnswerEntry } from '../../src/model/call-entries.ts';
import type { Entry } from '../../src/model/entry.ts';
import { Line } from '../sidecar/stations.ts';
import { Desk, OFFICE, widest } from './agents.ts';
import { belay } from './belay.ts';

const desk = new Desk(OFFICE);
afterAll(() => desk.clear());

const LOSES = ['--input', '{"loses":true}'];
const row = (name: string, count: number) => expect.stringMatching(new RegExp(`\n {2}${name} +${count}\n`));

/** Runs an agent up to its gate, and gives the gate. */
async function asked(run: string, ...more: string[]) {
  await desk.ask('run', 'office', '--run', run, ...more);
  const [gate] = await desk.json('approvals', run);
  return gate as { gate: string; digest: string; epoch: number };
}

/** Leaves a message for a run, as anybody could. */
async function post(run: string, body: string): Promise<number> {
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
  try {
    return store.post(run, body);
  } finally {
    await store.close();
  }
}

/** What the journal of a run says of answers. */
async function answers(run: string): Promise<Pick<AnswerEntry, 'verdict' | 'by' | 'why'>[]> {
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'), { readonly: true });
  try {
    const reader = new EntryDecoder();
    return [...store.read(run)].flatMap((each) => {
      const entry = reader.entry(each);
      return entry?.do === 'answer' ? [{ verdict: entry.verdict, by: entry.by, why: entry.why }] : [];
    });
  } finally {
    await store.close();
  }
}

describe('a call that waits for an approval', () => {
  test('leaves its run at rest, with its gate and the commands that answer it', async () => {
    const { code, out } = await desk.ask('run', 'office', '--run', 'tale');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^tale: at rest, in the state sending, until a person answers whether a\s+call\s+may\s+leave\n/,
    );
    expect(out).toMatch(/\nTo go on\n {2}belay approve [0-9a-f]{12} --by NAME\n {4}lets send be called, once/);
    expect(out).toMatch(/\n {2}belay deny [0-9a-f]{12} --by NAME\n.*\n {2}belay resume tale\n/);
    expect(out).toEqual(row('mail', 0));
    expect((await desk.ask('runs')).out).toMatch(/tale +office +\d+ +\S+ +at rest, waits for 1 approval\n/);
    expect(await desk.json('runs')).toMatchObject([{ run: 'tale', standing: 'waiting', approvals: 1 }]);
    expect((await desk.ask('show', 'tale')).out).toMatch(/^tale: at rest, waits for 1 approval\n/);
    expect((await desk.ask('explain', 'tale')).out).toMatch(/\nTo go on\n {2}belay approve [0-9a-f]{12} --by NAME\n/);
  });

  test('is listed, with what it is asked for in full', async () => {
    const [gate, ...others] = await desk.json('approvals');
    expect(others).toEqual([]);
    expect(gate).toMatchObject({
      run: 'tale',
      held: false,
      asks: 'approval',
      status: 'pending',
      tool: 'send',
      instance: 'Letter::ada::0',
      class: 'irreversible',
      args: { to: 'ada', text: 'Dear ada, all is well.', cents: 80 },
      by: null,
      left: [],
      commands: [`belay approve ${gate.gate} --by NAME`, `belay deny ${gate.gate} --by NAME`],
    });
    expect(gate.digest).toMatch(/^[0-9a-f]{64}$/);
    // Nobody who has only the digest can try arguments against it.
    expect(gate.digest).not.toBe(argsDigest(gate.args, null));
    const { code, out } = await desk.ask('approvals', 'tale');
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9a-f]{12}: may send \(irreversible\) be called\?\n {2}run {4}tale, for Letter::ada::0\n/);
    expect(out).toContain(`\n  belay approve ${gate.gate} --by NAME\n`);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('is shown under the old name of the verb, which says the new one', async () => {
    const { code, out, err } = await desk.ask('gates', 'tale');
    expect([code, err]).toEqual([0, 'belay gates is belay approvals now: the old name will go\n']);
    expect(out).toBe((await desk.ask('approvals', 'tale')).out);
    expect((await belay(['--help'])).out).not.toMatch(/^ {2}gates/m);
  });

  test('is approved by another process after the first has ended, and leaves once', async () => {
    const [{ gate }] = await desk.json('approvals');
    const approved = await desk.ask('approve', gate.slice(0, 4), '--by', 'Ada', '--why', 'read it');
    expect(approved).toEqual({
      code: 0,
      out:
        `${gate}: send of tale is approved by "Ada"\n` +
        '  It is left for the run, which no process has. This takes it up:\n  belay resume tale\n',
      err: '',
    });
    expect((await desk.ask('approvals')).out).toMatch(/\n {2}left {3}approved by "Ada": "read it", at \S+, not yet/);
    const resumed = await desk.ask('resume', 'tale');
    expect([resumed.code, resumed.out]).toEqual([0, row('mail', 1)]);
    expect(await answers('tale')).toEqual([{ verdict: 'approved', by: 'Ada', why: 'read it' }]);
    expect((await desk.ask('approvals')).out).toBe(
      'no run waits for a person; belay approvals --all shows what was answered\n',
    );
    expect((await desk.ask('approvals', '--all')).out).toContain('\n  is     approved by "Ada", and used: "read it"\n');
    expect((await desk.ask('resume', 'tale')).out).toEqual(row('mail', 1));
    const again = await desk.ask('approve', gate, '--by', 'Ada');
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('takes no answer: it is approved') });
  });

  test('and is denied does not leave, and its run says by whom and why', async () => {
    const { gate } = await asked('refused');
    const denied = await desk.ask('deny', gate, '--by', 'Bob', '--why', 'too dear', '--json');
    expect(JSON.parse(denied.out)).toEqual({
      run: 'refused',
      gate,
      tool: 'send',
      verdict: 'denied',
      by: 'Bob',
      why: 'too dear',
      post: 1,
      held: false,
      taken: null,
      next: 'belay resume refused',
    });
    const { code, out } = await desk.ask('resume', 'refused');
    expect([code, out]).toEqual([1, row('mail', 0)]);
    expect((await desk.ask('explain', 'refused')).out).toContain('"denied by Bob: too dear"');
  });

  test('is approved twice: the second time is refused, and the journal says so', async () => {
    const { gate } = await asked('twice');
    await desk.ask('approve', gate, '--by', 'Ada');
    const second = await desk.ask('approve', gate, '--by', 'Bob');
    expect(second.code).toBe(0);
    expect(second.err).toBe('an answer of "Ada" (approved) waits there already: the one that was left first counts\n');
    expect((await desk.ask('resume', 'twice')).out).toEqual(row('mail', 1));
    expect(await answers('twice')).toEqual([
      { verdict: 'approved', by: 'Ada', why: null },
      { verdict: 'refused', by: 'Bob', why: 'it was answered before, or is void: approved' },
    ]);
  });

  test('expires, and is asked again by another gate when its run is taken up', async () => {
    const brief = join(desk.folder, 'brief.yaml');
    const text = readFileSync(join(dirname(OFFICE), 'office.yaml'), 'utf8');
    writeFileSync(brief, text.replace('expires: 2h', 'expires: 1ms'));
    await desk.ask('run', 'office', '--run', 'late', '--config', brief);
    const [late] = await desk.json('approvals', 'late', '--all');
    expect(late).toMatchObject({ status: 'expired', commands: [] });
    const { code, err } = await desk.ask('approve', late.gate, '--by', 'Ada');
    expect(code).toBe(1);
    expect(err).toContain('is expired: no answer came in time. belay resume late asks again, by another gate\n');
    await desk.ask('resume', 'late');
    const [again] = await desk.json('approvals', 'late');
    expect(again.gate).not.toBe(late.gate);
    await desk.ask('approve', again.gate, '--by', 'Ada');
    expect((await desk.ask('resume', 'late')).out).toEqual(row('mail', 1));
  });
});

describe('a living process', () => {
  test('takes an answer within a second, goes on, and is said to', async () => {
    const running = desk.begin('run', 'office', '--run', 'alive', '--input', '{"stays":true}');
    await desk.until('alive', ({ effects }) => effects.some(({ tool }) => tool === 'send'));
    expect((await desk.ask('runs')).out).toMatch(/alive +office +\d+ +\S+ +running, waits for 1 approval\n/);
    const [{ gate }] = await desk.json('approvals', 'alive');
    const { code, out } = await desk.ask('approve', gate, '--by', 'Ada');
    expect([code, out]).toEqual([0, expect.stringContaining('The process that has the run has taken it.\n')]);
    expect(await running.closed).toMatchObject({ code: 0, out: row('mail', 1) });
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
      'belay resume r --settle a --as confirmed --output JSON',
      'belay resume r --settle a --as failed',
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

describe('a gate is named', () => {
  const secret = 'ab'.repeat(32);

  /** The gate of a run under that secret, as the run will name it. */
  function gateOf(run: string): string {
    const key = keyOf(JSON.stringify([run, 'Letter', 'ada', 0, 'send', 0]), { is: 'keyed', secret });
    return createHash('sha256')
      .update(JSON.stringify([key, 0, 0]))
      .digest('hex')
      .slice(0, 12);
  }

  /** Has a run begin as `like` did, under that secret, and stop there; what goes on with it comes to the gate that can be told beforehand. */
  async function foretold(run: string, like: string) {
    const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
    const [row] = store.read(like);
    const begin = new EntryDecoder().entry(row as StoredRow);
    const journal = await store.open(run, 'create');
    journal.append(new EntryEncoder().rows({ ...(begin as Extract<Entry, { do: 'begin' }>), secret }, () => {}));
    await journal.close();
    await store.close();
    await desk.ask('resume', run);
    const [gate] = await desk.json('approvals', run);
    return gate as { gate: string };
  }

  test('by its beginning, unless that fits two', async () => {
    await asked('one');
    const seen = new Map<string, string>();
    let pair: readonly [string, string] | null = null;
    for (let number = 0; pair === null; number += 1) {
      const beginning = gateOf(`n${number}`).slice(0, 4);
      const other = seen.get(beginning);
      if (other !== undefined) pair = [other, `n${number}`];
      seen.set(beginning, `n${number}`);
    }
    const [a, b] = [await foretold(pair[0], 'one'), await foretold(pair[1], 'one')];
    expect([a.gate, b.gate]).toEqual(pair.map(gateOf));
    const { code, out, err } = await desk.ask('approve', a.gate.slice(0, 4), '--by', 'Ada');
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(`"${a.gate.slice(0, 4)}" fits 2 gates: ${a.gate} (${pair[0]}), ${b.gate} (${pair[1]})\n`);
    expect((await desk.ask('approve', b.gate, '--by', 'Ada')).code).toBe(0);
  });

  test.each<[string, string[], string | RegExp]>([
    [
      'that is not there',
      ['approve', 'zzzz', '--by', 'Ada'],
      /^there is no gate "zzzz" in belay\.sqlite\. .*belay approvals/,
    ],
    ['by too little', ['approve', 'abc', '--by', 'Ada'], /^"abc" is too short for a gate: its first 4/],
    ['by nobody', ['approve', 'abcd'], /^error: required option '--by <name>' not specified/],
    ['by an empty name', ['deny', 'abcd', '--by', ' '], '--by needs a name: who says so?\n'],
    ['by a long name', ['deny', 'abcd', '--by', 'x'.repeat(201)], '--by: a name has at most 200 characters\n'],
    [
      'for a long reason',
      ['deny', 'abcd', '--by', 'x', '--why', 'x'.repeat(2001)],
      /^--why: a reason has at most 2000/,
    ],
    ['without an outcome', ['settle', 'abcd', '--by', 'Ada'], /^error: required option '--as <status>' not specified/],
    ['as what it cannot be', ['settle', 'abcd', '--as', 'perhaps', '--by', 'Ada'], /^error: /],
    [
      'with an output of nothing',
      ['settle', 'abcd', '--as', 'failed', '--output', '1', '--by', 'Ada'],
      /^--output goes/,
    ],
    ['with no JSON', ['settle', 'abcd', '--as', 'confirmed', '--output', '{', '--by', 'Ada'], /^--output is not JSON/],
    ['in no file', ['approve', 'abcd', '--by', 'Ada', '--journal', 'no.sqlite'], /^no\.sqlite: journal_cannot_read/],
    ['of no run', ['approvals', 'tael'], /run_unknown There is no run "tael"\. Did you mean "tale"\?/],
  ])('%s: refused in one sentence, with exit 2', async (_name, args, complaint) => {
    const { code, out, err } = await desk.ask(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
  });

  test('with an output that is too large to be left', async () => {
    const { gate } = await asked('large', ...LOSES);
    await desk.ask('approve', gate, '--by', 'Ada');
    await desk.ask('resume', 'large', ...LOSES);
    const [outcome] = await desk.json('approvals', 'large');
    const output = JSON.stringify('x'.repeat(70_000));
    const { code, err } = await desk.ask(
      'settle',
      outcome.gate,
      '--as',
      'confirmed',
      '--output',
      output,
      '--by',
      'Ada',
    );
    expect([code, err]).toEqual([2, expect.stringMatching(/^belay\.sqlite: post_too_large /)]);
  });

  test('in another file, and its commands name that', async () => {
    copyFileSync(join(desk.folder, 'belay.sqlite'), join(desk.folder, 'my letters.sqlite'));
    const { out } = await desk.ask('approvals', 'other', '--journal', 'my letters.sqlite');
    expect(out).toMatch(/\n {2}belay approve [0-9a-f]{12} --by NAME --journal 'my letters\.sqlite'\n/);
  });
});

test('where nobody was ever asked anything, that is said', async () => {
  const { code, out } = await desk.ask('run', 'memo');
  expect([code, out]).toEqual([0, expect.stringMatching(/^memo-1: done/)]);
  expect((await desk.ask('approvals', 'memo-1')).out).toBe('memo-1 waits for no person\n');
  expect((await desk.ask('approvals', 'memo-1', '--json')).out).toBe('');
});
