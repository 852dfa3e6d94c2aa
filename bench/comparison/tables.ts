/** The tables of the comparison, at the terminal and in the docs. */
import type { Figures } from './figures.ts';
import type { Judged, Measured } from './goals.ts';
import { GROUPS, type Group, ROWS, type Row } from './rows.ts';

/** A column of figures. */
interface Column {
  readonly name: string;
  of(figures: Figures): number | undefined;
}

export const COLUMNS: readonly Column[] = [
  { name: 'median (µs)', of: ({ median }) => median },
  { name: 'p99 (µs)', of: ({ p99 }) => p99 },
  { name: 'CPU (µs)', of: ({ cpu }) => cpu },
  { name: 'CPU of the server (µs)', of: ({ server }) => server },
  { name: 'on the disk (bytes)', of: ({ bytes }) => bytes },
  { name: 'last ÷ first tenth', of: ({ growth }) => growth },
];

/** Two digits where they matter, and thousands apart. */
export function shown(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}

/** A row of a Markdown table. */
function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** A Markdown table whose first column is text and whose others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, n) => (n === 0 ? '---' : '--:')), ...rows].map(line).join('\n');
}

/** The reason why a row has no figures, as its cell says it. */
export function absence({ needs }: Row): string {
  return needs === undefined ? 'not run' : `not run: no ${needs} server was found`;
}

/** What all rows include and keep, which no run changes. */
export function meanings(): string {
  const rows = ROWS.map(({ group, name, includes, keeps }) => line([GROUPS[group], name, includes, keeps]));
  return [
    line(['where', 'runtime', 'a step includes', 'kept once it is over']),
    line(Array(4).fill('---')),
    ...rows,
  ].join('\n');
}

function figuresOf(row: Row, measured: Measured): string[] {
  const figures = measured.get(row.id);
  if (figures === undefined) return [absence(row), ...COLUMNS.slice(1).map(() => '')];
  return COLUMNS.map(({ of }) => {
    const value = of(figures);
    return value === undefined ? '' : shown(value);
  });
}

/** The figures of each group under its title, as Markdown. */
export function figureTables(measured: Measured): string {
  const groups = Object.entries(GROUPS) as [Group, string][];
  return groups
    .map(([group, title]) => {
      const rows = ROWS.filter((row) => row.group === group);
      const head = [title, ...COLUMNS.map(({ name }) => name)];
      return table(
        head,
        rows.map((row) => [row.name, ...figuresOf(row, measured)]),
      );
    })
    .join('\n\n');
}

function verdict({ is, over, goal }: Judged): string {
  return is === 'missed' ? `MISSED by ${shown(over)} ${goal.unit}` : is;
}

/** The goals and how they came out, as Markdown. */
export function goalTable(all: readonly Judged[]): string {
  const rows = all.map((each) => {
    const { goal, value, peer } = each;
    const beside = goal.beside === undefined || peer === undefined ? '' : `${goal.beside.name}: ${shown(peer)}`;
    return [goal.text, value === undefined ? '' : shown(value), `${goal.most} ${goal.unit}`, verdict(each), beside];
  });
  return table(['goal', 'figure', 'at most', 'verdict', 'in the same run'], rows);
}

/** A Markdown table for the terminal: the same cells, in columns. */
export function inColumns(markdown: string): string {
  const rows = markdown
    .split('\n')
    .filter((text) => !/^\|[ :|-]+$/.test(text))
    .map((text) => text.slice(2, -2).split(' | '));
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [n, cell] of cells.entries()) {
      const long = n === 1 && cell.startsWith('not run');
      if (!long) widths[n] = Math.max(widths[n] ?? 0, cell.length);
    }
  }
  const padded = (cell: string, n: number) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0));
  return rows.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
}
