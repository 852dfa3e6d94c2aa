/** A store with other journals than its own: for tests in which an append fails, or a process dies. */

import type { Journal, JournalStore, LocalJournal, LocalStore } from '../journal/journal.ts';
import { STORE } from '../journal/store-argument.ts';
import { CODE, refuseOther } from '../model/argument.ts';

/**
 * Makes a store whose journals differ from another store's in some members. All other members are passed on.
 * @param change returns the members that differ, once for each opened journal.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { wrapJournals } from 'belay-sidecar/testing';
 *
 * const store = wrapJournals(memoryStore(), () => ({ flush: () => Promise.reject(new Error('the disk is full')) }));
 * const journal = await store.open('order-1', 'create');
 * await assert.rejects(journal.flush(), /full/);
 */
export function wrapJournals(store: LocalStore, change: (journal: LocalJournal) => Partial<LocalJournal>): LocalStore;
export function wrapJournals(store: JournalStore, change: (journal: Journal) => Partial<Journal>): JournalStore;
export function wrapJournals(store: JournalStore, change: (journal: never) => Partial<Journal>): JournalStore {
  refuseOther('wrapJournals', { store: [store, STORE], change: [change, CODE] });
  return {
    ...(store.confidential !== undefined && { confidential: store.confidential }),
    open: async (run, mode) => changed(await store.open(run, mode), change as (journal: Journal) => Partial<Journal>),
    read: (run) => store.read(run),
    base: (run) => store.base(run),
    post: (run, body) => store.post(run, body),
    posts: (run) => store.posts(run),
    run: (name) => store.run(name),
    runs: (filter) => store.runs(filter),
    delete: (run, seen) => store.delete(run, seen),
    work: store.work,
    claims: store.claims,
    ...(store.notices !== undefined && { notices: store.notices }),
    ...(store.pools !== undefined && { pools: store.pools }),
    ...(store.sandboxes !== undefined && { sandboxes: store.sandboxes }),
    close: () => store.close(),
  };
}

function changed(journal: Journal, change: (journal: Journal) => Partial<Journal>): Journal {
  return {
    run: journal.run,
    get head() {
      return journal.head;
    },
    get durable() {
      return journal.durable;
    },
    get overtaken() {
      return journal.overtaken;
    },
    append: (rows, note) => journal.append(rows, note),
    actOf: (act) => journal.actOf(act),
    keep: (base) => journal.keep(base),
    base: () => journal.base(),
    flush: () => journal.flush(),
    read: (after) => journal.read(after),
    posted: (after) => journal.posted(after),
    catchUp: () => journal.catchUp(),
    confirm: () => journal.confirm(),
    close: (rest) => journal.close(rest),
    ...change(journal),
  };
}
