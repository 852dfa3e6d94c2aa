/** E5: an undo that fails stops the recovery until it works. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

describe('E5: an undo that fails', () => {
  const undoable: readonly Station[] = [
    { name: 'a', reads: ['wanted'], tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
    { name: 'b' },
  ];

  test('stops the recovery, and memory is not restored over it', async () => {
    let asked = 0;
    const line = new Line(undoable);
    const run = await line.begin({
      undo: {
        unA: () => {
          asked += 1;
          throw new Error('no refunds');
        },
      },
    });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(await run.finished()).toMatchObject({
      status: 'stuck',
      error: 'no refunds',
      effect: { id: line.calls[0]?.key },
    });
    expect(asked).toBe(3);
    expect(run.context).toMatchObject({ a: 'a x', b: 'b' });
    run.send('end');
    await calm();
    expect(run.value).toBe('rest');
    await run.close();
  });

  test('no complaint and no rerun is taken before it is done: each is refused, and nothing is written', async () => {
    const store = memoryStore();
    const line = new Line(undoable);
    const run = await line.begin({
      journal: store,
      undo: {
        unA: () => {
          throw new Error('no refunds');
        },
      },
    });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.finished();
    await run.sidecar.durable();
    const before = [...store.read('r')].length;
    await expect(run.fail('CONTRACT_VIOLATION', { instance: of('b'), key: 'b' })).rejects.toMatchObject({
      code: 'stuck',
    });
    await expect(run.sidecar.rerun()).rejects.toMatchObject({ code: 'stuck' });
    await run.sidecar.durable();
    expect([...store.read('r')].length).toBe(before);
    await run.close();
  });

  test('is tried again by the next process, and then the same plan is finished', async () => {
    let works = false;
    const line = new Line(undoable, { a: ({ nth }) => `a${nth}` });
    const journal = memoryStore();
    const undo = {
      unA: () => {
        if (!works) throw new Error('no refunds');
      },
    };
    const run = await line.begin({ journal, undo });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.finished();
    await run.close();
    const still = await line.resume({ journal, undo });
    expect((await still.finished()).status).toBe('stuck');
    await still.close();
    works = true;
    const next = await line.resume({ journal, undo });
    await next.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    expect(next.context.a).toBe('a1');
    await next.close();
  });
});
