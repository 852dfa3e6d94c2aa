/** Keys that their counterparty refuses once it has said "not applied": the call is made again under another one (semantics.md E2, E3). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { SidecarOptions } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { type Does, Line, of } from './stations.ts';

/** A counterparty that refuses a key once it has said that nothing came of it; some requests never reach it. */
class Desk {
  readonly standing = new Map<string, unknown>();
  readonly acts: string[] = [];
  readonly #refused = new Set<string>();
  #lost: number;

  constructor(lost: number) {
    this.#lost = lost;
  }

  readonly take: Does = ({ key = '', input }) => {
    if (this.#refused.has(key)) throw new Error(`the key ${key} is refused`);
    if (this.#lost > 0) {
      this.#lost -= 1;
      throw new Error('the request was lost');
    }
    this.acts.push(key);
    this.standing.set(key, input);
    return 'taken';
  };

  options(): Partial<SidecarOptions> {
    return {
      reconcilers: {
        desk: ({ key }) => {
          if (this.standing.has(key)) return { is: 'applied', output: 'taken' };
          this.#refused.add(key);
          return { is: 'not_applied' };
        },
      },
      undo: { back: ({ key }) => void this.standing.delete(key) },
    } as Partial<SidecarOptions>;
  }

  /** The generation of each act's key, in order. */
  get generations(): string[] {
    return this.acts.map((key) => /~\d+$/.exec(key)?.[0] ?? '');
  }
}

const ASKING = 'reconcile: { ask: desk, refuses_key: true }';

function lineOf(desk: Desk, more: string, look: Does = () => 'x', reads = ['look']) {
  return new Line(
    [
      { name: 'look', tool: 'effect: none', rollback: 'joint: [A]' },
      { name: 'a', reads, tool: `effect: reversible, undo: back, ${ASKING}${more}` },
    ],
    { look, a: desk.take },
  );
}

describe('a call whose key is refused', () => {
  test('is made again under the next one, however often its request is lost', async () => {
    const desk = new Desk(3);
    const line = lineOf(desk, ', retry: { max: 3, backoff: 1ms }');
    const run = await line.begin(desk.options());
    run.send('go');
    await run.at('rest');
    expect([line.called('a'), desk.generations]).toEqual([4, ['~3']]);
    await run.close();
  });

  test('is made again after a recovery, where its tool is not called again by itself', async () => {
    const desk = new Desk(1);
    const run = await lineOf(desk, '').begin(desk.options());
    run.send('go');
    await run.at('rest');
    expect(desk.generations).toEqual(['~1']);
    await run.close();
  });

  test('is undone under the key that it has, and its replay has the next one', async () => {
    const desk = new Desk(1);
    let looks = 0;
    const line = lineOf(desk, '', () => (looks++ === 0 ? 'wrong' : 'right'));
    const run = await line.begin(desk.options());
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('look') });
    await until(() => run.value === 'rest' && run.context.look === 'right');
    expect([desk.generations, [...desk.standing.values()]]).toEqual([['~1', '~2'], [{ look: 'right' }]]);
    await run.close();
  });

  test('is taken over by the replay of work that rests on nothing wrong, and not made again', async () => {
    const desk = new Desk(1);
    const line = lineOf(desk, '', () => 'x', []);
    const run = await line.begin(desk.options());
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('look') });
    await until(() => run.value === 'rest' && line.called('look') === 2);
    expect([line.aside(), line.called('a'), desk.generations]).toEqual([['A 0'], 2, ['~1']]);
    await run.close();
  });

  test('has the next key in the next process, too, and the next occurrence a key of its own', async () => {
    const desk = new Desk(1);
    const journal = memoryStore();
    const line = lineOf(desk, '');
    const run = await line.begin({ ...desk.options(), journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const next = await line.resume({ ...desk.options(), journal });
    next.send('again');
    await until(() => next.value === 'rest' && desk.acts.length === 2);
    expect(desk.generations).toEqual(['~1', '']);
    expect(new Set(desk.acts.map((key) => key.replace(/~\d+$/, ''))).size).toBe(2);
    await next.close();
  });
});
