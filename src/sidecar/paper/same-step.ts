/** Compares a kept step with the machine's step in its place on paper (semantics.md PA1). */
import { isDeepStrictEqual } from 'node:util';
import { type Change, diff } from '../../history/context.ts';
import { split } from '../../model/region.ts';
import { eventType } from '../../model/reply-event.ts';
import type { Edit, StepEntry } from '../../model/step-entry.ts';
import { changeOf } from '../../projection/edits.ts';
import { isEqual, partOf } from '../../projection/set-aside/records.ts';
import type { Microstep } from '../../runtime/microstep.ts';

/** The first microstep of an actor that kept steps are held against, and the parts of it that they have come to. */
export interface Compared {
  readonly micro: Microstep;
  /** The parts that no step was found for yet: one for each region, or the whole of it. */
  left: (readonly string[])[];
  readonly edits: Edit[];
}

/** A microstep to hold steps against. */
export function compared(micro: Microstep): Compared {
  return { micro, left: micro.parts.length < 2 ? [micro.moves] : [...micro.parts], edits: [] };
}

/**
 * Takes a step out of a microstep if it is all or an equal part of it: the same event, the same control in the regions
 * that the step moved, and the same started actors. Writes are compared once the microstep is whole.
 * @returns true if the step was taken out.
 */
export function takesOut(entry: StepEntry, of: Compared): boolean {
  const { micro } = of;
  // A base leaves the moves out where they are those of the parties.
  const moves = entry.moves ?? entry.parties.map(({ region }) => split(region)[1]);
  const isWhole = of.edits.length === 0 && isSameSet(moves, micro.moves);
  const part = isWhole ? -1 : of.left.findIndex((paths) => isSameSet(paths, moves));
  if (!isWhole && part === -1) return false;
  if (eventType(entry.event) !== micro.event.type) return false;
  if (moves.some((path) => !isDeepStrictEqual(partOf(entry.value, path), partOf(micro.value, path)))) return false;
  if (!hasStarted(entry, micro, isWhole) || (isWhole && entry.done !== micro.done)) return false;
  of.left = isWhole ? [] : of.left.filter((_, index) => index !== part);
  of.edits.push(...entry.edits);
  return true;
}

/** True where the steps that were taken out of a microstep wrote what it writes. */
export function isWrittenSo({ micro, edits }: Compared): boolean {
  const appended = new Set(edits.filter(({ op }) => op === 'append').map(({ path }) => path.join('\0')));
  const changes = diff(micro.contextBefore, micro.context, (path) => appended.has(path.join('\0')));
  if (changes.length !== edits.length) return false;
  const known = new Map(edits.map((edit) => [edit.path.join('\0'), changeOf(edit)]));
  return changes.every((change) => isSameChange(change, known.get(change.path.join('\0'))));
}

function isSameChange(now: Change, then: Change | undefined): boolean {
  if (then === undefined || then.op !== now.op) return false;
  if (now.op === 'set') return isEqual(now.value, (then as typeof now).value);
  return now.op === 'delete' || isEqual(now.values, (then as typeof now).values);
}

function hasStarted(entry: StepEntry, micro: Microstep, isWhole: boolean): boolean {
  const has = entry.started.every(({ id, src }) => micro.started.some((one) => one.id === id && one.src === src));
  return has && (!isWhole || entry.started.length === micro.started.length);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
