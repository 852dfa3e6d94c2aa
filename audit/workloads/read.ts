/**
 * Reads a directory of data sets: the sets, and the tasks of each. The adapter of a set knows the content of its files.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { fieldOf, messageOf } from '../../domains/there.ts';
import { DataError, type DataSet, type Task } from './set.ts';

/** The largest file that is read, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** A set that was found, in one folder. */
export interface Found {
  readonly set: DataSet;
  readonly folder: string;
  readonly tasks: readonly Task[];
}

/** The content of a directory. */
export interface Directory {
  readonly found: readonly Found[];
  /** The JSON files that belong to no set that is known, and why not. */
  readonly strange: readonly Unused[];
  /** The parts of a set that cannot be used, with the reasons. */
  readonly unusable: readonly Unused[];
}

/** A file or a folder that is left out. */
interface Unused {
  readonly file: string;
  readonly why: string;
}

interface Read {
  readonly file: string;
  readonly json: unknown;
  readonly kinds: readonly Kind[];
}

/** Looks for sets in a directory and in the folders in it. @throws DataError where the directory cannot be read. */
export function readDirectory(directory: string, sets: readonly DataSet[]): Directory {
  const kinds = kindsOf(sets);
  const found: Found[] = [];
  const strange: Unused[] = [];
  const unusable: Unused[] = [];
  for (const folder of foldersOf(directory)) {
    const known: Read[] = [];
    for (const file of jsonIn(folder)) {
      const read = readJson(file);
      if ('why' in read) unusable.push({ file, why: read.why });
      else known.push({ file, json: read.json, kinds: kinds.filter(({ is }) => is(read.json)) });
    }
    for (const { file, json, kinds: own } of known)
      if (own.length === 0) strange.push({ file, why: reason(json, kinds) });
    const here = sets.filter((set) => known.some((each) => each.kinds.some((kind) => kind.set === set)));
    for (const set of here) {
      // One folder may hold several sets; each has a name of its own.
      const name = basename(resolve(folder));
      const read = setIn(set, known);
      if ('why' in read) unusable.push({ file: folder, why: read.why });
      else found.push({ set, folder: here.length === 1 ? name : `${name}, ${set.name}`, tasks: read.tasks });
    }
  }
  return { found, strange, unusable };
}

/** The tasks of a set in the files of a folder. One that is there twice, as in a whole list and a part of it, is one task. */
function setIn(set: DataSet, known: readonly Read[]): { tasks: readonly Task[] } | { why: string } {
  const roles = Object.keys(set.files).map((role) => {
    const of = known.filter(({ kinds }) => kinds.some((kind) => kind.set === set && kind.role === role));
    return [role, of.map(({ json }) => json)] as const;
  });
  const missing = roles.filter(([, contents]) => contents.length === 0).map(([role]) => role);
  if (missing.length > 0) return { why: `a set of the form of ${set.name} lacks its ${missing.join(', ')}` };
  try {
    const tasks = new Map(set.tasks(Object.fromEntries(roles)).map((task) => [task.id, task] as const));
    return tasks.size === 0 ? { why: 'there is no task in it' } : { tasks: [...tasks.values()] };
  } catch (error) {
    // Whatever it is, it comes of the data: the same adapter reads other files.
    return { why: messageOf(error) };
  }
}

interface Kind {
  readonly set: DataSet;
  readonly role: string;
  readonly is: ValidateFunction;
}

function kindsOf(sets: readonly DataSet[]): readonly Kind[] {
  const ajv = new Ajv({ strict: false });
  return sets.flatMap((set) =>
    Object.entries(set.files).map(([role, schema]) => ({ set, role, is: ajv.compile(schema) })),
  );
}

/** The reason why a file is of no kind: the error for the nearest kind. */
function reason(json: unknown, kinds: readonly Kind[]): string {
  const reasons = kinds.map(({ set, role, is }) => {
    is(json);
    const [error] = is.errors ?? [];
    return {
      depth: (error?.instancePath ?? '').split('/').length,
      text: `for the ${role} of ${set.name}, ${error?.instancePath || 'it'} ${error?.message}`,
    };
  });
  return reasons.sort((a, b) => b.depth - a.depth)[0]?.text ?? 'no set is known';
}

function foldersOf(directory: string): string[] {
  try {
    const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [directory, ...folders.map(({ name }) => join(directory, name)).sort()];
  } catch (error) {
    throw new DataError(
      `${directory}: ${fieldOf(error, 'code') === 'ENOENT' ? 'there is no such directory' : messageOf(error)}`,
    );
  }
}

function jsonIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().flatMap((name) => (statSync(join(folder, name)).isFile() ? [join(folder, name)] : []));
}

function readJson(file: string): { json: unknown } | { why: string } {
  if (statSync(file).size > LARGEST) return { why: `it has more than ${LARGEST / 1024 / 1024} MiB` };
  try {
    return { json: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    return { why: `it is not JSON: ${messageOf(error)}` };
  }
}
