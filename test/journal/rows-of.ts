/** Reads rows of any store, and meets its refusals, whether it answers at once or later. */
import { expect } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalErrorCode, Row, Rows, StoredRow } from '../../src/journal/journal.ts';

/** Matches a JournalError by its code. */
export const failing = (code: JournalErrorCode) => expect.objectContaining({ name: 'JournalError', code });

export const row = (body: unknown, kind = 1): Row => ({ kind, body: JSON.stringify(body) });
export const bodies = (rows: Iterable<Row>) => [...rows].map(({ body }) => JSON.parse(body));
export const all = async (rows: Rows): Promise<readonly StoredRow[]> => [...(await gathered(rows))];
export const told = async (rows: Rows) => bodies(await gathered(rows));

/** An act is refused, at once or later. */
export const refused = (act: () => unknown, code: JournalErrorCode) =>
  expect((async () => await act())()).rejects.toEqual(failing(code));
