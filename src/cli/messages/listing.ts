/** Lists one kind of a run's things: as a table, or as one JSON object on each line. */
import type { JournalStore, StoredRow } from '../../journal/journal.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';

/** The run whose things are listed, and the form. */
export interface Listed {
  readonly file: string;
  readonly run: string;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
}

/** The things that are listed. */
interface Kind<Thing> {
  of(rows: readonly StoredRow[], store: JournalStore): Promise<readonly Thing[]> | readonly Thing[];
  readonly none: string;
  readonly columns: Parameters<typeof table>[0];
  cells(thing: Thing): string[];
}

/** Lists them. */
export function listed<Thing extends object>(
  { file, run, json, medium, counting }: Listed,
  kind: Kind<Thing>,
): Promise<Told> {
  return reading(file, async (store) => {
    await runNamed(store, run);
    const things = await kind.of([...(await countedRows(store, run, counting))], store);
    if (json) return things.map((thing) => `${JSON.stringify({ run, ...thing })}\n`);
    if (things.length === 0) return [`${kind.none}\n`];
    return [table(kind.columns, things.map(kind.cells), medium)];
  });
}
