/** Runs that are given back while a call of them is under way: that call may still act (semantics.md E2). */
import { describe, expect, test } from 'vitest';
import type { Undo } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { type Called, Line, of } from './stations.ts';

const folder = scratchFolder('given-back');
let files = 0;

/** A payment whose first call does what the test says once it is let go, and a bank that tells the truth of the moment. */
function paying(tool: string, first: (call: Called, pay: () => string) => unknown) {
  const paid: string[] = [];
  const line = new Line([{ name: 'a', tool }], {
    a: (call) => {
      const pay = () => {
        paid.push(call.key as string);
        return 'paid';
      };
      return call.nth === 0 ? first(call, pay) : pay();
    },
  });
  const reconcilers = {
    bank: ({ key }: { readonly key: string }) =>
      paid.includes(key) ? ({ is: 'applied', output: 'paid' } as const) : ({ is: 'not_applied' } as const),
  };
  return { line, paid, reconcilers };
}

function gate() {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

const STORES: Record<string, () => JournalStore> = {
  memory: () => memoryStore(),
  'a file': () => sqliteStore(`${folder}/${++files}.db`),
};
const ASKED = 'effect: irreversible, reconcile: { ask: bank, tries: 2, wait: 1ms }';

describe.each(Object.entries(STORES))('a run in %s that is given back with a call under way', (_, store) => {
  test('does not believe "not applied", which that call may make untrue a moment later', async () => {
    const slow = gate();
    const { line, paid, reconcilers } = paying(`${ASKED}, timeout: 20ms`, async (_call, pay) => {
      await slow.passed;
      return pay();
    });
    const journal = store();
    const first = await line.begin({ journal, reconcilers });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.close();
    // It is waited for as long as its tool may take, and comes later.
    const second = await line.resume({ journal, reconcilers });
    expect((await second.finished()).status).toBe('parked');
    expect([line.called('a'), line.findings.join('\n')]).toEqual([1, expect.stringContaining('may_still_leave')]);
    slow.open();
    await until(() => paid.length === 1);
    await second.sidecar.reconcile();
    await until(() => second.value === 'rest');
    expect([line.called('a'), paid.length, second.context.a]).toEqual([1, 1, 'paid']);
    await second.close();
    await journal.close();
  });

  test('hears in the same process what the call said when it came back', async () => {
    const slow = gate();
    const { line, paid, reconcilers } = paying(ASKED, async (_call, pay) => {
      await slow.passed;
      return `${pay()} late`;
    });
    const journal = store();
    const first = await line.begin({ journal, reconcilers });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.close();
    const resuming = line.resume({ journal, reconcilers });
    slow.open();
    const second = await resuming;
    await until(() => second.value === 'rest');
    expect([line.called('a'), paid.length, second.context.a]).toEqual([1, 1, 'paid late']);
    await second.close();
    await journal.close();
  });

  test('makes a call again that heeds its signal and says that nothing happened', async () => {
    const { line, paid, reconcilers } = paying(
      'effect: irreversible',
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new NotApplied('stopped in time')));
        }),
    );
    const journal = store();
    const first = await line.begin({ journal, reconcilers });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.close();
    const second = await line.resume({ journal, reconcilers });
    await until(() => second.value === 'rest');
    expect([line.called('a'), paid.length]).toEqual([2, 1]);
    expect(line.findings.join('\n')).not.toContain('may_still_leave');
    await second.close();
    await journal.close();
  });

  test('believes the counterparty once the call has come back without a word of what became of it', async () => {
    const slow = gate();
    const { line, paid, reconcilers } = paying(ASKED, async () => {
      await slow.passed;
      throw new Error('connection reset');
    });
    const journal = store();
    const first = await line.begin({ journal, reconcilers });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.close();
    slow.open();
    const second = await line.resume({ journal, reconcilers });
    await until(() => second.value === 'rest');
    expect([line.called('a'), paid.length]).toEqual([2, 1]);
    await second.close();
    await journal.close();
  });

  test('is given back once, however often close() is called', async () => {
    const slow = gate();
    const { line, reconcilers } = paying(`${ASKED}, timeout: 20ms`, async (_call, pay) => {
      await slow.passed;
      return pay();
    });
    const journal = store();
    const first = await line.begin({ journal, reconcilers });
    first.send('go');
    await until(() => line.called('a') === 1);
    await Promise.all([first.close(), first.close()]);
    await first.close();
    await expect(first.sidecar.reconcile()).rejects.toMatchObject({ code: 'journal_closed' });
    slow.open();
    const second = await line.resume({ journal, reconcilers });
    await until(() => second.value === 'rest');
    expect(line.called('a')).toBe(1);
    await second.close();
    await journal.close();
  });
});

