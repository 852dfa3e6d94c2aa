/** What every store must do with the claims of its runs: a part of the contract in contract.ts. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimsIn } from '../../src/effects/claims/kept.ts';
import type { ClaimAnswer, ClaimCall, ClaimDesk } from '../../src/journal/claims.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { parseKey } from '../../src/model/key.ts';
import { failing, refused, row } from './rows-of.ts';

/** The stores that a contract is run on. */
interface Stores {
  readonly newStore: () => JournalStore;
  readonly journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>;
}

/** A call for keys; those that end in `?` are shared. */
export function callOf(run: string, ...keys: string[]): ClaimCall {
  const wanted = keys.map((key) => ({ key: parseKey(key.replace(/\?$/, '')), shared: key.endsWith('?') }));
  return { id: randomUUID(), run, wanted };
}

/** Answers in short: the reason, or the kind. */
function said(answers: readonly ClaimAnswer[]): string[] {
  return answers.map((answer) => ('why' in answer ? `${answer.is}: ${answer.why}` : answer.is));
}

async function asks(desk: ClaimDesk, ...calls: ClaimCall[]): Promise<string[]> {
  return said(await desk.ask(calls));
}

/** Claims in short: run, key, `?` where it is shared. */
async function held(desk: ClaimDesk): Promise<string[]> {
  return (await desk.list()).held.map(({ run, key, shared }) => `${run} ${key}${shared ? '?' : ''}`);
}

