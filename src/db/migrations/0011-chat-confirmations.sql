-- What chat was asked to do and does only once its caller confirms it. Of the token and the code only hashes are stored.
CREATE TABLE chat_confirmations (
  -- Grows for ever: the oldest of a workspace makes room for the newest.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  -- SHA-256 of the workspace's id and the token, and of it and the code.
  token_hash  TEXT NOT NULL UNIQUE,
  code_hash   TEXT NOT NULL,
  tool        TEXT NOT NULL,
  -- JSON, as it was checked.
  arguments   TEXT NOT NULL,
  timezone    TEXT NOT NULL,
  -- What it was told to be, for whoever cancels it.
  summary     TEXT NOT NULL,
  -- The revision of the one resource that it changes.
  revision    INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX chat_confirmations_by_workspace ON chat_confirmations (workspace, code_hash);
CREATE INDEX chat_confirmations_by_expiry ON chat_confirmations (expires_at);
