/** A table: what we measured, and beside each figure the paper's, with how the two compare. */

/** The relation of a figure of ours to the paper's. */
export type Mark = 'same' | 'better' | 'worse' | 'not comparable';

/** The value of a figure. Null where there is none. */
export type Value = string | number | boolean | null;

/** A figure of ours, and the paper's where it has one. */
export interface Cell {
  readonly ours: Value;
  readonly paper?: Value;
  readonly mark?: Mark;
}

/** A column: its key in the JSON, what it is called, and which way is better. */
export interface Column {
  readonly key: string;
  readonly title: string;
  /** `equal` where any difference is one from the paper, and says neither that it is better nor that it is worse. */
  readonly better?: 'higher' | 'lower' | 'equal';
}

/** A table of the report. */
export interface Table {
  readonly id: string;
  readonly title: string;
  /** The quantity that is counted, and the reason why a figure differs from the paper's where it does. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  /** The number of first columns that related rows share: they can stand above them once. */
  readonly groups?: number;
  readonly rows: readonly (readonly Cell[])[];
}

/** A figure that stands alone. */
export function only(ours: Value): Cell {
  return { ours };
}

/** A figure beside the paper's. `comparable` false says that the two do not measure the same. */
export function beside(ours: Value, paper: Value | undefined, better: Column['better'], comparable = true): Cell {
  if (paper === undefined || paper === null) return { ours };
  return { ours, paper, mark: comparable ? markOf(ours, paper, better) : 'not comparable' };
}

function markOf(ours: Value, paper: Value, better: Column['better']): Mark {
  if (ours === paper) return 'same';
  if (typeof ours !== 'number' || typeof paper !== 'number' || better === undefined || better === 'equal')
    return 'not comparable';
  return ours > paper === (better === 'higher') ? 'better' : 'worse';
}

/** A row as an object, by the keys of its columns. */
export function rowOf({ columns }: Table, cells: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map(({ key }, index) => [key, cells[index] ?? { ours: null }]));
}
