/** `sidecar.settle`: a person says what became of a call, and the run goes on by that. */
import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { until } from '../poll.ts';
import { KEY, loses, UNKNOWN } from './lost-reply.ts';
import { Line, of, type Station } from './stations.ts';

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
