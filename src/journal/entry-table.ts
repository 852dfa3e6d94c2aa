/**
 * The table of entries: for each kind the number of its rows, and its members in the order and the form in which they are stored. It
 * drives writing and reading alike. What happens often is a row of columns, with what repeats called by number; the rest is an object with
 * the entry's own members. A number, a place in a row and a word's place among others are never given another meaning (style.md 13).
 */

import type { Instead, IntentEntry, OutcomeEntry } from '../model/call-entries.ts';
import { EFFECT_CLASSES, EFFECT_STATUSES } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import {
  count,
  type Form,
  instance,
  name,
  oneOf,
  plain,
  type RowReader,
  type RowWriter,
  value,
} from './entry-forms.ts';
import { given, member, optional, RowForm } from './entry-row.ts';
import { STEP } from './entry-step.ts';
import type { ValuePlace } from './lost.ts';

/** The stored form of one kind of entry. */
export interface StoredKind {
  readonly number: number;
  write(entry: Entry, to: RowWriter): string;
  read(stored: unknown, from: RowReader): Entry;
}

const INTENT = new RowForm<IntentEntry>(8, [
  member('key', plain<string>()),
  member('actor', count),
  member('tool', name),
  member('instance', instance),
  member('class', oneOf(EFFECT_CLASSES)),
  member('undo', plain<boolean>()),
  member('digest', plain<string>()),
  member('args', value('arguments')),
  optional('held', oneOf(['gate', 'buffer']), '-1'),
  optional('keyedAs', plain<string>(), '0'),
  optional('once', plain<string>(), '0'),
  optional('repeats', plain<string>(), '0'),
  optional('inStore', plain<true>(), '0'),
  optional('place', plain<string>(), '0'),
  optional('version', plain<string>(), '0'),
  optional('sandbox', plain<string>(), '0'),
  optional('instead', value('arguments') as Form<Instead>, '0'),
  optional('byHand', plain<string>(), '0'),
  optional('under', plain<string>(), '0'),
]);

const OUTCOME = new RowForm<OutcomeEntry>(3, [
  member('key', plain<string>()),
  member('status', oneOf(EFFECT_STATUSES)),
  optional('error', plain<string>(), '0'),
  given('output', value('output')),
]);

/** The number of containers of a row that enclose a value at most: the row, the list of its edits, and an edit. */
export const DEEPEST = 3;

/** Every kind of entry. 0 is the number of the rows that define names. */
export const TABLE: { readonly [K in Entry['do']]: StoredKind } = {
  begin: object('begin', 1),
  config: object('config', 2),
  step: columns('step', 3, STEP),
  intent: columns('intent', 4, INTENT),
  outcome: columns('outcome', 5, OUTCOME),
  timer: object('timer', 6, 'timer'),
  decision: object('decision', 7),
  phase: object('phase', 8),
  restored: object('restored', 9),
  late: object('late', 11),
  finding: object('finding', 12),
  end: object('end', 13),
  leave: object('leave', 14),
  demoted: object('demoted', 15),
  asked: object('asked', 16),
  gate: object('gate', 17),
  answer: object('answer', 18),
  publish: object('publish', 19),
  spend: object('spend', 20),
  claimed: object('claimed', 21),
  dismissed: object('dismissed', 22),
  withdrawn: object('withdrawn', 23),
  position: object('position', 24),
  retracted: object('retracted', 25),
  // 26 and 27 are the rows of long contents.
  message: object('message', 28),
  complaint: object('complaint', 29),
  cancel: object('cancel', 30),
  overtaken: object('overtaken', 31),
  voided: object('voided', 32),
  given_back: object('given_back', 33),
  returned: object('returned', 34),
  held: object('held', 35),
  retried: object('retried', 36),
  pause: object('pause', 37),
  settled: object('settled', 38),
  discarded: object('discarded', 39),
  stands: object('stands', 40),
  steered: object('steered', 41),
  migrated: object('migrated', 42),
  forked: object('forked', 43),
  turn: object('turn', 44),
  verified: object('verified', 45),
  released: object('released', 46),
  reclaimed: object('reclaimed', 47),
  branch: object('branch', 48),
  choice: object('choice', 49),
  obligation: object('obligation', 50),
  announced: object('announced', 52),
  committed: object('committed', 53),
  sandbox: object('sandbox', 54),
  promised: object('promised', 55),
  freed: object('freed', 56),
  idled: object('idled', 58),
  tried: object('tried', 59),
  kept: object('kept', 60),
  mandate: object('mandate', 61),
  judging: object('judging', 62),
  judged: object('judged', 63),
};

const KINDS = new Map(Object.entries(TABLE).map(([kind, { number }]) => [number, kind as Entry['do']]));

/** The kind of the entries in rows with a number; null for the rows that only name things, and for numbers that are not known. */
export function kindNumbered(number: number): Entry['do'] | null {
  return KINDS.get(number) ?? null;
}

/** Entries that are an object with the members of the entry, whichever it has, in the order that they have there. */
function object(kind: Entry['do'], number: number, standing: ValuePlace = 'entry'): StoredKind {
  return {
    number,
    write: ({ do: _, ...rest }, to) => to.value(rest, standing, []),
    read: (stored) => ({ do: kind, ...(stored as object) }) as Entry,
  };
}

/** Entries that are a row of columns. */
function columns<E extends Entry>(kind: E['do'], number: number, form: RowForm<E>): StoredKind {
  return {
    number,
    write: (entry, to) => form.write(entry as E, to),
    read: (stored, from) => form.readInto({ do: kind } as E, stored as unknown[], from),
  };
}
