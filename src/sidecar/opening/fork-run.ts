/**
 * Forks of runs (semantics.md FK1): a new run whose past is that of another one up to a row. What the other run did stays its own; that run is not
 * touched, and learns nothing of it.
 */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import { entriesOf } from '../../journal/entries.ts';
import { EntryDecoder, EntryEncoder } from '../../journal/entry-codec.ts';
import { kindNumbered } from '../../journal/entry-table.ts';
import { gathered } from '../../journal/gathered.ts';
import { type Journal, JournalError, type JournalStore, type Row, type StoredRow } from '../../journal/journal.ts';
import type { AttemptTerms } from '../../model/attempt-entries.ts';
import { classKept, isOpen } from '../../model/effect.ts';
import type { ForkedEntry, KeptClass } from '../../model/entry.ts';
import { Mandates } from '../../projection/mandates.ts';
import type { RunState } from '../../projection/run-state.ts';
import { RunNoteFold } from '../../reports/run-note.ts';
import { SidecarError } from '../sidecar-error.ts';
import { foldWith } from './read-run.ts';

/** The wish for a fork. */
export interface ForkRequest {
  /** The row up to which the past is shared, as `belay show` numbers it; left out, the last one. */
  readonly at?: number;
  /** The name of the new run. */
  readonly as: string;
  /** The person who wants it. */
  readonly by: string;
  readonly why?: string;
  /** The queue whose workers take it; left out, that of the run that is forked, if it was left for workers. */
  readonly queue?: string;
}

/** A fork that was made. */
export interface Fork {
  readonly run: string;
  readonly of: string;
  /** The last row of the common past. */
  readonly at: number;
}

/** A row at which a past can be shared, and what it comes to there. */
interface Shared {
  readonly at: number;
  readonly classes: readonly KeptClass[];
  readonly runState: RunState;
  /** The number of the last message that the run has looked at. */
  readonly heard: number;
}

/**
 * Makes a run that shares the past of another one up to a row. Nothing of the two is held meanwhile but the new run.
 * @param attempt the terms of an attempt; left out for a fork that is none (FK7).
 * @throws SidecarError `fork_refused` if something hangs at that row, with the nearest good row before it; JournalError
 * `run_unknown`, `run_exists`, `rows_archived`; TypeError without the name of a person.
 */
export async function forkRun(
  store: JournalStore,
  of: string,
  wish: ForkRequest,
  attempt?: AttemptTerms,
): Promise<Fork> {
  const { as, by, why = null } = wish;
  if (typeof by !== 'string' || by.trim() === '')
    throw new TypeError('forkRun: "by" names the person who wants the fork');
  if (wish.at !== undefined && (!Number.isSafeInteger(wish.at) || wish.at < 1))
    throw new TypeError(`forkRun: "at" is the number of a row, from 1, not ${String(wish.at)}`);
  const summary = await store.run(of);
  if (summary === null) throw new JournalError('run_unknown', `There is no run ${JSON.stringify(of)}.`);
  const rows = [...(await gathered(store.read(of)))];
  const at = wish.at ?? rows.at(-1)?.seq ?? 0;
  const shared = sharedAt(of, rows, at);
  const revoked = revokedSince(rows, shared);
  const entry: ForkedEntry = {
    ...{ do: 'forked', of, at, by, why },
    ...(attempt !== undefined && { attempt }),
    ...(revoked !== null && { revoked }),
  };
  const order = await store.work.order(of);
  const queue = wish.queue ?? order?.queue ?? null;
  const isThere = ((await store.run(as))?.head ?? 0) > 0 || (await store.work.order(as)) !== null;
  // The process that made it may have died before it left the fork for workers.
  const isLeft = isThere && queue !== null && (await isUntouched(store, as, entry));
  if (isThere && !isLeft) throw taken(as);
  if (!isLeft) await make(store, as, { entry, shared, past: rows.slice(0, at) });
  const { agent, digests } = shared.runState;
  if (queue !== null && agent !== null && digests !== null) {
    const request = { run: as, agent: order?.agent ?? agent, queue, input: order?.input ?? '' };
    await store.work.handOver(request, digests);
  }
  return { run: as, of, at };
}

