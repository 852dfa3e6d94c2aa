/** The tables of bases: the state of each run after one of its rows, and the parts of that state. */

export const BASE_SQL = `
      CREATE TABLE base (
        run INTEGER PRIMARY KEY, at INTEGER NOT NULL, last INTEGER NOT NULL, parts TEXT NOT NULL, digest BLOB NOT NULL
      ) STRICT;
      CREATE TABLE base_part (
        run INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, number)
      ) STRICT;`;
