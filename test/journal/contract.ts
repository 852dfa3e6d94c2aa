/** What every store must do, whatever it keeps its journals in. Each implementation runs all of it. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Journal, JournalStore, Row } from '../../src/journal/journal.ts';
import { actsContract } from './acts-contract.ts';
import { basesContract } from './bases-contract.ts';
import { claimsContract } from './claims-contract.ts';
import { deleteContract } from './delete-contract.ts';
import { inboxContract } from './inbox-contract.ts';
import { listContract } from './list-contract.ts';
import { notesContract } from './notes-contract.ts';
import { noticesContract } from './notices-contract.ts';
import { poolsContract } from './pools-contract.ts';
import { all, failing, refused, row, told } from './rows-of.ts';
import { sandboxesContract } from './sandboxes-contract.ts';
import { workContract } from './work-contract.ts';

/** What puts many things into a store at once. */
export interface Filling {
  /** Leaves so many messages for a run. */
  readonly messages?: (store: JournalStore, run: string, count: number) => Promise<void>;
  /** Begins so many runs, named by their number: run 1, run 2, … None has rows. */
  readonly runs?: (store: JournalStore, count: number) => Promise<void>;
}

/**
 * Runs the contract on stores that `open` makes, each empty, with the clock it is given.
 * @param filling what puts many things into a store, for one that a test cannot wait for while it takes them one by one.
 */
