/** The steps between the source and the database: the rows of a delivery are checked, and transformed. */
import type { Bad, Check, Clean, Extract, Raw, Ready, Table } from './batch.ts';
import type { Codes } from './source.ts';

/** The values that a row takes over from the row that it refers to. */
export type Join = (id: string) => string | null;

const AMOUNT = /^\d+\.\d\d$/;
const COUNTRY = /^[A-Z]{2}$/;

/** The fault of a row by itself; null where there is none. */
const problemOf: Record<Table, (row: Raw) => string | null> = {
  customers: ({ country = '' }) => (COUNTRY.test(country) ? null : 'country is no code'),
  orders: ({ amount = '' }) => (AMOUNT.test(amount) ? null : 'amount is no number'),
  payments: ({ amount = '' }) => (AMOUNT.test(amount) ? null : 'amount is no number'),
};

/** Looks at the rows of a delivery, each by itself, and whether all are there. */
export function check(table: Table, { delivery, announced, rows }: Extract): Check {
  const bad = rows.flatMap((row): Bad[] => {
    const reason = problemOf[table](row);
    return reason === null ? [] : [{ id: row.id ?? '', reason }];
  });
  return { delivery, complete: rows.length === announced, bad };
}

const cents = ({ amount = '' }: Raw) => Math.round(Number(amount) * 100);
/** A value that is not there is no text: the database says whether it may be missing. */
const given = (value: string | undefined) => (value === undefined || value === '' ? null : value);

const cleaned: Record<Table, (row: Raw, codes: Codes, join: Join) => Clean> = {
  customers: ({ id = '', name, email = '', country = '' }, codes) => ({
    id,
    name: given(name),
    email: given(email.toLowerCase()),
    country: codes[country] ?? null,
  }),
  orders: (row, codes, join) => ({
    id: row.id ?? '',
    customer: given(row.customer),
    country: join(row.customer ?? '') ?? 'nowhere',
    cents: cents(row),
    status: codes[row.status ?? ''] ?? null,
  }),
  payments: (row, codes, join) => ({
    id: row.id ?? '',
    order: given(row.order),
    customer: join(row.order ?? '') ?? 'nobody',
    cents: cents(row),
    method: codes[row.method ?? ''] ?? null,
  }),
};

/** Gives rows the form in which they are loaded, with what each brings along from the row that it refers to. */
export function transform(table: Table, delivery: number, rows: readonly Raw[], codes: Codes, join: Join): Ready {
  return { delivery, rows: rows.map((row) => cleaned[table](row, codes, join)) };
}
