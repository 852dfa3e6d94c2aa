/** Runs that are taken from a process that may still live: a call of it may still leave (semantics.md E2). */
import { describe, expect, test } from 'vitest';
import type { Reconciler } from '../../src/effects/counterparty.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { Line } from './stations.ts';

const folder = scratchFolder('overtaken');
let files = 0;

/** A bank that pays each key once. It may refuse a key after it has said that nothing was paid under it. */
class Bank {
  readonly paid: string[] = [];
  readonly #refuses: boolean;
  readonly #refused = new Set<string>();

  constructor(refuses: boolean) {
    this.#refuses = refuses;
  }

  pay(key: string): string {
    if (this.#refused.has(key)) throw new Error('this key is refused');
    this.paid.push(key);
    return 'paid';
  }

  readonly ask: Reconciler = ({ key }) => {
    if (this.paid.includes(key)) return { is: 'applied', output: 'paid' };
    if (this.#refuses) this.#refused.add(key);
    return { is: 'not_applied' };
  };
}

/** A process that stops in the moment before its call leaves, whose lease runs out, and a second one that has taken its run. */
async function taken({ effect = 'irreversible', asking = 'bank', refuses = false } = {}) {
  files += 1;
  const path = `${folder}/${files}.db`;
  const bank = new Bank(refuses);
  let goOn: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const line = new Line([{ name: 'a', tool: `effect: ${effect}, reconcile: ${asking}` }], {
    a: async ({ key = '', nth }) => {
      if (nth === 0) await stopped;
      return bank.pay(key);
    },
  });
  const first = sqliteStore(path);
  const begun = await line.begin({ journal: first, reconcilers: { bank: bank.ask } });
  begun.send('go');
  await until(() => line.called('a') === 1);
  const later = () => Date.now() + 60_000;
  const second = sqliteStore(path, { now: later });
  const run = await line.resume({ journal: second, reconcilers: { bank: bank.ask } });
  const close = async () => {
    await run.close();
    await second.close();
    await begun.close().catch(() => {});
    await first.close().catch(() => {});
  };
  return { line, bank, run, path, close, wakeUp: goOn };
}

describe('a run that is taken from a process that may still live', () => {
  test('does not believe "not applied", which that process may make untrue a moment later', async () => {
    const { line, bank, run, close, wakeUp } = await taken();
    expect((await run.finished()).status).toBe('parked');
    expect([line.called('a'), bank.paid.length]).toEqual([1, 0]);
    expect(line.findings.join('\n')).toContain('may_still_leave');
    wakeUp();
    await until(() => bank.paid.length === 1);
    // Asked once more, the bank knows of the payment.
    await run.sidecar.reconcile();
    await until(() => run.value === 'rest');
    expect([line.called('a'), bank.paid.length, run.context.a]).toEqual([1, 1, 'paid']);
    await close();
  });

  test('goes on under another key where the counterparty refuses the one of before from then on', async () => {
    const asking = '{ ask: bank, refuses_key: true }';
    const { line, bank, run, close, wakeUp } = await taken({ asking, refuses: true });
    await until(() => run.value === 'rest' || run.status === 'parked');
    const [before] = line.calls;
    expect([run.value, bank.paid]).toEqual(['rest', [`${before?.key}~1`]]);
    wakeUp();
    await close();
    expect(bank.paid).toEqual([`${before?.key}~1`]);
  });

  test('calls an idempotent tool again', async () => {
    const { run, close, wakeUp } = await taken({ effect: 'idempotent' });
    await until(() => run.value === 'rest');
    wakeUp();
    await close();
  });

  test('goes on where a person says that it did not happen', async () => {
    const { line, run, close, wakeUp } = await taken();
    expect((await run.finished()).status).toBe('parked');
    const [key] = line.calls.map((call) => call.key);
    await run.sidecar.settle(key as string, 'failed');
    await until(() => run.value === 'rest');
    expect(line.called('a')).toBe(2);
    wakeUp();
    await close();
  });

  test('stays as careful in a third process, though the second one is gone', async () => {
    const { bank, line, run, path, close, wakeUp } = await taken();
    await run.finished();
    await run.close();
    const third: JournalStore = sqliteStore(path, { now: () => Date.now() + 120_000 });
    const again = await line.resume({ journal: third, reconcilers: { bank: bank.ask } });
    expect((await again.finished()).status).toBe('parked');
    expect(bank.paid.length).toBe(0);
    await again.close();
    await third.close();
    wakeUp();
    await close();
  });
});
