/** `belay runs` and `belay show`: what a journal tells a person, at 80 columns, and a program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { table } from '../../src/cli/terminal/table.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { AGENTS, widest } from './agents.ts';
import { belay, MAIN } from './belay.ts';
import { desk, EVIL, LONG, makeShownRuns, obeyed } from './shown.ts';

makeShownRuns();

describe('belay runs', () => {
  test('says of each run its agent and how it stands', async () => {
    const { code, out } = await desk.ask('runs');
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}RUN +AGENT +STANDS +WAITS FOR +SINCE\n {2}parked /);
    expect(out).toMatch(/\n {2}parked +order +parked \(escalate\) +what became of ship +\d+\w\n/);
    expect(out).toMatch(/\n {2}advised +paper +parked \(rerun\) +a policy that [\w .]+ +\d+\w\n/);
    expect(out).toMatch(/\n {2}plain +order +done +\d+\w\n/);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('and to a program', async () => {
    const runs = await desk.json('runs');
    const plain = runs.find(({ run }) => run === 'plain');
    expect(plain).toMatchObject({ agent: 'order', standing: 'done', held: false, waits: [] });
    expect(runs[0]).toMatchObject({ run: 'parked', standing: 'parked', verdict: 'escalate' });
    const since = expect.stringMatching(/Z$/);
    expect(runs[0]?.waits).toEqual([
      { kind: 'person', text: 'what became of ship', since, code: 'effect_outcome_unknown', act: 'settle' },
      { kind: 'worker', text: 'a process to take it up', since, code: 'not_held', act: 'resume' },
    ]);
  });

  test('lists those alone that need a person, of an agent, and that have waited so long', async () => {
    const names = async (...more: string[]) => (await desk.json('runs', ...more)).map(({ run }) => run);
    expect(await names('--waiting')).toEqual(['parked', 'advised', LONG]);
    expect(await names('--waiting', '--agent', 'paper')).toEqual(['advised']);
    expect(await names('--waiting', '--since', '1ms', '--agent', 'paper')).toEqual(['advised']);
    expect(await desk.ask('runs', '--since', '2d')).toMatchObject({ code: 0, out: 'no such run among 6 runs\n' });
    const none = await desk.ask('runs', '--waiting', '--agent', 'none');
    expect(none).toEqual({ code: 0, out: 'no such run waits for a person\n', err: '' });
    const wrong = await desk.ask('runs', '--since', 'yesterday');
    expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining('such as 30m, 2h or 3d') });
    const { out } = await desk.ask('runs');
    expect(out.trimEnd().split('\n')).toHaveLength(7);
  });

  test('of a journal in which nothing has begun, says so', async () => {
    await sqliteStore(join(desk.folder, 'empty.sqlite')).close();
    expect(await desk.ask('runs', '--journal', 'empty.sqlite')).toEqual({ code: 0, out: 'no runs yet\n', err: '' });
    expect(await desk.ask('runs', '--journal', 'empty.sqlite', '--json')).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('belay show', () => {
  test('shows the instances, the effects, the decisions and the findings', async () => {
    const { code, out } = await desk.ask('show', 'parked');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^parked: parked \(escalate\)\n {2}agent {3}order\n {2}config {2}[0-9a-f]{16}\n {2}rows {4}\d+\n/,
    );
    expect(out).toMatch(/\n {2}Payment::tea::0 +0 {2}closed, committed {2}entry \d+, exit \d+\n/);
    expect(out).toMatch(/\n {2}Shipping::tea::0 +0 {2}live +entry \d+\n/);
    expect(out).toMatch(/\n {2}ship +Shipping::tea::0 +irreversible +unknown +\d+\n/);
    expect(out).toMatch(/\n {2}1 {2}TOOL_EXCEPTION +escalate +Shipping::tea::0\n/);
    expect(out).toContain('\nFindings: nothing that a person should know\n');
    expect(out).toMatch(/\nbelay explain parked says why\.\n$/);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('says how often an instance was put back, and to where', async () => {
    const { out } = await desk.ask('show', 'restored');
    expect(out).toMatch(/\n {2}Shipping::tea::0 +1 {2}closed, committed {2}entry \d+, exit \d+\n/);
    expect(out).toMatch(/\n {2}1 {2}GOVERNOR_DENIED +restore, level 0 +Shipping::tea::0 +entry \d+\n/);
  });

  test('says what there is not', async () => {
    const { out } = await desk.ask('show', 'plain');
    expect(out).toContain('\nDecisions: nothing has failed\n');
    expect(out).not.toContain('says why');
    expect((await desk.ask('show', 'advised')).out).toContain('\nEffects: no call that could change the world\n');
  });

  test('is one object for a program', async () => {
    const [shown] = await desk.json('show', 'parked');
    expect(shown).toMatchObject({
      run: 'parked',
      agent: 'order',
      standing: 'parked',
      verdict: 'escalate',
      held: false,
      effects: [
        { tool: 'pay', status: 'confirmed' },
        { tool: 'ship', status: 'unknown', error: expect.any(String) },
      ],
      decisions: [{ number: 1, signal: 'TOOL_EXCEPTION', verdict: 'escalate', checkpoint: null }],
      findings: [],
    });
    expect(shown.instances[2]).toEqual({
      instance: 'Shipping::tea::0',
      epoch: 0,
      live: true,
      committed: false,
      checkpoints: [{ kind: 'entry', row: expect.any(Number) }],
      restored: 0,
    });
  });
});

describe('what a journal says is never obeyed, and never wider than the terminal', () => {
  test.each(['show', 'explain'])('%s of names that are long, or hold escapes', async (verb) => {
    for (const run of [LONG, EVIL]) {
      const { code, out } = await desk.ask(verb, run);
      expect(code).toBe(0);
      expect(obeyed(out)).toBe(false);
      const commands = out.split('\n').filter((line) => !line.includes('belay '));
      expect(widest(commands.join('\n'))).toBeLessThanOrEqual(80);
    }
  });

  test('runs neither', async () => {
    const { out } = await desk.ask('runs');
    expect([obeyed(out), widest(out) <= 80]).toEqual([false, true]);
  });

  test.each(['runs', 'show parked', 'explain parked'])(
    '%s is coloured where that is wanted, and says the same',
    async (args) => {
      const ask = (env: Record<string, string>) =>
        belay(args.split(' '), '', { FORCE_COLOR: '1', ...env }, desk.folder);
      let [plain, coloured] = [await ask({ NO_COLOR: '1' }), await ask({})];
      // The ages of runs move on with the clock: the two are compared where it has not moved between them.
      for (let after = await ask({ NO_COLOR: '1' }); after.out !== plain.out; after = await ask({ NO_COLOR: '1' }))
        [plain, coloured] = [after, await ask({})];
      expect(plain.out).not.toContain('\u001b');
      expect(coloured.out).toContain('\u001b[');
      expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
    },
  );

  test('a reader that has seen enough is no failure', async () => {
    const child = spawn(process.execPath, [MAIN, 'show', 'parked'], { cwd: desk.folder });
    child.stdout.destroy();
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});

describe('what cannot be read is said in one line, with exit 2', () => {
  const complaint = async (...args: string[]) => {
    const { code, out, err } = await desk.ask(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n')).toHaveLength(2);
    return err;
  };

  test.each(['show', 'explain'])('%s of a run that is not there names those that are near', async (verb) => {
    expect(await complaint(verb, 'praked')).toBe(
      'belay.sqlite: run_unknown There is no run "praked". Did you mean "parked"?\n',
    );
  });

  test('a journal that is not there, is none, or is torn', async () => {
    expect(await complaint('show', 'x', '--journal', 'no.sqlite')).toMatch(/^no\.sqlite: journal_cannot_read /);
    writeFileSync(join(desk.folder, 'text.sqlite'), 'hello\n');
    expect(await complaint('explain', 'x', '--journal', 'text.sqlite')).toMatch(/^text\.sqlite: journal_not_ours /);
    const torn = join(desk.folder, 'torn.sqlite');
    copyFileSync(join(desk.folder, 'belay.sqlite'), torn);
    truncateSync(torn, 24_576);
    for (const args of [['runs'], ['show', 'parked'], ['explain', 'parked']])
      expect(await complaint(...args, '--journal', 'torn.sqlite')).toMatch(/^torn\.sqlite: journal_corrupt /);
  });

  test('a run of another format; the others are listed all the same', async () => {
    const store = sqliteStore(join(desk.folder, 'newer.sqlite'));
    for (const [run, format] of [
      ['old', 1],
      ['new', 99],
    ] as const) {
      const journal = await store.open(run, 'create');
      const digests = { config: 'c', machine: 'm' };
      journal.append([{ kind: 1, body: JSON.stringify({ agent: 'order', digests, format }) }]);
      await journal.close();
    }
    await store.close();
    for (const verb of ['show', 'explain'])
      expect(await complaint(verb, 'new', '--journal', 'newer.sqlite')).toMatch(
        /^newer\.sqlite: journal_not_ours .*format 99/,
      );
    const { code, out, err } = await desk.ask('runs', '--journal', 'newer.sqlite');
    expect([code, err]).toEqual([2, 'newer.sqlite: cannot be read: "new" (journal_not_ours)\n']);
    expect(out).toMatch(/\n {2}old +order +at rest +a process to take it up +\w+\n {2}new +journal_not_ours +\w+\n$/);
    const resumed = await belay(
      ['resume', 'new', '--journal', 'newer.sqlite', '--machines', AGENTS],
      '',
      {},
      desk.folder,
    );
    expect(resumed).toMatchObject({ code: 2, err: expect.stringContaining('journal_not_ours') });
    const empty = await desk.ask('show', 'old', '--journal', 'newer.sqlite');
    expect(empty.out).toContain('Instances: none has been entered\n');
  });

  test.each([
    [['show']],
    [['explain', 'a', 'b']],
    [['runs', '--nope']],
    [['resume']],
    [['resume', 'x', '--settle', 'y', '--as', 'perhaps']],
    [['run', 'order', '--fail-at', 'pay', '--when', 'sometime']],
  ])('a command that is misused: %j', async (args) => {
    const { code, out, err } = await desk.ask(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: /);
  });
});

test.each([
  'run',
  'resume',
  'runs',
  'show',
  'explain',
  'ledger',
  'approvals',
  'approve',
  'deny',
  'settle',
  'reconcile',
  'check',
  'review',
  'init',
  'types',
  'decide',
  'export',
  'verify',
  'rehearse',
  'start',
  'send',
  'messages',
  'pause',
  'unpause',
  'retry',
  'work',
  'inspect',
])('the help of %s fits, shows examples and says what the exit codes mean', async (verb) => {
  const { code, out } = await desk.ask(verb, '--help');
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`\nExamples:\n  belay ${verb}`));
  expect(out).toMatch(/\nExit code: 0/);
  expect(widest(out)).toBeLessThanOrEqual(80);
});

test('a table gives wide columns less room, and wraps names that have no spaces', () => {
  const rows = [
    ['x'.repeat(50), '12', 'y'.repeat(30)],
    ['山田', '3', ''],
  ];
  const columns = [{ name: 'NAME' }, { name: 'N', right: true }, { name: 'REST' }];
  expect(table(columns, rows, { columns: 40, colours: false })).toBe(
    '  NAME               N  REST\n' +
      `  ${'x'.repeat(16)}  12  ${'y'.repeat(16)}\n` +
      `  ${'x'.repeat(16)}      ${'y'.repeat(14)}\n` +
      `  ${'x'.repeat(16)}\n  xx\n` +
      `  山田               3\n`,
  );
});