describe('a sidecar that has given its run back', () => {
  test('tries no undo again', async () => {
    const undone: string[] = [];
    const broken = gate();
    const line = new Line([{ name: 'a', tool: 'effect: reversible, undo: back' }]);
    const journal = memoryStore();
    const undoBy = (life: string): { readonly back: Undo } => ({
      back: async () => {
        undone.push(life);
        if (life !== 'first') return;
        await broken.passed;
        throw new Error('503');
      },
    });
    const first = await line.begin({ journal, undo: undoBy('first') });
    first.send('go');
    await until(() => first.value === 'rest');
    first.sidecar.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' }).catch(() => {});
    await until(() => undone.length === 1);
    await first.close();
    broken.open();
    const second = await line.resume({ journal, undo: undoBy('second') });
    await until(() => second.value === 'rest' && line.called('a') === 2);
    // The first one would have tried again 20 ms later.
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(undone).toEqual(['first', 'second']);
    await second.close();
    await journal.close();
  });

  test('asks no counterparty again', async () => {
    const asked: string[] = [];
    const { line } = paying('effect: irreversible, reconcile: { ask: bank, tries: 9, wait: 5ms }', () => {
      throw new Error('connection reset');
    });
    const journal = memoryStore();
    const bank = async ({ key }: { readonly key: string }) => {
      asked.push(key);
      return { is: 'unknown' } as const;
    };
    const first = await line.begin({ journal, reconcilers: { bank } });
    first.send('go');
    await until(() => asked.length > 0);
    await first.close();
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(asked.length).toBe(before);
    await journal.close();
  });

  test('lets no call leave whose governor was still being asked while it drained', async () => {
    const asking = gate();
    const line = new Line([{ name: 'a', tool: 'effect: irreversible' }]);
    const journal = memoryStore();
    let isAsked = false;
    const governor = async () => {
      isAsked = true;
      await asking.passed;
      return null;
    };
    const first = await line.begin({ journal, governor });
    first.send('go');
    await until(() => isAsked);
    const closing = first.sidecar.close({ drain: '5s' });
    asking.open();
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(line.called('a')).toBe(0);
    const second = await line.resume({ journal });
    await until(() => second.value === 'rest');
    expect(line.called('a')).toBe(1);
    await second.close();
    await journal.close();
  });

  test('decides no failure while it drains: the next process does (LC7)', async () => {
    const back = gate();
    const line = new Line([{ name: 'a', tool: 'effect: none' }], {
      a: async ({ nth }) => {
        if (nth > 0) return 'well';
        await back.passed;
        throw new Error('the service was down');
      },
    });
    const journal = memoryStore();
    const first = await line.begin({ journal });
    first.send('go');
    await until(() => line.called('a') === 1);
    const closing = first.sidecar.close({ drain: '5s' });
    back.open();
    await closing;
    expect([line.verdicts, line.called('a'), first.sidecar.status]).toEqual([[], 1, 'waits']);
    const second = await line.resume({ journal });
    await until(() => second.value === 'rest');
    expect(line.called('a')).toBe(2);
    await second.close();
    await journal.close();
  });

  test('takes no complaint while it drains, and says so to who makes it (LC7)', async () => {
    const back = gate();
    const stations = [
      { name: 'a', tool: 'effect: none' },
      { name: 'b', tool: 'effect: none' },
    ];
    const line = new Line(stations, { b: () => back.passed });
    const journal = memoryStore();
    const first = await line.begin({ journal });
    first.send('go');
    await until(() => line.called('b') === 1);
    const closing = first.sidecar.close({ drain: '5s' });
    const complaint = first.sidecar.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await expect(complaint).rejects.toMatchObject({ code: 'journal_closed' });
    back.open();
    await closing;
    expect(line.verdicts).toEqual([]);
    await journal.close();
  });

  test('names whom it waits for (LC4): a person once it is parked, and the next process once it is given back', async () => {
    const line = new Line([{ name: 'a', tool: 'effect: irreversible' }]);
    const first = await line.begin();
    first.send('go');
    await first.at('rest');
    expect(first.sidecar.waitsFor.map((one) => one.for)).toEqual(['event']);
    await first.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(first.sidecar.waitsFor.map((one) => one.for)).toEqual(['person']);
    await first.close();
    expect(first.sidecar.waitsFor).toMatchObject([{ for: 'worker' }, { for: 'person', isNext: true }]);
  });
});
