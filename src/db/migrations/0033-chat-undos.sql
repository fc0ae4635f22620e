-- How to undo what an answer of chat did. Of the answer only a hash is stored.
CREATE TABLE chat_undos (
  -- Grows for ever: the oldest of a workspace makes room for the newest.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  -- SHA-256 of the workspace's id and the text of the answer.
  answer_hash TEXT NOT NULL,
  -- The requests in their order, as JSON.
  steps       TEXT NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX chat_undos_by_workspace ON chat_undos (workspace, answer_hash);
CREATE INDEX chat_undos_by_expiry ON chat_undos (expires_at);
