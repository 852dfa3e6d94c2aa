/**
 * Tools that write files below a root: at once, with an undo, or staged and published together. The adapter keeps the
 * old content aside before it replaces anything, and it replaces a file by a rename, so a reader sees the old file or
 * the new one.
 */

import { join } from 'node:path';
import type {
  StagingArea as CallBuffer,
  Inverse,
  ReconcileResult,
  Reconciler,
  UndoCall,
} from '../../effects/counterparty.ts';
import { errorMessage, NotApplied } from '../../effects/signals.ts';
import { NAME, optional, refuseOther, shape } from '../../model/argument.ts';
import type { ToolCall } from '../../runtime/tool-call.ts';
import { keyOf, nameOf } from '../call.ts';
import { Aside, type FileRecord } from './aside.ts';
import { apply, type Desk, isApplied, isUndone, settle, undo, whyMoved } from './change.ts';
import { contentOf, digestOf, writeDurably } from './durable.ts';
import { positionOf } from './position.ts';
import { checkFree, isWaiting, prepareCommit } from './prepare.ts';
import { discard, publish, withdraw } from './publish.ts';
import { Root } from './root.ts';

/** The folder in which files are written. */
export interface FileOptions {
  /** The folder that tools may write into. */
  readonly root: string;
  /** The folder that keeps contents aside, on the same file system; `.belay` in the root if left out. No tool may write there. */
  readonly aside?: string;
}

/** A file as it is to be. */
export interface FileWrite {
  /** Relative to the root, with `/` between its segments, none of which is empty, `.` or `..`. */
  readonly path: string;
  /** Null deletes the file. */
  readonly content: string | Uint8Array | null;
}

/** The result of a call on a file: `absent` was to be deleted and did not exist; `staged` is not visible yet. */
export interface WrittenFile {
  readonly path: string;
  readonly change: 'created' | 'replaced' | 'deleted' | 'absent' | 'staged';
}

/** The functions to register. */
export interface FileAdapter {
  /** The tool that writes at once. */
  readonly write: (call: ToolCall<FileWrite>) => Promise<WrittenFile>;
  /** The tool that only stages, for `buffer`. */
  readonly stage: (call: ToolCall<FileWrite>) => Promise<WrittenFile>;
  readonly inverse: Inverse;
  readonly buffer: CallBuffer;
  readonly reconcile: Reconciler;
  /** Removes the kept contents of calls that will never be undone or asked for again. */
  forget(keys: readonly string[]): void;
}

/**
 * Makes tools of a folder.
 * @throws ArgumentError where the path is no folder, or where no content can be kept aside for it.
 * @example
 * import { mkdirSync, readFileSync } from 'node:fs';
 * import { fileAdapter } from 'belay-sidecar/adapters';
 *
 * mkdirSync('letters', { recursive: true });
 * const files = fileAdapter({ root: 'letters' });
 * await files.write({ input: { path: 'a.txt', content: 'hello' }, key: 'call-1', signal: new AbortController().signal });
 * assert.equal(readFileSync('letters/a.txt', 'utf8'), 'hello');
 */
export function fileAdapter(options: FileOptions): FileAdapter {
  refuseOther('fileAdapter', { options: [options, FILE_OPTIONS] });
  const { root: folder, aside: kept = join(folder, '.belay') } = options;
  const root = new Root(folder, kept);
  const desk: Desk = { root, aside: new Aside(root.aside) };
  return {
    write: async (call) => write(desk, call),
    stage: async (call) => stage(desk, call),
    inverse: {
      undo: ({ key, undoKey }) => undo(desk, written(desk, key), undoKey),
      moved: (call) => moved(desk, call),
    },
    buffer: {
      order: ORDER,
      position: (reads) => positionOf(desk, reads),
      prepare: (calls, publication) => prepareCommit(desk, calls, publication),
      published: ({ id }) => desk.aside.manifest(nameOf(id)) !== null,
      withdraw: (calls, publication) => withdraw(desk, calls, publication),
      publish: (calls, publication) => publish(desk, calls, publication),
      discard: (calls) => discard(desk, calls),
    },
    reconcile: ({ key }) => find(desk, key),
    forget: (keys) => forget(desk, keys),
  };
}

/** Files publish after rows: more runs change rows, and rows have constraints. */
const ORDER = 20;

