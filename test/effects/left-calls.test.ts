/** Calls that were under way as their run was given back: how long "not applied" is not believed of them (E2). */
import { expect, test } from 'vitest';
import { Ledger } from '../../src/effects/ledger.ts';

const one = { host: 'a b c', pid: 7, started: '1' };
const other = { host: 'a b c', pid: 8, started: '2' };
const intent = {
  do: 'intent',
  actor: 0,
  tool: 'pay',
  class: 'idempotent',
  undo: false,
  digest: 'd',
  args: null,
  key: 'k',
  instance: { skeleton: 'S', entity: 'it', ordinal: 0 },
} as const;

/** A ledger with one call, of which nothing is known. */
function made(): Ledger {
  const ledger = new Ledger();
  ledger.intend(intent, 1, 0);
  return ledger;
}

const mayLeave = (ledger: Ledger) => ledger.get('k')?.mayLeave;

test('a call that was left under way may leave until it acts no more', () => {
  const ledger = made();
  ledger.giveBack(['k'], one);
  expect([mayLeave(ledger), [...ledger.left]]).toEqual([true, [['k', one]]]);
  ledger.returned('k');
  expect([mayLeave(ledger), ledger.left.size]).toEqual([false, 0]);
});

test('a call that two processes have left may leave, whichever of them is gone', () => {
  const ledger = made();
  ledger.giveBack(['k'], one);
  ledger.intend(intent, 2, 0);
  ledger.giveBack(['k'], other);
  ledger.returned('k');
  expect([mayLeave(ledger), ledger.left.size]).toEqual([true, 0]);
});

test('a call of a process that may still live may leave, though a later one gives it back and is gone', () => {
  const ledger = made();
  ledger.overtake(1);
  ledger.giveBack(['k'], one);
  ledger.returned('k');
  expect(mayLeave(ledger)).toBe(true);
});

test('a call that was left under way and was overtaken since may leave', () => {
  const ledger = made();
  ledger.giveBack(['k'], one);
  ledger.overtake(2);
  ledger.returned('k');
  expect(mayLeave(ledger)).toBe(true);
});

test('a call whose outcome is known leaves no more, and is left by nobody', () => {
  const ledger = made();
  ledger.giveBack(['k'], one);
  ledger.settle({ do: 'outcome', key: 'k', status: 'confirmed', output: 1 });
  expect([mayLeave(ledger), ledger.left.size]).toEqual([false, 0]);
});
