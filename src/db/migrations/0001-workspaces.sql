-- Facts about this database itself: the fingerprint of the secret that its workspaces' ids are made with.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- One row for each workspace that ever held something. The totals are kept exactly, in the transaction of each change.
CREATE TABLE workspaces (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('key', 'scratch')),
  created_at  INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  -- Changes up to this seq may have left the feed: a client that stopped there or before must start anew.
  forgotten_seq INTEGER NOT NULL DEFAULT 0,
  resources   INTEGER NOT NULL,
  size_bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The change feed: the latest change of each resource.
CREATE TABLE changes (
  workspace  TEXT NOT NULL,
  type       TEXT NOT NULL,
  id         TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  op         TEXT NOT NULL CHECK (op IN ('upsert', 'delete')),
  revision   INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, type, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX changes_by_seq ON changes (workspace, seq);

-- What a POST with an Idempotency-Key came to, so that a repeat is answered and not done again.
CREATE TABLE idempotency (
  workspace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL,
  headers     TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (workspace, created_at);
