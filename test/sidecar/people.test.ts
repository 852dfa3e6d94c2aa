/** What waits for a person, and goes on once the person has spoken. */

import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm, Line, of, type Station, until } from './stations.ts';

/** The call by what its key is made of, as a person may name it. */
const KEY = JSON.stringify(['r', 'A', 'it', 0, 'a', 0]);
const UNKNOWN: readonly Station[] = [
  { name: 'a', reads: ['wanted'], tool: 'effect: irreversible' },
  { name: 'b', reads: ['a'] },
];
const loses = {
  a: ({ nth }: { nth: number }) => {
    if (nth === 0) throw new Error('connection reset');
    return 'done again';
  },
};

describe('sidecar.settle: a person says what became of a call', () => {
  test('it happened: the held call is answered, and is not made again', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    run.send('go');
    await run.finished();
    await run.sidecar.settle(KEY, 'confirmed', 'it did');
    await run.at('rest');
    expect(line.verdicts).toEqual(['escalate', 'settle']);
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b']);
    expect(run.context).toMatchObject({ a: 'it did', b: 'b it did' });
    expect(run.status).toBe('running');
    await run.close();
  });

  test('it did not: the call is made again, with its key', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    run.send('go');
    await run.finished();
    await run.sidecar.settle(KEY, 'failed');
    await run.at('rest');
    const [first, second, ...others] = line.calls.filter(({ tool }) => tool === 'a').map(({ key }) => key);
    expect([second, others]).toEqual([first, []]);
    expect(run.context.a).toBe('done again');
    await run.close();
  });

  test('it was taken back by hand: the work begins again, with another key', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    run.send('go');
    await run.finished();
    await run.sidecar.settle(KEY, 'compensated');
    await run.at('rest');
    expect(line.verdicts).toEqual(['escalate', 'restore 0']);
    const [first, ...others] = line.calls.filter(({ tool }) => tool === 'a').map(({ key }) => key);
    expect(others).toEqual([`${first}~1`]);
    await run.close();
  });

  test('in another process than the one that was parked', async () => {
    const line = new Line(UNKNOWN, loses);
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await run.finished();
    await run.close();
    const next = await line.resume({ journal });
    expect((await next.finished()).status).toBe('parked');
    expect(line.called('a')).toBe(1);
    await next.sidecar.settle(KEY, 'confirmed', 'it did');
    await next.at('rest');
    expect(next.context).toMatchObject({ a: 'it did', b: 'b it did' });
    expect(line.called('a')).toBe(1);
    await next.close();
  });

  test('a key that no call has is refused', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    await expect(run.sidecar.settle('no such', 'failed')).rejects.toMatchObject({ code: 'bad_settlement' });
    await run.close();
  });

  test('a word that the journal contradicts is refused, and one that it has already changes nothing', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    run.send('go');
    await run.finished();
    await run.sidecar.settle(KEY, 'confirmed', 'it did');
    await run.at('rest');
    await expect(run.sidecar.settle(KEY, 'failed')).rejects.toMatchObject({ code: 'bad_settlement' });
    await expect(run.sidecar.settle(KEY, 'confirmed', 'something else')).rejects.toMatchObject({
      code: 'bad_settlement',
    });
    await run.sidecar.settle(KEY, 'confirmed', 'it did');
    expect([line.called('a'), run.context.a, run.status]).toEqual([1, 'it did', 'running']);
    await run.close();
  });

  test.each([
    ['not applied', 'it did', { is: 'applied', output: 'it did' }, 1],
    ['applied', 'did again', { is: 'not_applied' }, 2],
  ] as const)(
    'a word that the counterparty contradicts by now is refused: not %s',
    async (word, answer, knows, calls) => {
      let says: ReconcileResult = { is: 'unknown' };
      const [station] = UNKNOWN as readonly [Station];
      const asked = { ...station, tool: 'effect: irreversible, reconcile: { ask: bank, tries: 1 }' };
      const line = new Line([asked, ...UNKNOWN.slice(1)], {
        a: ({ nth }) => {
          if (nth === 0) throw new Error('connection reset');
          return 'did again';
        },
      });
      const run = await line.begin({ reconcilers: { bank: () => says } });
      run.send('go');
      await run.finished();
      says = knows;
      const said =
        word === 'applied' ? run.sidecar.settle(KEY, 'confirmed', 'made up') : run.sidecar.settle(KEY, 'failed');
      await expect(said).rejects.toMatchObject({ code: 'bad_settlement' });
      // What the counterparty said sets the run going again.
      await run.at('rest');
      expect([run.context.a, line.called('a')]).toEqual([answer, calls]);
      await run.close();
    },
  );

  test('a word about a call that is under way is refused: its own answer tells', async () => {
    const answers: ((answer: string) => void)[] = [];
    const line = new Line(UNKNOWN, { a: () => new Promise((resolve) => answers.push(resolve)) });
    const run = await line.begin();
    run.send('go');
    await until(() => answers.length === 1);
    for (const word of ['confirmed', 'failed', 'compensated'] as const)
      await expect(run.sidecar.settle(KEY, word)).rejects.toMatchObject({ code: 'bad_settlement' });
    answers[0]?.('it did');
    await run.at('rest');
    expect([run.context.a, line.called('a')]).toEqual(['it did', 1]);
    await run.close();
  });

  test('a call that was approved and is said not to have happened before it leaves is asked about anew, and does not leave', async () => {
    const gated = [{ name: 'a', reads: ['wanted'], tool: 'effect: irreversible, gate: true' }];
    const line = new Line(gated, {});
    const run = await line.begin();
    run.send('go');
    await until(() => run.sidecar.gates().length === 1);
    const [first] = run.sidecar.gates();
    await run.sidecar.answer(first?.gate ?? '', 'approved', { by: 'Ada' });
    await run.sidecar.settle(KEY, 'failed');
    await until(() => run.sidecar.gates().length === 1);
    const [second] = run.sidecar.gates();
    expect([second?.gate === first?.gate, line.called('a')]).toEqual([false, 0]);
    await run.sidecar.answer(second?.gate ?? '', 'approved', { by: 'Ada' });
    await run.at('rest');
    expect(line.called('a')).toBe(1);
    await run.close();
  });

  test('a rerun that nobody advised is refused', async () => {
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin();
    await expect(run.sidecar.rerun()).rejects.toMatchObject({ code: 'not_advised' });
    run.send('go');
    await run.finished();
    await expect(run.sidecar.rerun()).rejects.toMatchObject({ code: 'not_advised' });
    await run.close();
  });
});

