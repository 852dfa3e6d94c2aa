/** Builds the files of the inspector's page into dist/inspector/page: one script, one style sheet, and what names them. */
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../dist/inspector/page');
/** All files together, in bytes: the page is read over no network, but shipped with every install. */
const MOST = 300_000;

mkdirSync(out, { recursive: true });
await build({
  entryPoints: [join(here, 'page/main.tsx')],
  outfile: join(out, 'page.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: join(here, 'tsconfig.json'),
  legalComments: 'inline',
  charset: 'utf8',
  logLevel: 'warning',
});
for (const name of ['index.html', 'page.css', 'icon.svg']) cpSync(join(here, 'page', name), join(out, name));

const size = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
if (size > MOST) {
  console.error(`the page has ${size} bytes, and may have ${MOST}: do without a dependency`);
  process.exit(1);
}
