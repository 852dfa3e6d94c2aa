/** What a replay asks of the calls that restores have displaced costs what belongs to it: counted in calls that are visited, never in time. */
import { expect, test } from 'vitest';
import { ApprovalRequests } from '../../src/effects/gates.ts';
import { Ledger } from '../../src/effects/ledger.ts';
import type { InstanceId } from '../../src/model/instance.ts';

const SIZE = 500;
const instanceOf = (n: number, ordinal = 0): InstanceId => ({ skeleton: 'S', entity: `e${n}`, ordinal });
const nothing = { at: null, output: null };

/** A ledger whose calls, one for each entity, have all lost their places. */
function displaced(size: number): Ledger {
  const ledger = new Ledger();
  for (let n = 0; n < size; n += 1) {
    const instance = instanceOf(n);
    const made = {
      do: 'intent',
      actor: n,
      tool: 'pay',
      class: 'idempotent',
      undo: false,
      digest: 'd',
      args: n,
    } as const;
    ledger.intend({ ...made, key: `k${n}`, instance }, n + 1, 0);
    ledger.settle({ do: 'outcome', key: `k${n}`, status: 'confirmed', output: n });
    ledger.displace(instance, 0);
  }
  return ledger;
}

test('a replay that claims them one after the other looks at each a few times', () => {
  const visits = (size: number) => {
    const ledger = displaced(size);
    let visited = 0;
    for (const call of ledger.displaced()) {
      const { status } = call;
      Object.defineProperty(call, 'status', {
        get: () => {
          visited += 1;
          return status;
        },
      });
    }
    for (let n = 0; n < size; n += 1) {
      expect(ledger.kept.keptBy('pay', `e${n}`).map(({ key }) => key)).toEqual([`k${n}`]);
      expect(ledger.kept.keptOf(instanceOf(n, 1)).map(({ key }) => key)).toEqual([`k${n}`]);
      expect(ledger.orphans(instanceOf(n))).toHaveLength(1);
      ledger.claim(`k${n}`, size + n, instanceOf(n));
      expect([ledger.kept.keptBy('pay', `e${n}`), ledger.orphans(instanceOf(n))]).toEqual([[], []]);
    }
    return visited / size;
  };
  expect(visits(SIZE)).toBe(visits(2 * SIZE));
});

test('a call is kept until it is claimed, undone or called again, and an orphan of its own occurrence only', () => {
  const ledger = displaced(3);
  const [first, second, third] = ledger.displaced();
  if (first === undefined || second === undefined || third === undefined) throw new Error('three calls were displaced');
  expect(ledger.orphans(instanceOf(0, 1))).toEqual([]);
  expect([ledger.kept.keptBy('refund', 'e0'), ledger.kept.keptOf({ skeleton: 'T', entity: 'e0' })]).toEqual([[], []]);
  ledger.claim('k0', 9, instanceOf(0));
  ledger.settle({ do: 'outcome', key: 'k1', status: 'compensated', output: nothing });
  ledger.intend({ ...third.intent }, 10, 0);
  expect([first, second, third].map((call) => ledger.kept.isKept(call))).toEqual([false, false, false]);
  expect(ledger.displaced()).toEqual([second]);
});

test('a question is numbered, answered and voided without a look at those that are over', () => {
  const requests = new ApprovalRequests();
  const question = { asks: 'approval', digest: 'd', epoch: 0, expires: null } as const;
  let asked = 0;
  const isVoid = () => {
    asked += 1;
    return false;
  };
  for (let n = 0; n < SIZE; n += 1) {
    const gate = requests.next({ ...question, key: 'k' } as never);
    expect(requests.get(gate.gate)).toBeUndefined();
    requests.ask(gate, n);
    requests.void(isVoid);
    requests.answer({ do: 'answer', gate: gate.gate, verdict: 'approved', by: 'a', why: null } as never);
    requests.void(isVoid);
    requests.use(gate.gate);
    requests.void(isVoid);
  }
  expect([asked, [...requests.all()].length]).toEqual([2 * SIZE, SIZE]);
  const last = requests.next({ ...question, key: 'k' } as never);
  requests.ask(last, SIZE);
  requests.void(({ gate }) => gate === last.gate);
  expect([requests.get(last.gate)?.status, requests.pending()]).toEqual(['void', []]);
});
