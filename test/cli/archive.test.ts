/** `belay export --whole` and `belay compact`: runs that are kept as files of their own, in processes of their own. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { AGENTS, Desk } from './agents.ts';

const desks: Desk[] = [];
afterAll(() => {
  for (const desk of desks) desk.clear();
});

/** A desk with one run that is done and one that was left for workers. */
async function desk() {
  const made = new Desk();
  desks.push(made);
  expect((await made.ask('run', 'order', '--run', 'order-1')).code).toBe(0);
  expect((await made.ask('start', 'order-2', '--agent', 'order')).code).toBe(0);
  return made;
}

test('a run that was written whole is read in the place of its journal, by every verb that reads', async () => {
  const at = await desk();
  const whole = await at.ask('export', 'order-1', '--whole');
  expect([whole.code, whole.err]).toEqual([0, '']);
  writeFileSync(join(at.folder, 'order-1.jsonl'), whole.out);
  for (const verb of [['show'], ['explain'], ['ledger'], ['export', '--trace'], ['export', '--whole']]) {
    const [name, ...options] = verb as [string, ...string[]];
    const [was, is] = await Promise.all([
      at.ask(name, 'order-1', ...options),
      at.ask(name, 'order-1', ...options, '--store', 'order-1.jsonl'),
    ]);
    expect([verb, is.code, is.out.replaceAll(' --journal order-1.jsonl', '')]).toEqual([verb, 0, was.out]);
  }
  expect((await at.json('runs', '--store', 'order-1.jsonl')).map(({ run }) => run)).toEqual(['order-1']);
  for (const verb of [
    ['resume', 'order-1'],
    ['cancel', 'order-1', '--by', 'ada'],
    ['work', '--module', AGENTS],
  ]) {
    const acted = await at.ask(...verb, '--store', 'order-1.jsonl');
    expect([verb, acted.code, acted.err]).toEqual([verb, 2, expect.stringContaining('journal_cannot_write')]);
  }
  expect(readFileSync(join(at.folder, 'order-1.jsonl'), 'utf8')).toBe(whole.out);
});

test('what is to be written has to be named', async () => {
  const at = await desk();
  expect(await at.ask('export', 'order-1')).toMatchObject({ code: 2, out: '', err: /--whole.*--trace/ });
  expect(await at.ask('export', 'order-1', '--whole', '--trace')).toMatchObject({ code: 2, out: '' });
  expect(await at.ask('export', 'order-9', '--whole')).toMatchObject({ code: 2, out: '', err: /run_unknown/ });
});

test('a run that is over is archived and deleted, and every other one stays, with the reason', async () => {
  const at = await desk();
  const dry = await at.ask('compact', '--dry-run');
  expect(dry.out).toMatch(
    /^order-1 \(\d+ rows\) would be archived and deleted\norder-2 \(0 rows\) stays: it has not begun/,
  );
  expect((await at.json('runs')).map(({ run }) => run)).toEqual(['order-1', 'order-2']);
  const before = await at.ask('show', 'order-1', '--json');
  const done = await at.json('compact', '--archive', 'kept', '--by', 'ada');
  expect(done).toMatchObject([
    { run: 'order-1', why: null },
    { run: 'order-2', why: expect.stringContaining('it has not begun') },
    { gone: 1, stayed: 1, by: 'ada', dryRun: false, bytes: expect.any(Number) },
  ]);
  expect((await at.json('runs')).map(({ run }) => run)).toEqual(['order-2']);
  const [kept, ...others] = readdirSync(join(at.folder, 'kept'));
  expect([kept, others]).toEqual([expect.stringMatching(/^order-1\.[0-9a-f]{12}\.jsonl$/), []]);
  expect(statSync(join(at.folder, 'kept', kept as string)).mode & 0o777).toBe(0o600);
  expect((await at.ask('show', 'order-1', '--json', '--store', join('kept', kept as string))).out).toBe(before.out);
  // Its name begins another run, whose archive stands beside the first.
  expect((await at.ask('run', 'order', '--run', 'order-1')).code).toBe(0);
  expect((await at.ask('compact', 'order-1', '--archive', 'kept', '--by', 'ada')).code).toBe(0);
  expect(readdirSync(join(at.folder, 'kept'))).toHaveLength(2);
});

test('where the archive cannot be written, the run stays', async () => {
  const at = await desk();
  writeFileSync(join(at.folder, 'kept'), 'a file');
  const done = await at.ask('compact', '--archive', 'kept', '--by', 'ada');
  expect([done.code, done.err]).toEqual([2, expect.stringContaining('kept')]);
  expect((await at.json('runs')).map(({ run }) => run)).toEqual(['order-1', 'order-2']);
});

test('no name of a run leads out of the folder', async () => {
  const at = await desk();
  const names = ['../../x', '..', 'a/b', 'x'.repeat(240)];
  const journal = join(at.folder, 'belay.sqlite');
  const store = sqliteStore(journal);
  for (const run of names) await store.work.start({ run, agent: 'order', input: '', queue: 'default' });
  await store.close();
  for (const run of names) {
    await at.ask('cancel', run, '--by', 'ada');
    await at.ask('run', 'order', '--run', run);
  }
  mkdirSync(join(at.folder, 'in'));
  const done = await at.json('compact', '--archive', join('in', 'kept'), '--by', 'ada');
  expect(done.filter(({ why }) => why === null)).toHaveLength(names.length + 1);
  expect(readdirSync(join(at.folder, 'in'))).toEqual(['kept']);
  expect(readdirSync(join(at.folder, 'in', 'kept'))).toHaveLength(names.length + 1);
});

test('a file of runs is named in the place of a run, but where another one is named', async () => {
  const at = await desk();
  const said = await at.ask('compact', '--dry-run');
  expect(await at.ask('compact', 'belay.sqlite', '--dry-run')).toEqual(said);
  writeFileSync(join(at.folder, 'order-1'), 'a file that is no journal');
  const run = await at.ask('compact', 'order-1', '--dry-run', '--journal', join(at.folder, 'belay.sqlite'));
  expect([run.code, run.out]).toEqual([
    0,
    expect.stringMatching(/^order-1 \(\d+ rows\) would be archived and deleted\n1 run/),
  ]);
  expect(await at.ask('compact', 'order-1', '--dry-run')).toMatchObject({ code: 2, out: '', err: /journal_not_ours/ });
});

test('a name that was typed wrong makes no file', async () => {
  const at = await desk();
  const done = await at.ask('compact', '--archive', 'kept', '--by', 'ada', '--journal', 'typo.sqlite');
  expect([done.code, existsSync(join(at.folder, 'typo.sqlite')), existsSync(join(at.folder, 'kept'))]).toEqual([
    2,
    false,
    false,
  ]);
  expect((await at.ask('compact')).code).toBe(2);
});
