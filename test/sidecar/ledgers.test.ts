/** Why a run acted, what it did and what it owes, as its journal alone tells. */

import { describe, expect, test } from 'vitest';
import { type KeyForm, keyOf as named } from '../../src/effects/keys.ts';
import { kindOf } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { SidecarOptions } from '../../src/xstate/attach.ts';
import { type Does, Line, of, type Station, until } from './stations.ts';

/** The form of the keys of the run that was begun last. */
let form: KeyForm;
const keyOf = (name: string) => named(JSON.stringify(['r', name.toUpperCase(), 'it', 0, name, 0]), form);

/** A run of a line in a journal that can be read, and its ledgers. */
async function begun(line: Line, more: Partial<SidecarOptions> = {}) {
  const journal = memoryStore();
  const run = await line.begin({ journal, ...more });
  await run.sidecar.durable();
  form = readRun(journal.read('r')).runState.ledger.form;
  run.send('go');
  const rows = async () => {
    await run.sidecar.durable();
    return [...journal.read('r')];
  };
  const ledgers = async (now = Date.now()) => ledgersOf(await rows(), now);
  return { journal, run, rows, ledgers };
}

const line = (stations: readonly Station[], does: Readonly<Record<string, Does>> = {}, config = '') =>
  new Line(stations, does, config);

/** The rows up to the last entry of a kind, itself included. */
function upTo(rows: readonly StoredRow[], kind: string): StoredRow[] {
  return rows.slice(0, rows.findLastIndex((row) => kindOf(row) === kind) + 1);
}

const GATED: readonly Station[] = [
  { name: 'a', reads: ['wanted'] },
  { name: 'b', reads: ['a'], tool: 'effect: irreversible, gate: { expires: 1h }' },
];

