/** The report for a terminal. */
import Table from 'cli-table3';
import pc from 'picocolors';
import wrap from 'wrap-ansi';
import { FROZEN } from './case.ts';
import type { Report } from './report.ts';
import type { Cell, Table as Figures, Mark } from './tables/table.ts';

const MARKS: Readonly<Record<Mark, string>> = { same: '=', better: '+', worse: '-', 'not comparable': '~' };

/** Lays a report out for so many columns. */
export function textOf({ summary, tables, cases }: Report, columns: number, colours: boolean): string {
  const { bold, dim, green, red } = pc.createColors(colours);
  const paint: Readonly<Record<Mark, (text: string) => string>> = {
    same: dim,
    better: green,
    worse: red,
    'not comparable': dim,
  };
  const wrong = summary.wrong.map((text) => wrap(red(`  ${text}`), columns, { trim: false }));
  return [
    dim(
      wrap(
        'Beside a figure stands the paper’s: = the same, + better, - worse, ~ not comparable. The page in the report has it all with plots.',
        columns,
      ),
    ),
    '',
    ...tables.flatMap((table) => [
      bold(table.title),
      ...table.notes.map((note) => dim(wrap(note, columns))),
      tableText(table, columns, colours, (cell) => cellText(cell, paint)),
      '',
    ]),
    bold('In short'),
    ...shortly(summary, cases.length).map((text) => wrap(text, columns)),
    ...(wrong.length === 0
      ? [green('Everything is as it has to be.')]
      : [red('Not everything is as it has to be:'), ...wrong]),
    '',
  ].join('\n');
}

/** What it comes to, a sentence each. */
export function shortly(summary: Report['summary'], cases: number): readonly string[] {
  const { blocked, unsafeAdmissions: unsafe, falseBlocked, alignedRows: aligned, newlyAdmitted, runs } = summary;
  const names = { 'comp-frozen': 'Comp-Frozen', belay: 'Belay' } as const;
  const ran = FROZEN.filter((strategy) => aligned[strategy].rows > 0);
  return [
    `${cases} cases, ${runs} runs.`,
    ...ran.map((of) => {
      const blocks = `${blocked[of]} blocked, ${falseBlocked[of]} of them needlessly`;
      return `${names[of]}: ${unsafe[of]} unsafe, ${blocks}; ${aligned[of].aligned} of ${aligned[of].rows} rows aligned.`;
    }),
    ...(ran.length === 2 ? [`${newlyAdmitted} that Comp-Frozen blocks are let through by Belay.`] : []),
    ...(summary.reruns === 0
      ? []
      : [
          `A whole rerun, which the paper calls always safe, leaves another world in ${summary.harmfulReruns} of ${summary.reruns} cases, with ${summary.rerunDuplicates} rows there twice.`,
        ]),
  ];
}

function cellText({ ours, paper, mark }: Cell, paint: Readonly<Record<Mark, (text: string) => string>>): string {
  const told = ours === null ? '-' : ours === true ? 'yes' : ours === false ? 'no' : String(ours);
  if (paper === undefined || paper === null || mark === undefined) return told;
  const theirs = paper === true ? 'yes' : paper === false ? 'no' : String(paper);
  return `${told} ${paint[mark](`(${theirs} ${MARKS[mark]})`)}`;
}

/** A table without lines: a terminal has no columns to spare. What rows share stands above them. */
function tableText(figures: Figures, columns: number, colours: boolean, told: (cell: Cell) => string): string {
  const { groups = 0 } = figures;
  const head = figures.columns.slice(groups).map(({ title }) => title);
  const body = figures.rows.map((cells) => cells.slice(groups).map(told));
  const widths = fitted(head, body, columns);
  const shown = new Table({ head, colWidths: widths, wordWrap: true, chars: BARE, style: style(colours) });
  const { bold } = pc.createColors(colours);
  let above = '';
  for (const [index, cells] of body.entries()) {
    const shared = (figures.rows[index] ?? []).slice(0, groups).map(({ ours }) => String(ours));
    const now = shared.join(', ');
    if (now !== above) shown.push([{ colSpan: head.length, content: bold(now) }]);
    above = now;
    shown.push(cells);
  }
  return shown.toString().replaceAll(/ +$/gm, '');
}

/** As wide as their contents, or narrower where the terminal is: the widest give way first. */
function fitted(head: readonly string[], body: readonly (readonly string[])[], columns: number): number[] {
  const longest = (text: string) =>
    Math.max(
      ...plain(text)
        .split(' ')
        .map((word) => word.length),
    );
  const widths = head.map(
    (title, index) => Math.max(longest(title), ...body.map((cells) => plain(cells[index] ?? '').length)) + 1,
  );
  const least = head.map(
    (title, index) => Math.max(longest(title), ...body.map((cells) => Math.min(longest(cells[index] ?? ''), 26))) + 1,
  );
  for (let over = sum(widths) - columns; over > 0; over = sum(widths) - columns) {
    const widest = widths.reduce((best, width, index) => {
      const spare = width - (least[index] ?? width);
      return spare > (widths[best] ?? 0) - (least[best] ?? 0) ? index : best;
    }, 0);
    if ((widths[widest] ?? 0) <= (least[widest] ?? 0)) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width + 1, 0);
}

/** Without colours. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one.
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

const SIDES = ['top', 'bottom', 'left', 'right'];
const NAMES = [
  ...SIDES,
  ...SIDES.flatMap((side) => [`${side}-mid`, `${side}-left`, `${side}-right`]),
  'mid',
  'mid-mid',
];
const BARE = { ...Object.fromEntries(NAMES.map((name) => [name, ''])), middle: ' ' };

function style(colours: boolean) {
  return { head: colours ? ['dim'] : [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
}