/** The person who has withdrawn the mandate of a common past behind its last row (MD6); null if no person has. */
function revokedSince(
  rows: readonly StoredRow[],
  { at, runState }: Shared,
): NonNullable<ForkedEntry['revoked']> | null {
  const id = runState.mandates.valid?.id;
  if (id === undefined) return null;
  const later = new Mandates();
  for (const { entry, row } of entriesOf(rows)) {
    if (entry.do !== 'mandate') continue;
    later.fold(entry, row.time);
    const isWithdrawn = row.seq > at && entry.is === 'revoked' && entry.refused === null && later.last?.id === id;
    if (isWithdrawn) return { by: entry.by, why: entry.why };
  }
  return null;
}

/** True for a fork that was made so, that no process has had, and that was not left for workers. */
async function isUntouched(store: JournalStore, as: string, { of, at }: ForkedEntry): Promise<boolean> {
  if ((await store.work.order(as)) !== null) return false;
  const rows = [...(await gathered(store.read(as)))];
  const last = [...entriesOf(rows)].at(-1)?.entry;
  return last?.do === 'forked' && last.of === of && last.at === at;
}

async function make(
  store: JournalStore,
  as: string,
  {
    entry,
    shared,
    past,
  }: { readonly entry: ForkedEntry; readonly shared: Shared; readonly past: readonly StoredRow[] },
): Promise<void> {
  const journal = await store.open(as, 'either');
  try {
    if (journal.head > 0) throw taken(as);
    await copyMessages(store, entry.of, as, shared.heard);
    const { classes } = shared;
    await write(journal, past, { ...entry, ...(classes.length > 0 && { classes }) });
  } finally {
    await journal.close();
  }
}

function taken(run: string): JournalError {
  return new JournalError('run_exists', `There is a run ${JSON.stringify(run)} already.`);
}

/** Has a message of a fork have the number that it has in the common past, so that what was heard there is not heard anew. */
async function copyMessages(store: JournalStore, of: string, as: string, heard: number): Promise<void> {
  const copied = (await store.posts(as)).length;
  for (const { number, body } of await store.posts(of))
    if (number > copied && number <= heard) await store.post(as, body);
}

/** Writes the common past and the entry of the fork, in one piece. */
async function write(journal: Journal, past: readonly StoredRow[], forked: ForkedEntry): Promise<void> {
  const [reader, note] = [new EntryDecoder(), new RunNoteFold()];
  for (const { entry, row } of entriesOf(past, reader)) note.take(entry, row.time);
  const rows: Row[] = past.map(({ kind, body }) => ({ kind, body }));
  new EntryEncoder(reader.names, [], reader.contentsToWrite()).add(rows, forked, () => {});
  note.take(forked, past.at(-1)?.time ?? 0);
  journal.append(rows, note.text);
  await journal.flush();
}

/** Folds a past up to a row. @throws SidecarError `fork_refused`. */
function sharedAt(of: string, rows: readonly StoredRow[], at: number): Shared {
  const refuse = (why: string, nearest: number | null): never => {
    const fix =
      nearest === null
        ? 'There is no row before it at which it can.'
        : `The nearest row before it at which it can is ${nearest}.`;
    throw new SidecarError('fork_refused', `${of} cannot be forked at row ${at}: ${why}. ${fix}`);
  };
  const last = rows.at(-1)?.seq ?? 0;
  if (at > last) refuse(`it has ${last} rows`, last === 0 ? null : nearestIn(rows, last));
  const runState = foldWith([]);
  for (const { entry, row, fold } of entriesOf(rows.slice(0, at))) fold(() => runState.apply(entry, row.time));
  const why = isWithinPiece(rows, at)
    ? 'it stands within what was written in one piece'
    : whyUnshared(runState, runState.ledger.all());
  if (why !== null) refuse(why, nearestIn(rows, at));
  return {
    at,
    classes: keptClasses(runState),
    runState,
    heard: Math.max(runState.asked.read, 0, ...runState.asked.sent),
  };
}

