/**
 * The tables of the log. `log` has one row for each commit of the file: its link to the row before, its head, and the rows of all runs that took
 * part in it. `segment` says of each run in which rows of a stretch of the log its commit groups are, by the seq of the last; `run_end` names the
 * last row of all stretches with a group of the run, and is a second witness for that. Under the negative number of a run, `segment` says where
 * each of its archived stretches ends: the row of the log, the hash of the chain there, and a digest that binds both to the run.
 */
export const LOG_SQL = `
      CREATE TABLE log (
        id INTEGER PRIMARY KEY, link BLOB NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
      ) STRICT;
      CREATE TABLE segment (
        run INTEGER NOT NULL, last INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (run, last)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE run_end (run INTEGER PRIMARY KEY, row INTEGER NOT NULL) STRICT;`;
