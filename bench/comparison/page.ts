/** The page of the docs whose tables the benchmarks write, each between marks that name its command. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../docs/evidence.md');

/** A part of the page that a command writes. */
export type Part = 'meanings' | 'figures' | 'load' | 'parked' | 'list';

const COMMANDS: Readonly<Record<Part, string>> = {
  meanings: 'npm run bench peers -- --write',
  figures: 'npm run bench peers -- --write',
  load: 'npm run bench scale -- --write',
  parked: 'npm run bench scale -- --write',
  list: 'npm run bench scale -- --write',
};

function bounds(page: string, part: Part): [from: number, to: number] {
  const [open, close] = [`<!-- ${part}: written by ${COMMANDS[part]} -->`, `<!-- end of ${part} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from === -1 || to === -1) throw new Error(`docs/evidence.md has lost its marks of ${part}`);
  return [from + open.length, to];
}

/** What a page has between the marks of a part. */
export function partOf(page: string, part: Part): string {
  return page.slice(...bounds(page, part)).trim();
}

/** The page with another text between the marks of a part. */
export function withPart(page: string, part: Part, text: string): string {
  const [from, to] = bounds(page, part);
  return `${page.slice(0, from)}\n\n${text}\n\n${page.slice(to)}`;
}

/** Puts texts into the page. */
export function writePage(parts: Partial<Record<Part, string>>): void {
  let page = readFileSync(PAGE, 'utf8');
  for (const [part, text] of Object.entries(parts)) page = withPart(page, part as Part, text);
  writeFileSync(PAGE, page);
}
