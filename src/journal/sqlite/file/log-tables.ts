/**
 * The tables of the log. `log` has one row for each commit of the file: its link to the row before, its head, and the
 * rows of all runs in the commit. `segment` says for each stretch of the log which of its rows have groups of a run, by
 * the seq of the last group. `run_end` names the last row with a group of the run, as a second witness. Under the
 * negative number of a run, `segment` says where each archived stretch of the run ends: the row of the log, the hash of
 * the chain there, and a digest that binds both to the run.
 */
export const LOG_SQL = `
      CREATE TABLE log (
        id INTEGER PRIMARY KEY, link BLOB NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
      ) STRICT;
      CREATE TABLE segment (
        run INTEGER NOT NULL, last INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (run, last)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE run_end (run INTEGER PRIMARY KEY, row INTEGER NOT NULL) STRICT;`;
