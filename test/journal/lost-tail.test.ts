/** Older copies, other files and missing runs: a tail that is lost is noticed, and nothing is repaired where the open was refused. */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { changed, endOthersAfterEach, filesOf, other, readOnly, taken } from './damage.ts';
import { bytesOf, copyOf, freshPath } from './files.ts';
import { failing, row } from './rows-of.ts';

endOthersAfterEach();

describe('a tail that is lost', () => {
  const append = async (path: string, count: number) => {
    const store = sqliteStore(path);
    const journal = await store.open('a', 'either');
    for (let n = 0; n < count; n += 1) {
      journal.append([row(n)]);
      await journal.flush();
    }
    await journal.close();
    await store.close();
  };

  test('is noticed when an older copy is put back, by writers and by readers, with both numbers', async () => {
    const path = freshPath();
    await append(path, 3);
    const older = copyOf(path);
    await append(path, 2);
    copyFileSync(older, path);
    const before = filesOf(path);
    const store = sqliteStore(path);
    await expect(store.open('a', 'resume')).rejects.toThrow(/the log ends at row 4, and its anchor remembers row 7/);
    expect(() => store.runs()).toThrow(failing('journal_tail_lost'));
    expect(() => [...store.read('a')]).toThrow(failing('journal_tail_lost'));
    await store.close();
    expect(changed(before, filesOf(path))).toEqual([]);
    expect(readOnly(path)).toEqual({ code: 'journal_tail_lost' });
  });

  test('is noticed when other rows took its place', async () => {
    const path = freshPath();
    await append(path, 3);
    const older = copyOf(path);
    await append(older, 2);
    await append(path, 2);
    copyFileSync(older, path);
    await expect(taken(path, 'a')).resolves.toEqual({ code: 'journal_corrupt' });
    await append(older, 2);
    copyFileSync(older, path);
    await expect(taken(path, 'a')).resolves.toEqual({ code: 'journal_corrupt' });
  });

  test('is noticed when a whole run is gone, or the whole file', async () => {
    const path = freshPath();
    sqliteStore(path).close();
    const empty = copyOf(path);
    await append(path, 1);
    const full = copyOf(path);
    copyFileSync(empty, path);
    expect(await taken(path, 'new')).toEqual({ code: 'journal_tail_lost' });
    rmSync(path);
    expect(await taken(path, 'a')).toEqual({ code: 'journal_tail_lost' });
    expect(existsSync(path)).toBe(false);
    copyFileSync(full, path);
    expect(await taken(path, 'a')).toHaveLength(1);
  });

  test('is not suspected when the anchor lags, is missing or cannot be written; the next commit refreshes it', async () => {
    const path = freshPath();
    await append(path, 3);
    const lagging = bytesOf(`${path}-anchor`) as Buffer;
    await append(path, 2);
    const current = bytesOf(`${path}-anchor`) as Buffer;
    writeFileSync(`${path}-anchor`, lagging);
    await append(path, 1);
    expect(bytesOf(`${path}-anchor`)).not.toEqual(current);
    rmSync(`${path}-anchor`);
    await append(path, 1);
    expect(bytesOf(`${path}-anchor`)).toHaveLength(128);
    const blind = freshPath();
    const store = sqliteStore(blind);
    await store.close();
    rmSync(`${blind}-anchor`);
    // A folder stands where the anchor would be.
    mkdirSync(`${blind}-anchor`);
    await append(blind, 2);
    expect(await taken(blind, 'a')).toHaveLength(2);
  });

  test('an anchor of another file is no anchor of this one', async () => {
    const [path, another] = [freshPath(), freshPath()];
    await append(path, 3);
    await append(another, 1);
    copyFileSync(`${another}-anchor`, `${path}-anchor`);
    expect(await taken(path, 'a')).toEqual({ code: 'journal_corrupt' });
    expect(readOnly(path)).toEqual({ code: 'journal_corrupt' });
  });

  test('a log of another file is found out', async () => {
    const [path, another] = [freshPath(), freshPath()];
    await append(path, 3);
    const killed = other();
    await killed.askAll({ do: 'store', path: another }, { do: 'open', run: 'a', mode: 'create' });
    await killed.askAll({ do: 'append', bodies: ['not ours'] }, { do: 'flush' });
    await killed.end('SIGKILL');
    copyFileSync(`${another}-wal`, `${path}-wal`);
    const before = filesOf(path);
    expect(await taken(path, 'a')).toHaveProperty('code', expect.stringMatching(/^journal_(corrupt|tail_lost)$/));
    expect(changed(before, filesOf(path))).toEqual([]);
  });
});
