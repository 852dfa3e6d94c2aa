/** Steps that a base has are paged out, with what they read, wrote and certified: nothing holds them, and what is asked of them is the same. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { type Decision, memoryStore } from '../../../src/index.ts';
import type { Base } from '../../../src/journal/journal.ts';
import type { RunState } from '../../../src/projection/run-state.ts';
import { rebuilt } from '../../../src/sidecar/bases/loaded-base.ts';
import { SPACING } from '../../../src/sidecar/opening/options.ts';
import { wrapJournals } from '../../../src/testing/index.ts';
import { opened, standing, stateOf, steps } from './agent.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const COUNT = 400;
const NEWEST = 20;
const WORK = { skeleton: 'Work', entity: 'it', ordinal: 0 };

const numbersOf = (runState: RunState) => runState.places.steps.all.map(({ nth }) => nth);
const outOf = (runState: RunState) => runState.pages.count;

describe('the oldest steps of a run', () => {
  test('are held by nothing once a base has them, but for those that something refers to', async () => {
    const { runState, base } = await stateOf(COUNT);
    const steps = runState.places.steps.here.map((step) => new WeakRef(step));
    base(NEWEST);
    expect(outOf(runState)).toBe(steps.length - NEWEST);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const held = steps.filter((step) => step.deref() !== undefined).length;
    // The newest, the first of the run, the one that began the unit, and the last that moved each region.
    expect(held).toBeGreaterThanOrEqual(NEWEST);
    expect(held).toBeLessThanOrEqual(NEWEST + 4);
  });

  test('are the same steps again where something refers to them, and say the same where nothing did', async () => {
    const { runState, base } = await stateOf(COUNT);
    const texts = runState.places.steps.all.map((step) =>
      JSON.stringify([step.nth, step.act, step.moves, step.certified, step.entry]),
    );
    const [third, entered] = [runState.places.steps.all[2], runState.places.of('Work::it::0')?.entered];
    base(NEWEST);
    collect();
    expect(outOf(runState)).toBeGreaterThan(0);
    expect(runState.places.steps.all[2]).toBe(third);
    expect(runState.places.steps.all).toContain(entered);
    expect(outOf(runState)).toBe(0);
    expect(
      runState.places.steps.all.map((step) =>
        JSON.stringify([step.nth, step.act, step.moves, step.certified, step.entry]),
      ),
    ).toEqual(texts);
  });

  test('stay out where a question can be answered without them', async () => {
    const { runState, base } = await stateOf(COUNT);
    const { history, places } = runState;
    const record = history.expect(WORK);
    base(NEWEST);
    const out = outOf(runState);
    expect(history.versions.firstWrite(record, ({ text }) => text === 'rows/row1')?.at).toBeLessThan(20);
    expect(history.versions.firstWrite(record, ({ text }) => text === 'rows/row9')).toBeUndefined();
    expect(history.versions.hasRead(record, ({ text }) => text === 'rows/row1')).toBe(true);
    expect(record.entry.at).toBeLessThan(10);
    expect(places.lastMover('0:')?.nth).toBe(COUNT - 1);
    expect(places.first?.nth).toBe(0);
    expect(record.checkpoints.last).toBe(record.committed);
    expect(outOf(runState)).toBe(out);
    expect(history.versions.writesOf(record).length).toBeGreaterThan(COUNT - 1);
    expect(outOf(runState)).toBe(0);
  });

  test('go out again with the next base as what was stored of them, and anew where some were taken back', async () => {
    const { runState, base } = await stateOf(COUNT);
    const before = base(NEWEST);
    expect(numbersOf(runState)).toHaveLength(COUNT + 1);
    const again = base(NEWEST);
    const pages = (parts: readonly Buffer[]) => parts.filter((part) => before.includes(part) && part !== before[0]);
    expect(pages(again)).toHaveLength(before.length - 2);
    runState.places.remove(new Set(runState.places.steps.all.slice(150)));
    for (const { id } of [...runState.history.registry.all()]) runState.history.undo(id, 200);
    const kept = numbersOf(runState);
    const anew = base(NEWEST);
    expect(outOf(runState)).toBe(kept.length - NEWEST);
    expect(anew.filter((part) => before.includes(part)).length).toBeLessThan(before.length - 2);
    expect(numbersOf(runState)).toEqual(kept);
  });

  test('are read from a base by who takes the run up, where they are asked for', async () => {
    const { runState, base } = await stateOf(COUNT);
    const numbers = numbersOf(runState);
    const again = rebuilt(base(NEWEST))?.runState as RunState;
    expect(outOf(again)).toBe(numbers.length - NEWEST);
    expect(again.places.steps.here).toHaveLength(NEWEST);
    expect(numbersOf(again)).toEqual(numbers);
    expect(again.places.steps.all.map(({ value }) => value)).toEqual(
      runState.places.steps.all.map(({ value }) => value),
    );
  });
});

test('a run whose steps are paged out goes back to its beginning where the first write of it was wrong', async () => {
  const outcomes = await Promise.all(
    [1_000_000, 50].map(async (rows) => {
      const decisions: Decision[] = [];
      const sidecar = await opened(memoryStore(), 'attach', rows, {
        onDecision: ({ decision }) => void decisions.push(decision),
      });
      steps(sidecar, 0, COUNT);
      await sidecar.durable();
      await sidecar.fail('CONTRACT_VIOLATION', { instance: WORK, key: 'rows/row3' });
      const stood = standing(sidecar);
      await sidecar.close();
      return { decisions, stood };
    }),
  );
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[0]?.decisions.map(({ line }) => line?.moves.map(({ keep }) => keep))).toEqual([
    [{ kind: 'entry', at: 2 }],
  ]);
});

test('a page that is no page ends the question with an error, each time, and never with an answer', async () => {
  const store = memoryStore();
  const first = await opened(store, 'attach', 50);
  steps(first, 0, COUNT);
  await first.close();
  const lying = wrapJournals(store, (journal) => ({
    base: () => {
      const base = journal.base() as Base;
      return { ...base, parts: base.parts.with(-1, Buffer.from('no page')) };
    },
  }));
  const sidecar = await opened(lying, 'resume', 50);
  for (let round = 0; round < 2; round += 1)
    await expect(sidecar.fail('CONTRACT_VIOLATION', { instance: WORK, key: 'rows/row3' })).rejects.toMatchObject({
      code: 'journal_corrupt',
      message: expect.stringContaining('a page of the base is damaged'),
    });
  await sidecar.close();
});

test('a run that is taken up makes the next base once as many rows are there as the last one lists steps', async () => {
  const store = memoryStore();
  const spaced = (rows: number, times: number) => ({ [SPACING]: { rows, times, newest: 1_000 } }) as object;
  const first = await opened(store, 'attach', 300, spaced(300, 0));
  steps(first, 0, 260);
  await first.close();
  const { at } = (await store.base('r')) as Base;
  const again = await opened(store, 'resume', 1, spaced(1, 4));
  steps(again, 260, 10);
  await again.durable();
  expect(((await store.base('r')) as Base).at).toBe(at);
  steps(again, 270, 500);
  await again.durable();
  expect(((await store.base('r')) as Base).at).toBeGreaterThan(at);
  await again.close();
});
