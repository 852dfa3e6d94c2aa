/**
 * Debits and credits on a real database, by a process that is killed at appends to its journal: whoever looks at the books, at
 * any moment, sees both lines or none, and in the end one commit with one audit row (semantics.md E4).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { Bundle } from '../bundled.ts';

const scripts = new Bundle(['test/adapters/dying-books.mjs']);
afterAll(() => scripts.close());

/** Runs the agent in a folder until it is over, or dies at an append. */
function live(folder: string, at = 0): { status?: string; appends?: number; signal: NodeJS.Signals | null } {
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    [scripts.path('dying-books.mjs'), folder, String(at)],
    { encoding: 'utf8' },
  );
  if (signal === null && stdout === '') throw new Error(stderr);
  return { ...(stdout !== '' && JSON.parse(stdout)), signal };
}

/** What anybody sees who looks at the books. */
function books(folder: string): { lines: number; sum: number; commits: number; staged: number } {
  const file = join(folder, 'books.sqlite');
  if (!existsSync(file)) return { lines: 0, sum: 0, commits: 0, staged: 0 };
  const db = new Database(file);
  const one = (sql: string) => Object.values(db.prepare(sql).get() as object)[0] as number;
  try {
    if (one("SELECT count(*) FROM sqlite_schema WHERE name = 'belay_commit'") === 0)
      return { lines: 0, sum: 0, commits: 0, staged: 0 };
    return {
      lines: one('SELECT count(*) FROM line'),
      sum: one('SELECT coalesce(sum(cents), 0) FROM line'),
      commits: one('SELECT count(*) FROM belay_commit'),
      staged: one('SELECT count(*) FROM belay_staged'),
    };
  } finally {
    db.close();
  }
}

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'belay-books-'));
  folders.push(made);
  return made;
};

test('killed at any append, both lines are there or none, and one commit in the end', () => {
  try {
    const calm = folder();
    const { status, appends = 0 } = live(calm);
    expect([status, books(calm)]).toEqual(['done', { lines: 2, sum: 0, commits: 1, staged: 0 }]);
    expect(appends).toBeGreaterThan(10);
    const seen = new Set<number>();
    // Every second one, the last among them: it alone lies after the commit.
    for (let at = appends; at >= 1; at -= 2) {
      const here = folder();
      expect(live(here, at).signal).toBe('SIGKILL');
      const between = books(here);
      seen.add(between.lines);
      expect([at, between.sum, between.lines === 2 * between.commits]).toEqual([at, 0, true]);
      expect([at, live(here).status]).toEqual([at, 'done']);
      expect([at, books(here)]).toEqual([at, { lines: 2, sum: 0, commits: 1, staged: 0 }]);
    }
    expect(seen).toEqual(new Set([0, 2]));
  } finally {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  }
});
