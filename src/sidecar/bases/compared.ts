/** Checks the base of a run against its rows: it must add nothing to them. */
import { hash } from 'node:crypto';
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
 * Compares a base with the state after the rows of its run.
 * @returns the place where they differ; null if they do not, or if the base cannot be read here.
 */
export async function baseDifference(
  base: Base,
  rows: Rows,
  codecs: readonly ValueCodec[] = [],
): Promise<string | null> {
  // One after the other, and of the many steps a digest each: neither holds the state that it came from.
  const saved = savedOf(base, codecs);
  return saved === null ? null : difference(await foldedOf(rows, base.at, codecs), saved);
}

function savedOf(base: Base, codecs: readonly ValueCodec[]): unknown {
  const found = rebuilt(base.parts, codecs);
  return found === null ? null : [plainRun(found.runState, digested), timeless(found.note.parts)];
}

async function foldedOf(rows: Rows, last: number, codecs: readonly ValueCodec[]): Promise<unknown> {
  const runState = new RunState(undefined, undefined, codecs);
  const note = new RunNoteFold();
  for (const { entry, row, fold } of entriesOf(upTo(await gathered(rows), last), new EntryDecoder(codecs))) {
    fold(() => runState.apply(entry, row.time));
    note.take(entry, row.time);
  }
  return [plainRun(runState, digested), timeless(note.parts)];
}

/** The parts of a note without its wall clocks, which a row has by its group alone. */
function timeless(parts: RunNoteFold['parts']): unknown {
  return JSON.parse(JSON.stringify(parts, (name, value) => (/^(since|pausedSince)$/.test(name) ? 0 : value)));
}

/** The digest of a value; the value itself if some part is neither text nor number nor a container of these. */
function digested(value: unknown): unknown {
  const text = textOf(value);
  return text === null ? value : hash('sha256', text, 'base64');
}

/** A text that two equal values share; null if something in the value has no text. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object') return typeof value === 'boolean' || value === undefined ? String(value) : null;
  if (value === null) return 'null';
  if (Array.isArray(value)) return listed(value.map(textOf), '[]');
  if (Object.getPrototypeOf(value) !== Object.prototype) return null;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return listed(
    members.map(([name, member]) => {
      const text = textOf(member);
      return text === null ? null : `${JSON.stringify(name)}:${text}`;
    }),
    '{}',
  );
}

function listed(texts: readonly (string | null)[], [open, close]: string): string | null {
  return texts.includes(null) ? null : `${open}${texts.join()}${close}`;
}

function* upTo(rows: Iterable<StoredRow>, last: number): Generator<StoredRow> {
  for (const row of rows) {
    if (row.seq > last) return;
    yield row;
  }
}

/** The first place at which two values differ; null if they are equal. */
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
