/** Builds the files of the inspector's page into dist/inspector/page: one script, one style sheet, and what names them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../dist/inspector/page');
/** All files together, in bytes: the page is read over no network, but shipped with every install. */
const MOST = 120_000;

mkdirSync(out, { recursive: true });
const { metafile, outputFiles } = await build({
  entryPoints: [join(here, 'page/main.tsx')],
  outfile: join(out, 'page.js'),
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: join(here, 'tsconfig.json'),
  legalComments: 'none',
  metafile: true,
  charset: 'utf8',
  logLevel: 'warning',
});
writeFileSync(join(out, 'page.js.gz'), gzipSync(outputFiles[0].contents, { level: 9 }));
for (const name of ['index.html', 'page.css', 'icon.svg']) cpSync(join(here, 'page', name), join(out, name));

writeFileSync(join(out, 'licenses.txt'), licenses(Object.keys(metafile.inputs)));

const size = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
if (size > MOST) {
  console.error(`the page has ${size} bytes, and may have ${MOST}: do without a dependency`);
  process.exit(1);
}

/** The licenses of what is bundled, each under the name of its package. */
function licenses(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no license to ship with the page`);
      return `${folder.replace(/^.*node_modules\//, '')}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    })
    .join('\n');
}
