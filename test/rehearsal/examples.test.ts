/** The examples are rehearsed as their readers would: no fault leads to harm, each run that stands still says what would unblock it, and their pages say so. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rehearsals } from '../../examples/rehearsals.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { cellLine, linesOn, pageOf, rehearsed } from '../cli/rehearse-all.ts';

/** The edges that no path of an example takes without a fault. */
const UNTAKEN: Readonly<Record<string, readonly string[]>> = {
  // The money has to be out, the tests red to the end, or a person deny the push.
  coding: [
    'drafting -> red (xstate.error.actor.0.coding.drafting)',
    'testing -> red (xstate.done.actor.0.coding.testing)',
    'red -> testing (RETEST)',
    'pushing -> declined (xstate.error.actor.0.coding.pushing)',
  ],
  // A hold has to fail, and each of the three itineraries.
  itineraries: [
    'trying -> stays (@belay.none)',
    'itinerary/holdingSeats -> itinerary/holdingSeats (xstate.error.actor.0.itinerary.holdingSeats)',
    'itinerary/holdingRoom -> itinerary/holdingRoom (xstate.error.actor.0.itinerary.holdingRoom)',
  ],
  // The budget has to be out.
  survey: ['searching -> gathered (xstate.error.actor.0.survey.searching)'],
  // A person has to deny the wire.
  treasury: ['wiring -> declined (xstate.error.actor.0.treasury.wiring)'],
  // A person has to deny the refund.
  support: ['refunding -> answering (xstate.error.actor.0.support.refunding)'],
};

describe.each(Object.entries(rehearsals))('the example %s', (name, options) => {
  const rehearsal = options();

  test('has a config that fits its machine', () => {
    const { config, document, findings } = readConfig(String(rehearsal.config));
    expect(findings).toEqual([]);
    const shape = machineShape(rehearsal.machine);
    const told =
      config === null ? [] : lintConfig(config, document, shape).filter(({ severity }) => severity !== 'note');
    expect(told.map(({ line, code, message }) => `${line} ${code} ${message}`)).toEqual([]);
  });

  test('does no harm, and says of each run that is parked why, what would unblock it, and what its page says', async () => {
    const { report } = await rehearsed(name, 60);
    const { cells, paths, totals, untaken } = report;
    expect(cells.filter(({ verdict }) => verdict.is === 'harm')).toEqual([]);
    expect(totals.unreached).toBe(0);
    expect(totals.same).toBeGreaterThan(20);
    for (const { id, verdict } of cells) {
      if (verdict.is !== 'parked') continue;
      expect(verdict.reasons, id).not.toEqual([]);
      expect(verdict.unblock, id).not.toEqual([]);
    }
    expect(paths.flatMap(({ findings }) => findings)).toEqual([]);
    expect(untaken).toEqual(UNTAKEN[name] ?? []);
    const lines = linesOn(readFileSync(pageOf(name), 'utf8'));
    expect(paths.reduce((sum, { faults }) => sum + faults, 0)).toBeGreaterThanOrEqual(lines.length);
    expect(lines).toEqual(expect.arrayContaining(cells.map(cellLine)));
  });
});
