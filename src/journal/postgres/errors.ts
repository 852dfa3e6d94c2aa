/**
 * Errors of the database and of the way to it, in the journal's closed codes, each with a fix. None carries the error that it is
 * made of: that may hold the address with its password.
 */
import { JournalError, type JournalErrorCode } from '../journal.ts';

/** The operation under way: it decides the code of a failure that both can meet. */
export type Doing = 'read' | 'write';

/** The state in which a failed statement leaves things. */
export type Failing =
  /** It was refused, and will be again. */
  | 'refused'
  /** It may have been carried out or not, and can be sent again. */
  | 'unknown';

interface Meaning {
  readonly code: JournalErrorCode | null;
  readonly fix: string;
}

const FULL = 'Free space on the disk of the server, then resume the run.';
const LOST = 'Check the network and the server, then resume the run.';

/** Meanings by SQLSTATE, the whole or its class; null for "cannot read" or "cannot write", by what was under way. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['28P01', { code: null, fix: 'Check the user and the password.' }],
  ['28000', { code: null, fix: 'Check the user, and what pg_hba.conf asks of it.' }],
  ['3D000', { code: null, fix: 'Create the database, or name another one.' }],
  ['42501', { code: null, fix: 'Grant the user what its part needs: docs/postgres.md has the grants.' }],
  ['53100', { code: 'journal_cannot_write', fix: FULL }],
  ['53300', { code: null, fix: 'Give the server more connections, or the stores fewer (connections).' }],
  ['25006', { code: 'journal_cannot_write', fix: 'The server takes no writes: name the primary.' }],
  ['3F000', { code: 'journal_gone', fix: 'Restore the schema from a backup.' }],
  ['42P01', { code: 'journal_gone', fix: 'Restore the schema from a backup.' }],
  ['42883', { code: 'journal_gone', fix: 'Restore the schema from a backup.' }],
  ['23505', { code: 'journal_corrupt', fix: 'Nothing was repaired: restore the schema from a backup.' }],
  ['XX001', { code: 'journal_corrupt', fix: 'Nothing was repaired: restore the database from a backup.' }],
  ['XX002', { code: 'journal_corrupt', fix: 'Rebuild the index that the server names: REINDEX.' }],
  ['BE001', { code: 'journal_cannot_write', fix: 'Set fsync = on: without it a power cut takes acknowledged rows.' }],
]);

/** The states after which the same statement may succeed: the connection or the server went, or another transaction was first. */
const PASSING = /^(08...|57P0[1-5]|57014|53300|25006|40001|40P01|55P03)$/;

/** Tells if a failed statement can be sent again. Without a state it never came back. */
export function failingOf(error: unknown): Failing {
  const state = stateOf(error);
  return state === null || PASSING.test(state) ? 'unknown' : 'refused';
}

/** The SQLSTATE of an error; null for one that no server has answered with. */
export function stateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : null;
}

/** An error in the journal's own codes. @param secrets are left out of its message. */
export function named(where: string, doing: Doing, error: unknown, secrets: readonly string[]): JournalError {
  if (error instanceof JournalError) return error;
  const state = stateOf(error);
  const meaning = state === null ? undefined : MEANINGS.get(state);
  const code = meaning?.code ?? (doing === 'read' ? 'journal_cannot_read' : 'journal_cannot_write');
  const fix = meaning?.fix ?? (state === null ? LOST : 'The journal was left as it is.');
  const told = state === null ? messageOf(error) : `${messageOf(error)} (${state})`;
  return new JournalError(code, `${where}: ${without(told, secrets)}. ${fix}`);
}

function messageOf(error: unknown): string {
  const { message = '', errors, code } = (error ?? {}) as { message?: string; errors?: unknown[]; code?: unknown };
  // Several addresses of one host were tried: the first says it.
  const inner = Array.isArray(errors) && errors.length > 0 ? messageOf(errors[0]) : '';
  return (message || inner || (typeof code === 'string' ? code : 'it failed')).replace(/\.$/, '');
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text);
}

/** Thrown for a run whose rows, groups or hashes are not as they were written. */
export function corrupt(where: string, run: string, seq: number, what: string): JournalError {
  const place = `${where}: run ${JSON.stringify(run)}, seq ${seq}`;
  return new JournalError('journal_corrupt', `${place}: ${what}. Nothing was repaired: restore a backup.`);
}
