/** The table of messages to people: `told` is 1 once `needed` was delivered, and 2 once `resolved` was; `due` is null where no message is to be sent. */
export const NOTICE_SQL = `
      CREATE TABLE notice (
        channel TEXT NOT NULL, id TEXT NOT NULL, run TEXT NOT NULL, seen INTEGER NOT NULL, body BLOB NOT NULL, since INTEGER NOT NULL,
        over INTEGER, told INTEGER NOT NULL, tried INTEGER NOT NULL, round INTEGER NOT NULL, tries INTEGER NOT NULL, due INTEGER,
        lease INTEGER NOT NULL, error TEXT, PRIMARY KEY (channel, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notice_run ON notice (channel, run);
      CREATE INDEX notice_due ON notice (channel, due) WHERE due IS NOT NULL;`;
