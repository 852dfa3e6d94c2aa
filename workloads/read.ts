/** Reads a directory of data sets: which sets are there, and the tasks of each. What is in the files is somebody else's. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { DataError, type DataSet, type Task } from './set.ts';

/** The largest file that is read, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** A set that was found, in one folder. */
export interface Found {
  readonly set: DataSet;
  readonly folder: string;
  readonly tasks: readonly Task[];
}

/** What is in a directory. */
export interface Directory {
  readonly found: readonly Found[];
  /** The JSON files that belong to no set that is known, and why not. */
  readonly strange: readonly { readonly file: string; readonly why: string }[];
}

/** Looks for sets in a directory and in the folders in it. @throws DataError where nothing can be read, or a set is not whole. */
export function readDirectory(directory: string, sets: readonly DataSet[]): Directory {
  const kinds = kindsOf(sets);
  const found: Found[] = [];
  const strange: { file: string; why: string }[] = [];
  for (const folder of foldersOf(directory)) {
    const files = jsonIn(folder);
    const known = files.map(({ file, json }) => ({ file, json, kinds: kinds.filter(({ is }) => is(json)) }));
    for (const { file, json, kinds: own } of known)
      if (own.length === 0) strange.push({ file, why: reason(json, kinds) });
    for (const set of sets) {
      const roles = Object.keys(set.files).map((role) => {
        const of = known.filter((each) => each.kinds.some((kind) => kind.set === set && kind.role === role));
        return [role, of.map(({ json }) => json)] as const;
      });
      const missing = roles.filter(([, contents]) => contents.length === 0).map(([role]) => role);
      if (missing.length === roles.length) continue;
      if (missing.length > 0)
        throw new DataError(`${folder}: a set of the form of ${set.name} lacks its ${missing.join(', ')}`);
      found.push({ set, folder: basename(resolve(folder)), tasks: tasksOf(set, folder, Object.fromEntries(roles)) });
    }
  }
  return { found, strange };
}

function tasksOf(set: DataSet, folder: string, files: Readonly<Record<string, readonly unknown[]>>): readonly Task[] {
  let tasks: readonly Task[];
  try {
    tasks = set.tasks(files);
  } catch (error) {
    throw new DataError(`${folder}: ${(error as Error).message}`);
  }
  const ids = new Set<string>();
  for (const { id } of tasks) {
    if (ids.has(id)) throw new DataError(`${folder}: two tasks are called ${id}`);
    ids.add(id);
  }
  if (tasks.length === 0) throw new DataError(`${folder}: there is no task in it`);
  return tasks;
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

/** Why a file is of no kind: what the kind says that it comes nearest to. */
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
      `${directory}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such directory' : (error as Error).message}`,
    );
  }
}

function jsonIn(folder: string): { file: string; json: unknown }[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return names.flatMap((name) => {
    const file = join(folder, name);
    if (!statSync(file).isFile()) return [];
    if (statSync(file).size > LARGEST) throw new DataError(`${file}: it has more than ${LARGEST / 1024 / 1024} MiB`);
    try {
      return [{ file, json: JSON.parse(readFileSync(file, 'utf8')) as unknown }];
    } catch (error) {
      throw new DataError(`${file}: it is not JSON: ${(error as Error).message}`);
    }
  });
}
