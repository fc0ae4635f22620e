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
  inline_tags TEXT NOT NULL,
  pinned      INTEGER NOT NULL,
  archived_at INTEGER,
  properties  TEXT NOT NULL,
  source_system TEXT,
  source_id   TEXT,
  daily_date  TEXT,
  excerpt     TEXT NOT NULL,
  word_count  INTEGER NOT NULL,
  checklist_total INTEGER NOT NULL,
  checklist_done  INTEGER NOT NULL,
  -- Distinct targets of its links, those of them that nothing answers to, and the notes that link here.
  links_out   INTEGER NOT NULL DEFAULT 0,
  links_unresolved INTEGER NOT NULL DEFAULT 0,
  links_in    INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- One index for each sort, living notes apart from the trash.
CREATE INDEX notes_by_updated ON notes (workspace, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_created ON notes (workspace, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_title ON notes (workspace, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_folder ON notes (workspace, coalesce(folder, ''), id) WHERE deleted_at IS NULL;
CREATE INDEX notes_in_trash ON notes (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- What was imported once is known again, also while it is in the trash; a day has one living note.
CREATE UNIQUE INDEX notes_by_source ON notes (workspace, source_system, source_id) WHERE source_system IS NOT NULL;
CREATE UNIQUE INDEX notes_by_day ON notes (workspace, daily_date) WHERE daily_date IS NOT NULL AND deleted_at IS NULL;

-- Bodies stand apart, so that a list never reads past them.
CREATE TABLE note_bodies (
  key  INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT;

-- The tags of living notes, those set by the client and those in the body, folded so that case makes no difference.
CREATE TABLE note_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  tag       TEXT NOT NULL,
  explicit  INTEGER NOT NULL,
  inline    INTEGER NOT NULL,
  PRIMARY KEY (workspace, tag_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_tags_by_note ON note_tags (key);

-- Full text of living notes by the stems of their words: questions are put in other forms than their answers.
-- `workspace` is a column of the index, so that a question stays in its own workspace.
CREATE VIRTUAL TABLE notes_stems USING fts5 (
  workspace, title, body,
  content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Merging segments within a write makes it wait: a job does so in between. Only where it cannot keep up, SQLite does, at
-- 64 segments and bit by bit; all at once, in a crisis, it would hold everyone for seconds.
INSERT INTO notes_stems (notes_stems, rank) VALUES ('usermerge', 8), ('automerge', 64), ('crisismerge', 1999);
