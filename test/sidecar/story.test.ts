/** What a journal says of a run to somebody who was not there. */

import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { runStatusOf } from '../../src/reports/run-status.ts';
import { stateText, timelineOf } from '../../src/reports/timeline.ts';
import { Line, of, type Station } from './stations.ts';

/** The call by what its key is made of, as a person may name it. */
const KEY = JSON.stringify(['r', 'A', 'it', 0, 'a', 0]);
const LOSES: readonly Station[] = [
  { name: 'a', reads: ['wanted'], tool: 'effect: irreversible' },
  { name: 'b', reads: ['a'] },
];
const loses = {
  a: ({ nth }: { nth: number }) => {
    if (nth === 0) throw new Error('connection reset');
    return 'done again';
  },
};

/** A run of a line in a journal that can be read. */
async function begun(line: Line) {
  const journal = memoryStore();
  const run = await line.begin({ journal });
  run.send('go');
  const told = async () => {
    await run.sidecar.durable();
    return timelineOf(journal.read('r'));
  };
  return { journal, run, told };
}

describe('how a run stands', () => {
  test('open while it goes on, parked on its verdict, open again once a person has spoken, done at its end', async () => {
    const { journal, run, told } = await begun(new Line(LOSES, loses));
    await run.finished();
    expect((await told()).standing).toEqual({ is: 'parked', verdict: 'escalate' });
    await run.sidecar.settle(KEY, 'confirmed', 'it did');
    await run.at('rest');
    expect((await told()).standing).toEqual({ is: 'open' });
    run.send('end');
    await run.finished();
    expect(runStatusOf(journal.read('r'))).toEqual({ agent: 'line', standing: { is: 'done' } });
    await run.close();
  });

  test('open where a counterparty has answered in the next process, which journals no decision for it', async () => {
    const line = new Line(
      [{ ...(LOSES[0] as Station), tool: 'effect: irreversible, reconcile: ask' }, LOSES[1] as Station],
      loses,
    );
    const { journal, run } = await begun(line);
    await run.finished();
    await run.close();
    expect(runStatusOf(journal.read('r')).standing.is).toBe('parked');
    const next = await line.resume({ journal, reconcilers: { ask: () => ({ is: 'applied', output: 'it did' }) } });
    await next.at('rest');
    await next.close();
    expect(runStatusOf(journal.read('r')).standing).toEqual({ is: 'open' });
  });

  test('stuck where an undo failed, with what it said, and open once it went well', async () => {
    let works = false;
    const undo = {
      unA: () => {
        if (!works) throw new Error('no refunds');
      },
    };
    const line = new Line([
      { name: 'a', tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
      { name: 'b' },
    ]);
    const journal = memoryStore();
    const run = await line.begin({ journal, undo });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.finished();
    await run.close();
    const { standing } = runStatusOf(journal.read('r'));
    expect(standing).toMatchObject({ is: 'stuck', verdict: 'restore', error: 'no refunds' });
    works = true;
    const next = await line.resume({ journal, undo });
    await next.at('rest');
    await next.close();
    expect(runStatusOf(journal.read('r')).standing).toEqual({ is: 'open' });
  });
});

describe('an account', () => {
  test('tells of a restore what failed where, what was done again, and what stayed', async () => {
    const line = new Line([{ name: 'a' }, { name: 'b', reads: ['a'] }, { name: 'c', reads: ['b'] }], {
      b: ({ nth }: { nth: number }) => {
        if (nth === 0) throw new Error('no line');
        return 'b';
      },
    });
    const { run, told } = await begun(line);
    await run.at('rest');
    const { decisions, restored } = await told();
    expect(decisions.map(({ number, around }) => ({ number, ...around }))).toEqual([
      {
        number: 1,
        signal: 'TOOL_EXCEPTION',
        error: 'no line',
        state: 'b',
        tool: 'b',
        aftermath: { replayed: [{ instance: of('b'), tools: ['b'] }], preserved: [of('a')] },
      },
    ]);
    expect([...restored]).toEqual([['B::it::0', 1]]);
    await run.close();
  });

  test('counts what was found more than once', async () => {
    const { run, told } = await begun(new Line([{ name: 'a', also: () => ({ stray: 1 }) }]));
    await run.at('rest');
    const { findings } = await told();
    expect(findings.every(({ count }) => count >= 1)).toBe(true);
    const texts = findings.map(({ code, text, instance }) => JSON.stringify([code, text, instance]));
    expect(new Set(texts).size).toBe(texts.length);
    expect(findings.length).toBeGreaterThan(0);
    await run.close();
  });
});

test('the state of a machine is told as a path', () => {
  expect(stateText('idle')).toBe('idle');
  expect(stateText({ filling: 'asking' })).toBe('filling.asking');
  expect(stateText({ filling: { slots: 'asking', clock: {} } })).toBe('filling.(slots.asking, clock)');
  expect(stateText(undefined)).toBe('');
});
