/** The list of the objects of a bulk act, and its digest: nothing is done before a person has seen the list. */
import { createHash } from 'node:crypto';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { count } from '../terminal/wording.ts';

/** The digest of a list, by which a person who has seen it names it: eight hexadecimal digits. */
export function digestOf(lines: readonly unknown[]): string {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** One act of many, and what became of it. */
export interface BulkTold {
  readonly run: string;
  /** The gate; null for an act on the whole run. */
  readonly gate: string | null;
  /** The number of the message; null where none was left. */
  readonly post: number | null;
  /** `done`: the process that has the run has taken it. `left`: none has it. `waits`: it has not answered. `refused`: the reason is told. */
  readonly is: 'done' | 'left' | 'waits' | 'refused';
  readonly why: string | null;
}

/** Formats what became of the acts, a line each. */
export function toldText(told: readonly BulkTold[], verb: string, medium: Medium): string {
  const rows = told.map(({ run, gate, is, why }) => [run, gate ?? '', outcomeText(is, why)]);
  return table([{ name: 'RUN' }, { name: 'GATE' }, { name: verb.toUpperCase() }], rows, medium);
}

function outcomeText(is: BulkTold['is'], why: string | null): string {
  switch (is) {
    case 'done':
      return 'taken';
    case 'left':
      return 'left for the process that takes the run next';
    case 'waits':
      return 'left: the process that has it has not answered yet';
    case 'refused':
      return `refused: ${why ?? ''}`;
  }
}

/** The exit code: 0 where every act was taken or left, 1 where one was refused, or there was none. */
export function bulkCode(told: readonly BulkTold[]): number {
  return told.length > 0 && told.every(({ is }) => is !== 'refused') ? 0 : 1;
}

/** Formats the list, and the command that acts on it. */
export function listText(
  rows: readonly (readonly string[])[],
  columns: readonly string[],
  {
    what,
    one,
    next,
    left,
    medium,
  }: {
    /** The act, after the number of things: `would be approved`. */
    readonly what: string;
    readonly one: string;
    readonly next: string;
    /** A sentence about things that are left out. */
    readonly left: string | null;
    readonly medium: Medium;
  },
): string {
  const listed = table(
    columns.map((name) => ({ name })),
    rows,
    medium,
  );
  const more = left === null ? '' : `${left}\n`;
  return `${listed}\n${count(rows.length, one)} ${what}. To do it:\n  ${printable(next)}\n${more}`;
}