describe('decisions', () => {
  test('a call says what it relied on and who wrote that, an answer who gave it and for what', async () => {
    const { run, ledgers } = await begun(line(GATED));
    await until(() => run.sidecar.gates().length === 1);
    const [gate] = run.sidecar.gates();
    await run.sidecar.answer(gate?.gate as string, 'approved', { by: 'Ada', why: 'read it' });
    await run.at('rest');
    await run.sidecar.answer(gate?.gate as string, 'denied', { by: 'Bob' });
    const { decisions } = await ledgers();
    expect(decisions).toMatchObject([
      {
        is: 'call',
        key: keyOf('b'),
        tool: 'b',
        instance: of('b'),
        class: 'irreversible',
        args: { a: 'a x' },
        held: 'gate',
        relies: [{ key: 'a', by: [of('a')] }],
        config: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      {
        is: 'answer',
        gate: gate?.gate,
        verdict: 'approved',
        by: 'Ada',
        why: 'read it',
        post: null,
        asked: { asks: 'approval', tool: 'b', digest: gate?.digest, epoch: 0 },
      },
      { is: 'answer', verdict: 'refused', by: 'Bob', why: 'it was answered before, or is void: used' },
    ]);
    expect(decisions.map(({ seq }) => seq)).toEqual(decisions.map(({ seq }) => seq).sort((a, b) => a - b));
    await run.close();
  });

  test('what the governor refuses is told, and how that was answered', async () => {
    let asked = 0;
    const governor = ({ tool }: { tool: string }) => {
      if (tool !== 'b') return null;
      asked += 1;
      return asked === 1 ? 'not today' : null;
    };
    const { run, ledgers } = await begun(line([{ name: 'a' }, { name: 'b', tool: 'effect: idempotent' }]), {
      governor,
    });
    await run.at('rest');
    expect((await ledgers()).decisions).toMatchObject([
      { is: 'refusal', tool: 'b', instance: of('b'), why: 'not today' },
      {
        is: 'recovery',
        number: 1,
        signal: 'GOVERNOR_DENIED',
        verdict: 'restore',
        level: 0,
        instance: of('b'),
        codes: [],
      },
      { is: 'call', tool: 'b' },
    ]);
    await run.close();
  });

  test('what a budget refuses is told, too, and what was spent of it', async () => {
    const tools: readonly Station[] = [{ name: 'a' }, { name: 'b', reads: ['a'], tool: 'effect: idempotent' }];
    const { run, ledgers } = await begun(line(tools, {}, 'budgets: { calls: 1 }'));
    await run.finished();
    const { decisions, budgets } = await ledgers();
    expect(decisions[0]).toMatchObject({
      is: 'refusal',
      tool: 'b',
      why: expect.stringMatching(/^budget calls: 1 of 1/),
    });
    expect(budgets).toEqual([{ budget: 'calls', spent: 1 }]);
    await run.close();
  });

  test('who wrote what is read is whoever the restore has kept', async () => {
    const tools: readonly Station[] = [
      { name: 'a', reads: ['wanted'], rollback: 'joint: [B]' },
      { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
    ];
    const { run, ledgers } = await begun(line(tools));
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    const calls = (await ledgers()).decisions.filter(({ is }) => is === 'call');
    expect(calls).toHaveLength(2);
    for (const call of calls) expect(call).toMatchObject({ relies: [{ key: 'a', by: [of('a')] }] });
    await run.close();
  });

  test('a commit says what it made visible, and until then it is owed', async () => {
    const held: readonly Station[] = [{ name: 'a', reads: ['wanted'], tool: 'effect: idempotent, buffer: box' }];
    const buffers = { box: { publish: () => {}, discard: () => {} } };
    const { run, ledgers, rows } = await begun(line(held), { buffers });
    await run.at('rest');
    await until(() => run.sidecar.status === 'running');
    run.send('end');
    await run.finished();
    const { decisions, effects, obligations } = await ledgers();
    const commit = decisions.find(({ is }) => is === 'commit');
    expect(commit).toMatchObject({ instance: of('a'), boundary: 'done', invariants: [], keys: [keyOf('a')] });
    const { id } = commit as Extract<typeof commit, { is: 'commit' }>;
    expect(effects).toMatchObject([{ held: 'buffer', status: 'confirmed', publication: id }]);
    expect(obligations).toEqual([]);
    const owed = { key: keyOf('a'), tool: 'a', instance: of('a') };
    expect(ledgersOf(upTo(await rows(), 'intent'), 0).obligations).toMatchObject([{ owes: 'commit', ...owed }]);
    expect(ledgersOf(upTo(await rows(), 'publish'), 0).obligations).toEqual([
      { owes: 'publication', id, instance: of('a'), boundary: 'done', keys: [keyOf('a')] },
    ]);
    await run.close();
  });
});

describe('effects', () => {
  test('each call says what it answered, what it took, by which approval it left, and whether it can be undone', async () => {
    const stations: readonly Station[] = [
      { name: 'a', tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
      { name: 'b', reads: ['a'], tool: 'effect: irreversible, gate: true' },
      { name: 'c', reads: ['b'] },
    ];
    const { run, ledgers } = await begun(line(stations, {}, 'budgets: { calls: 9 }'), { undo: { unA: () => {} } });
    await until(() => run.sidecar.gates().length === 1);
    const gate = run.sidecar.gates()[0]?.gate as string;
    await run.sidecar.answer(gate, 'approved', { by: 'Ada' });
    await run.at('rest');
    const { effects, budgets } = await ledgers();
    expect(effects).toMatchObject([
      { key: keyOf('a'), status: 'confirmed', output: 'a', undo: true, undone: false, gate: null, spent: { calls: 1 } },
      { key: keyOf('b'), status: 'confirmed', undo: false, held: 'gate', gate: { gate, by: 'Ada' }, intents: 1 },
    ]);
    expect(budgets).toEqual([{ budget: 'calls', spent: 3 }]);
    await run.close();
  });

  test('one that was undone in the world says so, and one that cannot be any more says why', async () => {
    let moved: string | null = null;
    const stations: readonly Station[] = [{ name: 'a', reads: ['wanted'], tool: 'effect: reversible, undo: unA' }];
    const { run, ledgers } = await begun(line(stations), { undo: { unA: { undo: () => {}, moved: () => moved } } });
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    const again = `${keyOf('a')}~1`;
    expect((await ledgers()).effects).toMatchObject([
      { key: keyOf('a'), status: 'compensated', undone: true, demoted: null },
      { key: again, status: 'confirmed', undone: false, undo: true, demoted: null },
    ]);
    moved = 'somebody has edited it';
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.finished();
    expect((await ledgers()).effects[1]).toMatchObject({ key: again, undo: false, demoted: moved });
    await run.close();
  });
});

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

test('every beginning of a journal has ledgers, and none of them takes back what was said before', async () => {
  const stations: readonly Station[] = [
    { name: 'a', reads: ['wanted'], tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
    { name: 'b', reads: ['a'], tool: 'effect: irreversible, gate: true' },
  ];
  const { run, rows } = await begun(line(stations, {}, 'budgets: { calls: 9 }'), { undo: { unA: () => {} } });
  await until(() => run.sidecar.gates().length === 1);
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await until(() => run.sidecar.gates().length === 1);
  await run.sidecar.answer(run.sidecar.gates()[0]?.gate as string, 'approved', { by: 'Ada' });
  await run.at('rest');
  const all = await rows();
  let before = 0;
  const whole = ledgersOf(all, 0).decisions;
  for (let length = 1; length <= all.length; length += 1) {
    const { decisions } = ledgersOf(all.slice(0, length), 0);
    expect(decisions).toEqual(whole.slice(0, decisions.length));
    expect(decisions.length).toBeGreaterThanOrEqual(before);
    before = decisions.length;
  }
  expect(before).toBe(whole.length);
  await run.close();
});
