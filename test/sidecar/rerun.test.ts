/** `sidecar.rerun`: a run starts over where that was advised. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

describe('sidecar.rerun: the run starts over where that was advised', () => {
  const stations: readonly Station[] = [
    { name: 'a', reads: ['wanted'] },
    { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
  ];

  test('everything is done again, idempotent calls under their keys', async () => {
    const line = new Line(stations, { a: ({ nth }) => `a${nth}`, b: ({ nth }) => `b${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(run.status).toBe('parked');
    await run.sidecar.rerun();
    // What came from outside is delivered again: nothing that was decided on is another (C1b).
    await run.at('b');
    await calm();
    // B was answered `b0` for `a0`: for other arguments the same key is a divergence (E3), and is shown.
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    expect(line.codes()).toEqual(['effect_diverged']);
    await run.close();
  });

  test('and ends where a run ends that never failed', async () => {
    const line = new Line(stations);
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    const before = run.context;
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.sidecar.rerun();
    run.send('go');
    await run.at('rest');
    expect(run.context).toEqual(before);
    // Confirmed and kept: the ledger answers.
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('undoes what can be undone first, newest first', async () => {
    const undone: string[] = [];
    const line = new Line(
      [
        { name: 'a', tool: 'effect: reversible, undo: unA', rollback: 'compensable: undo' },
        { name: 'b', reads: ['a'], tool: 'effect: compensable, undo: unB', rollback: 'compensable: undo' },
      ],
      {},
    );
    const run = await line.begin({
      undo: { unA: ({ tool }) => void undone.push(tool), unB: ({ tool }) => void undone.push(tool) },
    });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(undone).toEqual([]);
    await run.sidecar.rerun();
    expect(undone).toEqual(['b', 'a']);
    run.send('go');
    await run.at('rest');
    expect(line.calls.map(({ key }) => key?.endsWith('~1') ?? null)).toEqual([false, false, true, true]);
    await run.close();
  });

  test('asks again for the answers of every complaint that it answers, and not only of the first (C10)', async () => {
    const line = new Line(
      [
        { name: 'a', tool: 'effect: idempotent' },
        { name: 'b', tool: 'effect: idempotent' },
        { name: 'c', reads: ['a', 'b'] },
      ],
      { a: ({ nth }) => `a${nth}`, b: ({ nth }) => `b${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.fail('CONTRACT_VIOLATION', { instance: of('b'), key: 'b' });
    expect(line.verdicts).toEqual(['rerun 2', 'rerun 2']);
    await run.sidecar.rerun();
    run.send('go');
    await run.at('rest');
    expect([line.called('a'), line.called('b'), run.context.c]).toEqual([2, 2, 'c a1 b1']);
    await run.close();
  });

  test('asked for twice at once it is started once, and the other one is refused', async () => {
    const line = new Line(stations);
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    const both = await Promise.allSettled([run.sidecar.rerun(), run.sidecar.rerun()]);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_advised' } }]);
    run.send('go');
    await run.at('rest');
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('a run that was parked on it is parked on it in the next process', async () => {
    const line = new Line(stations);
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.close();
    const next = await line.resume({ journal });
    await calm();
    expect(next.status).toBe('parked');
    expect((await next.finished()).status).toBe('parked');
    await next.sidecar.rerun();
    // It goes on from its first step as soon as the plan is carried out (LC2).
    await next.at('rest');
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    await next.close();
  });
});
