/** The decision is total: no complaint about a past that a run can have throws, wherever in it the question is asked. */
import { describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/journal/journal.ts';
import { decide } from '../../src/recovery/decide.ts';
import { explain } from '../../src/recovery/explain.ts';
import { machines } from '../enumeration/assignments.ts';
import { benchOf, runCase } from '../enumeration/driver.ts';
import { casesOf, type EnumeratedCase } from '../enumeration/failures.ts';
import { Course } from '../simulation/course.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { scenarioOf } from '../simulation/trial.ts';
import { VirtualTime } from '../virtual-time.ts';
import { type Answered, askEverywhere } from './asking-everywhere.ts';
import { historyOf } from './written.ts';

const ALSO = { byHand: true, repeats: true, late: true, sharing: true, pauses: true };

/** The questions that threw, with the first line of each error. */
function thrownIn({ thrown }: Answered): string[] {
  return thrown.map(({ line, failure, rules, error }) => {
    const about = `${JSON.stringify(failure.in)} ${failure.key?.text ?? 'no key'} under ${rules.policy}, ${rules.joint}`;
    return `line ${line}, ${about}: ${String(error)}`;
  });
}

describe('no complaint throws', () => {
  test('at any line of the traces of random machines under faults, whatever instance and key it names', async () => {
    const answered: Answered = { verdicts: {}, thrown: [] };
    for (let index = 0; index < 10; index++) {
      const { scenario } = await scenarioOf(35, index, null, ALSO);
      const store = new MortalStore(scenario.faults.filter((fault) => fault.fault === 'killed'));
      const rows = await new VirtualTime().during(async () => {
        await new Course({ ...scenario, paged: false }, store).run();
        const journal = await (await store.next('r')).open('r', 'either');
        const rows: StoredRow[] = [];
        for await (const row of journal.read()) rows.push(row);
        return rows;
      });
      askEverywhere(rows, 211, answered);
    }
    expect(thrownIn(answered).slice(0, 3)).toEqual([]);
    for (const verdict of ['restore', 'restore_joint', 'rerun', 'escalate'])
      expect(answered.verdicts[verdict], verdict).toBeGreaterThan(100);
  });

  test('at any line of the traces of enumerated machines of every shape', async () => {
    const answered: Answered = { verdicts: {}, thrown: [] };
    const seen = new Set<string>();
    for (const machine of machines()) {
      if (seen.has(machine.shape) || !machine.tools.some((tool) => tool.class === 'irreversible')) continue;
      seen.add(machine.shape);
      const bench = benchOf(machine, { reconciles: true, lies: false });
      const cases = [...casesOf(machine)];
      const one = cases[seen.size % cases.length] as EnumeratedCase;
      askEverywhere((await runCase(one, bench)).rows, 13, answered);
    }
    expect(thrownIn(answered).slice(0, 3)).toEqual([]);
    for (const verdict of ['restore', 'restore_joint', 'rerun', 'escalate'])
      expect(answered.verdicts[verdict], verdict).toBeGreaterThan(100);
  });

  test('about a root instance: no failure is its own, so it fits no unit', () => {
    const events = [{ do: 'enter' as const, in: ['(root)', '0:', 0] as [string, string, number] }];
    const decision = decide(historyOf(events), { in: { skeleton: '(root)', entity: '0:', ordinal: 0 }, key: null });
    expect(decision.refusals).toMatchObject([{ code: 'ambiguous_instance', why: 'fits_nobody' }]);
    expect(() => explain(decision)).not.toThrow();
  });
});
