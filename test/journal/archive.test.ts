/** A run as a file of its own: it reads back as it was, and what was changed or cut off is never read. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archivedRuns, archiveLines, isArchive } from '../../src/journal/archive/lines.ts';
import { archiveStore } from '../../src/journal/archive/store.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { freshPath } from './files.ts';
import { all, failing, refused, row } from './rows-of.ts';

/** A run with rows of several times, messages and a request. */
async function filled<T extends JournalStore>(store: T, run = 'a'): Promise<T> {
  await store.work.start({ run, agent: 'order', input: '{"é":"\u0085"}', queue: 'default' });
  const journal = await store.open(run, 'either');
  for (const group of [[row('one'), row({ deep: ['\u2028', 'ü', '💶'] }, 7)], [row(null)]]) {
    journal.append(group);
    await journal.flush();
  }
  await journal.close();
  await store.post(run, 'yes');
  await store.post(run, '{"no":"\u200b"}');
  return store;
}

async function textOf(store: JournalStore, run = 'a'): Promise<string> {
  let text = '';
  for await (const line of archiveLines(store, run)) text += line;
  return text;
}

function storeOf(text: string) {
  const path = freshPath();
  writeFileSync(path, text);
  return archiveStore(path);
}

test.each([
  ['memory', () => memoryStore()],
  ['a file', () => sqliteStore(freshPath())],
  ['an encrypted file', () => sqliteStore(freshPath(), { key: Buffer.alloc(32, 7) })],
])('a run of %s reads back as it was, and as often as one likes', async (_, open) => {
  const store = await filled(open());
  const text = await textOf(store);
  expect(isArchive(Buffer.from(text))).toBe(true);
  expect(text).toMatch(/^[\n -~]*$/);
  const archive = storeOf(text);
  expect([...archive.read('a')]).toEqual(await all(store.read('a')));
  expect(archive.posts('a')).toEqual(await store.posts('a'));
  expect(archive.work.order('a')).toEqual(await store.work.order('a'));
  expect(archive.run('a')).toMatchObject({ run: 'a', head: 3, held: false });
  expect(await textOf(archive)).toBe(text);
  await store.close();
});

test('runs that follow one another in a file are all there', async () => {
  const store = await filled(await filled(memoryStore()), 'b');
  const archive = storeOf((await textOf(store, 'b')) + (await textOf(store, 'a')));
  expect(archive.runs().map(({ run }) => run)).toEqual(['b', 'a']);
  expect(archive.runs({ after: 'b' }).map(({ run }) => run)).toEqual(['a']);
  expect(archive.runs({ limit: 1 }).map(({ run }) => run)).toEqual(['b']);
  expect(archive.runs({ state: 'held' })).toEqual([]);
});

test('what was changed, cut off or left out is told, wherever it is', async () => {
  const text = await textOf(await filled(memoryStore()));
  const was = archivedRuns(text, 'a.jsonl');
  const lines = text.trimEnd().split('\n');
  const read = (changed: string) => archivedRuns(changed, 'a.jsonl');
  for (let at = 1; at < text.length; at += 1) expect(() => read(text.slice(0, at))).toThrow(failing('journal_corrupt'));
  for (const nth of lines.keys())
    expect(() => read(`${lines.filter((_, each) => each !== nth).join('\n')}\n`)).toThrow(failing('journal_corrupt'));
  expect(() => read(text + text)).toThrow(/is there twice/);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
      const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
      try {
        expect(read(changed)).toEqual(was);
      } catch (error) {
        expect(['journal_corrupt', 'journal_not_ours']).toContain((error as { code?: unknown }).code);
      }
      // Only the last line has anything that could be written in another way.
      if (changed !== text && at < text.lastIndexOf('\n', text.length - 2)) expect(() => read(changed)).toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('a version that this release does not have is told, with what to do', () => {
  expect(() => archivedRuns('{"belay":"run","version":2,"run":"a"}\n', 'a.jsonl')).toThrow(failing('journal_not_ours'));
});

test('it is read and never written', async () => {
  const archive = storeOf(await textOf(await filled(memoryStore())));
  for (const act of [
    () => archive.open('a', 'either'),
    () => archive.post('a', 'x'),
    () => archive.delete('a', { head: 3, posts: 2 }),
    () => archive.work.start({ run: 'z', agent: 'order', input: '', queue: 'default' }),
    () => archive.claims.free('a', 3, 'ada'),
  ])
    await refused(act, 'journal_cannot_write');
  expect(() => [...archive.read('z')]).toThrow(failing('run_unknown'));
  expect(() => archiveStore(freshPath())).toThrow(failing('journal_cannot_read'));
});
