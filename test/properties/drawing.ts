/** The files of tests that hold properties, found by what they import. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Their paths from the root. Commands are left out: they name a seed, and `npm run prove soak-commands` draws others. */
export function drawingFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/commands/') && draws(file, new Set()))
    .sort();
}

/** True where a file of the tests imports the generators, by itself or through others. */
function draws(file: string, seen: Set<string>): boolean {
  if (seen.has(file) || !/^test\/.*\.ts$/.test(file)) return false;
  seen.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  const names = [...text.matchAll(/^(?:import|export)\b[^;]*? from '([^']+)';$/gm)].map(([, name]) => name as string);
  return names.some((name) =>
    name.startsWith('.') ? draws(join(dirname(file), name).replaceAll('\\', '/'), seen) : name === 'fast-check',
  );
}
