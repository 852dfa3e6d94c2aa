/** The progress of the current table in the context, and its change by new knowledge. */
import { there } from '../there.ts';
import type { Aside, Bad, Extract, Memory, Progress, Raw, Table } from './batch.ts';

/** The table that is being loaded, what is known of it and of its delivery, and where the next one of a table begins. */
export const tableOf = ({ current }: Memory): Table => there(current, 'table');
export const progressOf = (memory: Memory): Progress => memory.tables[tableOf(memory)];
export const extractOf = (memory: Memory): Extract => there(progressOf(memory).extract, 'delivery');
export const sinceOf = (memory: Memory, table: Table): number => memory.tables[table].watermark?.upTo ?? 0;

/** Names a delivery of a table. */
export function deliveryOf(memory: Memory): { readonly table: Table; readonly delivery: number } {
  return { table: tableOf(memory), delivery: extractOf(memory).delivery };
}

/** The next table of the batch with which nothing has been done. */
export function nextTable({ opened, tables }: Memory): Table | null {
  return opened?.tables.find((table) => tables[table].status === undefined) ?? null;
}

/** The rows of the current delivery that are in quarantine, by their ids. */
function asideOf(memory: Memory): readonly string[] {
  const { aside } = progressOf(memory);
  return aside?.delivery === extractOf(memory).delivery ? aside.ids : [];
}

/** The rows that are known to be bad, by themselves or to the database, and are not in quarantine yet. */
export function unquarantined(memory: Memory): readonly Bad[] {
  const { check, refused } = progressOf(memory);
  const { delivery } = extractOf(memory);
  const bad = [...(check?.bad ?? []), ...(refused?.delivery === delivery ? refused.refused : [])];
  return bad.filter(({ id }) => !asideOf(memory).includes(id));
}

/** The rows of the current delivery that can be loaded. */
export function loadable(memory: Memory): readonly Raw[] {
  return extractOf(memory).rows.filter(({ id = '' }) => !asideOf(memory).includes(id));
}

/** The memory with something more known of the current table. */
export function learnt(memory: Memory, more: Progress): Pick<Memory, 'tables'> {
  const table = tableOf(memory);
  return { tables: { ...memory.tables, [table]: { ...memory.tables[table], ...more } } };
}

/** True if all rows of the current delivery that its source has announced are there. */
export function isWhole(memory: Memory): boolean {
  return progressOf(memory).check?.complete === true;
}

/** The memory with the rest of the current delivery. */
export function arrived(memory: Memory, rest: readonly Raw[]): Pick<Memory, 'tables'> {
  const extract = extractOf(memory);
  return learnt(memory, { extract: { ...extract, rows: [...extract.rows, ...rest] } });
}

/** The memory with more rows in quarantine. */
export function setAside(memory: Memory, ids: readonly string[]): Pick<Memory, 'tables'> {
  const aside: Aside = { delivery: extractOf(memory).delivery, ids: [...asideOf(memory), ...ids] };
  return learnt(memory, { aside });
}
