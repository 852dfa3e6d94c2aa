/** Finds adapters: all files in sets/, and those of a module that the user names. No list names them. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from '../../domains/there.ts';
import { DataError, type DataSet } from './set.ts';

const SETS = fileURLToPath(new URL('./sets', import.meta.url));

/** The adapters in sets/, by the names of their files. */
export async function ownAdapters(): Promise<readonly DataSet[]> {
  const files = readdirSync(SETS).filter((name) => /(?<!\.d)\.[jt]s$/.test(name));
  const sets: DataSet[] = [];
  for (const file of files.sort()) sets.push(...(await adaptersOf(join(SETS, file))));
  return sets;
}

/** The adapters that a module exports. @throws DataError where it cannot be imported, or exports none. */
export async function adaptersOf(file: string): Promise<readonly DataSet[]> {
  if (!existsSync(file)) throw new DataError(`${file}: there is no such file`);
  let exports: object;
  try {
    exports = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new DataError(`${file}: it cannot be imported: ${messageOf(error)}`);
  }
  const sets = Object.values(exports).filter(isDataSet);
  if (sets.length === 0) throw new DataError(`${file}: it exports no adapter (audit/workloads/README.md)`);
  return sets;
}

function isDataSet(value: unknown): value is DataSet {
  const { name, about, config, machine, files, tasks, asks, snapshots }: Partial<DataSet> = Object(value);
  const texts = [name, about, config].every((each) => typeof each === 'string');
  const records = [machine, files, asks].every((each) => typeof each === 'object' && each !== null);
  return texts && records && Array.isArray(snapshots) && typeof tasks === 'function';
}
