/**
 * Reads the durable rows, and checks them before it returns them: the numbers run without a gap (J2), every row lies in
 * a group, every group has the hash that follows from the one before, and the head is not behind the anchor.
 */

import { chained, type Entry, type Group, seed } from '../../chain.ts';
import { JournalError, type StoredRow } from '../../journal.ts';
import { corrupt } from '../errors.ts';
import type { AnchoredHead } from './anchor.ts';
import type { Run, Tables } from './tables.ts';

/** The end of a run: the next group is chained to it. */
export interface Head {
  readonly seq: number;
  readonly token: number;
  readonly time: number;
  readonly hash: Buffer;
}

/** The number of rows that are checked at once, if the groups are small. */
const BATCH = 4_096;

/**
 * The head of a run, its first and last group checked. Must run inside a transaction, and `anchored` must have been read before that began.
 * @param noted the end of the commit group of which a note has proved that it is this run's. Where that is the last one, none of its rows are
 *   read: they are checked when they are.
 * @throws JournalError `journal_tail_lost` when the anchor remembers more; `journal_corrupt` when it remembers something else.
 */
export function verifiedHead(
  tables: Tables,
  identity: Buffer,
  run: Run,
  anchored: AnchoredHead | null,
  noted?: number,
): Head {
  const last = tables.groupUpTo(run, Number.MAX_SAFE_INTEGER);
  const seq = last?.last ?? 0;
  if (anchored !== null && anchored.seq > seq) {
    const what = `run ${JSON.stringify(run.name)} ends at seq ${seq}, and its anchor remembers seq ${anchored.seq}`;
    throw new JournalError('journal_tail_lost', `${tables.path}: ${what}. Restore the newer file, or resume a copy.`);
  }
  if (tables.lastSeq(run) !== seq) throw corrupt(tables.path, run.name, seq + 1, 'no commit group covers the row');
  if (last === null) return { seq, token: 0, time: 0, hash: seed(identity, run.id, run.name) };
  if (noted !== seq) {
    const before = groupBefore(tables, identity, run, seq - 1);
    checkGroup(tables, run, before.hash, last, tables.entries(run, before.seq, seq));
    // The first group proves that these are this run's rows: the chain begins with its name.
    const first = before.seq === 0 || noted !== undefined ? undefined : tables.groupsAfter(run, 0, seq, 1)[0];
    if (first !== undefined) {
      checkGroup(tables, run, seed(identity, run.id, run.name), first, tables.entries(run, 0, first.last));
    }
  }
  const named = anchored === null || anchored.seq === 0 ? null : groupAt(tables, run, anchored.seq, last);
  if (named !== null && anchored !== null && (named.last !== anchored.seq || !named.hash.equals(anchored.hash))) {
    throw corrupt(tables.path, run.name, anchored.seq, 'the anchor remembers other rows: the tail was replaced');
  }
  return { seq, token: last.token, time: last.time, hash: last.hash };
}

/**
 * The rows after `after` and up to the head `upTo`, each checked before it is returned. Needs no transaction: they
 * never change.
 */
export function* verifiedRows(
  tables: Tables,
  identity: Buffer,
  run: Run,
  after: number,
  upTo: number,
): Generator<StoredRow> {
  let at = groupBefore(tables, identity, run, after);
  while (at.seq < upTo) {
    const groups = fewest(tables.groupsAfter(run, at.seq, upTo, BATCH), at.seq);
    const end = groups.at(-1)?.last;
    if (end === undefined) throw corrupt(tables.path, run.name, at.seq + 1, 'no commit group covers the row');
    const entries = tables.entries(run, at.seq, end);
    let from = 0;
    for (const group of groups) {
      const members = entries.slice(from, from + group.last - at.seq);
      checkGroup(tables, run, at.hash, group, members);
      for (const member of members) {
        const { seq, kind } = member;
        if (seq > after) yield { seq, kind, body: tables.text(run, member), time: group.time };
      }
      from += members.length;
      at = { seq: group.last, hash: group.hash };
    }
  }
}

/** The first groups, as many as end within a batch, and at least one. */
function fewest(groups: readonly Group[], after: number): Group[] {
  return groups.filter((group, index) => index === 0 || group.last - after <= BATCH);
}

/** The link of the chain with which the group after `seq` begins. */
function groupBefore(tables: Tables, identity: Buffer, run: Run, seq: number): { seq: number; hash: Buffer } {
  const group = seq === 0 ? null : tables.groupUpTo(run, seq);
  return group === null ? { seq: 0, hash: seed(identity, run.id, run.name) } : { seq: group.last, hash: group.hash };
}

/** The newest group that ends at or before a seq, which mostly is the last of all. */
function groupAt(tables: Tables, run: Run, seq: number, last: Group): Group | null {
  return seq >= last.last ? last : tables.groupUpTo(run, seq);
}

function checkGroup(tables: Tables, run: Run, before: Buffer, group: Group, entries: readonly Entry[]): void {
  if (chained(before, group.token, group.time, entries).equals(group.hash)) return;
  throw corrupt(tables.path, run.name, group.last, 'the commit group that ends here does not have its hash');
}
