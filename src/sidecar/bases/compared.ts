/** Holds the base of a run against its rows: it says nothing that they do not. */
import { isDeepStrictEqual } from 'node:util';
import { entriesOf } from '../../journal/entries.ts';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import { gathered } from '../../journal/gathered.ts';
import type { Base, Rows, StoredRow } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { plainRun } from '../../projection/base/plain.ts';
import { RunState } from '../../projection/run-state.ts';
import { RunNoteFold } from '../../reports/run-note.ts';
import { rebuilt } from './loaded-base.ts';

/** True where a base can be read here: this release knows its form, and has the codecs that it needs. */
export function isReadable(base: Base, codecs: readonly ValueCodec[] = []): boolean {
  try {
    return rebuilt(base.parts, codecs) !== null;
  } catch {
    return false;
  }
}

/**
 * Compares a base with what the rows of its run come to.
 * @returns the place where they differ; null where they do not, or where the base cannot be read here.
 */
export async function baseDifference(
  base: Base,
  rows: Rows,
  codecs: readonly ValueCodec[] = [],
): Promise<string | null> {
  const found = rebuilt(base.parts, codecs);
  if (found === null) return null;
  const runState = new RunState(undefined, undefined, codecs);
  const note = new RunNoteFold();
  for (const { entry, row, fold } of entriesOf(upTo(await gathered(rows), base.at), new EntryDecoder(codecs))) {
    fold(() => runState.apply(entry, row.time));
    note.take(entry);
  }
  return difference([plainRun(runState), note.parts], [plainRun(found.runState), found.note.parts]);
}

function* upTo(rows: Iterable<StoredRow>, last: number): Generator<StoredRow> {
  for (const row of rows) {
    if (row.seq > last) return;
    yield row;
  }
}

/** The first place at which two values differ; null where they are the same. */
export function difference(a: unknown, b: unknown, path: readonly string[] = []): string | null {
  if (isDeepStrictEqual(a, b)) return null;
  if (!isObject(a) || !isObject(b)) return `${path.join('.')}: ${String(a)} and ${String(b)}`;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[name], b[name], [...path, name]);
    if (found !== null) return found;
  }
  return `${path.join('.')}: they differ in what has no name`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
