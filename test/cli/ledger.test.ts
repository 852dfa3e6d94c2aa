/** `belay ledger` and `belay reconcile`: why a run acted, what it did, what it owes, and what became of its calls. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Desk, OFFICE, widest } from './agents.ts';
import { belay } from './belay.ts';

const desk = new Desk(OFFICE);
afterAll(() => desk.clear());

const LOSES = ['--input', '{"loses":true}'];

/** Runs an agent up to its gate, and approves. */
async function approved(run: string, ...more: string[]): Promise<string> {
  await desk.ask('run', 'office', '--run', run, ...more);
  const [{ gate }] = await desk.json('approvals', run);
  await desk.ask('approve', gate, '--by', 'Ada', '--why', 'read it');
  return gate;
}

/** What the mail's counterparty knows of a run from now on. */
function knows(run: string, finding: object): void {
  const folder = join(desk.folder, 'belay.sqlite.world', run);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'known.jsonl'), `${JSON.stringify(finding)}\n`);
}

let gate = '';
beforeAll(async () => {
  gate = await approved('sent');
  await desk.ask('resume', 'sent');
  await desk.ask('run', 'office', '--run', 'asks');
  await approved('lost', ...LOSES);
  await desk.ask('resume', 'lost', ...LOSES);
});

describe('belay ledger', () => {
  test('says why a run acted, what it did, and that it owes nothing', async () => {
    const { code, out, err } = await desk.ask('ledger', 'sent');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^sent: done\n\nDecisions\n {2}\d{4}-\d\d-\d\d\n {2}\d\d:\d\d:\d\dZ calls file of Letter::ada::0 /,
    );
    expect(out).toMatch(/ calls send of Letter::ada::0 \(irreversible\), once it is approved\n/);
    expect(out).toContain('\n    relies on to, text (Draft::ada::0), cents\n');
    expect(out).toMatch(/\n {4}under the config [0-9a-f]{16}, as is what follows\n/);
    expect(out).toMatch(/ hears from "Ada": send of Letter::ada::0 is approved\s/);
    expect(out).toContain('\n    because "read it"\n');
    expect(out).toMatch(/ makes 1 call of Letter::ada::0 visible at sent\n/);
    expect(out).toContain('\nEffects\n  file of Letter::ada::0: idempotent, confirmed\n');
    expect(out).toMatch(/\n {4}became visible with the commit [0-9a-f]{12}\n/);
    expect(out).toContain(
      `\n    used the approval ${gate} of "Ada"\n    cannot be undone\n    took calls 1, cents 80\n`,
    );
    expect(out).toContain('\n  Spent in all, of limits that its config sets: calls 3, cents 80\n');
    expect(out).toMatch(/\nObligations: it owes nothing\n$/);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test.each([
    ['--decisions', 'Decisions'],
    ['--effects', 'Effects'],
    ['--obligations', 'Obligations'],
  ])('with %s shows that alone', async (flag, title) => {
    const { out } = await desk.ask('ledger', 'sent', flag);
    const titles = out.split('\n').flatMap((each) => /^(?:Decisions|Effects|Obligations)/.exec(each)?.[0] ?? []);
    expect(titles).toEqual([title]);
    const [shown] = await desk.json('ledger', 'sent', flag);
    expect(Object.keys(shown)).toEqual([
      'run',
      'standing',
      'held',
      ...(flag === '--effects' ? ['effects', 'spent', 'changed'] : [title.toLowerCase()]),
    ]);
  });

  test('is one object for a program, with everything', async () => {
    const [shown] = await desk.json('ledger', 'sent');
    expect(shown).toMatchObject({
      run: 'sent',
      standing: 'done',
      held: false,
      decisions: [
        {
          is: 'call',
          tool: 'file',
          instance: 'Letter::ada::0',
          held: 'buffer',
          relies: [{ key: 'text', by: ['Draft::ada::0'] }],
        },
        { is: 'call', tool: 'send', held: 'gate', args: { to: 'ada', cents: 80 }, config: expect.any(String) },
        {
          is: 'answer',
          gate,
          verdict: 'approved',
          by: 'Ada',
          why: 'read it',
          post: 1,
          asked: { tool: 'send', epoch: 0 },
        },
        {
          is: 'commit',
          instance: 'Letter::ada::0',
          boundary: 'sent',
          invariants: [],
          keys: [shown.effects[0].key],
        },
      ],
      effects: [
        { tool: 'file', class: 'idempotent', status: 'confirmed', publication: expect.any(String) },
        {
          tool: 'send',
          status: 'confirmed',
          output: 'sent to ada',
          gate: { gate, by: 'Ada' },
          spent: { calls: 1, cents: 80 },
        },
      ],
      spent: [
        { budget: 'calls', spent: 3 },
        { budget: 'cents', spent: 80 },
      ],
      obligations: [],
    });
    for (const { time } of shown.decisions) expect(new Date(time).toISOString()).toBe(time);
  });

  test('of a call that waits says what is owed, until when, and what to type', async () => {
    const [asked] = await desk.json('approvals', 'asks');
    const { out } = await desk.ask('ledger', 'asks', '--obligations');
    expect(out).toMatch(
      /^asks: at rest, waits for 1 approval\n\nObligations\n {2}An approval of send of Letter::ada::0, asked /,
    );
    expect(out).toContain(`\n    belay approve ${asked.gate} --by NAME\n    belay deny ${asked.gate} --by NAME\n`);
    expect(out).toMatch(/\n {2}The commit that file of Letter::ada::0 is held back for, since/);
    const [{ obligations }] = await desk.json('ledger', 'asks');
    expect(obligations).toMatchObject([
      { owes: 'approval', gate: asked.gate, expires: asked.expires, expired: false, commands: asked.commands },
      { owes: 'commit', tool: 'file', commands: [] },
    ]);
  });

  test('of a call of which nobody knows says who is asked', async () => {
    const { out } = await desk.ask('ledger', 'lost', '--obligations');
    expect(out).toMatch(
      /\n {2}What became of send of Letter::ada::0, called \S+\n {4}asked 1 time, and asked again from \S+ on\n/,
    );
    expect(out).toMatch(/\n {4}a person is asked \(gate [0-9a-f]{12}\)\n {4}belay reconcile lost\n {4}belay settle /);
    expect(out).toMatch(
      /\n {2}A recovery of Letter::ada::0 \(escalate\) that waits for a person to act\n {4}belay explain lost\n/,
    );
    expect(out).not.toContain('it owes nothing');
  });

  test('of a run in which a replay asks for something else shows both, and so does explain', async () => {
    await desk.ask('run', 'memo', '--run', 'memo', '--fail-at', 'check', '--signal', 'TIMEOUT');
    expect((await desk.ask('explain', 'memo')).out).toMatch(
      /recorded\s+\{"words":"words 1"\}, now \{"words":"words 2"\}\./,
    );
    const [{ decisions, effects }] = await desk.json('ledger', 'memo');
    expect(decisions.at(-1)).toMatchObject({ is: 'recovery', verdict: 'escalate', codes: ['effect_diverged'] });
    expect(effects).toMatchObject([{ tool: 'post', status: 'confirmed', args: { words: 'words 1' }, undone: true }]);
    const { out } = await desk.ask('ledger', 'memo', '--obligations');
    expect(out).toMatch(
      /\n {2}A replay that claims post of Memo::all::0, which stands though its place was\s+rolled back\n/,
    );
  });

  test('says what there is not', async () => {
    await desk.ask(
      'run',
      'memo',
      '--run',
      'nothing',
      '--fail-at',
      'phrase',
      '--when',
      'before',
      '--signal',
      'GOVERNOR_DENIED',
    );
    const store = await desk.json('ledger', 'nothing');
    expect(store[0].decisions[0]).toMatchObject({ is: 'refusal', tool: 'phrase', instance: 'Memo::all::0' });
    const { out } = await desk.ask('ledger', 'nothing', '--decisions');
    expect(out).toMatch(/ refuses phrase of Memo::all::0\n {4}because "rehearsed: /);
  });

  test('of names that a terminal would obey prints them harmless, and no wider than it', async () => {
    const to = 'ada\u001b[2J\u202e'.repeat(20);
    await desk.ask('run', 'office', '--run', 'evil\u001b[31m', '--input', JSON.stringify({ to }));
    for (const verb of ['ledger', 'approvals']) {
      const { code, out } = await desk.ask(verb, 'evil\u001b[31m');
      expect([code, out]).toEqual([0, expect.stringContaining('ada\\u001b[2J')]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
      const told = out.split('\n').filter((each) => !each.includes('belay '));
      expect(widest(told.join('\n'))).toBeLessThanOrEqual(80);
    }
  });

  test('is coloured where that is wanted, and says the same', async () => {
    const plain = await belay(['ledger', 'sent'], '', { NO_COLOR: '1', FORCE_COLOR: '1' }, desk.folder);
    const coloured = await belay(['ledger', 'sent'], '', { FORCE_COLOR: '1' }, desk.folder);
    expect(coloured.out).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
  });

  test('of a run that is not there names those that are near, with exit 2', async () => {
    expect(await desk.ask('ledger', 'snet')).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^belay\.sqlite: run_unknown There is no run "snet"\. Did you mean "sent"\?\n$/),
    });
  });
});

