/**
 * Builds the package into dist/: the modules that the addresses of package.json name, with what they share in files of its own, and the
 * declarations that those addresses lead to. A process that loads the package reads a tenth of the files that the sources are.
 *
 * `npx tsc -p tsconfig.build.json` writes a module for each source in their place, at the same addresses: that is quicker, and it can be read.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

/** What is started or loaded by its path: the command, the seams of the audit, a process of a rehearsal, and the command in a process that is warm. */
const BY_PATH = ['cli/main', 'cli/program', 'cli/rehearse/life', 'langgraph/seam', 'xstate/seam'];

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const addresses = Object.values(exports).flatMap(({ types }) => types?.replace(/^\.\/dist\/|\.d\.ts$/g, '') ?? []);
const modules = [...addresses, ...BY_PATH];

rmSync('dist', { recursive: true, force: true });
await Promise.all([bundle(), declare()]);
prune();
writeFileSync(
  'dist/boundaries/boundary.schema.json',
  JSON.stringify(JSON.parse(readFileSync('src/boundaries/boundary.schema.json', 'utf8'))),
);

/** Writes the modules. What two of them need, or what one loads late, is a file in dist/shared. */
async function bundle() {
  await build({
    entryPoints: modules.map((name) => `src/${name}.ts`),
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'shared/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    minify: true,
    lineLimit: 2000,
    logLevel: 'warning',
  });
}

/** Has the compiler check the sources and write their declarations. Ends the build where it finds an error. */
async function declare() {
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly'];
  const [code] = await once(spawn(process.execPath, compiler, { stdio: 'inherit' }), 'exit');
  if (code !== 0) process.exit(code ?? 1);
}

/** Removes the declarations that no module leads to, and the comments of those whose names no address exports. */
function prune() {
  const left = modules.map((name) => resolve(`dist/${name}.d.ts`));
  const reached = leadsTo(left, /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g);
  const named = leadsTo(left, /\bexport [^;]*?from\s*['"](\.[^'"]+)\.[jt]s['"]/g);
  for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    const file = resolve('dist', name);
    if (!name.endsWith('.d.ts')) continue;
    if (!reached.has(file)) rmSync(file);
    else writeFileSync(file, named.has(file) ? indentedByTabs(readFileSync(file, 'utf8')) : onlyTypes(file));
  }
  removeEmpty('dist');
}

/** The declarations that some lead to, by a pattern of how one names another. */
function leadsTo(from, pattern) {
  const reached = new Set();
  const left = [...from];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(pattern))
      left.push(resolve(dirname(file), `${path}.d.ts`));
  }
  return reached;
}

/** The compiler indents by four spaces, which weigh four times as much. */
function indentedByTabs(text) {
  return text.replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/** A declaration that nobody reads but compilers: without its comments, and without the space in front of its lines. */
function onlyTypes(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return ts.createPrinter({ removeComments: true }).printFile(source).replace(/^ +/gm, '');
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
