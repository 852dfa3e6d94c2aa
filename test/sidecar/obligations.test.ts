/** What a run owes, and to whom, as its journal alone tells. */
import { describe, expect, test } from 'vitest';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { until } from '../poll.ts';
import { begun, GATED, keyOf, line, upTo } from './ledgered.ts';
import { of, type Station } from './stations.ts';

describe('obligations', () => {
  test('a run that is over owes nothing', async () => {
    const { run, ledgers } = await begun(line([{ name: 'a', tool: 'effect: irreversible' }]));
    await run.at('rest');
    run.send('end');
    await run.finished();
    expect(await ledgers()).toMatchObject({ standing: { is: 'done' }, obligations: [] });
    await run.close();
  });

  test('an approval is owed until it expires, and then as one that has', async () => {
    const { run, ledgers } = await begun(line(GATED));
    await until(() => run.sidecar.gates().length === 1);
    const [gate] = run.sidecar.gates();
    const expires = gate?.expires as number;
    const owed = {
      owes: 'approval',
      gate: gate?.gate,
      tool: 'b',
      args: { a: 'a x' },
      since: expect.any(Number),
      expires,
    };
    const pending = await ledgers(expires - 1);
    expect(pending.standing).toEqual({ is: 'waiting', approvals: 1 });
    expect(pending.obligations).toMatchObject([{ ...owed, expired: false }]);
    expect((await ledgers(expires)).obligations).toMatchObject([{ ...owed, expired: true }]);
    await run.sidecar.answer(gate?.gate as string, 'approved', { by: 'Ada' });
    await run.at('rest');
    expect(await ledgers()).toMatchObject({ standing: { is: 'open' }, obligations: [] });
    await run.close();
  });

  test('an outcome is owed by whoever is asked: the counterparty when it is due, and a person', async () => {
    const loses = {
      a: () => {
        throw new Error('connection reset');
      },
    };
    const tool = 'effect: irreversible, reconcile: { ask: ask, tries: 3, wait: 1h }';
    const { run, ledgers } = await begun(line([{ name: 'a', tool }], loses), {
      reconcilers: { ask: () => ({ is: 'unknown' }) },
    });
    await until(() => run.sidecar.gates().length === 1);
    const [outcome, recovery, ...others] = (await ledgers(0)).obligations;
    expect(outcome).toMatchObject({ owes: 'outcome', key: keyOf('a'), tries: 1, due: false });
    expect(outcome).toMatchObject({ gate: run.sidecar.gates()[0]?.gate, next: expect.any(Number) });
    expect(recovery).toEqual({ owes: 'recovery', is: 'parked', verdict: 'escalate', instance: of('a') });
    expect(others).toEqual([]);
    const { next } = outcome as { next: number };
    expect((await ledgers(next)).obligations[0]).toMatchObject({ owes: 'outcome', due: true });
    await run.sidecar.settle(keyOf('a'), 'confirmed', 'it did');
    await run.at('rest');
    expect((await ledgers()).obligations).toEqual([]);
    await run.close();
  });

  test('an undo is owed from the decision on, with what it said where it has failed', async () => {
    const stations: readonly Station[] = [
      { name: 'a', reads: ['wanted'], tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
      { name: 'b' },
    ];
    const undo = {
      unA: () => {
        throw new Error('no refunds');
      },
    };
    const { run, rows, ledgers } = await begun(line(stations), { undo });
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.finished();
    expect((await ledgers()).obligations).toMatchObject([
      { owes: 'recovery', is: 'stuck', verdict: 'restore', instance: of('a') },
      { owes: 'undo', key: keyOf('a'), tool: 'a', error: 'no refunds' },
    ]);
    expect(ledgersOf(upTo(await rows(), 'decision'), 0).obligations).toMatchObject([
      { owes: 'recovery', is: 'unfinished' },
      { owes: 'undo', error: null },
    ]);
    await run.close();
  });

  test('a claim is owed for a call that stands while its place is rolled back, until the replay makes it', async () => {
    const stations: readonly Station[] = [
      { name: 'a', reads: ['wanted'], rollback: 'joint: [B]' },
      { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
    ];
    const { run, rows, ledgers } = await begun(line(stations));
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    const then = ledgersOf(upTo(await rows(), 'restored'), 0);
    expect(then.effects).toMatchObject([{ key: keyOf('b'), status: 'confirmed', undone: true }]);
    expect(then.obligations).toMatchObject([
      { owes: 'recovery', is: 'unfinished' },
      { owes: 'claim', key: keyOf('b'), instance: of('b') },
    ]);
    const now = await ledgers();
    expect(now.effects).toMatchObject([{ key: keyOf('b'), status: 'confirmed', undone: false, intents: 2 }]);
    expect(now.obligations).toEqual([]);
    await run.close();
  });
});
