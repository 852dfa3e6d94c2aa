/** Why a run acted and what it did, as its journal alone tells. */
import { describe, expect, test } from 'vitest';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { until } from '../poll.ts';
import { begun, GATED, keyOf, line, upTo } from './ledgered.ts';
import { of, type Station } from './stations.ts';

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
