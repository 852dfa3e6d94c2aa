/**
 * The place of journals that a person names: a file, or the address of a PostgreSQL database. An address may hold a
 * password, so the address is put away at the start of the command. From there on a name without the password stands
 * for it, in messages and in the commands that they print.
 */
import { JournalError, type JournalStore } from '../../journal/journal.ts';

const VARIABLE = 'BELAY_STORE';

/** The default place of a program's journal. */
export const JOURNAL = 'belay.sqlite';

/** The name and description of the store option of the verbs. */
export const STORE = [
  '--store <place>',
  `the place of the runs: a file, or postgres://…; left out, ${VARIABLE}, then --journal`,
] as const;

/** The addresses of this process, by the names that they are called by. */
const addresses = new Map<string, string>();
/** The place that the environment names to the command that is answered: a printed command finds it there, too. */
let given: string | null = null;

/** The place that was meant: what is typed counts, then the environment. @returns the name that it is called by. */
export function placeOf(typed: string | null, otherwise: string): string {
  const variable = process.env[VARIABLE] ?? '';
  given = typed !== null || variable === '' ? null : calledPlace(variable);
  return given ?? calledPlace(typed ?? otherwise);
}

/** The name that a place is called by: an address without its password. */
export function calledPlace(place: string): string {
  if (!/^postgres(ql)?:\/\//i.test(place)) return place;
  const called = withoutSecrets(place);
  addresses.set(called, place);
  return called;
}

/** True for the name of an address. */
export function isAddress(place: string): boolean {
  return addresses.has(place);
}

/** The words of a printed command that name a place. */
export function placeWords(place: string, usual: string): readonly string[] {
  if (place === given || (place === usual && given === null)) return [];
  return [isAddress(place) || given !== null ? '--store' : '--journal', place];
}

/** Opens the database of an address. The package `pg` is loaded only then. */
export async function openAddress(place: string, readonly: boolean): Promise<JournalStore> {
  const { postgresStore } = await import('../../journal/postgres/store.ts').catch(withoutPackage);
  return postgresStore({ address: addresses.get(place) as string, migrate: !readonly });
}

/** Says how to get the package that a store in PostgreSQL needs. @throws JournalError, or the error that was not about that. */
export function withoutPackage(error: unknown): never {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'pg'")) throw error;
  const how = 'npm install pg';
  throw new JournalError(
    'journal_cannot_read',
    `a store in PostgreSQL needs the package pg, which is not there: ${how}`,
  );
}

/** Leaves out the password, wherever an address has it. The last @ ends it, as in the address of a careless person. */
function withoutSecrets(place: string): string {
  const parameters = place.replace(/([?&])(password|sslpassword)=[^&#]*/gi, '$1$2=***');
  return parameters.replace(/^([a-z]+:\/\/[^:@]*):.*@/is, '$1@');
}
