/** Leaves reports where they can be looked at later: the audit's, and what a comparison of workloads adds to its page. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { junitOf } from './junit.ts';
import { pageOf, sectionOf } from './page.ts';
import { jsonOf, type Report } from './report.ts';
import { textOf } from './text.ts';
import type { Promised } from './workloads/promises.ts';
import type { Table } from './workloads/table.ts';

/** Between these two the page holds the section of the workloads, whichever of the two reports was made last. */
const MARKS = ['<!-- workloads -->', '<!-- end of workloads -->'] as const;

/** Leaves the audit's report in a folder; a section of workloads that is there stays. */
export function leaveReport(report: Report, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(jsonOf(report), null, 2)}\n`);
  writeFileSync(join(folder, 'report.txt'), textOf(report, 140, false));
  writeFileSync(join(folder, 'junit.xml'), junitOf(report));
  writeFileSync(join(folder, 'index.html'), pageOf(report, partsOf(folder)?.section ?? ''));
}

/** Leaves a comparison in a folder: as JSON, and as a section of the page that is there, or of one that has nothing else. */
export function leaveWorkloads(
  folder: string,
  json: object,
  tables: readonly Table[],
  promises: readonly Promised[],
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'workloads.json'), `${JSON.stringify(json)}\n`);
  const section = sectionOf(tables, promises);
  const there = partsOf(folder);
  const page = there === null ? pageOf(null, section) : [there.before, section, there.after].join('');
  writeFileSync(join(folder, 'index.html'), page);
}

/** The page of a folder, apart; null where there is none. */
function partsOf(folder: string): { before: string; section: string; after: string } | null {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) return null;
  const page = readFileSync(file, 'utf8');
  const [begin = -1, end = -1] = MARKS.map((mark) => page.indexOf(mark));
  if (begin < 0 || end < begin) return null;
  const from = begin + MARKS[0].length;
  return { before: page.slice(0, from), section: page.slice(from, end), after: page.slice(end) };
}
