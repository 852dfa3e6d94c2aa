/**
 * The verb `workload`: runs a module that compares the results of other people's tasks under faults, with Belay and
 * without it. The module knows the data sets and the agents that carry their tasks out; only the user or the package
 * names the module.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleOfPackage } from '../reading/machines.ts';
import type { Medium } from '../terminal/terminal.ts';

/** The comparison to make. Null means everything. */
export interface WorkloadOptions {
  readonly directory: string;
  readonly sets: readonly string[] | null;
  readonly probabilities: readonly number[];
  readonly repeat: number;
  readonly seed: number;
  readonly policies: readonly string[] | null;
  /** True if the counterparties that can be asked answer. */
  readonly asks: boolean;
  /** A built module with further adapters. */
  readonly adapters: string | null;
  /** A folder in which the comparison is left as JSON and as a section of the audit's page. */
  readonly report: string | null;
}

/** The result of the comparison. */
export interface Compared {
  /** True if every promise about these tasks was kept. */
  readonly kept: boolean;
  readonly json: unknown;
  text(medium: Pick<Medium, 'columns' | 'colours'>): string;
}

/** Called with the progress, and with notes for a person. */
export interface Listener {
  progress(done: number, all: number, what: string): void;
  note(text: string): void;
}

/** The module's export `compare`. It rejects with an error of the name `DataError` where the data or the request is invalid. */
type Compare = (options: WorkloadOptions, listener: Listener) => Promise<Compared>;

/** Makes the comparison. */
export async function compareWorkload(
  options: WorkloadOptions,
  listener: Listener,
): Promise<Compared | { readonly problem: string }> {
  const found = findModule();
  if ('problem' in found) return found;
  let compare: unknown;
  try {
    ({ compare } = (await import(pathToFileURL(found.file).href)) as { compare?: unknown });
  } catch (error) {
    return { problem: `${found.file}: cannot_import ${(error as Error).message.split('\n')[0]}` };
  }
  if (typeof compare !== 'function') return { problem: `${found.file}: bad_module it exports no function "compare"` };
  try {
    return await (compare as Compare)(options, listener);
  } catch (error) {
    // The data, the request, or a folder that takes no report.
    const { name, message, syscall } = error as NodeJS.ErrnoException;
    if (name === 'DataError' || syscall !== undefined) return { problem: message };
    throw error;
  }
}

/** The module that the nearest package.json names under `belay.workloads`; else the one of this package. */
function findModule(): { readonly file: string } | { readonly problem: string } {
  for (const from of [process.cwd(), dirname(fileURLToPath(import.meta.url))]) {
    const named = moduleOfPackage(from, 'workloads');
    if ('problem' in named) return named;
    if (named.file === null) continue;
    if (existsSync(named.file)) return { file: resolve(named.file) };
    return { problem: `${named.file}: cannot_read it is not built. In a clone of Belay: npm run build:domains` };
  }
  return { problem: 'no module of workloads is named: belay.workloads in package.json names it' };
}
