/** The one test if an event from outside meets what its sender had seen (semantics.md C1b, CH3, CH4). */
import { isExternal } from '../model/external-keys.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import type { Region } from '../model/region.ts';
import type { StateValue } from '../model/step-entry.ts';
import { isEqual } from './set-aside/records.ts';
import type { ToRedeliver } from './state-types.ts';

/** The machine as an event would meet it now. */
export interface MetNow {
  readonly context: unknown;
  readonly control: StateValue;
  /** The regions that would take the event. */
  readonly takers: readonly Region[];
  /** True if the regions that take the event have received the same events from outside before it. */
  readonly hasHeardTheSame: boolean;
}

/**
 * True where an event meets the same: the values that its sender had seen are equal, the same regions take it, and they have heard the same.
 * @param reads the keys that the config declares for the type of the event; null where it declares none: then its sender had seen the whole
 * context and control.
 */
export function meets(reads: readonly Key[] | null, then: ToRedeliver, now: MetNow): boolean {
  if (hasSeenWrong(reads, then) || !isSeenTheSame(reads, then, now) || now.takers.length === 0) return false;
  return now.takers.every((region) => then.regions.includes(region)) && now.hasHeardTheSame;
}

/** True where a machine stands, for the sender of an event, as it stood then. `reads`: as for {@link meets}. */
export function isSeenTheSame(
  reads: readonly Key[] | null,
  then: Pick<MetNow, 'context' | 'control'>,
  now: Pick<MetNow, 'context' | 'control'>,
): boolean {
  if (reads !== null) return reads.every((key) => isSameAt(key, then.context, now.context));
  return isEqual(then.control, now.control) && isEqual(then.context, now.context);
}

/** True where its sender had seen what was found wrong: what is written in its place counts as another value. */
function hasSeenWrong(reads: readonly Key[] | null, { wrong }: ToRedeliver): boolean {
  if (wrong === null) return false;
  if (reads === null || wrong.length === 0) return reads === null || reads.length > 0;
  return reads.some((read) => wrong.some((key) => overlaps(read, parseKey(key))));
}

/** True where two contexts have the same at a key. What lies outside of the context is not compared, and counts as another value. */
function isSameAt(key: Key, then: unknown, now: unknown): boolean {
  return !isExternal(key) && isEqual(valueAt(then, key), valueAt(now, key));
}

/** The value of a key in a context, or of what encloses a pattern; undefined where there is none. */
export function valueAt(context: unknown, { segments }: Key): unknown {
  let value = context;
  for (const segment of segments) {
    if (segment === '*') return value;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}
