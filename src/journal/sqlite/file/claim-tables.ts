/**
 * The tables of claims: `claim` has a row for each grant, by its epoch, `claim_wait` one for each call that stands in line, by its place,
 * `released` says of a grant which of its keys the run has released, and whom they were passed on to. `claim_order` has the last of both, and `claim_freed` one for each time that a person freed some. Bodies are sealed like those of rows, as keys may name persons.
 */
export const CLAIM_SQL = `
      CREATE TABLE claim_order (epoch INTEGER NOT NULL, place INTEGER NOT NULL) STRICT;
      INSERT INTO claim_order VALUES (0, 0);
      CREATE TABLE claim (
        epoch INTEGER PRIMARY KEY, run INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL, released TEXT
      ) STRICT;
      CREATE INDEX claim_run ON claim (run);
      CREATE TABLE claim_wait (
        place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, token INTEGER NOT NULL,
        time INTEGER NOT NULL, body BLOB NOT NULL
      ) STRICT;
      CREATE TABLE claim_freed (
        number INTEGER PRIMARY KEY, run INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL
      ) STRICT;`;
