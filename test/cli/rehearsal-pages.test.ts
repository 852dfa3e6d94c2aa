/**
 * The pages in docs/rehearsals/ say what a rehearsal says: of the agents of this repository a sample of their runs is made again, none of which does
 * harm, and each that parks says why. The runs of the examples are made again in test/rehearsal/examples.test.ts.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cellLine, DOMAINS, linesOn, pageOf, REHEARSED, rehearsed } from './rehearse-all.ts';

/** The runs of each agent that are made again; one of them starts a mail server for each run. */
const SAMPLE = 24;
const FEW = 8;

test.each(REHEARSED)('the page of %s has every run, none of which does harm, and says why each is parked', (name) => {
  const lines = linesOn(readFileSync(pageOf(name), 'utf8'));
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) expect(line).toMatch(/^(same|unreached|parked \([a-z_, ]+\)): /);
});

describe('no harm under faults, and what the page says', () => {
  test.each(DOMAINS)('%s', async (name) => {
    const lines = linesOn(readFileSync(pageOf(name), 'utf8'));
    const sample = name === 'schedule-form' ? FEW : SAMPLE;
    const { report, failing } = await rehearsed(name, sample);
    const { cells, paths, totals } = report;
    expect(failing).toEqual([]);
    expect(cells).toHaveLength(sample);
    expect(totals.harm).toBe(0);
    expect(totals.same).toBeGreaterThan(0);
    for (const { verdict } of cells) {
      if (verdict.is !== 'parked') continue;
      expect(verdict.reasons).not.toEqual([]);
      expect(verdict.unblock).not.toEqual([]);
    }
    expect(paths.reduce((sum, { faults }) => sum + faults, 0)).toBeGreaterThanOrEqual(lines.length);
    expect(lines).toEqual(expect.arrayContaining(cells.map(cellLine)));
  });
});
