/** What every store must do with the runs that are left for workers: a part of the contract in contract.ts. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import type { Carried, Rest, StartRequest, WorkAsked } from '../../src/journal/work.ts';
import { refused, row } from './rows-of.ts';

/** The stores that a contract is run on. */
interface Stores {
  readonly newStore: () => JournalStore;
  readonly journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>;
}

const digests = { machine: 'm1', config: 'c1' };
const carries: readonly Carried[] = [{ agent: 'order', ...digests, begins: true, version: null }];
const asked: WorkAsked = { queue: 'default', carries, limit: 10 };
const request = (run: string, more: Partial<StartRequest> = {}): StartRequest => {
  return { run, agent: 'order', input: '{"item":"tea"}', queue: 'default', ...more };
};
const rest = (more: Partial<Rest> = {}): Rest => ({
  due: null,
  heard: 0,
  ended: false,
  digests,
  threw: null,
  output: null,
  ...more,
});
const names = async (store: JournalStore, more: Partial<typeof asked> = {}) =>
  (await store.work.ready({ ...asked, ...more })).map(({ run }) => run);
const left = async (store: JournalStore) =>
  (await store.work.left(asked)).map(({ order, why }) => `${order.run} ${why}`);

export function workContract({ newStore, journalOf }: Stores): void {
  test('a run that has rows is left for workers under its digests, once', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a', 'create');
    journal.append([row('one')]);
    await journal.flush();
    await journal.close();
    await refused(() => store.work.handOver(request('b'), digests), 'run_unknown');
    expect(await names(store)).toEqual([]);
    expect(await store.work.handOver(request('a'), digests)).toBe(true);
    expect(await store.work.handOver(request('a', { queue: 'other' }), digests)).toBe(false);
    expect(await names(store)).toEqual(['a']);
    expect(await store.work.order('a')).toMatchObject({ ...request('a'), digests, due: 0, taken: 0, ended: null });
    expect(await names(store, { carries: [{ ...(carries[0] as Carried), machine: 'm2' }] })).toEqual([]);
  });

  test('a run that is left for workers is there on return, due at once, and has no row', async () => {
    const store = newStore();
    expect(await store.work.start(request('a'))).toBe(true);
    expect(await store.run('a')).toMatchObject({ run: 'a', head: 0, held: false });
    const fresh = { digests: null, due: 0, taken: 0, ended: null, note: null, threw: null, held: false, output: null };
    expect(await store.work.order('a')).toEqual({ ...request('a'), ...fresh });
    expect(await store.work.ready(asked)).toEqual([{ ...request('a'), ...fresh }]);
    const journal = await journalOf(store, 'a', 'either');
    expect(journal.head).toBe(0);
  });

  test('the same request twice is one run; another input, agent or queue is refused', async () => {
    const store = newStore();
    await store.work.start(request('a'));
    expect(await store.work.start(request('a'))).toBe(false);
    for (const other of [{ input: '{}' }, { agent: 'parcel' }, { queue: 'slow' }])
      await refused(() => store.work.start(request('a', other)), 'run_exists');
    await (await store.open('by hand', 'create')).close();
    await refused(() => store.work.start(request('by hand')), 'run_exists');
    expect([await names(store), await store.work.order('by hand')]).toEqual([['a'], null]);
  });

  test('a request has a name, an agent and a queue, and at most 1 MiB of input', async () => {
    const store = newStore();
    const wrong = [{ run: '' }, { agent: '' }, { queue: '' }, { agent: 'a\0b' }, { input: '"\ud800"' }];
    for (const each of wrong)
      await refused(() => store.work.start({ ...request('a'), ...each }), 'journal_cannot_write');
    await refused(() => store.work.start(request('a', { input: 'é'.repeat(512 * 1024 + 1) })), 'input_too_large');
    expect(await store.runs()).toEqual([]);
    const input = JSON.stringify('a\u0000b ☃ 😀');
    await store.work.start(request('a', { input }));
    expect((await store.work.order('a'))?.input).toBe(input);
  });

  test('a run that a living process has is not handed out, and one that waits for a message neither', async () => {
    const store = newStore();
    for (const run of ['a', 'b']) await store.work.start(request(run));
    const a = await journalOf(store, 'a');
    expect([await names(store), (await store.work.order('a'))?.taken]).toEqual([['b'], 1]);
    await a.close(rest());
    expect([await names(store), (await store.work.order('a'))?.due]).toEqual([['b'], null]);
  });

  test('a message wakes a run that waits, and one that came while it was given back as well', async () => {
    const store = newStore();
    await store.work.start(request('a'));
    await (await journalOf(store, 'a')).close(rest());
    expect(await names(store)).toEqual([]);
    await store.post('a', 'go on');
    expect(await names(store)).toEqual(['a']);
    await (await journalOf(store, 'a')).close(rest({ heard: 0 }));
    expect(await names(store)).toEqual(['a']);
    await (await journalOf(store, 'a')).close(rest({ heard: 1 }));
    expect(await names(store)).toEqual([]);
  });

  test('a run is due when it said, and one that is put off later, with the reason', async () => {
    const store = newStore();
    for (const run of ['a', 'b', 'c']) await store.work.start(request(run));
    await (await journalOf(store, 'a')).close(rest({ due: 3_600_000 }));
    await (await journalOf(store, 'b')).close(rest({ due: 0 }));
    await store.work.delay('c', 3_600_000, 'cannot_open no such item');
    expect(await names(store)).toEqual(['b']);
    const [a, c] = [await store.work.order('a'), await store.work.order('c')];
    expect([a?.note, c?.note]).toEqual([null, 'cannot_open no such item']);
    for (const due of [a?.due, c?.due]) {
      expect(due).toBeGreaterThan(3_000_000);
      expect(due).toBeLessThanOrEqual(3_600_000);
    }
  });

  test('a run that has ended is not handed out any more, whatever is posted to it', async () => {
    const store = newStore();
    await store.work.start(request('a'));
    const journal = await journalOf(store, 'a');
    journal.append([row(1)]);
    await journal.close(rest({ ended: true, output: '"tea"' }));
    await store.post('a', 'too late');
    await (await journalOf(store, 'a')).close();
    expect([await names(store), typeof (await store.work.order('a'))?.ended]).toEqual([[], 'number']);
    expect([await store.work.start(request('a')), (await store.work.order('a'))?.output]).toEqual([false, '"tea"']);
  });

  test('a run goes only to a worker with its agent and its digests; others are told with the digests that it wants', async () => {
    const store = newStore();
    for (const run of ['mine', 'other']) await store.work.start(request(run));
    await store.work.start(request('parcel', { agent: 'parcel' }));
    await store.work.start(request('slow', { queue: 'slow' }));
    expect(await store.work.bind('mine', digests)).toBe(true);
    expect(await store.work.bind('mine', digests)).toBe(true);
    expect(await store.work.bind('other', { machine: 'm1', config: 'c2' })).toBe(true);
    expect(await store.work.bind('other', digests)).toBe(false);
    expect([await names(store), await names(store, { queue: 'slow' })]).toEqual([['mine'], ['slow']]);
    expect(await left(store)).toEqual(['other unserved', 'parcel unserved']);
    expect((await store.work.left(asked))[0]?.order.digests).toEqual({ machine: 'm1', config: 'c2' });
    expect(await names(store, { limit: 0 })).toEqual([]);
  });

  test('a release that begins no runs goes on with its own, and each version of the code is asked of its own release', async () => {
    const store = newStore();
    const later = { agent: 'order', machine: 'm2', config: 'c1', begins: true, version: '2' };
    const older = { agent: 'order', ...digests, begins: false, version: '1' };
    for (const run of ['new', 'old', 'newer']) await store.work.start(request(run));
    await store.work.bind('old', digests);
    await store.work.bind('newer', { machine: 'm2', config: 'c1' });
    expect(await names(store, { carries: [older] })).toEqual(['old']);
    expect((await names(store, { carries: [later, older] })).toSorted()).toEqual(['new', 'newer', 'old']);
    await (await journalOf(store, 'old')).close(rest({ threw: ['1'] }));
    // The version that has not thrown is that of another release.
    expect(await names(store, { carries: [later, older] })).not.toContain('old');
    expect(await names(store, { carries: [later, { ...older, version: '1.1' }] })).toContain('old');
  });

  test('the runs of other releases are those that no process has and that are not over, page by page', async () => {
    const store = newStore();
    const later: Carried = { agent: 'order', machine: 'm2', config: 'c1', begins: true, version: null };
    const older: Carried = { agent: 'order', ...digests, begins: false, version: null };
    const others = async (more: { limit?: number; after?: string | null; carries?: readonly Carried[] } = {}) => {
      const wanted = { queue: 'default', carries: [later, older], limit: 10, after: null, ...more };
      return (await store.work.others(wanted)).map(({ run }) => run);
    };
    for (const run of ['c', 'a', 'b', 'fresh', 'held', 'mine', 'over']) await store.work.start(request(run));
    await store.work.start(request('parcel', { agent: 'parcel' }));
    await store.work.start(request('slow', { queue: 'slow' }));
    for (const run of ['c', 'b', 'slow', 'parcel']) await store.work.bind(run, digests);
    await store.work.bind('mine', { machine: 'm2', config: 'c1' });
    await (await journalOf(store, 'a')).close(rest({ digests: { machine: 'm2', config: 'c0' } }));
    await (await journalOf(store, 'over')).close(rest({ ended: true }));
    await store.work.bind('held', digests);
    const held = await journalOf(store, 'held');
    expect(await others()).toEqual(['a', 'b', 'c']);
    expect([await others({ limit: 2 }), await others({ limit: 2, after: 'b' })]).toEqual([['a', 'b'], ['c']]);
    // Only where runs of the agent begin is a run one of another release.
    expect(await others({ carries: [older] })).toEqual([]);
    await held.close(rest());
    expect(await others()).toEqual(['a', 'b', 'c', 'held']);
  });

  test('a run that is parked over a throw goes to a worker with another version of the code, and to no worker twice', async () => {
    const store = newStore();
    const by = (version: string | null) =>
      names(store, { carries: [{ agent: 'order', ...digests, begins: true, version }] });
    for (const run of ['a', 'b']) await store.work.start(request(run));
    await (await journalOf(store, 'a')).close(rest({ threw: ['1'] }));
    await (await journalOf(store, 'b')).close(rest({ threw: [], due: 3_600_000 }));
    expect((await store.work.order('a'))?.threw).toEqual(['1']);
    expect([await by(null), await by('1'), await by('2')]).toEqual([[], ['b'], ['a', 'b']]);
    expect(await left(store)).toEqual([]);
    expect(
      await names(store, { carries: [{ agent: 'order', machine: 'm2', config: 'c1', begins: true, version: '2' }] }),
    ).toEqual([]);
    expect(await names(store, { carries: [{ agent: 'parcel', ...digests, begins: true, version: '2' }] })).toEqual([]);
    expect(
      await names(store, { carries: [{ agent: 'order', ...digests, begins: true, version: '2' }], limit: 1 }),
    ).toEqual(['a']);
    const a = await journalOf(store, 'a');
    expect(await by('2')).toEqual(['b']);
    await a.close(rest({ threw: ['1', '2'] }));
    expect([await by('2'), await by('3')]).toEqual([['b'], ['a', 'b']]);
    await store.post('a', 'a message');
    expect(await by('3')).toEqual(['a', 'b']);
    await (await journalOf(store, 'a')).close(rest({ heard: 1 }));
    await (await journalOf(store, 'b')).close(rest({ threw: ['\u0000"'], ended: true }));
    expect([await by('3'), (await store.work.order('b'))?.threw]).toEqual([[], ['\u0000"']]);
  });

  test('a run that was given back without a word of when it can go on is still due', async () => {
    const store = newStore();
    await store.work.start(request('a'));
    await (await journalOf(store, 'a')).close();
    expect([await names(store), (await store.work.order('a'))?.taken]).toEqual([['a'], 0]);
  });
}
