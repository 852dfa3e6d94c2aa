/** Which entries of the built package load where xstate is not installed: those that need it, and no others, say that it is missing. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { read, root } from './pages.ts';

const { name, exports } = JSON.parse(read('package.json')) as { name: string; exports: Record<string, unknown> };
const entries = Object.keys(exports)
  .filter((entry) => !entry.endsWith('.json'))
  .map((entry) => `${name}${entry.slice(1)}`);

const hooks = `export async function resolve(specifier, context, next) {
  if (/^xstate(\\/|$)/.test(specifier)) throw new Error('xstate is not installed');
  return next(specifier, context);
}`;
const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const register = url(`import { register } from 'node:module'; register(${JSON.stringify(url(hooks))});`);
const script = `const loaded = [];
for (const entry of ${JSON.stringify(entries)})
  await import(entry).then(() => loaded.push([entry, true]), ({ message }) => loaded.push([entry, message]));
console.log(JSON.stringify(loaded));`;

test('only what runs xstate machines needs xstate', () => {
  const out = execFileSync(process.execPath, ['--import', register, '--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
  const needing = ['belay-sidecar/testing', 'belay-sidecar/workers', 'belay-sidecar/xstate'];
  expect(entries).toContain('belay-sidecar');
  expect(JSON.parse(out)).toEqual(
    entries.map((entry) => [entry, needing.includes(entry) ? 'xstate is not installed' : true]),
  );
});
