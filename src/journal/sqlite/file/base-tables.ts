/** The tables of bases: what the rows of each run come to up to one of them, and the parts of that. */

export const BASE_SQL = `
      CREATE TABLE base (
        run INTEGER PRIMARY KEY, at INTEGER NOT NULL, last INTEGER NOT NULL, parts TEXT NOT NULL, digest BLOB NOT NULL
      ) STRICT;
      CREATE TABLE base_part (
        run INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, number)
      ) STRICT;`;
