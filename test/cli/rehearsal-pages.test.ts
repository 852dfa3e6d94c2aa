/** The pages in docs/rehearsals/ say what a rehearsal says: a sample of their runs is made again, and none of them does harm. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cellLine, linesOn, pageOf, REHEARSED, rehearsed } from './rehearse-all.ts';

/** The runs of each agent that are made again; one of them starts a mail server for each run. */
const SAMPLE = 4;
const FEW = 2;

describe.each(REHEARSED)('the page of %s', (name) => {
  const lines = linesOn(readFileSync(pageOf(name), 'utf8'));

  test('has every run, none of which does harm, and says why each is parked', () => {
    expect(lines.length).toBeGreaterThan(50);
    for (const line of lines) expect(line).toMatch(/^(same|unreached|parked \([a-z_, ]+\)): /);
  });

  test('says of a sample what they say today', async () => {
    const { report, failing } = await rehearsed(name, name === 'schedule-form' ? FEW : SAMPLE);
    expect(failing).toEqual([]);
    expect(report.paths.reduce((sum, { faults }) => sum + faults, 0)).toBeGreaterThanOrEqual(lines.length);
    expect(lines).toEqual(expect.arrayContaining(report.cells.map(cellLine)));
  });
});