/** The nearest earlier row at which a past can be shared; null for none. */
function nearestIn(rows: readonly StoredRow[], at: number): number | null {
  const runState = foldWith([]);
  const { ledger } = runState;
  /** The keys of the calls that have moved since they were last found settled. */
  const moved = new Set<string>();
  const callsOf = () => [...moved].flatMap((key) => ledger.get(key) ?? []);
  let nearest: number | null = null;
  for (const { entry, row, fold } of entriesOf(rows.slice(0, at))) {
    fold(() => runState.apply(entry, row.time));
    const key = entry.do === 'phase' ? entry.effect : entry.do === 'intent' ? entry.key : undefined;
    if (key !== undefined) moved.add(key);
    for (const call of callsOf()) if (whyUnsettled(call) === null) moved.delete(call.key);
    if (row.seq < at && !isWithinPiece(rows, row.seq) && whyUnshared(runState, callsOf()) === null) nearest = row.seq;
  }
  return nearest;
}

/**
 * True where a row may have been written in one piece with the next one: no process can have died between the two, so that no run goes on from there.
 * Rows of one piece have one time, and an intent begins a piece.
 */
function isWithinPiece(rows: readonly StoredRow[], at: number): boolean {
  // Rows are numbered from 1 without gaps (J2).
  if (rows[at] === undefined || rows[at]?.time !== rows[at - 1]?.time) return false;
  let next = at;
  while (next < rows.length && kindNumbered(rows[next]?.kind as number) === null) next += 1;
  return kindNumbered(rows[next]?.kind ?? 0) !== 'intent';
}

/** Says why two runs cannot share a past that ends here; null if they can. @param calls the calls that may not be settled. */
function whyUnshared(runState: RunState, calls: Iterable<LedgerCall>): string | null {
  const { open, records, asked, aborted, discards, parts } = runState;
  if (runState.places.steps.last === undefined) return 'the run has not begun there';
  if (runState.ended !== null) return 'the run is over there';
  if (asked.cancelled !== null || aborted.owed.size > 0) return 'a person has ended the run there';
  if (parts.decisions.pending !== null || open.size > 0) return 'the run is in question there';
  if (records.size > 0 || runState.toRedeliver.length > 0) return 'the run is done again from an earlier row there';
  if (runState.ledger.released.size > 0) return 'the run has released keys there';
  if (runState.publications.length > 0) return 'a commit is not wholly visible there';
  for (const call of calls) {
    const why = whyUnsettled(call);
    if (why !== null) return why;
  }
  return [...discards.all.values()].some(({ is }) => is === 'due') ? 'work is being discarded there' : null;
}

/** Says why a call is neither made nor known not to be; null where it is. One that is asked for again under its key is both runs' (E3). */
function whyUnsettled({ status, intent, undoing, repeats }: LedgerCall): string | null {
  if (repeats !== null) return null;
  if (undoing && status !== 'compensated') return `the undo of ${intent.tool} is under way there`;
  if (status === 'buffered') return `${intent.tool} is held there`;
  return isOpen(status) && intent.class !== 'idempotent' ? `${intent.tool} is under way there` : null;
}

/** The acts of a past that are another run's from here on: whatever could undo them, nothing of a fork does (FK2). */
function keptClasses({ ledger }: RunState): KeptClass[] {
  const own = [...ledger.all()].filter(({ status, repeats }) => status === 'confirmed' && repeats === null);
  return own.flatMap(({ key, intent, undo }) => {
    if (intent.class === 'idempotent' || (intent.class === 'irreversible' && !undo)) return [];
    return [{ key, class: classKept(intent.class, 'irreversible'), undo: false }];
  });
}
