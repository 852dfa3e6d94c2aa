/** PE3, PE4: which answers an approval request takes, and which call an approval opens for. */
import { describe, expect, test } from 'vitest';
import { ApprovalRequests } from '../../src/effects/gates.ts';

const KEY = 'r/pay/1';
const BOUND = { digest: 'd', epoch: 1, now: 50 };

/** The requests of a run that has asked about a call of an instance at its first epoch. */
function asked() {
  const requests = new ApprovalRequests();
  const entry = requests.next({ asks: 'approval', key: KEY, digest: 'd', epoch: 1, expires: 100 });
  requests.ask(entry, 0);
  const approve = () => {
    const said = { verdict: 'approved', by: 'ada', why: null, post: null } as const;
    requests.answer({ do: 'answer', gate: entry.gate, ...said });
  };
  return { requests, gate: entry.gate, approve };
}

describe('an approval request', () => {
  test.each([
    ['its own call', BOUND, null],
    ['a later epoch of the work', { ...BOUND, epoch: 2 }, 'stale'],
    ['an earlier epoch of the work', { ...BOUND, epoch: 0 }, 'stale'],
    ['other arguments', { ...BOUND, digest: 'e' }, 'stale'],
    ['a time at which it has expired', { ...BOUND, now: 100 }, 'expired'],
  ])('PE3: an answer for %s', (_, bound, code) => {
    const { requests, gate } = asked();
    expect(requests.refuses(gate, 'approval', bound)?.code ?? null).toBe(code);
  });

  test.each([
    ['its own call', BOUND, true],
    ['a later epoch of the work', { ...BOUND, epoch: 2 }, false],
    ['an earlier epoch of the work', { ...BOUND, epoch: 0 }, false],
    ['other arguments', { ...BOUND, digest: 'e' }, false],
    ['a time at which it has expired', { ...BOUND, now: 100 }, false],
  ])('PE3: an approval and %s', (_, bound, opens) => {
    const { requests, gate, approve } = asked();
    approve();
    const request = requests.get(gate);
    if (request === undefined) throw new Error('no such request');
    expect(requests.closed(request, bound) === null).toBe(opens);
  });

  test('PE4: one that was approved takes no second answer before it is used', () => {
    const { requests, gate, approve } = asked();
    approve();
    expect(requests.refuses(gate, 'approval', BOUND)).toMatchObject({ code: 'already_answered' });
  });
});
