/** A process that is killed while it archives: every row is read as it was, from wherever it is by then, and the next process archives the rest. */
import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { SEGMENT } from '../../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { copyOf, freshPath } from '../files.ts';
import { type Other, startOther } from '../other-process.ts';
import { row } from '../rows-of.ts';
import { archive, based, filesIn, folderOf, reading, rowsIn } from './journals.ts';

/** The segments of a run, each of which makes a stretch of its own. */
const SEGMENTS = 6;
const KILLS = 24;

const others: Other[] = [];
afterEach(async () => {
  for (const each of others.splice(0)) await each.end('SIGKILL');
});

test('no row is lost, and none is there twice', async () => {
  const path = freshPath();
  const store = sqliteStore(path);
  const journal = await store.open('a', 'create');
  for (let n = 0; n < (SEGMENTS + 1) * SEGMENT; n += 1) {
    journal.append([row({ n, text: `${n} `.repeat(400) })]);
    await journal.flush();
  }
  await journal.close();
  await store.close();
  const at = await based(path, 'a');
  const rows = reading(path, (reader) => rowsIn(reader, 'a'));
  let copy = copyOf(path);
  let reached = 0;
  let [kills, between] = [0, 0];
  while (kills < KILLS) {
    const other = startOther();
    others.push(other);
    await other.ask({ do: 'store', path: copy });
    // Killed as soon as so many more files are there, at whatever of the next one it is by then.
    const wanted = filesIn(copy).length + 1 + (kills % 3);
    let isOver = false;
    const archiving = other.ask({ do: 'archive', run: 'a', at }).catch(() => null);
    void archiving.then(() => {
      isOver = true;
    });
    while (!isOver && filesIn(copy).length < wanted) await wait(1);
    await wait(kills % 5);
    await other.end('SIGKILL');
    await archiving;
    kills += 1;
    expect(reading(copy, (reader) => rowsIn(reader, 'a'))).toEqual(rows);
    const now = reading(copy, (reader) => reader.archive?.upTo('a')) as number;
    expect(now).toBeGreaterThanOrEqual(reached);
    if (now > 0 && now < (SEGMENTS - 1) * SEGMENT) between += 1;
    reached = now;
    if (kills % 4 !== 0) continue;
    // Every fourth finds the rest archived by the next process, and the next kills meet a file that has all of its rows.
    expect(await archive(copy, 'a', at)).toBeGreaterThan((SEGMENTS - 1) * SEGMENT);
    expect(reading(copy, (reader) => rowsIn(reader, 'a'))).toEqual(rows);
    expect(filesIn(copy).filter((name) => !name.startsWith('.')).length).toBeGreaterThanOrEqual(SEGMENTS - 1);
    rmSync(folderOf(copy), { recursive: true });
    copy = copyOf(path);
    reached = 0;
  }
  expect(between).toBeGreaterThan(0);
});
