/**
 * The tables of a store and the functions that write them. A migration is one message of several statements, so one
 * transaction, and goes forward only. Until the first release format 1 changes in place; after it, a later format is a
 * step behind it. Bodies are `bytea`, because `text` takes no NUL.
 */
import { BASE_SCHEMA } from './bases/schema.ts';
import { CLAIM_SCHEMA } from './claim-schema.ts';
import { FUNCTIONS } from './functions.ts';
import { NOTICE_SCHEMA } from './notice-schema.ts';
import { OWNER_FUNCTIONS } from './owner-functions.ts';
import { POOL_SCHEMA } from './pool-schema.ts';
import { SANDBOX_SCHEMA } from './sandbox-schema.ts';
import { WORK_SCHEMA } from './work-schema.ts';

/**
 * The step to a format from the one before it, in the words of the schema "belay"; the first makes the tables of its
 * format.
 */
export interface Migration {
  readonly to: number;
  readonly sql: string;
}

/** The table that says which format a store has. */
const STORE = `
CREATE TABLE belay.store (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  format int NOT NULL,
  identity bytea NOT NULL
);`;

/** The tables of runs, their rows and their messages; `act` has the acts that are unique in the store (J9). */
const TABLES = `
CREATE TABLE belay.worker (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires timestamptz NOT NULL,
  process text
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
  posts bigint NOT NULL DEFAULT 0,
  note bytea,
  overtaken bigint NOT NULL DEFAULT 0
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
CREATE TABLE belay.act (
  act text COLLATE "C" PRIMARY KEY, run text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL
);
CREATE INDEX act_key ON belay.act (run, key);`;

/** Every step there is, in order; the last one leads to the present format. */
export const MIGRATIONS: readonly Migration[] = [
  {
    to: 1,
    sql: [
      TABLES,
      POOL_SCHEMA,
      SANDBOX_SCHEMA,
      FUNCTIONS,
      WORK_SCHEMA,
      CLAIM_SCHEMA,
      BASE_SCHEMA,
      NOTICE_SCHEMA,
      OWNER_FUNCTIONS,
    ].join('\n'),
  },
];

/** A statement in the words of another schema. */
export function within(schema: string, text: string): string {
  return text.replaceAll('belay.', `${quoted(schema)}.`);
}

/** The message that takes one step from a format; from null, it makes the schema with the tables of the first one. */
export function migration(schema: string, from: number | null, { to, sql }: Migration): string {
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('belay ' || ${literal(schema)}, 0));`;
  if (from === null) {
    const store = `INSERT INTO belay.store (format, identity) VALUES (${to}, uuid_send(gen_random_uuid()));`;
    return `${lock}\nCREATE SCHEMA IF NOT EXISTS ${quoted(schema)};\n${within(schema, `${STORE}${store}${sql}`)}`;
  }
  const moved = `DO $belay$ BEGIN
    UPDATE belay.store SET format = ${to} WHERE format = ${from};
    IF NOT FOUND THEN RAISE EXCEPTION 'another process has migrated the store' USING ERRCODE = 'BE002'; END IF;
  END $belay$;`;
  return `${lock}\n${within(schema, `${sql}\n${moved}`)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
