/** The examples are rehearsed as their readers would: no fault leads to harm, and each run that stands still says what would unblock it. */
import { describe, expect, test } from 'vitest';
import { rehearsals } from '../../examples/rehearsals.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { rehearse } from '../../src/testing/index.ts';
import { machineShape } from '../../src/xstate/shape.ts';

/** The edges that no path of an example takes without a fault. */
const UNTAKEN: Readonly<Record<string, readonly string[]>> = {
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

  test('does no harm, and says of each run that is parked why, and what would unblock it', async () => {
    const { cells, paths, totals, untaken } = await rehearse({ ...rehearsal, sample: 60 });
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
  });
});
