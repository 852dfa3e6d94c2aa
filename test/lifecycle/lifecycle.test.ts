/** LC2, LC7: who waits for an answer goes on once it is another one, and a process that leaves keeps nobody waiting. */
import { describe, expect, test } from 'vitest';
import { Lifecycle } from '../../src/sidecar/lifecycle/lifecycle.ts';

/** What the journal of a run says of its life, as far as these tests change it. */
function journaled() {
  return { asked: { cancelled: null as object | null, paused: null as object | null }, ended: null as string | null };
}

function running(said = journaled()) {
  const steps = { last: {} };
  const lifecycle = new Lifecycle({
    ...said,
    places: { steps },
    get ended() {
      return said.ended;
    },
    asked: said.asked,
    attempt: { isTrying: false, now: { tried: null } },
    mandates: { standing: 'stands' },
    judgments: { isEmpty: true },
  } as never);
  lifecycle.note({ hold: 'held', machine: 'awake' });
  return { lifecycle, said };
}

describe('what waits for an answer', () => {
  test('goes on once it is yes, and once it is no', async () => {
    const { lifecycle, said } = running();
    expect(lifecycle.until('leave')).toBeNull();
    lifecycle.note({ parkedOn: 'person' });
    const one = lifecycle.past('leave');
    lifecycle.note({ parkedOn: 'nothing' });
    await one;
    lifecycle.note({ parkedOn: 'person' });
    const other = lifecycle.past('leave');
    said.asked.cancelled = {};
    lifecycle.moved();
    await other;
    expect(lifecycle.answer('leave')).toEqual({ is: 'no', code: 'run_cancelled' });
  });

  test('waits on where it has become another wait, and asks again', async () => {
    const { lifecycle, said } = running();
    lifecycle.note({ isCarrying: true });
    let isOver = false;
    const waited = lifecycle.past('leave').then(() => {
      isOver = true;
    });
    said.asked.paused = {};
    lifecycle.note({ isCarrying: false });
    await Promise.resolve();
    expect([isOver, lifecycle.answer('leave')]).toEqual([false, { is: 'wait', for: 'the end of the pause' }]);
    said.asked.paused = null;
    lifecycle.moved();
    await waited;
  });

  test('is the next process where this one leaves: nothing of it begins, and nothing waits here', async () => {
    const { lifecycle } = running();
    lifecycle.note({ parkedOn: 'person' });
    const waited = lifecycle.past('leave');
    lifecycle.leaves();
    await waited;
    expect([lifecycle.may('leave'), lifecycle.until('leave'), lifecycle.leave.aborted]).toEqual([false, null, true]);
    expect(lifecycle.status).toBe('parked');
  });
});

describe('work that goes on whenever an answer becomes yes', () => {
  test('is told once for each time, in a turn of its own', async () => {
    const { lifecycle } = running();
    let told = 0;
    lifecycle.whenever('deliver', () => {
      told += 1;
    });
    lifecycle.note({ parkedOn: 'person' });
    lifecycle.note({ parkedOn: 'counterparty' });
    lifecycle.note({ parkedOn: 'nothing' });
    expect(told).toBe(0);
    await Promise.resolve();
    lifecycle.note({ claims: 0 });
    await Promise.resolve();
    expect(told).toBe(1);
  });
});

describe('the facts of a process', () => {
  test('count what may happen several times at once, and each end counts once', () => {
    const { lifecycle } = running();
    const [one, other] = [lifecycle.begins('failures'), lifecycle.begins('suspects')];
    expect(lifecycle.configuration.question).toBe('suspecting');
    other();
    other();
    expect(lifecycle.configuration.question).toBe('deciding');
    one();
    expect(lifecycle.configuration.question).toBe('clear');
  });

  test('say that a complaint beside parked questions has them asked again, under which not even an approved call leaves', () => {
    const { lifecycle } = running();
    lifecycle.note({ parkedOn: 'person' });
    expect(lifecycle.may('leaveApproved')).toBe(true);
    lifecycle.begins('suspects');
    lifecycle.begins('failures');
    expect([lifecycle.configuration.question, lifecycle.may('leaveApproved')]).toEqual(['rejudging', false]);
    expect(lifecycle.mayAnswerItself('commit')).toBe(false);
  });
});
