-- One index for all that can be found. See src/search/ and docs/decisions/0028.

-- The states of notes, tasks and facts: whatever changes the text of one makes it another document. Pending: not yet in
-- a segment, since that is written after the commit, in steps.
CREATE TABLE search_docs (
  doc       INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  type      TEXT NOT NULL CHECK (type IN ('note', 'task', 'fact')),
  key       INTEGER NOT NULL,
  pending   INTEGER NOT NULL,
  UNIQUE (workspace, type, key)
) STRICT;

CREATE INDEX search_docs_pending ON search_docs (workspace, doc) WHERE pending = 1;

-- Documents in segments that stand for nothing any more; merging leaves them out.
CREATE TABLE search_dead (
  workspace TEXT NOT NULL,
  doc       INTEGER NOT NULL,
  PRIMARY KEY (workspace, doc)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER search_docs_deleted AFTER DELETE ON search_docs WHEN OLD.pending = 0 BEGIN
  INSERT INTO search_dead (workspace, doc) VALUES (OLD.workspace, OLD.doc);
END;

-- Documents that were indexed together. While its terms are being written or thrown away a segment is not ready.
CREATE TABLE search_segments (
  segment   INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  ready     INTEGER NOT NULL,
  first_doc INTEGER NOT NULL,
  last_doc  INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  -- The numbers, types and lengths of its documents, and the languages that their words were stemmed by.
  content   BLOB NOT NULL,
  languages TEXT NOT NULL
) STRICT;

CREATE INDEX search_segments_by_workspace ON search_segments (workspace, first_doc);
CREATE INDEX search_segments_unready ON search_segments (segment) WHERE ready = 0;

-- The terms of a segment with all that is known of each, several hundred in a row: see src/search/blocks.ts.
CREATE TABLE search_blocks (
  segment INTEGER NOT NULL,
  -- The first of its terms.
  first   TEXT NOT NULL,
  -- The terms ascending by code points, a line feed before each and behind the last.
  terms   TEXT NOT NULL,
  -- For each term in how many documents it stands, and how many bytes of the next two are about it.
  sizes   BLOB NOT NULL,
  counts  BLOB NOT NULL,
  places  BLOB NOT NULL,
  PRIMARY KEY (segment, first)
) STRICT, WITHOUT ROWID;
