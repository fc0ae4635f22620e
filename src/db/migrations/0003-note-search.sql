-- Search of notes. Nothing was released before this migration, so there are no notes to index here.

-- Where each workspace's notes stand in the full text tables: rows shelf * 2^30 + 1 and on. A search reads a range of
-- rows and so never walks another workspace's. 2^23 shelves fit into the integers that JavaScript keeps exact.
CREATE TABLE note_shelves (
  shelf     INTEGER PRIMARY KEY CHECK (shelf < 8388608),
  workspace TEXT NOT NULL UNIQUE
) STRICT;

-- The full text row of each living note. It is a new one, the shelf's last, whenever the text changes: so a walk from
-- the end of the shelf finds the notes written last first.
CREATE TABLE note_docs (
  doc         INTEGER PRIMARY KEY,
  key         INTEGER NOT NULL UNIQUE REFERENCES notes (key) ON DELETE CASCADE,
  has_code    INTEGER NOT NULL,
  has_heading INTEGER NOT NULL
) STRICT;

-- All three hold text that is folded already and, where words count, cleared of all but words: what is a letter must not
-- depend on the tables that SQLite was built with.
CREATE VIRTUAL TABLE notes_words USING fts5 (
  title, tags, body,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);

CREATE VIRTUAL TABLE notes_trigrams USING fts5 (
  title, tags, body,
  content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);

-- The characters and pairs of characters that a note holds, and those that its words begin with, for what is too short
-- for trigrams. Each is there once for each column: where it stands does not matter.
CREATE VIRTUAL TABLE notes_pairs USING fts5 (
  title, tags, body,
  content = '', contentless_delete = 1, tokenize = 'ascii', detail = column
);

-- As with the stems: a job merges.
INSERT INTO notes_words (notes_words, rank) VALUES ('usermerge', 8), ('automerge', 64), ('crisismerge', 1999);
INSERT INTO notes_trigrams (notes_trigrams, rank) VALUES ('usermerge', 8), ('automerge', 64), ('crisismerge', 1999);
INSERT INTO notes_pairs (notes_pairs, rank) VALUES ('usermerge', 8), ('automerge', 64), ('crisismerge', 1999);

-- However a note goes, its full text goes along.
CREATE TRIGGER note_docs_deleted AFTER DELETE ON note_docs BEGIN
  DELETE FROM notes_words WHERE rowid = OLD.doc;
  DELETE FROM notes_trigrams WHERE rowid = OLD.doc;
  DELETE FROM notes_pairs WHERE rowid = OLD.doc;
END;

CREATE TRIGGER note_shelves_emptied AFTER DELETE ON workspaces BEGIN
  DELETE FROM note_shelves WHERE workspace = OLD.id;
END;
