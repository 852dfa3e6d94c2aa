/** Packs what is built into reports/, and holds what an install of it weighs and runs. `npm run check package` has publint and attw look at that file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';

/** What npm counts of the unpacked package, in bytes and files. */
const MOST_BYTES = 3_000_000;
const MOST_FILES = 700;
/** The scripts that npm runs where the package is installed. */
const ON_INSTALL = ['preinstall', 'install', 'postinstall'];

mkdirSync('reports', { recursive: true });
const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', 'reports'];
const printed = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8' }));
const [packed] = Array.isArray(printed) ? printed : Object.values(printed);
const { unpackedSize, entryCount, files } = packed;
console.log(`unpacked ${unpackedSize} bytes of at most ${MOST_BYTES}, ${entryCount} files of at most ${MOST_FILES}`);
if (unpackedSize > MOST_BYTES || entryCount > MOST_FILES) {
  const heaviest = [...files].sort((a, b) => b.size - a.size).slice(0, 15);
  console.error('The package is too large. The heaviest files:');
  for (const { path, size } of heaviest) console.error(`  ${String(size).padStart(9)}  ${path}`);
  process.exitCode = 1;
}
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const name of ON_INSTALL)
  if (scripts[name] !== undefined) {
    console.error(`package.json has the script ${name}, which runs where the package is installed: do without it`);
    process.exitCode = 1;
  }
