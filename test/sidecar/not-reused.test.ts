/** What becomes of work that was set aside where a replay finds other inputs for it, or never comes to it (semantics.md C7, C9). */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

describe('work that was set aside and finds other inputs', () => {
  /** A's replay writes `wanted`, which B has read before. */
  const moved = (tool: string, rollback: string): readonly Station[] => [
    { name: 'a', also: (output: unknown) => (output === 'a0' ? {} : { wanted: 'y' }), rollback },
    { name: 'b', reads: ['wanted'], tool, rollback },
  ];

  /** Finds A wrong after B has worked with what A's replay changes. */
  async function again(tool: string, rollback = '') {
    const line = new Line(moved(tool, rollback), { a: ({ nth }) => `a${nth}` });
    const undone: string[] = [];
    const undo = { unb: ({ output }: { output: unknown }) => void undone.push(String(output)) };
    const run = await line.begin({ undo });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect([line.verdicts[0], line.aside(0)]).toEqual(['restore 0', ['B 0']]);
    return { line, run, undone };
  }

  test('runs again under its own identity', async () => {
    const { line, run } = await again('effect: none');
    await run.at('rest');
    expect([line.called('b'), run.context.b]).toEqual([2, 'b y']);
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('undoes its reversible call and makes it with the new arguments', async () => {
    const { line, run, undone } = await again('effect: reversible, undo: unb', 'joint: [B]');
    await run.at('rest');
    expect([line.called('b'), run.context.b, undone]).toEqual([2, 'b y', ['b x']]);
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    await run.close();
  });

  test('keeps its promise, and parks before any undo, where no joint rule allows to cross it', async () => {
    const { line, run, undone } = await again('effect: reversible, undo: unb');
    expect((await run.finished()).status).toBe('parked');
    expect([line.called('b'), undone]).toEqual([1, []]);
    await run.close();
  });

  test('parks where its call cannot be undone, and calls nobody', async () => {
    const { line, run } = await again('effect: irreversible');
    expect((await run.finished()).status).toBe('parked');
    expect([line.codes(), line.called('b')]).toEqual([['effect_diverged'], 1]);
    await run.close();
  });
});

describe('work that was set aside and that the replay never comes to', () => {
  /** The machine itself goes past B where A fails on its second call. */
  async function past(tool: string, rollback = '') {
    const stations: readonly Station[] = [
      { name: 'a', reads: ['wanted'], onError: 'rest', rollback },
      { name: 'b', reads: ['wanted'], tool, rollback },
    ];
    const line = new Line(stations, {
      a: ({ nth }) => {
        if (nth === 1) throw new Error('not now');
        return `a${nth}`;
      },
    });
    const undone: string[] = [];
    const undo = { unb: ({ output }: { output: unknown }) => void undone.push(String(output)) };
    const run = await line.begin({ undo });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await until(() => line.called('a') === 2);
    await run.at('rest');
    run.send('end');
    return { line, run, undone };
  }

  test('is undone before the run ends', async () => {
    const { run, undone } = await past('effect: reversible, undo: unb', 'joint: [B]');
    expect((await run.finished()).status).toBe('done');
    expect([undone, Object.keys(run.context)]).toEqual([['b x'], ['turn', 'wanted']]);
    await run.close();
  });

  test('parks the run at its end where no joint rule allows to cross its promise', async () => {
    const { line, run, undone } = await past('effect: reversible, undo: unb');
    expect((await run.finished()).status).toBe('parked');
    expect(line.codes()).toEqual(['unclaimed_effect']);
    expect(undone).toEqual([]);
    await run.close();
  });

  test('and is asked about no more once it is found wrong, which takes it back: the run goes on to its end', async () => {
    const { run, undone } = await past('effect: reversible, undo: unb');
    expect((await run.finished()).status).toBe('parked');
    await run.fail('CONTRACT_VIOLATION', { instance: of('b') });
    expect(undone).toEqual(['b x']);
    await until(() => run.status === 'done');
    await run.close();
  });

  test('is dropped where it acted on nothing, and the run is done', async () => {
    const { run } = await past('effect: none');
    expect((await run.finished()).status).toBe('done');
    expect(run.context).not.toHaveProperty('b');
    await run.close();
  });

  test('parks the run at its end where it cannot be undone, and is named', async () => {
    const { line, run, undone } = await past('effect: irreversible');
    expect((await run.finished()).status).toBe('parked');
    expect([line.codes(), undone]).toEqual([['unclaimed_effect'], []]);
    expect(line.reports.at(-1)?.decision.refusals).toMatchObject([{ instance: of('b') }]);
    await run.close();
  });
});
