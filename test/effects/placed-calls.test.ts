/** What a call asks of those before it costs what is still open, and not how many there were. */
import { describe, expect, test } from 'vitest';
import { Ledger } from '../../src/effects/ledger.ts';
import type { LedgerCall } from '../../src/effects/ledger-call.ts';
import type { IntentEntry } from '../../src/model/call-entries.ts';

const instance = { skeleton: 'S', entity: 'e', ordinal: 0 };
const intent = (n: number, tool = 'pay'): IntentEntry => ({
  do: 'intent',
  key: `k${n}`,
  actor: n,
  tool,
  instance,
  class: 'idempotent',
  undo: false,
  digest: `d${n}`,
  args: n,
});
const called = (ledger: Ledger, n: number, tool?: string) => {
  ledger.intend(intent(n, tool), n + 1, 0);
  return ledger.get(`k${n}`) as LedgerCall;
};
const keys = (calls: readonly LedgerCall[]) => calls.map(({ key }) => key);

describe('the calls of an instance', () => {
  test('are looked at a bounded number of times, however many there are', () => {
    const ledger = new Ledger();
    let visited = 0;
    for (let n = 0; n < 1_000; n += 1) {
      ledger.nextKey('r', { instance, keyedAs: instance, place: null, tool: 'pay', digest: 'd' });
      ledger.unheard(instance, 'pay');
      const call = called(ledger, n);
      let isAnswered = false;
      Object.defineProperty(call, 'isAnswered', {
        get: () => {
          visited += 1;
          return isAnswered;
        },
        set: (is: boolean) => {
          isAnswered = is;
        },
      });
      ledger.settle({ do: 'outcome', key: call.key, status: 'confirmed', output: n });
      call.isAnswered = true;
    }
    expect(visited).toBeLessThanOrEqual(2_000);
  });

  test('are numbered by tool among those that are retained', () => {
    const ledger = new Ledger();
    const next = () => ledger.nextKey('r', { instance, keyedAs: instance, place: null, tool: 'pay', digest: 'd' });
    const before = [next()];
    called(ledger, 0, 'other');
    expect(next()).toBe(before[0]);
    called(ledger, 1);
    expect(before).not.toContain(next());
    ledger.displace(instance, 1);
    expect(next()).toBe(before[0]);
  });

  test('are unheard until an answer was heard, again when it is not known any more, and in the order of their intents', () => {
    const ledger = new Ledger();
    for (const n of [0, 1, 2]) called(ledger, n);
    const unheard = () => keys(ledger.unheard(instance, 'pay'));
    expect(unheard()).toEqual([]);
    for (const n of [2, 0]) ledger.settle({ do: 'outcome', key: `k${n}`, status: 'confirmed', output: n });
    expect(unheard()).toEqual(['k0', 'k2']);
    (ledger.get('k0') as LedgerCall).isAnswered = true;
    expect(unheard()).toEqual(['k2']);
    ledger.settle({ do: 'outcome', key: 'k1', status: 'failed' });
    expect(unheard()).toEqual(['k2']);
    for (const n of [0, 1]) ledger.settle({ do: 'outcome', key: `k${n}`, status: 'unknown' });
    expect(unheard()).toEqual(['k0', 'k1', 'k2']);
    ledger.displace(instance, 1);
    expect(unheard()).toEqual(['k0']);
    ledger.claim('k2', 9, instance);
    expect(unheard()).toEqual(['k0', 'k2']);
  });
});
