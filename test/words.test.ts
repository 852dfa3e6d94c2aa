/** Checks the names, summaries and messages of the code, and the documents, against the words of docs/glossary.md, as test/words.yaml lists them. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { read, root, sources } from './pages.ts';

type Surface = 'identifier' | 'file' | 'summary' | 'message' | 'prose';

interface Word {
  readonly use: string;
  readonly pattern: string;
  readonly in: readonly Surface[];
  readonly rooms?: readonly string[];
  readonly folders?: readonly string[];
}

interface Words {
  readonly unfinished: { readonly paths: readonly string[]; readonly names: readonly string[] };
  readonly words: readonly Word[];
}

const NOTHING = {
  identifier: new Set<string>(),
  file: new Set<string>(),
  summary: new Set<string>(),
  message: new Set<string>(),
};
const { unfinished, words } = parse(read('test/words.yaml')) as Words;
const glossary = read('docs/glossary.md');
const pages = ['docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`),
);
const documents = [...pages, ...['', 'audit/', 'audit/workloads/', 'domains/'].map((folder) => `${folder}README.md`)]
  .filter((file) => file.endsWith('.md') && file !== 'docs/glossary.md')
  .map((file) => ({ file, folder: 'documents', room: '', has: { ...NOTHING, prose: proseOf(file) } }));
const code = ['src', 'domains', 'audit'].flatMap((folder) =>
  sources(folder).map((file) => ({ file, folder, room: file.split('/')[1] ?? '', has: wordsOf(file) })),
);
const files = [...code, ...documents];

/** The lines of a page, without code. */
function proseOf(file: string): ReadonlySet<string> {
  const lines = read(file)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n');
  return new Set(lines.map((line) => line.replace(/`[^`]*`/g, '``')));
}

/** The names, first lines of comments and texts of a file. */
function wordsOf(file: string): Readonly<Record<Surface, ReadonlySet<string>>> {
  const found = {
    identifier: new Set<string>(),
    file: new Set([basename(file)]),
    summary: new Set<string>(),
    message: new Set<string>(),
    prose: new Set<string>(),
  };
  const text = read(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) found.identifier.add(node.text);
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && / /.test(node.text)) found.message.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const [, own, next] of text.matchAll(/^\s*\/\*\*(?: (.*)|\n\s*\* (.*))$/gm))
    found.summary.add(own ?? next ?? '');
  return found;
}

/** True where the list of unfinished paths and names still excuses a word. */
function isExcused(file: string, surface: Surface, word: string): boolean {
  const isWithin = unfinished.paths.some((path) => file === path || file.startsWith(`${path}/`));
  if (surface === 'identifier') return isWithin && unfinished.names.includes(word);
  return surface !== 'file' && isWithin;
}

describe.each(words)('$use, and not $pattern', ({ pattern, in: surfaces, rooms, folders = ['src'] }) => {
  test.each(surfaces)('in every %s', (surface) => {
    const banned = new RegExp(pattern);
    const inRooms = files.filter(
      ({ folder, room }) => folders.includes(folder) && (rooms === undefined || rooms.includes(room)),
    );
    expect(inRooms.length).toBeGreaterThan(0);
    const found = inRooms.flatMap(({ file, has }) =>
      [...has[surface]]
        .filter((word) => banned.test(word) && !isExcused(file, surface, word))
        .map((word) => `${file}: ${word}`),
    );
    expect(found).toEqual([]);
  });
});

test('the glossary names each of its words once', () => {
  const rows = [...glossary.matchAll(/^\| (?!word\b|-)([^|]+?) \|/gm)].flatMap(([, row = '']) => row.split(', '));
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((word, at) => rows.indexOf(word) !== at)).toEqual([]);
});
