-- The runs of imports. A row moves in the transaction of each step, so that a run goes on after a crash; what it has to
-- remember beside that is in a file of its own, and so is its report. `address`: of a scratch space, else NULL. `pass` and
-- `done`: how far it is; `counts`: JSON of what its items came to; `error`: JSON of why it failed;
-- `work`: JSON of where work that has no file goes on.
CREATE TABLE import_runs (
  id              TEXT PRIMARY KEY,
  workspace       TEXT NOT NULL,
  address         TEXT,
  kind            TEXT NOT NULL,
  params          TEXT NOT NULL,
  dry_run         INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'reading', 'running', 'done', 'failed', 'cancelled')),
  pass            INTEGER NOT NULL,
  done            INTEGER NOT NULL,
  total           INTEGER,
  counts          TEXT NOT NULL,
  facts           TEXT,
  error           TEXT,
  work            TEXT,
  idempotency_key TEXT,
  fingerprint     TEXT,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX import_runs_of_workspace ON import_runs (workspace, id);
CREATE INDEX import_runs_open ON import_runs (id) WHERE state IN ('waiting', 'reading', 'running');
CREATE INDEX import_runs_ended ON import_runs (updated_at) WHERE state IN ('done', 'failed', 'cancelled');
