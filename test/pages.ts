/** The pages of the documents, by their fenced blocks, and a folder in which what they show can be tried. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { MAIN } from './cli/belay.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What a process needs in its environment to load TypeScript. */
export const TYPESCRIPT = { NODE_OPTIONS: `--import ${import.meta.resolve('tsx')}` };

/** The text of a file of the repository. */
export function read(name: string): string {
  return readFileSync(`${root}/${name}`, 'utf8');
}

/** The TypeScript files under a folder of the repository, by their paths from its root. */
export function sources(folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();
}

/** A fenced block. Its first line says the language; then the name of a file, if it is one; then the part of it, if it is that. */
export interface Block {
  readonly language: string;
  readonly file: string | null;
  readonly part: string | null;
  readonly content: string;
}

/** The fenced blocks of a page, in order. */
export function allBlocks(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file = null, part = null, content = '']) => ({ language, file, part, content }),
  );
}

/** The fenced blocks of a page in one language that are no files of their own, in order. */
export function blocks(page: string, language: string): string[] {
  return allBlocks(page).flatMap((block) => (block.language === language && block.file === null ? block.content : []));
}

/** The files that a page shows, as they are once all of it has been read. */
export function files(page: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const block of allBlocks(page)) {
    if (block.file !== null) texts.set(block.file, applied(texts.get(block.file) ?? '', block));
  }
  return texts;
}

/** A file once a block about it has been read: the whole, a part that takes the place of the last one of that name, or a diff. */
export function applied(before: string, { language, part, content }: Block): string {
  if (language === 'diff') {
    return [...content.matchAll(/^-(.*)\n\+(.*)$/gm)].reduce((text, [, from = '', to = '']) => {
      if (text.split(`${from}\n`).length !== 2) throw new Error(`this line does not stand there once: ${from}`);
      return text.replace(`${from}\n`, () => `${to}\n`);
    }, before);
  }
  return part === null ? content : before.slice(0, before.indexOf(`\n${part}:`) + 1) + content;
}

/** A new folder inside the repository, where the package's public names resolve as they do for a user who has installed it. */
export function tryout(name: string): { folder: string; write(file: string, content: string): void; remove(): void } {
  mkdirSync(join(root, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(root, `reports/${name}-`));
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A command of a block that shows a terminal, and what is printed under it. */
interface Shown {
  readonly command: string;
  readonly printed: string;
}

/** The commands of a block that shows a terminal. */
export function commandsOf(console: string): Shown[] {
  return console
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      return { command: text.slice(0, end), printed: text.slice(end + 1) };
    });
}

/** A folder with the package installed, in which commands run as a shell runs them. */
export function installed(name: string) {
  const { folder, write, remove } = tryout(name);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/belay-sidecar'), 'dir');
  const run = async (command: string): Promise<string> => {
    const line = command.replace(/^npx --no belay /, `node '${MAIN}' `).replace(/^node /, `'${process.execPath}' `);
    const env = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...TYPESCRIPT };
    const ran = await promisify(execFile)('sh', ['-c', `${line} 2>&1`], { cwd: folder, env }).catch(
      (error: { stdout: string }) => error,
    );
    return ran.stdout;
  };
  return { folder, write, run, remove };
}

const STRICT: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: ['node'],
  allowImportingTsExtensions: true,
};

/** The declarations of the platform and of packages, which all programs share: reading them takes longer than what a page shows. */
const declared = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says about files of a folder under strict rules; nothing where they are well typed. @param lib the libraries, if not those of the target. */
export function compiled(folder: string, names: readonly string[], lib?: string[]): string {
  const options = lib === undefined ? STRICT : { ...STRICT, lib };
  const host = ts.createCompilerHost(options);
  const own = host.getSourceFile;
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (file, ...how) => {
    if (!file.endsWith('.d.ts') || file.startsWith(folder)) return own(file, ...how);
    if (!declared.has(file)) declared.set(file, own(file, ...how));
    return declared.get(file);
  };
  const paths = names.map((name) => join(folder, name));
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(ts.createProgram(paths, options, host)), host);
}
