/** A table for a terminal. */
import Table from 'cli-table3';
import pc from 'picocolors';
import type { Cell, Table as Figures } from './table.ts';

/** A table without lines: a terminal has no columns to spare. What rows share stands above them. */
export function tableText(
  figures: Figures,
  columns: number,
  colours: boolean,
  told: (cell: Cell) => string = ({ ours }) => String(ours ?? '-'),
): string {
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
