/** Archived rows that are not as they were written: a file, the index that names its end. Each is noticed when it is read, or nothing is different. */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { JournalError, type StoredRow } from '../../../src/journal/journal.ts';
import { SEGMENT } from '../../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { bytesOf } from '../files.ts';
import { raw } from '../logged.ts';
import { failing } from '../rows-of.ts';
import { archive, based, fileIn, filesIn, longRun, reading, rowsIn, wholeCopy } from './journals.ts';

/** The bytes that a file begins with, before what is packed. */
const BEGINNING = 'belay rows 1\0'.length;

/** The end of the last stretch. */
const LAST = 'SELECT max(last) FROM segment WHERE run = -1';

let path: string;
let a: readonly StoredRow[];
let b: readonly StoredRow[];
let files: readonly string[];

beforeAll(async () => {
  const made = await longRun(3);
  path = made.path;
  await archive(path, 'a', made.at);
  await archive(path, 'a', await based(path, 'a', 2 * SEGMENT));
  [a, b] = reading(path, (store) => [rowsIn(store, 'a'), rowsIn(store, 'b')]);
  files = filesIn(path);
  expect(files.length).toBe(2);
});

/** The code that a reading of a run ends with; null where it gets what was written. */
function read(copy: string, run: 'a' | 'b' = 'a'): string | null {
  try {
    expect(reading(copy, (store) => rowsIn(store, run))).toEqual(run === 'a' ? a : b);
    return null;
  } catch (error) {
    if (error instanceof JournalError) return error.code;
    throw error;
  }
}

describe('a file of archived rows', () => {
  test('with a flipped bit is refused, or says the same, wherever the bit is; every other run is read, and this one goes on', async () => {
    const copy = wholeCopy(path);
    const file = fileIn(copy, 0);
    const whole = bytesOf(file) as Buffer;
    const ends = new Map<string | null, number>();
    const places = Array.from({ length: 400 }, (_, index) => Math.floor((index * whole.length) / 400));
    for (const at of [...Array(40).keys(), ...places]) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      writeFileSync(file, bytes);
      const end = read(copy);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    expect([...ends.keys()].filter((end) => end !== null)).toEqual(['journal_corrupt']);
    expect(ends.get('journal_corrupt')).toBeGreaterThan(400);
    expect(read(copy, 'b')).toBeNull();
    const store = sqliteStore(copy);
    const journal = await store.open('a', 'resume');
    expect([...journal.read(a.length - 2)]).toHaveLength(2);
    await journal.close();
    await store.close();
  });

  test('that was cut off is refused, wherever it ends', () => {
    const copy = wholeCopy(path);
    const file = fileIn(copy, 1);
    const { length } = bytesOf(file) as Buffer;
    for (let end = length - 1; end >= 0; end -= Math.max(1, Math.floor(length / 60))) {
      truncateSync(file, end);
      expect([end, read(copy)]).toEqual([end, 'journal_corrupt']);
    }
  });

  test('in the place of another one, of another journal or with more behind it is refused', async () => {
    const [swapped, longer] = [wholeCopy(path), wholeCopy(path)];
    copyFileSync(fileIn(swapped, 1), fileIn(swapped, 0));
    expect(read(swapped)).toBe('journal_corrupt');
    const others = await longRun(3);
    expect(await archive(others.path, 'a', others.at)).toBeGreaterThan(0);
    const foreign = wholeCopy(path);
    copyFileSync(fileIn(others.path, 0), fileIn(foreign, 0));
    expect(read(foreign)).toBe('journal_corrupt');
    const file = fileIn(longer, 0);
    const unpacked = inflateRawSync(readFileSync(file).subarray(BEGINNING));
    const packed = deflateRawSync(Buffer.concat([unpacked, Buffer.from([0])]));
    writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, BEGINNING), packed]));
    expect(read(longer)).toBe('journal_corrupt');
  });

  test('with another row in it is refused: its hash is the one that it was committed with', () => {
    const copy = wholeCopy(path);
    const file = fileIn(copy, 0);
    const unpacked = inflateRawSync(readFileSync(file).subarray(BEGINNING));
    const at = unpacked.indexOf('"a 700"');
    expect(at).toBeGreaterThan(0);
    unpacked.write('"a 701"', at);
    writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, BEGINNING), deflateRawSync(unpacked)]));
    expect(read(copy)).toBe('journal_corrupt');
  });

  test('that is gone is named, with the rows that it had', () => {
    const copy = wholeCopy(path);
    rmSync(fileIn(copy, 1));
    expect(read(copy)).toBe('rows_archived');
    expect(() => reading(copy, (store) => rowsIn(store, 'a'))).toThrow(files[1] as string);
  });
});

describe('the index of archived rows', () => {
  test.each([
    ['without the last end', `DELETE FROM segment WHERE run = -1 AND last = (${LAST})`],
    [
      'without the first end',
      'DELETE FROM segment WHERE run = -1 AND last = (SELECT min(last) FROM segment WHERE run = -1)',
    ],
    ['that is empty', 'DELETE FROM segment WHERE run = -1'],
    ['with another seq', `UPDATE segment SET last = last - 1 WHERE run = -1 AND last = (${LAST})`],
    ['with another row of the log', "UPDATE segment SET rows = CAST(x'00' || substr(rows, 2) AS BLOB) WHERE run = -1"],
    [
      'with another hash',
      'UPDATE segment SET rows = CAST(substr(rows, 1, 8) || zeroblob(32) || substr(rows, 41) AS BLOB) WHERE run = -1',
    ],
    [
      'with another digest',
      'UPDATE segment SET rows = CAST(substr(rows, 1, 40) || zeroblob(32) AS BLOB) WHERE run = -1',
    ],
    ['with what is no end', "UPDATE segment SET rows = x'00' WHERE run = -1"],
    ['with the end of another run', 'UPDATE segment SET run = -2 WHERE run = -1'],
  ])('%s is noticed, and nothing else is read in the place of what was written', async (_, sql) => {
    const copy = wholeCopy(path);
    raw(copy, sql);
    expect(read(copy)).toBe('journal_corrupt');
    const store = sqliteStore(copy);
    // The writer sees it at once where the beginning of the run hangs on it, and else once it reads so far back.
    const opened = await store.open('a', 'resume').catch((error: unknown) => error);
    if (opened instanceof JournalError) expect(opened).toEqual(failing('journal_corrupt'));
    else {
      const journal = opened as Awaited<ReturnType<typeof store.open>>;
      expect(() => [...journal.read()]).toThrow(failing('journal_corrupt'));
      await journal.close();
    }
    await store.close();
  });
});
