/** `belay approvals`, `approve` and `deny`: a call that waits for an approval, across processes, on a real file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argsDigest } from '../../src/effects/digest.ts';
import { OFFICE, widest } from './agents.ts';
import { answers, asked, desk, openOffice, row } from './office.ts';

openOffice();

describe('a call that waits for an approval', () => {
  test('leaves its run at rest, with its gate and the commands that answer it', async () => {
    const { code, out } = await desk.askApart('run', 'office', '--run', 'tale');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^tale: at rest, in the state sending, until a person answers whether a\s+call\s+may\s+leave\n/,
    );
    const call = ' {2}send of Letter::ada::0 [^\n]+\n(?: {4}(?:asked|with|key) [^\n]+\n){3}';
    const goOn = new RegExp(
      `\nTo go on\n${call} {2}belay approve [0-9a-f]{12} --by NAME\n {4}lets send be called, once`,
    );
    expect(out).toMatch(goOn);
    expect(out).toMatch(/\n {2}belay deny [0-9a-f]{12} --by NAME\n.*\n {2}belay resume tale\n/);
    expect(out).toEqual(row('mail', 0));
    expect((await desk.ask('runs')).out).toMatch(/tale +office +at rest +approval of send +\w+\n/);
    expect(await desk.json('runs')).toMatchObject([{ run: 'tale', standing: 'waiting', approvals: 1 }]);
    expect((await desk.ask('show', 'tale')).out).toMatch(/^tale: at rest, waits for 1 approval\n/);
    expect((await desk.ask('explain', 'tale')).out).toMatch(goOn);
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

  test('is approved by another process after the first has ended, and leaves once', async () => {
    const [{ gate }] = await desk.json('approvals');
    const approved = await desk.ask('approve', gate.slice(0, 4), '--by', 'Ada', '--why', 'read it');
    expect(approved).toEqual({
      code: 0,
      out:
        `${gate}: send of tale is approved by "Ada"\n` +
        '  It is left for the run, which no process has. Its program takes it up when\n    it is started again; an agent of a module is taken up by:\n  belay resume tale\n',
      err: '',
    });
    expect((await desk.ask('approvals')).out).toMatch(/\n {2}left {3}approved by "Ada": "read it", at \S+, not yet/);
    const resumed = await desk.askApart('resume', 'tale');
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

test('where nobody was ever asked anything, that is said', async () => {
  const { code, out } = await desk.ask('run', 'memo');
  expect([code, out]).toEqual([0, expect.stringMatching(/^memo-1: done/)]);
  expect((await desk.ask('approvals', 'memo-1')).out).toBe('memo-1 waits for no person\n');
  expect((await desk.ask('approvals', 'memo-1', '--json')).out).toBe('');
});