function write(desk: Desk, call: ToolCall<FileWrite>): WrittenFile {
  const { key, path, bytes } = wanted(call);
  const known = recordOf(desk, key, path, bytes);
  if (known?.staged === true) throw new Error(`${key} was staged, and is not written at once`);
  if (known !== null && isUndone(desk, known)) throw new Error(`${key} was undone, and is not written again`);
  let record = known;
  if (record === null || !isApplied(desk, record)) {
    record = tried(desk, key, () => {
      checkFree(desk, path, null);
      prepare(desk, key, path, bytes);
      return apply(desk, { key, path, after: bytes && digestOf(bytes), staged: false, publication: null });
    });
  }
  settle(desk, record);
  return answerOf(record);
}

function stage(desk: Desk, call: ToolCall<FileWrite>): WrittenFile {
  const { key, path, bytes } = wanted(call);
  const known = recordOf(desk, key, path, bytes);
  if (known?.staged === false) throw new Error(`${key} was written at once, and is not staged`);
  if (known !== null) return answerOf(known);
  const record: FileRecord = { key, path, after: bytes && digestOf(bytes), staged: true, publication: null };
  const base = tried(desk, key, () => {
    const place = prepare(desk, key, path, bytes);
    return contentOf(place)?.digest ?? null;
  });
  desk.aside.write({ ...record, base });
  return answerOf(record);
}

/** Reads a call's request without looking at any file, because a call that was made may be asked for again. */
function wanted(call: ToolCall<FileWrite>): { key: string; path: string; bytes: Uint8Array | null } {
  const key = keyOf(call);
  const { path, content } = (call.input ?? {}) as { [field in keyof FileWrite]?: unknown };
  if (typeof path !== 'string') throw new NotApplied('`path` is no text');
  if (content !== null && !(content instanceof Uint8Array) && !(typeof content === 'string' && content.isWellFormed()))
    throw new NotApplied('`content` is no text, no bytes, and not null');
  return { key, path, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}

/** The record under a key, if it is of the same write. */
function recordOf({ aside }: Desk, key: string, path: string, bytes: Uint8Array | null): FileRecord | null {
  const record = aside.record(key);
  if (record !== null && (record.path !== path || record.after !== (bytes && digestOf(bytes))))
    throw new Error(`${key} names another write already`);
  return record;
}

/** Prepares the new content, so that only a rename is left. @throws NotApplied where the path may not be written. */
function prepare({ root, aside }: Desk, key: string, path: string, bytes: Uint8Array | null): string {
  const place = root.place(path);
  aside.open(key);
  if (bytes !== null) writeDurably(aside.part(key, 'next'), bytes);
  return place;
}

/** Nothing has happened before the rename, so a failure before it removes what was prepared. */
function tried<T>(desk: Desk, key: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const record = desk.aside.record(key);
    if (record !== null && isApplied(desk, record)) throw error;
    desk.aside.drop(key);
    throw error instanceof NotApplied ? error : new NotApplied(`nothing was written: ${errorMessage(error)}`);
  }
}

function answerOf({ path, staged, before, after }: FileRecord): WrittenFile {
  if (staged) return { path, change: 'staged' };
  if (after === null) return { path, change: before === null ? 'absent' : 'deleted' };
  return { path, change: before === null ? 'created' : 'replaced' };
}

/** The record of a call that is visible. */
function written(desk: Desk, key: string): FileRecord {
  const record = desk.aside.record(key);
  if (record === null || isWaiting(desk, record))
    throw new Error(`nothing that can be undone was written under ${key}`);
  return record;
}

function moved(desk: Desk, { key }: UndoCall): string | null {
  const record = desk.aside.record(key);
  if (record === null || isWaiting(desk, record)) return 'what it wrote was forgotten, or not published';
  return whyMoved(desk, record);
}

function find(desk: Desk, key: string): ReconcileResult {
  const record = desk.aside.record(key);
  if (record === null) return { is: 'not_applied' };
  if (isUndone(desk, record)) return { is: 'unknown' };
  if (!record.staged && !isApplied(desk, record)) return { is: 'not_applied' };
  return { is: 'applied', output: answerOf(record) };
}

function forget(desk: Desk, keys: readonly string[]): void {
  for (const key of keys) {
    const record = desk.aside.record(key);
    if (record !== null && isWaiting(desk, record)) throw new Error(`${key} is staged: publish or discard it first`);
    desk.aside.drop(key);
  }
}

/** The options, as they are held against what is given. */
const FILE_OPTIONS = shape<FileOptions>('an object: { root }', { root: NAME, aside: optional(NAME) });
