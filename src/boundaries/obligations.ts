/** The obligations of one call: read off its arguments, before the call leaves (semantics.md OB1, OB5). Pure. */
import { Failed, isList, isTable, ownPath } from '../predicates/own.ts';
import type { Obligations } from './config.ts';

/** The most obligations of one call. */
const MOST = 100;
const DAY = 86_400_000;

/** Why what a call says is no obligation. */
export interface BadObligation {
  readonly code: 'bad_obligation';
  readonly reason: string;
}

/** The obligations of a call: the words of each, and the wall clock of its due time, null for none. */
export interface Taken {
  readonly says: readonly unknown[];
  readonly due: readonly (number | null)[];
}

/** The obligations that a call with these arguments takes on at a time, or why they are none. */
export function takenOn(
  { each, due }: Pick<Obligations, 'each' | 'due'>,
  args: unknown,
  now: number,
): Taken | BadObligation {
  const says = listedIn(each, args);
  if (says === null) return bad(`${String(each)} is no list of plain values`);
  if (says.length > MOST) return bad(`${String(each)} lists ${says.length} obligations, and the most are ${MOST}`);
  const times: (number | null)[] = [];
  for (const [index, one] of says.entries()) {
    const at = dueOf(one, due, now);
    if (at !== null && !Number.isSafeInteger(at))
      return bad(`the obligation ${index + 1} says no time at ${partOf(due)}`);
    times.push(at);
  }
  return { says, due: times };
}

/** The list that a call takes on, by the place of its arguments or as the config has it; null where that is none. */
export function listedIn(each: Obligations['each'], args: unknown): readonly unknown[] | null {
  const found = typeof each === 'string' ? ownPath(args, each.split('.').slice(1)) : each;
  // A call that says nothing takes nothing on.
  if (found === undefined || found === null) return [];
  if (found instanceof Failed || !isList(found)) return null;
  return found.every((one) => typeof one === 'string' || isTable(one)) ? found : null;
}

function bad(reason: string): BadObligation {
  return { code: 'bad_obligation', reason };
}

function partOf(due: Obligations['due']): string {
  return due !== null && 'at' in due ? due.at : 'due';
}

/** NaN where the obligation says no time. One that leaves the time out is never due. */
function dueOf(one: unknown, due: Obligations['due'], now: number): number | null {
  if (due === null) return null;
  if ('after' in due) return now + due.after;
  const found = typeof one === 'string' ? undefined : ownPath(one, due.at.split('.'));
  if (found === undefined || found === null) return null;
  if (typeof found === 'number') return found;
  return typeof found === 'string' ? parsedTime(found) : Number.NaN;
}

/** A date and a time with its zone; a date alone counts to its end, in UTC. */
function parsedTime(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T00:00:00Z`) + DAY;
  const isWhole = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  return isWhole ? Date.parse(text) : Number.NaN;
}
