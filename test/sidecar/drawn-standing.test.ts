/** The standing of a run, folded from its rows alone, is that of its process: parked with the questions that it is parked on, or at its end. */
import { expect, test } from 'vitest';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import { RunStatusFold } from '../../src/reports/run-status.ts';
import { Course } from '../simulation/course.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { scenarioOf } from '../simulation/trial.ts';
import { VirtualTime } from '../virtual-time.ts';

/** The runs that are drawn. */
const RUNS = 60;

test('whatever has happened to it, in drawn runs', async () => {
  const seen = { parked: 0, done: 0 };
  for (let index = 0; index < RUNS; index += 1) {
    const { scenario } = await scenarioOf(61, index, null, { repeats: index % 2 === 0, byHand: index % 3 === 0 });
    const store = new MortalStore([], scenario.paged);
    const fold = new RunStatusFold();
    const reader = new EntryDecoder();
    const course = new Course(
      { ...scenario, faults: scenario.faults.filter(({ fault }) => fault !== 'killed') },
      store,
    );
    store.onRows = (rows) => {
      for (const row of rows) {
        const entry = reader.entry({ ...row, seq: 1, time: 0 });
        if (entry !== null) fold.take(entry, 0);
      }
    };
    const end = await new VirtualTime().during(() => course.run());
    if (end.status !== 'parked' && end.status !== 'done') continue;
    seen[end.status] += 1;
    expect([index, fold.now.is, fold.open.length > 0]).toEqual([index, end.status, end.status === 'parked']);
  }
  expect(seen.parked).toBeGreaterThan(2);
  expect(seen.done).toBeGreaterThan(25);
});
