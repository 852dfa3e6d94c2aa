/** Finds the tests that hold the timers of their process: those that import virtual-time.ts, by themselves or through others. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST = dirname(fileURLToPath(import.meta.url));

/** The paths of these tests, from the root of the project. */
export function testsHoldingTime(): string[] {
  const found = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const files = found.map((name) => name.split(sep).join('/'));
  const importedBy = new Map<string, string[]>();
  for (const file of files)
    for (const [, path = ''] of readFileSync(join(TEST, file), 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
      const imported = posix.join(posix.dirname(file), path);
      importedBy.set(imported, [...(importedBy.get(imported) ?? []), file]);
    }
  const holding = new Set(['virtual-time.ts']);
  for (const file of holding) for (const other of importedBy.get(file) ?? []) holding.add(other);
  const root = relative(join(TEST, '..'), TEST);
  return [...holding].filter((file) => file.endsWith('.test.ts')).map((file) => `${root}/${file}`);
}
