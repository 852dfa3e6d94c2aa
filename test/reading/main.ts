/**
 * Prints the riddles in 1,000 sentences of comments and of pages: of all, by folder, and of the files with the most.
 *
 *   npx tsx test/reading/main.ts [--max N] [--list PREFIX]
 *
 * `--max N` exits 1 where all together, or the comments or the pages by themselves, have more. `--list PREFIX` prints the riddles of the
 * files whose paths begin so.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { folderOf, perThousand, type Reading, readAll } from './riddles.ts';

const { values } = parseArgs({ options: { max: { type: 'string' }, list: { type: 'string' } } });
const readings = readAll(fileURLToPath(new URL('../..', import.meta.url)));
const code = readings.filter(({ file }) => file.startsWith('src/'));
const pages = readings.filter(({ file }) => !file.startsWith('src/'));

if (values.list === undefined) {
  const parts: [string, Reading[]][] = [
    ['all', readings],
    ['comments', code],
    ['pages', pages],
  ];
  for (const [name, part] of parts) print(name, part);
  const folders = new Map<string, Reading[]>();
  for (const reading of readings) {
    const folder = folderOf(reading.file);
    folders.set(folder, [...(folders.get(folder) ?? []), reading]);
  }
  console.log('\nby folder, worst first');
  for (const [folder, part] of [...folders].sort(([, a], [, b]) => perThousand(b) - perThousand(a)))
    print(folder, part);
  console.log('\nthe files with the most');
  for (const { file, riddles } of readings.toSorted((a, b) => b.riddles.length - a.riddles.length).slice(0, 20))
    if (riddles.length > 0) console.log(`${String(riddles.length).padStart(7)}  ${file}`);
} else {
  for (const { file, riddles } of readings.filter(({ file }) => file.startsWith(values.list ?? '')))
    for (const { line, text } of riddles) console.log(`${file}:${line}: ${text}`);
}

const max = values.max === undefined ? Number.POSITIVE_INFINITY : Number(values.max);
if (Number.isNaN(max)) throw new Error(`--max takes a number, not ${values.max}`);
if ([readings, code, pages].some((part) => perThousand(part) > max)) process.exitCode = 1;

function print(name: string, part: readonly Reading[]): void {
  const riddles = part.reduce((sum, reading) => sum + reading.riddles.length, 0);
  const sentences = part.reduce((sum, reading) => sum + reading.sentences, 0);
  console.log(`${perThousand(part).toFixed(1).padStart(7)}  ${name} (${riddles} of ${sentences} sentences)`);
}