export function claimsContract({ newStore, journalOf }: Stores): void {
  /** A store with runs that are open. */
  const deskOf = async (...runs: string[]) => {
    const store = newStore();
    const journals: Record<string, Journal> = {};
    for (const run of runs) journals[run] = await journalOf(store, run);
    return { store, desk: store.claims, journals };
  };

  test.each([
    ['x:1', 'x:1'],
    ['x:1', 'x:1/a/b'],
    ['x:1/a/b', 'x:1'],
    ['x:*/a', 'x:1/a'],
    ['x:1', 'x:**'],
    ['**', 'y:2/c'],
    ['x:1', '**'],
    ['x:1/*/c', 'x:*/b/c'],
    ['x:1', 'x:1?'],
    ['x:1?', 'x:1/a'],
  ])('%s keeps %s of another run waiting', async (one, other) => {
    const { desk } = await deskOf('a', 'b');
    expect(await asks(desk, callOf('a', one), callOf('b', other))).toEqual([
      'held',
      `waits: ${one.replace(/\?$/, '')} is held by the run a`,
    ]);
    expect(await held(desk)).toEqual([`a ${one}`]);
  });

  test.each([
    ['x:1', 'x:2'],
    ['x:1', 'x:10'],
    ['x:1/a', 'x:1/b'],
    ['x:*/a', 'x:1/b'],
    ['x:1', 'y:1'],
    ['x:1?', 'x:1?'],
    ['x:**?', 'x:1/a?'],
  ])('%s and %s of another run are held side by side', async (one, other) => {
    const { desk } = await deskOf('a', 'b');
    expect(await asks(desk, callOf('a', one), callOf('b', other))).toEqual(['held', 'held']);
  });

  test('a call has all that it wants or nothing of it', async () => {
    const { desk } = await deskOf('a', 'b', 'c');
    await asks(desk, callOf('a', 'x:1'));
    const both = callOf('b', 'x:2', 'x:1');
    expect(await asks(desk, both)).toEqual(['waits: x:1 is held by the run a']);
    expect(await held(desk)).toEqual(['a x:1']);
    await desk.release('a');
    expect(await asks(desk, both)).toEqual(['held']);
    expect((await held(desk)).sort()).toEqual(['b x:1', 'b x:2']);
  });

  test('what a run has it is given again, and shared becomes its own where no other has it', async () => {
    const { desk } = await deskOf('a', 'b');
    await asks(desk, callOf('a', 'x:1', 'y:1?'));
    const before = await desk.list();
    expect(await asks(desk, callOf('a', 'y:1?'), callOf('a', 'x:1?', 'x:1'))).toEqual(['held', 'held']);
    expect(await desk.list()).toEqual(before);
    expect(await asks(desk, callOf('a', 'y:1'))).toEqual(['held']);
    expect((await held(desk)).sort()).toEqual(['a x:1', 'a y:1']);
    expect(await asks(desk, callOf('b', 'y:1?'))).toEqual(['waits: y:1 is held by the run a']);
  });

  test('each grant has a greater epoch than those before it, and a time', async () => {
    const { desk } = await deskOf('a', 'b');
    await asks(desk, callOf('a', 'x:1'));
    await desk.release('a');
    await asks(desk, callOf('b', 'x:1', 'x:2'), callOf('a', 'y:1'));
    const { held: list } = await desk.list();
    expect(list.map(({ run }) => run)).toEqual(['b', 'b', 'a']);
    const [one, two, three] = list.map(({ epoch }) => epoch) as [number, number, number];
    expect([one === two, one > 1, three > two]).toEqual([true, true, true]);
    for (const { since } of list) expect(since).toBeGreaterThan(0);
  });

  test('those that wait are served in order, also where they do not ask in order', async () => {
    const { desk } = await deskOf('a', 'b', 'c', 'd');
    await asks(desk, callOf('a', 'x:1'));
    const [b, c, d] = [callOf('b', 'x:1'), callOf('c', 'x:1/a'), callOf('d', 'x:1/b')] as const;
    await asks(desk, b, c, d);
    await desk.release('a');
    expect(await asks(desk, d, c)).toEqual([
      'waits: x:1 is wanted by the run b, which asked first',
      'waits: x:1 is wanted by the run b, which asked first',
    ]);
    expect((await desk.list()).waiting.map(({ run, waitsFor }) => [run, waitsFor])).toEqual([
      ['b', []],
      ['c', ['b']],
      ['d', ['b']],
    ]);
    expect(await asks(desk, b, d, c)).toEqual([
      'held',
      'waits: x:1 is held by the run b',
      'waits: x:1 is held by the run b',
    ]);
    await desk.release('b');
    expect(await asks(desk, d, c)).toEqual(['held', 'held']);
  });

  test('a run that comes late does not pass one that waits for more, so that no run starves', async () => {
    const { desk } = await deskOf('a', 'b', 'c');
    await asks(desk, callOf('a', 'x:1'));
    await asks(desk, callOf('b', 'x:1', 'x:2'));
    expect(await asks(desk, callOf('c', 'x:2'))).toEqual(['waits: x:2 is wanted by the run b, which asked first']);
    expect(await asks(desk, callOf('c', 'x:3'))).toEqual(['held']);
  });

  test('a run passes one that waits for it, which closes no circle', async () => {
    const { desk } = await deskOf('a', 'b');
    await asks(desk, callOf('a', 'x:1'));
    await asks(desk, callOf('b', 'x:1', 'x:2'));
    expect(await asks(desk, callOf('a', 'x:2'))).toEqual(['held']);
  });

  test('a run that would wait for one that waits for it is refused, and does not stand in line', async () => {
    const { desk } = await deskOf('a', 'b', 'c');
    await asks(desk, callOf('a', 'x:1'), callOf('b', 'x:2'), callOf('c', 'x:3'));
    const [b, c] = [callOf('b', 'x:3'), callOf('c', 'x:1')] as const;
    await asks(desk, b, c);
    expect(await asks(desk, callOf('a', 'x:2'))).toEqual([
      'refused: x:2 is held by the run b, which waits for what this run holds',
    ]);
    expect((await desk.list()).waiting.map(({ run }) => run)).toEqual(['b', 'c']);
    await desk.release('a');
    expect(await asks(desk, b, c)).toEqual(['waits: x:3 is held by the run c', 'held']);
  });

  test('a circle that a grant closes is found when its calls ask again', async () => {
    const { desk } = await deskOf('a', 'b', 'c');
    await asks(desk, callOf('a', 'x:1'), callOf('c', 'x:2'));
    const [first, second, third] = [callOf('b', 'x:1'), callOf('c', 'x:1'), callOf('b', 'x:2')] as const;
    await asks(desk, first, second, third);
    await desk.release('a');
    expect(await asks(desk, first)).toEqual(['held']);
    expect(await asks(desk, second, third)).toEqual([
      'refused: x:1 is held by the run b, which waits for what this run holds',
      'waits: x:2 is held by the run c',
    ]);
  });

  test('a call that leaves is out of the line, and one that leaves twice or never stood in it changes nothing', async () => {
    const { desk } = await deskOf('a', 'b', 'c');
    const [b, c] = [callOf('b', 'x:1'), callOf('c', 'x:1')] as const;
    await asks(desk, callOf('a', 'x:1'), b, c);
    for (const leaving of [[b], [b, callOf('b', 'x:1')]]) await desk.leave(leaving);
    await desk.release('a');
    expect(await asks(desk, c)).toEqual(['held']);
  });

  test('a run keeps what it has when its journal is closed, its place in line it does not, and its next journal has both again', async () => {
    const { desk, store, journals } = await deskOf('a', 'b', 'c');
    const b = callOf('b', 'x:1');
    await asks(desk, callOf('a', 'x:1'), callOf('b', 'x:2'), b);
    await journals.b?.close();
    expect((await desk.list()).waiting).toEqual([]);
    expect(await asks(desk, b)).toEqual(['lost']);
    // A circle through a run that no process has is none: it does not wait.
    const a = callOf('a', 'x:2');
    expect(await asks(desk, a)).toEqual(['waits: x:2 is held by the run b']);
    await journalOf(store, 'b', 'resume');
    expect(await asks(desk, callOf('b', 'x:2'), b)).toEqual([
      'held',
      'refused: x:1 is held by the run a, which waits for what this run holds',
    ]);
    await desk.release('b');
    expect(await asks(desk, a)).toEqual(['held']);
  });

  test('only a run that is open in the store may take anything', async () => {
    const { desk, store } = await deskOf('a');
    await (await store.open('closed', 'create')).close();
    expect(await asks(desk, callOf('closed', 'x:1'), callOf('unknown', 'x:1'))).toEqual(['lost', 'lost']);
    await expect(
      claimsIn(store).take('unknown', callOf('', 'x:1').wanted, new AbortController().signal, () => {}),
    ).rejects.toEqual(failing('lease_lost'));
    expect(await desk.list()).toEqual({ held: [], waiting: [], freed: [] });
  });

  test('a person frees what a run has that no process has, where it is as the person saw it', async () => {
    const { desk, journals } = await deskOf('a', 'b');
    const b = callOf('b', 'x:1');
    await asks(desk, callOf('a', 'x:1', 'y:1'), b);
    journals.a?.append([row(1)]);
    await journals.a?.flush();
    await refused(() => desk.free('a', 1, 'ann'), 'lease_held');
    await refused(() => desk.free('unknown', 0, 'ann'), 'run_unknown');
    await journals.a?.close();
    expect(await desk.free('a', 0, 'ann')).toBe(null);
    expect(await held(desk)).toHaveLength(2);
    expect([...((await desk.free('a', 1, 'ann')) ?? [])].sort()).toEqual(['x:1', 'y:1']);
    expect(await asks(desk, b)).toEqual(['held']);
    const { freed } = await desk.list();
    expect(freed).toMatchObject([{ run: 'a', by: 'ann' }]);
    expect(await desk.free('a', 1, null)).toEqual([]);
    expect((await desk.list()).freed).toHaveLength(1);
  });

  test('a call that waits goes on as soon as another one of the process frees what it wants', async () => {
    const { store, desk } = await deskOf('a', 'b');
    const claims = claimsIn(store, { pollMs: 3_600_000 });
    const take = (run: string, signal = new AbortController().signal) =>
      claims.take(run, callOf(run, 'x:1').wanted, signal, (why) => void waits.push(why));
    const waits: string[] = [];
    expect(await take('a')).toBe(null);
    const stop = new AbortController();
    const [stopped, waiting] = [take('b', stop.signal), take('b')];
    await expect.poll(() => waits.length).toBe(2);
    stop.abort();
    expect(await stopped).toBe(null);
    await desk.release('a');
    expect(await waiting).toBe(null);
    expect(waits[0]).toBe('x:1 is held by the run a');
    expect((await desk.list()).waiting).toEqual([]);
  });
}
