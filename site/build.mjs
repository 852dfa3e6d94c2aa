/**
 * `npm run build site`: builds the site of docs/ into reports/site. `node site/build.mjs --playground` builds the playground's
 * script alone, which needs nothing but the packages of the root.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { writeTexts } from './llms.mjs';
import { address, finished, groups, linkedFiles, prepared, root, staged } from './pages.mjs';

const here = join(root, 'site');

if (process.argv.includes('--playground')) await playground(join(here, '.playground'));
else await site();

async function site() {
  if (!existsSync(join(here, 'node_modules/vitepress'))) run('npm', ['ci', '--no-audit', '--no-fund']);
  rmSync(staged, { recursive: true, force: true });
  const paths = groups().flatMap(([, members]) => members);
  const pages = new Set(paths);
  for (const path of paths) put(join(staged, address(path)), prepared(path, pages));
  for (const file of linkedFiles) cpSync(join(root, file), join(staged, 'public', file), { recursive: true });
  cpSync(join(root, 'inspector/page/icon.svg'), join(staged, 'public/icon.svg'));
  await playground(join(staged, 'public/playground'));
  run('node', ['node_modules/vitepress/bin/vitepress.js', 'build', '.']);
  writeTexts(finished);
}

/** Bundles the playground: `recovery/` and a page around it, without Node. */
async function playground(outdir) {
  await build({
    entryPoints: [join(here, 'playground/main.tsx'), join(here, 'playground/playground.css')],
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(here, 'tsconfig.json'),
    legalComments: 'eof',
    charset: 'utf8',
    logLevel: 'warning',
  });
}

function put(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: here, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
