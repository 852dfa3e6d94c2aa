/** `docs/dart.md`: it is what the audit has recorded, it has every table of the paper, and no difference without a switch but those that it names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dartPage, readRecorded, recordedText } from '../../audit/dart/page.ts';
import { differencesIn, SWITCHES, TIMES } from '../../audit/dart/switches.ts';
import { PAPER_TABLES } from '../../audit/dart/tables.ts';
import { ROOT } from '../../audit/root.ts';

const text = readFileSync(join(ROOT, 'audit', 'dart', 'recorded.jsonl'), 'utf8');
const page = readFileSync(join(ROOT, 'docs', 'dart.md'), 'utf8');
const recorded = readRecorded(text);

describe('the page on the paper', () => {
  test('is what was recorded, and nothing was written by hand', () => {
    expect(page).toBe(dartPage(recorded));
    expect(recordedText(recorded)).toBe(text);
  });

  test('has each of the thirty tables by its number, with a table of ours or a word why there is none', () => {
    expect(PAPER_TABLES.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    for (const { number, title, ours, note } of PAPER_TABLES) {
      expect(page).toContain(`## Table ${number}: ${title}\n`);
      expect([number, ours.length > 0 || note !== undefined]).toEqual([number, true]);
      for (const id of ours) expect(recorded.tables.map((table) => table.id)).toContain(id);
    }
  });

  test('turns a switch for every figure that differs, and both positions have a figure', () => {
    const differing = differencesIn(recorded.tables);
    expect(differing.length).toBeGreaterThan(200);
    expect(recorded.turned.length + recorded.unexplained.length).toBe(differing.length);
    for (const { by, off, on, row, column } of recorded.turned) {
      expect(Object.keys(SWITCHES)).toContain(by);
      expect([row, column, on]).not.toEqual([row, column, null]);
      expect([row, column, off]).not.toEqual([row, column, undefined]);
    }
  });

  test('leaves no figure without a switch', () => {
    expect(recorded.repeat).toBe(5);
    expect(recorded.unexplained).toEqual([]);
  });

  test('leaves out times alone', () => {
    expect([...TIMES].sort()).toEqual(['hook', 'latency', 'own', 'retry']);
  });

  test('says that planners are scripted, and what Belay let through unsafe, which is nothing', () => {
    expect(page).toContain('Every planner is **scripted**');
    expect(recorded.summary.unsafeAdmissions.belay).toBe(0);
    expect(recorded.summary.falseBlocked).toEqual({ 'comp-frozen': 0, belay: 0 });
    expect(recorded.sweep.belay.unsafe).toEqual([]);
    expect(recorded.sweep.sites).toBeGreaterThan(100);
  });
});
