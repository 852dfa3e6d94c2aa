/**
 * The table of archived rows: for each stretch of the rows of a run that are in a file of their own, the seq and the row of the log that it ends
 * at, the hash of the chain there, and a digest that binds these to the run.
 */
export const ARCHIVED_SQL = `
      CREATE TABLE archived (
        run INTEGER NOT NULL, last INTEGER NOT NULL, row INTEGER NOT NULL, hash BLOB NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (run, last)
      ) STRICT, WITHOUT ROWID;`;
