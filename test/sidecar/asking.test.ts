/** Asking a counterparty what became of a call: how often, when, and who is asked when it does not know (semantics.md E2). */
import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import { JournalError, type JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { calm, until } from '../poll.ts';
import { Line, of } from './stations.ts';

const lost = {
  a: () => {
    throw new Error('connection reset');
  },
};
const line = (asking: string) => new Line([{ name: 'a', tool: `effect: irreversible, reconcile: ${asking}` }], lost);

/** A counterparty that knows nothing until it is told to. */
function counterparty() {
  const state = { asked: 0, says: { is: 'unknown' } as ReconcileResult };
  const bank = () => {
    state.asked += 1;
    return state.says;
  };
  return { state, reconcilers: { bank } };
}

describe('a counterparty that does not know', () => {
  test('is asked again later, and the run goes on by itself once it does', async () => {
    const { state, reconcilers } = counterparty();
    const waiting = line('{ ask: bank, tries: 9, wait: 1100ms }');
    const run = await waiting.begin({ reconcilers });
    run.send('go');
    await until(() => run.sidecar.gates().length === 1);
    expect([state.asked, run.status]).toEqual([1, 'recovering']);
    state.says = { is: 'applied', output: 'was there' };
    await until(() => run.value === 'rest');
    expect([state.asked, run.context.a, run.sidecar.gates()]).toEqual([2, 'was there', []]);
    await run.close();
  });

  test('is not asked again and again by a run that is taken up again and again', async () => {
    const journal = memoryStore();
    const { state, reconcilers } = counterparty();
    const waiting = line('{ ask: bank, tries: 3, wait: 1h }');
    const first = await waiting.begin({ journal, reconcilers });
    first.send('go');
    await until(() => first.sidecar.gates().length === 1);
    await first.close();
    expect(state.asked).toBe(1);
    for (const times of [2, 3, 4]) {
      const next = await waiting.resume({ journal, reconcilers });
      // Once for the start; the next hour is waited for, and after three times only a start asks.
      if (times > 2) expect((await next.finished()).status).toBe('parked');
      else await until(() => next.status === 'recovering');
      expect(state.asked).toBe(times);
      await next.close();
    }
  });

  test('keeps the run from being parked as long as it is asked again, and no longer', async () => {
    const { state, reconcilers } = counterparty();
    const run = await line('{ ask: bank, tries: 3, wait: 150ms }').begin({ reconcilers });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect([state.asked, run.status]).toEqual([3, 'parked']);
    await run.close();
  });

  test('is not believed before it can know: what it says of a call may be older than that', async () => {
    const asked: number[] = [];
    await new DrivenClock().during(async () => {
      const began = Date.now();
      const calls = new Line(
        [{ name: 'a', tool: 'effect: irreversible, reconcile: { ask: bank, tries: 3, settles_within: 400ms }' }],
        lost,
      );
      const run = await calls.begin({
        now: Date.now,
        reconcilers: {
          bank: ({ calledAt = 0 }) => {
            asked.push(Date.now() - calledAt);
            return Date.now() - began < 350 ? { is: 'not_applied' } : { is: 'applied', output: 'was there' };
          },
        },
      });
      run.send('go');
      await run.at('rest');
      expect([calls.called('a'), run.context.a]).toEqual([1, 'was there']);
      await run.close();
    });
    expect(asked).toEqual([0, 20, 120, 400]);
  });

  test.each([1, 3_600_000])(
    'is asked once where a run is taken up by a clock that went back by %i ms',
    async (back) => {
      const journal = memoryStore();
      const { state, reconcilers } = counterparty();
      let time = 10_000_000;
      const now = () => time;
      const waiting = line('{ ask: bank, tries: 1 }');
      const first = await waiting.begin({ journal, reconcilers, now });
      first.send('go');
      await first.finished();
      await first.close();
      time -= back;
      const second = await waiting.resume({ journal, reconcilers, now });
      expect((await second.finished()).status).toBe('parked');
      expect(state.asked).toBe(2);
      await second.close();
    },
  );

  test('is asked at once where a person wants to know', async () => {
    const { state, reconcilers } = counterparty();
    const waiting = line('{ ask: bank, tries: 1 }');
    const run = await waiting.begin({ reconcilers });
    run.send('go');
    await run.finished();
    expect(state.asked).toBe(1);
    state.says = { is: 'applied', output: 'was there' };
    await run.sidecar.reconcile();
    await run.at('rest');
    expect([state.asked, waiting.called('a')]).toEqual([2, 1]);
    await run.close();
  });

  test('is not asked for ever where the journal takes nothing any more', async () => {
    const { state, reconcilers } = counterparty();
    let full = false;
    const store = memoryStore();
    const journal: JournalStore = {
      ...store,
      open: async (run, mode) => {
        const opened = await store.open(run, mode);
        const append = opened.append.bind(opened);
        opened.append = (rows) => {
          if (full) throw new JournalError('journal_cannot_write', 'the disk is full');
          return append(rows);
        };
        return opened;
      },
    };
    const waiting = line('{ ask: bank, tries: 9, wait: 1ms }');
    const told = {
      bank: () => {
        full = true;
        return reconcilers.bank();
      },
    };
    const run = await waiting.begin({ journal, reconcilers: told });
    run.send('go');
    await expect(run.finished()).rejects.toThrow('the disk is full');
    await new Promise((resolve) => setTimeout(resolve, 30));
    // What could not be written down is not asked about again and again.
    expect(state.asked).toBeLessThanOrEqual(2);
  });

  test('leaves the question to a person, whose gate is closed by whoever knows first', async () => {
    const journal = memoryStore();
    const { state, reconcilers } = counterparty();
    const waiting = line('{ ask: bank, tries: 1 }');
    const run = await waiting.begin({ journal, reconcilers });
    run.send('go');
    await run.finished();
    await until(() => run.sidecar.gates().length === 1);
    await run.close();
    state.says = { is: 'applied', output: 'was there' };
    const next = await waiting.resume({ journal, reconcilers });
    await next.at('rest');
    expect([next.sidecar.gates(), waiting.called('a'), next.context.a]).toEqual([[], 1, 'was there']);
    await next.close();
  });
});

describe('a call whose error the machine itself has handled', () => {
  const handled = (asking = 'bank') =>
    new Line([{ name: 'a', tool: `effect: irreversible, reconcile: ${asking}`, onError: 'handled' }], {
      a: ({ nth }) => (nth === 0 ? lost.a() : 'right'),
    });

  test('is asked about before the machine hears of the error: one that did happen is answered', async () => {
    const { state, reconcilers } = counterparty();
    state.says = { is: 'applied', output: 'was there' };
    const line = handled();
    const run = await line.begin({ reconcilers });
    run.send('go');
    await run.at('rest');
    expect([run.context.a, state.asked, line.called('a'), line.reports]).toEqual(['was there', 1, 1, []]);
    await run.close();
  });

  test('of one that did not happen the machine hears the error, and the same call may be made again under its key', async () => {
    const { state, reconcilers } = counterparty();
    state.says = { is: 'not_applied' };
    const line = handled();
    const run = await line.begin({ reconcilers });
    run.send('go');
    await run.at('handled');
    expect([state.asked, line.called('a')]).toEqual([1, 1]);
    await run.sidecar.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await run.at('rest');
    expect(line.reports.map(({ decision }) => decision.verdict)).toEqual(['restore']);
    expect([state.asked, line.called('a'), run.context.a]).toEqual([1, 2, 'right']);
    expect(new Set(line.calls.map(({ key }) => key)).size).toBe(1);
    await run.close();
  });

  test('still stands in the way of a later failure where its counterparty cannot tell', async () => {
    const { state, reconcilers } = counterparty();
    state.says = { is: 'unknown' };
    const line = handled('{ ask: bank, tries: 1 }');
    const run = await line.begin({ reconcilers });
    run.send('go');
    await run.at('handled');
    await run.sidecar.fail('CONTRACT_VIOLATION', { instance: of('a') });
    expect((await run.finished()).status).toBe('parked');
    const codes = line.reports.map(({ decision }) => [...vetoes(decision)].map(({ code }) => code));
    expect([codes, state.asked, line.called('a')]).toEqual([[['effect_outcome_unknown']], 1, 1]);
    await run.close();
  });
});

test('a call that is made again and again leaves nothing behind that waits for its end', async () => {
  const line = new Line([{ name: 'a', tool: 'effect: irreversible, reconcile: ask', rollback: 'tries: 30' }], {
    a: ({ nth }) => {
      if (nth < 6) throw new Error('connection reset');
      return 'a';
    },
  });
  const warned: string[] = [];
  const heard = ({ name }: Error) => void warned.push(name);
  process.on('warning', heard);
  const run = await line.begin({ reconcilers: { ask: () => ({ is: 'not_applied' }) } });
  run.send('go');
  await run.at('rest');
  await calm();
  process.off('warning', heard);
  expect([line.called('a'), warned]).toEqual([7, []]);
  await run.close();
});
