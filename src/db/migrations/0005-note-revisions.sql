-- The history of a note: a row for each version of its content, under the revision that made it. The newest version is
-- the note as it is: its members stand in `notes`, and here they are null until the next change closes it.
CREATE TABLE note_revisions (
  workspace TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  revision  INTEGER NOT NULL,
  -- The last revision with this content; those between changed nothing that a version keeps. Null: the note as it is.
  last_revision INTEGER,
  updated_at INTEGER NOT NULL,
  label     TEXT,
  -- Grows when the label changes: the ETag of the version, whose other members never change.
  label_revision INTEGER NOT NULL DEFAULT 1,
  title     TEXT,
  folder    TEXT,
  tags      TEXT,
  properties BLOB,
  -- The revision that made its body, which it may share with versions before and after.
  body_revision INTEGER NOT NULL,
  -- In the newest version alone: when thinning has something to look at. Null: not before another change.
  thin_at   INTEGER,
  PRIMARY KEY (key, revision)
) STRICT;

CREATE UNIQUE INDEX note_revisions_newest ON note_revisions (key) WHERE last_revision IS NULL;
CREATE INDEX note_revisions_to_thin ON note_revisions (thin_at) WHERE thin_at IS NOT NULL;

-- Bodies that were replaced, once each however many versions share one.
CREATE TABLE note_revision_bodies (
  key      INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  body     BLOB NOT NULL,
  PRIMARY KEY (key, revision)
) STRICT;
