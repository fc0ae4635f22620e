-- Tokens that runs with a language model took, by day (UTC, YYYY-MM-DD). Rows of other days are dropped with the first of a new one.
CREATE TABLE chat_tokens (
  day        TEXT NOT NULL,
  workspace  TEXT NOT NULL,
  tokens     INTEGER NOT NULL,
  PRIMARY KEY (day, workspace)
) STRICT, WITHOUT ROWID;
