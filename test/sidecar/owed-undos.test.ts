/** Undos that fail while others can go on, and what is owed until all are made (semantics.md E5). */
import { describe, expect, test } from 'vitest';
import type { UndoCall } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Ending } from '../../src/sidecar/report.ts';
import { calm } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

/** a is read by the hotel and by the car; `more` says what else the car reads. */
const trip = (more: readonly string[] = []): readonly Station[] => [
  { name: 'a', reads: ['wanted'], rollback: 'joint: [HOTEL, CAR]' },
  { name: 'hotel', reads: ['a'], tool: 'effect: compensable, undo: cancel', rollback: 'compensable: undo' },
  { name: 'car', reads: ['a', ...more], tool: 'effect: compensable, undo: cancel', rollback: 'compensable: undo' },
];

/** Books all, and finds a wrong while the car, or the hotel, cannot be cancelled. */
async function booked(closed: string, more: readonly string[] = []) {
  const line = new Line(trip(more), { a: ({ nth }) => `a${nth}` });
  const undone: string[] = [];
  const state = { closed };
  const cancel = ({ tool }: UndoCall) => {
    if (tool === state.closed) throw new Error(`${tool}: no answer`);
    undone.push(tool);
  };
  const journal = memoryStore();
  const run = await line.begin({ undo: { cancel }, journal });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  const ending = (await run.finished()) as Extract<Ending, { status: 'stuck' }>;
  expect(ending.status).toBe('stuck');
  return { line, run, undone, state, ending, journal, cancel };
}

const owed = ({ owed: all }: { owed: Extract<Ending, { status: 'stuck' }>['owed'] }) =>
  all.map(({ effect, error }) => `${effect.tool}: ${error}`);

describe('an undo that fails', () => {
  test('does not stop the undo of work that is independent of it, and the context stays as it was', async () => {
    const { run, undone, ending } = await booked('car');
    expect([undone, owed(ending)]).toEqual([['hotel'], ['car: car: no answer']]);
    expect(run.context).toMatchObject({ a: 'a0', hotel: 'hotel a0', car: 'car a0' });
    await run.close();
  });

  test('holds back the undo of what it rests on, which is owed as well', async () => {
    const { run, undone, ending } = await booked('car', ['hotel']);
    expect([undone, owed(ending)]).toEqual([[], ['car: car: no answer', 'hotel: it waits for the undo of car']]);
    await run.close();
  });

  test('is made good by a person, and the plan goes on in the same process', async () => {
    const { run, ending, line, undone } = await booked('car', ['hotel']);
    await run.sidecar.settle(ending.effect.id as string, 'compensated');
    await run.at('rest');
    expect([undone, run.context]).toEqual([
      ['hotel'],
      expect.objectContaining({ a: 'a1', hotel: 'hotel a1', car: 'car a1 hotel a1' }),
    ]);
    expect(line.verdicts).toEqual(['restore_joint 2']);
    await run.close();
  });

  test('is tried again when the run is asked to, and the ending tells what is still owed', async () => {
    const { run, state, undone } = await booked('car');
    state.closed = 'hotel';
    await run.sidecar.reconcile();
    await run.at('rest');
    // The hotel was cancelled before.
    expect([undone, run.context.car]).toEqual([['hotel', 'car'], 'car a1']);
    await run.close();
  });

  test('is tried again by the next process, which undoes nothing twice', async () => {
    const { line, run, undone, journal, cancel, state } = await booked('car');
    await run.close();
    const still = await line.resume({ journal, undo: { cancel } });
    expect(owed((await still.finished()) as never)).toEqual(['car: car: no answer']);
    await calm();
    state.closed = '';
    await still.sidecar.reconcile();
    await still.at('rest');
    expect([undone, still.context.a]).toEqual([['hotel', 'car'], 'a1']);
    await still.close();
  });
});
