/**
 * Answers a request for a comparison: finds the data sets in a directory, compares, and leaves the comparison beside the
 * audit's report. The adapters are those of sets/, and those of a module that the user names.
 */
import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import pc from 'picocolors';
import wrap from 'wrap-ansi';
import { adaptersOf, ownAdapters } from './adapters.ts';
import { type Comparison, compare as compareAll, type Progress } from './compare.ts';
import { isPolicy, POLICIES, type Policy } from './policies.ts';
import { type Promised, promisesOf } from './promises.ts';
import { type Directory, readDirectory } from './read.ts';
import { DataError } from './set.ts';
import { tableText } from './table-text.ts';
import { tablesOf } from './tables.ts';

/** The request, as the terminal passes it. */
interface Options {
  readonly directory: string;
  readonly sets: readonly string[] | null;
  readonly probabilities: readonly number[];
  readonly repeat: number;
  readonly seed: number;
  readonly policies: readonly string[] | null;
  readonly asks: boolean;
  readonly adapters: string | null;
  readonly report: string | null;
}

/** Compares. @throws DataError where there is no data, it is not what its adapter reads, or a name is unknown. */
export async function compare(options: Options, listener: { progress: Progress; note(text: string): void }) {
  const { directory, probabilities, repeat, seed, asks, report } = options;
  // A folder that takes no report is told before anything runs, and not after.
  if (report !== null) mkdirSync(report, { recursive: true });
  const further = options.adapters === null ? [] : await adaptersOf(options.adapters);
  const adapters = [...(await ownAdapters()), ...further];
  const there = readDirectory(directory, adapters);
  for (const { file, why } of there.unusable)
    listener.note(`left out: ${relative(directory, file) || directory}: ${why}`);
  const strange = there.strange.map(({ file }) => relative(directory, file));
  if (strange.length > 0) listener.note(`left out, of no form that an adapter reads: ${strange.join(', ')}`);
  const found = chosen(there, directory, options.sets);
  const policies = options.policies === null ? POLICIES : [...new Set(options.policies.map(policyOf))];
  const comparison = await compareAll(
    { found, probabilities, repeat, seed, policies, asks, further: true },
    listener.progress,
  );
  for (const { folder, task, why } of comparison.left) listener.note(`left out: ${folder}: ${task}: ${why}`);
  const promises = promisesOf(comparison);
  const tables = tablesOf(comparison);
  const json = jsonOf(comparison, promises);
  if (report !== null) (await import('../leave.ts')).leaveWorkloads(report, json, tables, promises);
  return {
    kept: promises.every(({ kept }) => kept),
    json,
    text: ({ columns, colours }: { columns: number; colours: boolean }) => textOf(tables, promises, columns, colours),
  };
}

function chosen(
  { found, strange, unusable }: Directory,
  directory: string,
  names: readonly string[] | null,
): Directory['found'] {
  const all = found.flatMap(({ set, folder }) => [set.name, folder]);
  const unknown = names?.find((name) => !all.includes(name));
  if (found.length === 0) {
    const why = [...unusable, ...strange].map(
      ({ file, why: reason }) => `${relative(directory, file) || file}: ${reason}`,
    );
    throw new DataError([`${directory}: there is no data set here that an adapter reads`, ...why].join('; '));
  }
  if (unknown !== undefined)
    throw new DataError(`there is no set ${JSON.stringify(unknown)}. There are: ${[...new Set(all)].join(', ')}`);
  return found.filter(({ set, folder }) => names === null || names.includes(set.name) || names.includes(folder));
}

function policyOf(name: string): Policy {
  if (isPolicy(name)) return name;
  throw new DataError(`there is no policy ${JSON.stringify(name)}. There are: ${POLICIES.join(', ')}`);
}

/** The comparison in the form for programs. */
function jsonOf({ sets, left, cells, further, wrong, meetings, wanted }: Comparison, promises: readonly Promised[]) {
  return {
    ...wanted,
    sets: sets.map(({ set, folder, tasks, repeat }) => ({ set: set.name, folder, tasks, repeat, asks: set.asks })),
    left,
    promises,
    meetings,
    cells,
    regimes: further,
    wrong,
  };
}

function textOf(
  tables: ReturnType<typeof tablesOf>,
  promises: readonly Promised[],
  columns: number,
  colours: boolean,
): string {
  const { bold, dim, green, red } = pc.createColors(colours);
  const missed = promises.filter(({ kept }) => !kept);
  return [
    ...tables.flatMap((table) => [
      bold(wrap(table.title, columns)),
      ...table.notes.map((note) => dim(wrap(note, columns))),
      tableText(table, columns, colours),
      '',
    ]),
    missed.length === 0
      ? green(`All ${promises.length} promises were kept.`)
      : red(`${missed.length} of ${promises.length} promises were missed:`),
    ...missed.map(({ folder, probability, text, figures }) =>
      red(wrap(`  ${folder}, p = ${probability}: ${text}: ${figures}`, columns, { trim: false })),
    ),
    '',
  ].join('\n');
}
