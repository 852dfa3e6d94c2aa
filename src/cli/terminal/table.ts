/**
 * Tables of text within a width. A cell that does not fit is wrapped within its column, at any place, as names have no
 * spaces; the widest columns give way first. Libraries that draw tables take the width of each column; this file finds
 * those widths.
 */
import pc from 'picocolors';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { isPlain, printable } from './printable.ts';
import type { Medium } from './terminal.ts';

/** A column: its name, and the side on which its cells stand. */
export interface Column {
  readonly name: string;
  readonly right?: boolean;
  /** True for a cell that is cut where it does not fit, so that each row is one line. */
  readonly cut?: boolean;
}

const GAP = 2;
/** The least width to which a column shrinks for the others. */
const NARROWEST = 6;

/** Formats rows under the names of their columns, each line indented by two. Cells are made harmless to print. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { columns: width, colours }: Medium,
): string {
  const { dim } = pc.createColors(colours);
  const cells = rows.map((row) => (row.every(isPlain) ? row : row.map(printable)));
  const names = columns.map(({ name }) => name);
  const widths = fitting(
    columns.map((_, index) => cells.reduce((most, row) => Math.max(most, widthOf(row[index])), widthOf(names[index]))),
    width - GAP * columns.length,
  );
  const lines = (given: readonly string[]): string[] => {
    const row = given.map((cell, index) =>
      columns[index]?.cut === true ? cutTo(cell, widths[index] as number) : cell,
    );
    if (row.every((cell, index) => fits(cell, widths[index] as number))) {
      const padded = row.map((cell, index) => {
        const room = widths[index] as number;
        return columns[index]?.right === true ? cell.padStart(room) : cell.padEnd(room);
      });
      return [`${' '.repeat(GAP)}${padded.join(' '.repeat(GAP))}`.trimEnd()];
    }
    const wrapped = widths.map((limit, index) => wrap(row[index] ?? '', limit));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const padded = wrapped.map((cell, index) => {
        const text = cell[line] ?? '';
        const room = ' '.repeat(Math.max(0, (widths[index] as number) - widthOf(text)));
        return columns[index]?.right === true ? `${room}${text}` : `${text}${room}`;
      });
      return `${' '.repeat(GAP)}${padded.join(' '.repeat(GAP))}`.trimEnd();
    });
  };
  const head = lines(names).map((line) => dim(line));
  return [...head, ...cells.flatMap(lines), ''].join('\n');
}

/**
 * Plain words with single spaces between them: the width of such a text is its length, and it needs no wrapping if it
 * fits.
 */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

function widthOf(text = ''): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** True of a text that stands within a width as it is. */
function fits(text: string, limit: number): boolean {
  return text === '' || (text.length <= limit && PLAIN.test(text));
}

const CUT = '...';

/** The beginning of a text that does not fit. */
function cutTo(text: string, limit: number): string {
  if (fits(text, limit) || stringWidth(text) <= limit) return text;
  return `${wrapAnsi(text, limit - CUT.length, { hard: true, wordWrap: false })
    .split('\n')[0]
    ?.trimEnd()}${CUT}`;
}

function wrap(text: string, limit: number): string[] {
  return fits(text, limit) ? [text] : wrapAnsi(text, limit, { hard: true }).split('\n');
}

/** The widths, the widest made narrower until all of them fit. */
function fitting(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] as number) <= NARROWEST) break;
    widths[widest] = (widths[widest] as number) - 1;
  }
  return widths;
}
