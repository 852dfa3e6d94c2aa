/**
 * The table of the runs that are left for workers. Bodies are sealed like those of rows; `due` is null where a run
 * waits for a message; `threw` is a JSON list.
 */
export const WORK_SQL = `
      CREATE TABLE work (
        run INTEGER PRIMARY KEY, agent TEXT NOT NULL, queue TEXT NOT NULL, input BLOB NOT NULL, machine TEXT, config TEXT,
        due INTEGER, taken INTEGER NOT NULL, ended INTEGER, note TEXT, threw TEXT, output BLOB
      ) STRICT;
      CREATE INDEX work_due ON work (queue, due) WHERE due IS NOT NULL;
      CREATE INDEX work_threw ON work (queue, run) WHERE threw IS NOT NULL;`;
