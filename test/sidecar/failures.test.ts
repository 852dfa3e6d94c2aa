/** Which signal an error stands for, whose business it is, and when its budget ends it (semantics.md F1, F2, R6, E6). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

const ONE: readonly Station[] = [{ name: 'a', reads: ['wanted'] }];

const timedOut = () => Object.assign(new Error('late'), { name: 'TimeoutError' });

describe('F1: what a failure is, and the signal that stands for it', () => {
  test.each([
    [
      'a tool that throws',
      {},
      () => {
        throw new Error('no');
      },
      'TOOL_EXCEPTION',
    ],
    [
      'a tool that says that it took too long',
      {},
      () => {
        throw timedOut();
      },
      'TIMEOUT',
    ],
    [
      'a tool that does not answer in time',
      { tool: 'effect: none, timeout: 20' },
      () => new Promise(() => {}),
      'TIMEOUT',
    ],
    [
      'an answer that the schema refuses',
      { tool: 'effect: none, output: { type: string }' },
      () => 7,
      'INVALID_OUTPUT',
    ],
  ] as [string, Partial<Station>, () => unknown, string][])('%s', async (_, station, fault, signal) => {
    const line = new Line([{ ...ONE[0], ...station } as Station], {
      a: ({ nth }): unknown => (nth === 0 ? fault() : 'right'),
    });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.reports.map((report) => [report.signal, report.decision.verdict])).toEqual([[signal, 'restore']]);
    expect(line.moves()).toEqual(['A it 0 entry']);
    expect(run.context.a).toBe('right');
    await run.close();
  });

  test('a denial by the governor: nothing leaves, and it is asked again', async () => {
    const line = new Line([{ name: 'a', tool: 'effect: irreversible' }]);
    const asked: string[] = [];
    const journal = memoryStore();
    const run = await line.begin({
      journal,
      governor: ({ tool }) => (asked.push(tool) < 3 ? 'not on my watch' : null),
    });
    run.send('go');
    await run.at('rest');
    expect(line.reports.map(({ signal, error }) => [signal, error])).toEqual([
      ['GOVERNOR_DENIED', 'not on my watch'],
      ['GOVERNOR_DENIED', 'not on my watch'],
    ]);
    expect([asked.length, line.called('a')]).toEqual([3, 1]);
    await run.close();
    expect(entriesOf(journal.read('r')).filter((entry) => entry.do === 'intent')).toHaveLength(1);
  });

  test('a governor that throws has denied', async () => {
    const line = new Line([{ name: 'a', rollback: 'tries: 1' }]);
    const run = await line.begin({
      governor: () => {
        throw new Error('out for lunch');
      },
    });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    expect(line.reports[0]).toMatchObject({ signal: 'GOVERNOR_DENIED', error: 'out for lunch' });
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('a required input that nothing has written: work that cannot begin does not go on', async () => {
    const line = new Line([
      { name: 'a', reads: ['need'], more: '    inputs: [need]\n    required: [need]', rollback: 'tries: 1' },
    ]);
    const run = await line.begin();
    run.send('go');
    const ending = await run.finished();
    expect(ending.status).toBe('parked');
    expect(line.reports[0]?.signal).toBe('MISSING_INPUT');
    expect(line.reports[0]?.decision.failed).toEqual(of('a'));
    expect(line.findings).toContain('missing_input');
    expect(line.called('a')).toBe(0);
    await run.close();
  });
});

describe('F2: whose business an error is', () => {
  const fails = {
    a: ({ nth }: { nth: number }) => {
      if (nth === 0) throw new Error('no');
      return 'right';
    },
  };

  test("the machine handles it: it is the machine's, and nothing is decided", async () => {
    const line = new Line([{ ...ONE[0], onError: 'handled' } as Station], fails);
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.reports).toEqual([]);
    await run.close();
  });

  test('the machine handles timeouts by their name: one that the deadline of the config has made is one', async () => {
    const late = ({ event }: { event: { error?: { name?: unknown } } }) => event.error?.name === 'TimeoutError';
    const station = { ...ONE[0], tool: 'effect: none, timeout: 20', onError: { guard: late, target: 'handled' } };
    const line = new Line([station as unknown as Station], { a: () => new Promise(() => {}) });
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect([line.reports, line.findings]).toEqual([[], []]);
    await run.close();
  });

  test('the reviewed config wants it all the same', async () => {
    const line = new Line(
      [{ ...ONE[0], onError: 'handled' } as Station],
      fails,
      'recover: [{ tool: a, signals: [TOOL_EXCEPTION] }]',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore 0']);
    await run.close();
  });

  test("the reviewed config wants another signal of it: it stays the machine's", async () => {
    const line = new Line(
      [{ ...ONE[0], onError: 'handled' } as Station],
      fails,
      'recover: [{ tool: a, signals: [TIMEOUT] }]',
    );
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.reports).toEqual([]);
    await run.close();
  });

  test('nothing handles it: the machine does not crash, and the work is done again', async () => {
    const line = new Line(ONE, fails);
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(run.sidecar.actor.getSnapshot().status).toBe('active');
    expect(line.called('a')).toBe(2);
    await run.close();
  });
});

describe('R6: an always-failing tool ends', () => {
  test('the budget of its boundary is spent, and the run is parked', async () => {
    const line = new Line([{ ...ONE[0], rollback: 'tries: 2' } as Station], {
      a: () => {
        throw new Error('never');
      },
    });
    const run = await line.begin();
    run.send('go');
    const ending = await run.finished();
    expect(ending.status).toBe('parked');
    expect(line.verdicts).toEqual(['restore 0', 'restore 0', 'rerun']);
    expect(line.codes()).toEqual(['no_stable_checkpoint', 'recovery_budget_spent']);
    expect(line.called('a')).toBe(3);
    expect(run.status).toBe('parked');
    await run.close();
  });

  test("the budget is the signal's: another one has its own", async () => {
    const line = new Line([{ ...ONE[0], rollback: 'tries: 1' } as Station], {
      a: ({ nth }) => {
        if (nth === 0) throw new Error('no');
        if (nth === 1) throw timedOut();
        return 'right';
      },
    });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.reports.map(({ signal }) => signal)).toEqual(['TOOL_EXCEPTION', 'TIMEOUT']);
    await run.close();
  });

  test('the budget of the run is spent across boundaries, and survives its process', async () => {
    const line = new Line(
      [ONE[0] as Station, { name: 'b' }],
      {
        a: ({ nth }) => {
          if (nth < 2) throw new Error('no');
          return nth === 2 ? new Promise(() => {}) : 'right';
        },
        b: () => {
          throw new Error('never');
        },
      },
      'tries: 3',
    );
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await until(() => line.called('a') === 3);
    await run.close();
    const next = await line.resume({ journal });
    await next.finished();
    expect(line.verdicts.filter((verdict) => verdict.startsWith('restore'))).toHaveLength(3);
    expect(line.codes()).toContain('recovery_budget_spent');
    await next.close();
  });
});

describe('E6: a tool that is not declared', () => {
  test('is irreversible: its intent is durable before it acts, and no line crosses it', async () => {
    const journal = memoryStore();
    let durable: Entry[] = [];
    const line = new Line([{ name: 'a', tool: null }, { name: 'b' }], {
      a: () => {
        durable = entriesOf(journal.read('r'));
        return 'acted';
      },
    });
    const run = await line.begin({ journal });
    run.send('go');
    await run.at('rest');
    expect(durable.at(-1)).toMatchObject({ do: 'intent', tool: 'a', class: 'irreversible' });
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.reports[0]?.decision.verdict).toBe('escalate');
    expect(line.codes()).toContain('irreversible_effect_policy');
    await run.close();
  });
});
