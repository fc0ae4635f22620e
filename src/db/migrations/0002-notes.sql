-- `key` is ours alone: the full text index needs a number for each row. Everywhere else a note is (workspace, id).
CREATE TABLE notes (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  -- Grows when something computed from other resources changes; the second half of the ETag.
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  title       TEXT NOT NULL,
  -- The title as titles are compared: NFC, lower case, white space joined.
  title_key   TEXT NOT NULL,
  folder      TEXT,
  tags        TEXT NOT NULL,
  pinned      INTEGER NOT NULL,
  archived_at INTEGER,
  properties  TEXT NOT NULL,
  excerpt     TEXT NOT NULL,
  word_count  INTEGER NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- One index for each sort, living notes apart from the trash.
CREATE INDEX notes_by_updated ON notes (workspace, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_created ON notes (workspace, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_title ON notes (workspace, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_in_trash ON notes (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Bodies stand apart, so that a list never reads past them.
CREATE TABLE note_bodies (
  key  INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT;

-- Full text of living notes. `workspace` is a column of the index, so that a search stays in its own workspace.
CREATE VIRTUAL TABLE notes_words USING fts5 (
  workspace, title, tags, body,
  content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);

-- The same texts by the stems of their words: questions are put in other forms than their answers.
CREATE VIRTUAL TABLE notes_stems USING fts5 (
  workspace, title, body,
  content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
