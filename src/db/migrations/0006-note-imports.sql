-- What each imported note was when it was last imported: a digest of what the file said and one of what was stored, so
-- that a repeat can tell who changed it since, the file or the owner.
CREATE TABLE note_imports (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  file_hash TEXT NOT NULL,
  note_hash TEXT NOT NULL
) STRICT;
