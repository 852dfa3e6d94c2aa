import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import * as adapters from '../../src/adapters/index.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { compiled, files, read, root, tryout } from '../pages.ts';

const page = read('docs/adapters.md');
const { folder, write, remove } = tryout('adapters');
afterAll(remove);

test('the examples are well typed, and load', () => {
  const examples = files(page);
  expect([...examples.keys()]).toEqual(['files.ts', 'git.ts', 'rows.ts', 'mail.ts', 'http.ts']);
  for (const [name, content] of examples) {
    const here = content
      .replace("'belay-sidecar'", `'${join(root, 'dist/index.js')}'`)
      .replace("'belay-sidecar/adapters'", `'${join(root, 'dist/adapters/index.js')}'`);
    write(name, here);
  }
  mkdirSync(join(folder, 'workspace'));
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  const all = [...examples.keys()].map((name) => `export * from './${name}';`);
  write('all.ts', `${all.join('\n')}\n`);
  expect(compiled(folder, ['all.ts'], ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'])).toBe('');
  const script = "import('./all.ts').then((all) => console.log(Object.keys(all).sort().join(' ')))";
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()).toBe(
    'edit files mail orders place_order project rows send_mail write_file write_row',
  );
});

test('every adapter has a section', () => {
  const made = Object.keys(adapters).filter((name) => name.endsWith('Adapter'));
  expect(made.sort()).toEqual(['fileAdapter', 'gitAdapter', 'httpAdapter', 'mailAdapter', 'rowAdapter']);
  for (const name of made) expect(page).toContain(`import { ${name} } from 'belay-sidecar/adapters';`);
});

test('the tools are declared as a config takes them, and the functions that they name are registered', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { config, findings } = loadConfig(`belay: 1\nagent: order\n${yaml}skeletons: {}\n`, { file: 'order.yaml' });
  expect(findings).toEqual([]);
  const named = [...(config?.tools.values() ?? [])].flatMap(({ undo, reconcile, buffer }) => [
    ...(undo === null ? [] : [undo]),
    ...(reconcile === null ? [] : [reconcile]),
    ...(typeof buffer === 'object' && buffer !== null ? [buffer.name] : []),
  ]);
  const [, js = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(js).toContain(`${name}: `);
});