describe('belay reconcile', () => {
  test('asks nobody where nothing is unknown', async () => {
    const { code, out } = await desk.ask('reconcile', 'sent');
    expect([code, out]).toEqual([0, 'sent: every outcome is known, so no counterparty was asked\n']);
    expect(await desk.json('reconcile', 'asks')).toEqual([{ run: 'asks', unknown: 0, calls: [], next: [] }]);
  });

  test('says what is still not known, how often that was asked, and who can be asked instead', async () => {
    const [outcome] = await desk.json('approvals', 'lost');
    const { code, out } = await desk.ask('reconcile', 'lost');
    expect(code).toBe(1);
    expect(out).toMatch(/^lost: what became of 1 call is still not known\n/);
    expect(out).toMatch(/\n {2}send +Letter::ada::0 +unknown +2 +not by itself\n/);
    expect(out).toContain(`\nbelay settle ${outcome.gate} --as failed --by NAME\nbelay resume lost\n`);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('takes the word of a counterparty, and lets the machine stay where it is', async () => {
    knows('lost', { is: 'applied', output: 'found it' });
    const { code, out } = await desk.ask('reconcile', 'lost', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      run: 'lost',
      unknown: 0,
      calls: [{ tool: 'send', instance: 'Letter::ada::0', status: 'confirmed', output: 'found it', gate: null }],
      next: ['belay resume lost'],
    });
    const [{ instances }] = await desk.json('show', 'lost');
    expect(instances.at(-1)).toMatchObject({ instance: 'Letter::ada::0', live: true, committed: false });
    expect((await desk.ask('approvals', 'lost')).out).toMatch(
      /^lost waits for no person; belay approvals lost --all shows/,
    );
    const resumed = await desk.ask('resume', 'lost');
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringMatching(/mail +1\n/)]);
  });

  test('finds out that a call never happened', async () => {
    await approved('never', ...LOSES);
    await desk.ask('resume', 'never', ...LOSES);
    knows('never', { is: 'not_applied' });
    const { code, out } = await desk.ask('reconcile', 'never');
    expect([code, out]).toEqual([0, expect.stringMatching(/\n {2}send +Letter::ada::0 +failed +1\n/)]);
  });

  test('leaves a run alone that a living process has', async () => {
    const running = desk.begin('run', 'office', '--run', 'busy', '--input', '{"stays":true,"hangs":true}');
    await desk.until('busy', ({ effects }) => effects.some(({ tool }) => tool === 'send'));
    const [asked] = await desk.json('approvals', 'busy');
    await desk.ask('approve', asked.gate, '--by', 'Ada');
    await desk.until('busy', ({ effects }) => effects.some(({ status }) => status === 'intended'));
    const { code, err } = await desk.ask('reconcile', 'busy');
    expect([code, err]).toEqual([2, expect.stringContaining('lease_held')]);
    running.kill('SIGTERM');
    await running.closed;
  });

  test.each<[string, string[], RegExp]>([
    ['a run that is not there', ['lots'], /run_unknown There is no run "lots"\. /],
    ['no run', [], /^error: missing required argument 'run'/],
    ['an input that is no JSON', ['busy', '--input', '{'], /^--input is not JSON/],
    ['a module that is not there', ['busy', '--machines', 'no.mjs'], /^no\.mjs: cannot_read /],
  ])('%s: refused in one sentence, with exit 2', async (_name, args, complaint) => {
    const { code, out, err } = await desk.ask('reconcile', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
  });
});
