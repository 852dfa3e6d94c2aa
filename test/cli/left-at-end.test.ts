/** Each verb names the things that a run which is done has left, and `run` and `resume` end with 1 (semantics.md C12, E4). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { complaintMessage } from '../../src/effects/messages/complaints.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { Desk } from './agents.ts';
import { MAIN } from './belay.ts';

const LETTERS = fileURLToPath(new URL('fixtures/letters/agents.mjs', import.meta.url));
const desk = new Desk(LETTERS);
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  desk.clear();
});

/** A text without its line ends. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Leaves a complaint as a poster does that saw the run before its end. */
async function complain(run: string): Promise<void> {
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
  const instance = { skeleton: 'Count', entity: 'it', ordinal: 0 };
  const about = { key: null, instead: false, about: 'epoch 0', by: 'ann', why: 'miscounted' };
  store.post(run, complaintMessage({ signal: 'INVALID_OUTPUT', instance, ...about }));
  await store.close();
}

describe('a held call that was never made is named', () => {
  const never = 'was held back for a commit that never came, and was not made';

  test('by run and resume, with 1', async () => {
    const ran = await desk.ask('run', 'letter', '--run', 'a');
    expect([ran.code, ran.out]).toEqual([
      1,
      expect.stringContaining('a: done, in the state over; 1 held call never made'),
    ]);
    expect(flat(ran.out)).toContain(never);
    expect(existsSync(join(desk.folder, 'belay.sqlite.world/a/acts'))).toBe(false);
    const resumed = await desk.ask('resume', 'a', '--json');
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([
      1,
      { status: 'done', unpublished: [expect.any(String)] },
    ]);
    expect((await desk.ask('resume', 'a')).code).toBe(1);
  });

  test('by runs, show and explain, which have printed it', async () => {
    const runs = await desk.ask('runs');
    expect([runs.code, runs.out]).toEqual([0, expect.stringMatching(/letter +done, 1 held call never made +\w+\n/)]);
    expect(await desk.json('runs')).toMatchObject([{ run: 'a', standing: 'done', unpublished: 1 }]);
    expect((await desk.ask('show', 'a')).out).toContain('done, 1 held call never made');
    const explained = await desk.ask('explain', 'a');
    expect([explained.code, flat(explained.out)]).toEqual([0, expect.stringContaining(never)]);
    expect(await desk.json('explain', 'a')).toMatchObject([{ run: 'a', unpublished: [expect.any(String)] }]);
  });
});

describe('a complaint that came after the end is named', () => {
  test('by runs and explain before any process has read it, and by resume, with 1', async () => {
    const ran = await desk.ask('run', 'count', '--run', 'b');
    expect([ran.code, ran.out]).toEqual([0, expect.stringMatching(/^b: done, in the state over\n/)]);
    await complain('b');
    expect((await desk.ask('runs')).out).toMatch(/b +count +done, 1 complaint unanswered +\w+\n/);
    expect(await desk.json('runs')).toMatchObject([{ run: 'a' }, { run: 'b', standing: 'done', unanswered: 1 }]);
    expect((await desk.ask('explain', 'b')).out).toMatch(/^b: done, 1 complaint unanswered, nothing has failed/);
    const about = 'the complaint of "ann" about Count about it (0) was not answered';
    expect(flat((await desk.ask('explain', 'b')).out)).toContain(`${about}: no process has read it`);
    const resumed = await desk.ask('resume', 'b');
    expect([resumed.code, resumed.out]).toEqual([
      1,
      expect.stringContaining('b: done, in the state over; 1 complaint unanswered'),
    ]);
    expect(flat((await desk.ask('explain', 'b')).out)).toContain(about);
    expect(await desk.json('explain', 'b')).toMatchObject([
      { run: 'b', unanswered: [{ by: 'ann', why: 'miscounted' }] },
    ]);
    expect(await desk.json('runs')).toMatchObject([{ run: 'a' }, { run: 'b', unanswered: 1 }]);
    expect(await desk.json('resume', 'b')).toMatchObject([{ status: 'done', unanswered: [{ by: 'ann' }] }]);
  });
});

test('a worker names the held call that was never made as it leaves the run', async () => {
  await desk.ask('start', 'c', '--agent', 'letter');
  const args = ['work', '--module', LETTERS, '--poll', '100ms', '--json'];
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: desk.folder, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let told = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    told += chunk;
    if (told.includes('"done"')) child.kill('SIGTERM');
  }
  const done = told.split('\n').filter((line) => line.includes('"is":"done"'));
  expect(done.map((line) => JSON.parse(line))).toMatchObject([{ run: 'c', unpublished: [expect.any(String)] }]);
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});
