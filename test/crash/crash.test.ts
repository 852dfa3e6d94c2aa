/**
 * Crash, for real: agents in processes of their own are killed by SIGKILL at every third append, between phases of a recovery, in
 * the middle of calls and at random, while the counterparty lives on. Whoever starts again ends where the run would have ended,
 * or says which effect it cannot know about; with nobody to ask it stops there, and goes on as a person says. Every combination is in
 * `soak.ts`; this is what each change is held to.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHASES } from './deadly.ts';
import {
  atEveryAppend,
  atEveryTwoPhases,
  atRandom,
  byTheCounterparty,
  inTurn,
  thirdOf,
  withUndosThatFail,
} from './plan.ts';
import { Course, type Expected, type Outcome, type Trial } from './trial.ts';
import { NAMES, Trying } from './trying.ts';

const trying = new Trying();
const { stage, trials, expected } = trying;
const tryAll = trying.all.bind(trying);

beforeAll(() => trying.open());
afterAll(() => trying.close());

describe('killed at every third append', () => {
  test('a run that sends for good and loses the reply ends as if nothing had happened', async () => {
    const { appends } = await trials.reach('sequential');
    expect(appends).toBeGreaterThan(6);
    await tryAll(thirdOf(atEveryAppend('sequential', appends, ['before'])));
    await tryAll(thirdOf(atEveryAppend('sequential', appends, ['durable']), 1));
  });

  test.each(['parallel', 'nested'] as const)(
    'a run of %s machines that goes back twice ends as if nothing had happened',
    async (name) => {
      const { appends, phases } = await trials.reach(name);
      expect(phases).toEqual(['DECIDED', 'RESTORED', 'RESUMED', 'DECIDED', 'RESTORED', 'RESUMED']);
      await tryAll(thirdOf(atEveryAppend(name, appends, ['durable']), name === 'nested' ? 1 : 0));
    },
  );

  test('a run that undoes two bookings on its way ends with the third, and each undone once', async () => {
    const { appends, phases } = await trials.reach('booking');
    expect(phases).toEqual([...PHASES, ...PHASES]);
    const outcomes = await tryAll(thirdOf(atEveryAppend('booking', appends, ['durable'])));
    expect(outcomes.filter(({ midRecovery }) => midRecovery > 0).length).toBeGreaterThan(2);
  });
});

describe('killed at every third append, with a person, and with a commit of several writes', () => {
  test('a call that waits for approval leaves once, and only with it', async () => {
    const { appends } = await trials.reach('gated');
    expect(appends).toBeGreaterThan(8);
    await tryAll(thirdOf(atEveryAppend('gated', appends, ['durable']), 1));
  });

  test('what is held back becomes visible once and whole, and what was rolled back never', async () => {
    const { appends, phases } = await trials.reach('posting');
    expect(phases).toEqual(['DECIDED', 'RESTORED', 'RESUMED']);
    expect(expected.get('posting')?.acts).toEqual(['debit(debit {"cents":50})', 'credit(credit {"cents":50})']);
    await tryAll(thirdOf(atEveryAppend('posting', appends, ['durable']), 1));
  });
});

/**
 * The windows of one call: what is in the world when the process is gone, whether the next one goes on by itself with nobody to ask,
 * and what is in the world then. Who can ask always goes on, and the call is then applied once.
 */
describe('the crash windows of a call', () => {
  const killed = (does: 'kill before' | 'kill after') => [{ site: 'send', does, times: 1 }] as const;
  const windows: readonly [string, Pick<Trial, 'kills' | 'faults'>, { blocked: boolean; applied: number }][] = [
    ['before its intent is written', { kills: [{ at: 'INTENT', when: 'before' }] }, { blocked: false, applied: 1 }],
    ['after its intent, before it acts', { kills: [{ at: 'INTENT', when: 'durable' }] }, { blocked: true, applied: 0 }],
    ['while it acts', { kills: ['by the counterparty'], faults: killed('kill before') }, { blocked: true, applied: 0 }],
    [
      'after it has acted',
      { kills: ['by the counterparty'], faults: killed('kill after') },
      { blocked: true, applied: 1 },
    ],
    ['before its outcome is written', { kills: [{ at: 'OUTCOME', when: 'before' }] }, { blocked: true, applied: 1 }],
    ['after its outcome', { kills: [{ at: 'OUTCOME', when: 'durable' }] }, { blocked: false, applied: 1 }],
  ];

  test.each(windows)('killed %s', async (_, { kills, faults = [] }, { blocked, applied }) => {
    for (const reconcile of [false, true]) {
      const seen: number[] = [];
      const trial: Trial = {
        agent: 'sequential',
        faults,
        reconcile,
        kills,
        atRest: (log) => void seen.push(log.acts.length),
      };
      const [outcome] = await tryAll([trial]);
      expect(outcome?.parked).toBe(blocked && !reconcile);
      // What the process that took it up has left, before a person said anything.
      expect(seen).toEqual([reconcile ? 1 : applied]);
      expect(outcome?.log.acts).toHaveLength(1);
    }
  });
});

