/** A run that is parked on complaints: in the next process, and with more than one question. */
import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm } from '../poll.ts';
import { KEY, UNKNOWN } from './lost-reply.ts';
import { Line, of, type Station } from './stations.ts';

describe('a run that is parked on what somebody said', () => {
  const asking = 'effect: compensable, undo: back, reconcile: { ask: bank, tries: 1 }';

  /** A call whose reply is lost, which the machine takes for nothing; then somebody says that its work is wrong. */
  async function parked(journal: JournalStore, says: () => ReconcileResult) {
    const line = new Line([{ name: 'a', tool: asking, rollback: 'compensable: undo', onError: 'handled' }], {
      a: ({ nth }) => {
        if (nth === 0) throw new Error('connection reset');
        return `a${nth}`;
      },
    });
    const options = { journal, undo: { back: () => {} }, reconcilers: { bank: () => says() } };
    const run = await line.begin(options);
    run.send('go');
    await run.at('handled');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    expect((await run.finished()).status).toBe('parked');
    expect(line.codes()).toEqual(['effect_outcome_unknown']);
    await run.close();
    return { line, options };
  }

  test('is asked again by the next process, and goes back where it can by then', async () => {
    let says: ReconcileResult = { is: 'unknown' };
    const { line, options } = await parked(memoryStore(), () => says);
    says = { is: 'not_applied' };
    const next = await line.resume(options);
    await next.at('rest');
    expect([line.verdicts, line.called('a'), next.context.a]).toEqual([['escalate', 'restore 0'], 2, 'a1']);
    await next.close();
  });

  test('is parked still where it cannot, and shows what stands in the way now', async () => {
    let says: ReconcileResult = { is: 'unknown' };
    const { line, options } = await parked(memoryStore(), () => says);
    says = { is: 'applied' };
    const undo = { back: { undo: () => {}, moved: () => 'somebody has written over it' } };
    const next = await line.resume({ ...options, undo });
    const ending = await next.finished();
    expect(ending).toMatchObject({
      status: 'parked',
      decision: { unblock: { leadsTo: 'restore', acts: [{ act: 'register_undo' }] } },
    });
    await next.close();
  });
});

describe('a run that is parked on more than one question', () => {
  const both: readonly Station[] = [
    { name: 'a', reads: ['wanted'], rollback: 'joint: [B]' },
    { name: 'b', reads: ['a'], tool: 'effect: irreversible' },
  ];

  test('is decided as one when an answer comes: nothing leaves that has read what is still found wrong (C12)', async () => {
    const line = new Line(both, { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    // B has acted for good: nothing can be done about it but by a person.
    await run.fail('CONTRACT_VIOLATION', { instance: of('b'), key: 'b' });
    expect([line.verdicts, run.status]).toEqual([['escalate'], 'parked']);
    // A cannot go back either: B is found wrong and has read it, so that it is not set aside.
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await calm();
    expect([line.verdicts, line.codes()]).toEqual([['escalate', 'escalate'], ['irreversible_effect_policy']]);
    expect((await run.finished()).status).toBe('parked');
    expect([line.called('a'), line.called('b')]).toEqual([1, 1]);
    await run.sidecar.settle(JSON.stringify(['r', 'B', 'it', 0, 'b', 0]), 'compensated');
    await calm();
    const given = line.calls.filter(({ tool }) => tool === 'b').map(({ input }) => input);
    expect(given).toEqual([{ a: 'a0' }, { a: 'a1' }]);
    expect([run.status, run.value, run.context.b]).toEqual(['running', 'rest', 'b a1']);
    await run.close();
  });

  test('each call that is held is answered when its outcome is known', async () => {
    const line = new Line(UNKNOWN, {
      a: () => {
        throw new Error('connection reset');
      },
    });
    const run = await line.begin();
    run.send('go');
    await run.finished();
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    expect(line.verdicts).toEqual(['escalate', 'escalate']);
    await run.sidecar.settle(KEY, 'confirmed', 'it did');
    await calm();
    expect(line.verdicts).toEqual(['escalate', 'escalate', 'settle', 'escalate']);
    expect(run.status).toBe('parked');
    await run.close();
  });
});