export function journalContract(name: string, open: (now: () => number) => JournalStore, filling: Filling = {}): void {
  describe(`journal contract: ${name}`, () => {
    let clock = 1_000;
    const opened: { stores: JournalStore[]; journals: Journal[] } = { stores: [], journals: [] };
    const newStore = () => {
      const store = open(() => clock);
      opened.stores.push(store);
      return store;
    };
    const journalOf = async (store: JournalStore, run: string, mode: 'create' | 'resume' | 'either' = 'either') => {
      const journal = await store.open(run, mode);
      opened.journals.push(journal);
      return journal;
    };
    const setClock = (time: number) => {
      clock = time;
    };
    afterEach(async () => {
      for (const journal of opened.journals.splice(0)) await journal.close();
      for (const store of opened.stores.splice(0)) await store.close();
      clock = 1_000;
    });

    test('rows are numbered from 1 without a gap (J2)', async () => {
      const journal = await journalOf(newStore(), 'a');
      expect([journal.run, journal.head, journal.durable]).toEqual(['a', 0, 0]);
      expect(journal.append([row(1), row(2, 7)])).toBe(2);
      expect(journal.append([])).toBe(2);
      expect(journal.append([row(3)])).toBe(3);
      expect(await all(journal.read())).toEqual([
        { seq: 1, kind: 1, body: '1', time: 1_000 },
        { seq: 2, kind: 7, body: '2', time: 1_000 },
        { seq: 3, kind: 1, body: '3', time: 1_000 },
      ]);
    });

    test('an append is visible at once, and durable when flush says so (J3)', async () => {
      const store = newStore();
      const journal = await journalOf(store, 'a');
      journal.append([row(1)]);
      expect([journal.head, journal.durable, await told(journal.read()), await told(store.read('a'))]).toEqual([
        1,
        0,
        [1],
        [],
      ]);
      expect(await journal.flush()).toBe(1);
      expect([journal.durable, await told(store.read('a'))]).toEqual([1, [1]]);
      expect(await journal.flush()).toBe(1);
    });

    test('what is appended while a flush waits is durable with it or after it, never before', async () => {
      const journal = await journalOf(newStore(), 'a');
      journal.append([row(1)]);
      const first = journal.flush();
      journal.append([row(2)]);
      const second = journal.flush();
      expect(await first).toBeGreaterThanOrEqual(1);
      expect(await second).toBe(2);
    });

    test('reading begins after a given seq, over durable and pending rows', async () => {
      const journal = await journalOf(newStore(), 'a');
      journal.append([row(1), row(2)]);
      await journal.flush();
      journal.append([row(3)]);
      await journal.flush();
      journal.append([row(4)]);
      expect(await Promise.all([0, 1, 2, 3, 4, 9].map((after) => told(journal.read(after))))).toEqual([
        [1, 2, 3, 4],
        [2, 3, 4],
        [3, 4],
        [4],
        [],
        [],
      ]);
    });

    test('a reading sees what was there when it was asked for', async () => {
      const journal = await journalOf(newStore(), 'a');
      journal.append([row(1)]);
      const before = journal.read();
      journal.append([row(2)]);
      await journal.flush();
      journal.append([row(3)]);
      expect(await told(before)).toEqual([1]);
    });

    test('create, resume and either say what they found', async () => {
      const store = newStore();
      await expect(store.open('a', 'resume')).rejects.toEqual(failing('run_unknown'));
      await refused(() => all(store.read('a')), 'run_unknown');
      const journal = await journalOf(store, 'a', 'create');
      await journal.close();
      await expect(store.open('a', 'create')).rejects.toEqual(failing('run_exists'));
      await (await journalOf(store, 'a', 'resume')).close();
      await (await journalOf(store, 'a', 'either')).close();
      expect((await store.runs()).map(({ run }) => run)).toEqual(['a']);
    });

    test('a run survives its journal, and is resumed at its head', async () => {
      const store = newStore();
      const first = await journalOf(store, 'a');
      first.append([row('one')]);
      await first.close();
      const second = await journalOf(store, 'a', 'resume');
      expect([second.head, second.durable, await told(second.read())]).toEqual([1, 1, ['one']]);
      second.append([row('two')]);
      await second.flush();
      expect(await told(store.read('a'))).toEqual(['one', 'two']);
    });

    test('a run has one writer (J1)', async () => {
      const store = newStore();
      const journal = await journalOf(store, 'a');
      await expect(store.open('a', 'either')).rejects.toEqual(failing('lease_held'));
      await expect(store.open('a', 'resume')).rejects.toEqual(failing('lease_held'));
      await journal.close();
      await journalOf(store, 'a', 'resume');
    });

    test('closing makes everything durable, refuses everything after, and may be repeated', async () => {
      const store = newStore();
      const journal = await journalOf(store, 'a');
      journal.append([row(1)]);
      const closing = journal.close();
      expect(() => journal.append([row(2)])).toThrow(failing('journal_closed'));
      await closing;
      await journal.close();
      expect(await told(store.read('a'))).toEqual([1]);
      expect(() => journal.read()).toThrow(failing('journal_closed'));
      await expect(journal.flush()).rejects.toEqual(failing('journal_closed'));
    });

    test('a store closes after its journals, and refuses everything after', async () => {
      const store = open(() => clock);
      const journal = await store.open('a', 'create');
      await expect(store.close()).rejects.toEqual(failing('lease_held'));
      await journal.close();
      await store.close();
      await store.close();
      await expect(store.open('a', 'resume')).rejects.toEqual(failing('journal_closed'));
      await refused(() => store.runs(), 'journal_closed');
      await refused(() => all(store.read('a')), 'journal_closed');
    });

    test('time never goes back within a run, whatever the clock does, and reads the same before and after a commit', async () => {
      const journal = await journalOf(newStore(), 'a');
      const before: unknown[] = [];
      for (const time of [1_000, 900, 1_100, 5]) {
        clock = time;
        journal.append([row(time)]);
        before.push((await all(journal.read())).at(-1));
        await journal.flush();
      }
      expect((await all(journal.read())).map(({ time }) => time)).toEqual([1_000, 1_000, 1_100, 1_100]);
      expect(await all(journal.read())).toEqual(before);
    });

    test('runs do not see each other', async () => {
      const store = newStore();
      const [a, b] = [await journalOf(store, 'a'), await journalOf(store, 'b')];
      a.append([row('a')]);
      b.append([row('b'), row('bb')]);
      await Promise.all([a.flush(), b.flush()]);
      expect([await told(store.read('a')), await told(store.read('b'))]).toEqual([['a'], ['b', 'bb']]);
    });

    test.each(['é☃😀\u0000', 'x'.repeat(300_000), '', '__proto__'])(
      'a body comes back as it was: %.10j',
      async (body) => {
        const store = newStore();
        const journal = await journalOf(store, 'a');
        journal.append([{ kind: 0, body }]);
        await journal.flush();
        expect((await all(store.read('a'))).map((each) => each.body)).toEqual([body]);
      },
    );

    test.each<[string, Row]>([
      ['a kind below 0', { kind: -1, body: '1' }],
      ['a kind that is no whole number', { kind: 0.5, body: '1' }],
      ['a body without UTF-8', { kind: 1, body: '\ud800' }],
    ])('%s is refused with its whole append, and the journal goes on', async (_name, bad) => {
      const journal = await journalOf(newStore(), 'a');
      expect(() => journal.append([row(1), bad])).toThrow(failing('journal_cannot_write'));
      expect(journal.head).toBe(0);
      journal.append([row(2)]);
      await journal.flush();
      expect(await told(journal.read())).toEqual([2]);
    });

    test.each([
      ['nothing', ''],
      ['half a surrogate pair', '\ud800'],
      ['NUL', 'a\0b'],
      ['too much', 'x'.repeat(1_025)],
    ])('a run is not named %s', async (_name, run) => {
      await expect(newStore().open(run, 'either')).rejects.toEqual(failing('journal_cannot_write'));
    });

    test.each(['__proto__', ' a ', "'; DROP TABLE run; --", 'a/../b', 'é'])('%j is a name of a run', async (run) => {
      const store = newStore();
      const journal = await journalOf(store, run, 'create');
      journal.append([row(run)]);
      await journal.close();
      expect([(await store.runs())[0]?.run, await told(store.read(run))]).toEqual([run, [run]]);
    });

    actsContract(newStore, journalOf);
    poolsContract(newStore, journalOf);
    sandboxesContract(newStore);
    listContract({ newStore, journalOf, setClock, begin: filling.runs ?? begun });
    inboxContract({ newStore, journalOf, setClock, fill: filling.messages ?? left });
    for (const part of [notesContract, basesContract]) part(newStore, journalOf);
    for (const part of [workContract, deleteContract, claimsContract, noticesContract]) part({ newStore, journalOf });

    test('any mixture of appends, flushes and resumes reads back as it was appended', async () => {
      const act = fc.oneof(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
        fc.constantFrom('flush', 'resume'),
      );
      let runs = 0;
      const store = newStore();
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 20 }), async (acts) => {
          runs += 1;
          const run = `run ${runs}`;
          const expected: string[] = [];
          let journal = await journalOf(store, run, 'create');
          for (const each of acts) {
            if (each === 'flush') expect(await journal.flush()).toBe(expected.length);
            else if (each === 'resume') {
              await journal.close();
              journal = await journalOf(store, run, 'resume');
            } else expect(journal.append((each as string[]).map((text) => row(text)))).toBe(expected.push(...each));
            expect(await told(journal.read())).toEqual(expected);
          }
          await journal.close();
          expect(await told(store.read(run))).toEqual(expected);
        }),
        { numRuns: 30 },
      );
    });
  });
}

async function left(store: JournalStore, run: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await store.post(run, String(number));
}

async function begun(store: JournalStore, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await (await store.open(`run ${number}`, 'create')).close();
}