test('R5: killed at a phase of a recovery and at a phase of what is left of it, a run ends as if nothing had happened', async () => {
  const list = atEveryTwoPhases([['durable', 'durable']]);
  expect(list).toHaveLength(PHASES.length ** 2);
  // Each phase is the first of a pair, and the second of one.
  await tryAll(list.filter((_, index) => (index + Math.floor(index / PHASES.length)) % 2 === 0));
});

test('where an undo fails for good, the run is stuck, and the next start undoes it, once, and goes on', async () => {
  const outcomes = await tryAll(withUndosThatFail(), { exactly: false });
  expect(outcomes.some(({ stuck }) => stuck)).toBe(true);
  expect(outcomes.some(({ log }) => log.repeats.some(({ site }) => site === 'unbook'))).toBe(true);
});

test.each(['rested', 'slots'] as const)(
  'killed between the phases of its recovery, a run of the agent %s ends as if nothing had happened',
  async (agent) => {
    const kills = PHASES.filter((at) => at !== 'COMPENSATED').map((at) => [{ at, when: 'durable' as const }]);
    await tryAll(kills.map((each) => ({ agent, reconcile: true, kills: each })));
  },
);

test('a run that was said to be over is over, even when the process dies at that word', async () => {
  const outcomes = await tryAll(
    NAMES.map((agent) => ({ agent, reconcile: true, kills: [{ at: 'END' as const, when: 'durable' as const }] })),
  );
  expect(outcomes.map(({ end }) => end?.status)).toEqual(NAMES.map(() => 'over'));
});

test('killed by the counterparty before or after it has acted, a run neither repeats nor leaves out the act', async () => {
  const outcomes = await tryAll(byTheCounterparty(true));
  expect(outcomes.map(({ log }) => log.killed)).toEqual(outcomes.map(() => 1));
  expect(outcomes.filter(({ midCall }) => midCall > 0).length).toBeGreaterThanOrEqual(10);
});

test('killed from outside at any time, a run ends as if nothing had happened', async () => {
  const outcomes = await tryAll(atRandom(6, 7), { exactly: false });
  expect(outcomes.some(({ kills }) => kills > 0)).toBe(true);
});

describe('with nobody to ask', () => {
  test('a run stops at the call whose outcome nobody knows, names it, and goes on as a person says', async () => {
    const { appends } = await trials.reach('sequential', []);
    const sequential = await tryAll(thirdOf(atEveryAppend('sequential', appends, ['durable'], false)));
    const { appends: more } = await trials.reach('booking');
    const booking = await tryAll(thirdOf(atEveryAppend('booking', more, ['durable'], false)));
    const stopped = [...sequential, ...booking].filter(({ parked }) => parked).length;
    expect(stopped).toBeGreaterThan(1);
    expect(stopped).toBeLessThan(sequential.length + booking.length);
  });

  test('neither a call that was applied nor one that was not is made again before a person has said so', async () => {
    const outcomes = await tryAll(inTurn(byTheCounterparty(false)));
    // The idempotent note is made again, and an undo too, under their keys: that is what these keys are for.
    // A commit is made again, too, and a call at its gate waits like any other once it has left.
    expect(outcomes.filter(({ parked }) => parked)).toHaveLength(6);
  });
});

test('at least 120 processes were killed, in the middle of calls and of recoveries too', () => {
  expect(trying.made.kills).toBeGreaterThanOrEqual(120);
  expect(trying.made.midCall).toBeGreaterThanOrEqual(25);
  expect(trying.made.midRecovery).toBeGreaterThanOrEqual(25);
});

describe('the judge', () => {
  const killedAfter = { site: 'send', does: 'kill after', times: 1 } as const;

  test('sees an act that is asked for twice: the counterparty denies what it has done', async () => {
    const faults = [killedAfter, { site: 'ask', does: 'lie', times: 1 } as const];
    const trial: Trial = { agent: 'sequential', faults, reconcile: true, kills: ['by the counterparty'] };
    const { wrong, kills } = await trials.run(trial, expected.get('sequential') as Expected);
    expect(kills).toBe(1);
    expect(wrong).toEqual([expect.stringContaining('has called again what was done')]);
  });

  test('sees another ending, another world, and a run that stands still', async () => {
    const trial: Trial = { agent: 'sequential', reconcile: true, kills: [] };
    const right = expected.get('sequential') as Expected;
    const other = await trials.run(trial, { ...right, value: 'idle', standing: [], acts: ['send(a)', 'send(b)'] });
    expect(other.wrong).toEqual([
      expect.stringContaining('ends with'),
      expect.stringContaining('leaves'),
      expect.stringContaining('has done'),
    ]);
  });

  test('sees an acknowledged row that is not there', () => {
    const course = new Course(`${stage.folder}/run-1.db`);
    const end = { status: 'done' } as Outcome['end'];
    course.add({ signal: null, code: 0, said: [{ ack: 3, digest: 'of another row' }], end, errors: '' });
    course.add({ signal: null, code: 0, said: [{ ack: 3_000, digest: 'of a lost row' }], end, errors: '' });
    expect(course.wrong).toHaveLength(2);
  });
});