describe('a sidecar that was closed', () => {
  test('takes no command any more, and writes nothing', async () => {
    const store = memoryStore();
    const line = new Line(UNKNOWN, loses);
    const run = await line.begin({ journal: store });
    run.send('go');
    await run.finished();
    await run.close();
    const { sidecar } = run;
    const before = [...store.read('r')].length;
    const commands = [
      sidecar.fail('CONTRACT_VIOLATION', { instance: of('a') }),
      sidecar.settle(KEY, 'failed'),
      sidecar.answer('no gate', 'approved', { by: 'Ada' }),
      sidecar.reconcile(),
      sidecar.rerun(),
    ];
    for (const command of commands) await expect(command).rejects.toMatchObject({ code: 'journal_closed' });
    expect([[...store.read('r')].length, line.called('a')]).toEqual([before, 1]);
  });
});

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
    expect(next.value).toBe('a');
    await next.close();
  });
});

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

describe('level 2, by name', () => {
  const pair = (rollback: string): readonly Station[] => [
    { name: 'a', reads: ['wanted'], rollback },
    { name: 'b', reads: ['a'] },
    { name: 'c', reads: ['b'] },
  ];

  test('a line crosses the commitments of those that the policy names', async () => {
    const line = new Line(pair('joint: [B, C]'), { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore_joint 2']);
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(run.context).toMatchObject({ a: 'a1', b: 'b a1', c: 'c b a1' });
    await run.close();
  });

  test('and not those of anybody else: a name that is missing is the act that would unblock it', async () => {
    const line = new Line(pair('joint: [B]'), { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(line.reports[0]?.decision).toMatchObject({
      unblock: { leadsTo: 'restore_joint', acts: [{ act: 'allow_joint', instances: [of('c')] }] },
    });
    await run.close();
  });
});

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

describe('E3: the same key with other arguments', () => {
  test('is a divergence: refused, shown, and not served', async () => {
    const line = new Line(
      [
        { name: 'a', reads: ['wanted'] },
        { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
      ].map((station) => (station.name === 'a' ? { ...station, rollback: 'joint: [B]' } : station)),
      { a: ({ nth }) => `a${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect((await run.finished()).status).toBe('parked');
    expect(line.codes()).toEqual(['effect_diverged']);
    expect(line.called('b')).toBe(1);
    expect(run.context.b).toBeUndefined();
    await run.close();
  });

  test('is answered from the ledger where the arguments are the same', async () => {
    const line = new Line(
      [
        { name: 'a', reads: ['wanted'], rollback: 'joint: [B]' },
        { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
      ],
      { b: ({ nth }) => `b${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    expect(run.context.b).toBe('b0');
    await run.close();
  });
});

describe('§5: another config', () => {
  const stations = (rollback = ''): readonly Station[] => [{ name: 'a', reads: ['wanted'], rollback }, { name: 'b' }];

  test("its predecessor's checkpoints are stale", async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations('tries: 7'));
    const next = await second.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(second.codes()).toEqual(['no_stable_checkpoint', 'checkpoint_stale']);
    expect(second.verdicts).toEqual(['rerun']);
    await next.close();
  });

  test('the same config, read anew, is no other', async () => {
    const first = new Line(stations(), { a: ({ nth }) => `a${nth}` });
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const next = await first.resume({ journal });
    await next.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await next.at('rest');
    expect(first.verdicts).toEqual(['restore 0']);
    await next.close();
  });

  test('what is certified under the new one is not stale', async () => {
    const first = new Line(stations());
    const journal = memoryStore();
    const run = await first.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const second = new Line(stations('tries: 7'), {
      a: ({ nth }) => `anew ${nth}`,
      b: ({ nth }) => `anew ${nth}`,
    });
    const next = await second.resume({ journal });
    next.send('again');
    await next.at('rest');
    await next.fail('CONTRACT_VIOLATION', { instance: of('a', 1), key: 'a' });
    await next.at('rest');
    expect(second.verdicts).toEqual(['restore 0']);
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
