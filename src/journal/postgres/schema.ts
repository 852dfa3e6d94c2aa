/**
 * The tables of a store and the functions that write them. A migration is one message of several statements, so one
 * transaction, and goes forward only. Bodies are `bytea`, because `text` takes no NUL.
 */
import { ACTS_SCHEMA } from './acts-schema.ts';
import { BASE_SCHEMA } from './bases/schema.ts';
import { CLAIM_SCHEMA } from './claim-schema.ts';
import { FUNCTIONS } from './functions.ts';
import { NOTED } from './noted.ts';
import { OPERATORS } from './operators.ts';
import { OVERTAKEN } from './overtaken.ts';
import { ROLES } from './roles.ts';
import { WORK_SCHEMA } from './work-schema.ts';

/** The format that this release writes; a store of a newer one is refused. */
export const FORMAT = 9;

const FIRST = `
CREATE TABLE belay.store (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  format int NOT NULL,
  identity bytea NOT NULL
);
INSERT INTO belay.store (format, identity) VALUES (0, uuid_send(gen_random_uuid()));
CREATE TABLE belay.worker (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires timestamptz NOT NULL
);
CREATE TABLE belay.run (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  head bigint NOT NULL DEFAULT 0,
  hash bytea,
  time bigint NOT NULL DEFAULT 0,
  token bigint NOT NULL DEFAULT 0,
  nonce uuid,
  worker uuid,
  posts bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 60);
CREATE INDEX run_worker ON belay.run (worker) WHERE worker IS NOT NULL;
CREATE TABLE belay.commit_group (
  run bigint NOT NULL,
  last bigint NOT NULL,
  token bigint NOT NULL,
  time bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (run, last)
);
CREATE TABLE belay.entry (
  run bigint NOT NULL,
  seq bigint NOT NULL,
  kind bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, seq)
);
CREATE TABLE belay.inbox (
  run bigint NOT NULL,
  number bigint NOT NULL,
  time bigint NOT NULL,
  nonce uuid NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, number)
);
${FUNCTIONS}`;

/** The statements that each format adds to the one before it, in the words of the schema "belay". */
const MIGRATIONS: readonly string[] = [
  FIRST,
  NOTED,
  WORK_SCHEMA,
  CLAIM_SCHEMA,
  OVERTAKEN,
  ROLES,
  BASE_SCHEMA,
  OPERATORS,
  ACTS_SCHEMA,
];

/** A statement in the words of another schema. */
export function within(schema: string, text: string): string {
  return text.replaceAll('belay.', `${quoted(schema)}.`);
}

/** The message that brings a store from a format to the next; the first also makes the schema. */
export function migration(schema: string, from: number): string {
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('belay ' || ${literal(schema)}, 0));`;
  const make = from === 0 ? `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};` : '';
  const moved = `DO $belay$ BEGIN
    UPDATE belay.store SET format = ${from + 1} WHERE format = ${from};
    IF NOT FOUND THEN RAISE EXCEPTION 'another process has migrated the store' USING ERRCODE = 'BE002'; END IF;
  END $belay$;`;
  return `${lock}\n${make}\n${within(schema, `${MIGRATIONS[from] ?? ''}\n${moved}`)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
