/** The address of a database, which may name the schema of the tables: `postgres://…/DATABASE?schema=NAME`. */
import { JournalError } from '../journal.ts';

/** The default schema. */
const USUAL = 'belay';

/** A place in a database: an address as the driver reads it, and a schema. */
export interface PostgresPlace {
  readonly address: string | undefined;
  readonly schema: string;
}

/**
 * The place in a database. The address or the option may name the schema.
 * @throws JournalError `journal_cannot_read` if they name two schemas, or an invalid name.
 */
export function postgresPlace(address: string | undefined, option: string | undefined): PostgresPlace {
  const { bare, schemas } = parted(address);
  const named = new Set([...schemas, ...(option === undefined ? [] : [option])]);
  const [schema = USUAL, other] = named;
  if (other !== undefined)
    throw refused(
      `The address and the options name two schemas, ${JSON.stringify(schema)} and ${JSON.stringify(other)}: name one.`,
    );
  if (schema === '' || schema.includes('\0') || Buffer.byteLength(schema) > 63)
    throw refused('A schema has a name of 1 to 63 bytes.');
  return { address: bare, schema };
}

/** Splits an address into the address without `schema`, and the schemas. */
function parted(address: string | undefined): { bare: string | undefined; schemas: readonly string[] } {
  const [, before, query, after] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(address ?? '') ?? [];
  if (before === undefined || query === undefined) return { bare: address, schemas: [] };
  const isSchema = (parameter: string) => /^schema(=|$)/.test(parameter);
  const parameters = query.split('&');
  const others = parameters.filter((parameter) => !isSchema(parameter));
  return {
    bare: `${before}${others.length === 0 ? '' : `?${others.join('&')}`}${after}`,
    schemas: parameters.filter(isSchema).map((parameter) => decoded(parameter.slice('schema='.length))),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('The schema in the address of the database cannot be read. Write % as %25.');
  }
}

function refused(what: string): JournalError {
  return new JournalError('journal_cannot_read', what);
}
