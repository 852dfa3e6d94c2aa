/** The table of sandboxes. */
export const SANDBOX_SCHEMA = `
CREATE TABLE belay.sandbox (
  run text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, key text NOT NULL, provider text NOT NULL,
  until bigint, leased bigint NOT NULL DEFAULT 0, PRIMARY KEY (run, name)
);`;
