-- The workspaces that are being erased. The row comes before the first step and goes with the last, so that an erasure goes
-- on after a crash. `forget`: the workspace itself goes as well, not only what it holds.
CREATE TABLE erasures (
  workspace TEXT PRIMARY KEY,
  forget    INTEGER NOT NULL CHECK (forget IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Where a tenth of a segment's rows were deleted, SQLite would merge it within the deletes, for hundreds of milliseconds: a
-- job looks after that.
INSERT INTO notes_stems (notes_stems, rank) VALUES ('deletemerge', 0);
INSERT INTO notes_words (notes_words, rank) VALUES ('deletemerge', 0);
INSERT INTO notes_trigrams (notes_trigrams, rank) VALUES ('deletemerge', 0);
INSERT INTO notes_pairs (notes_pairs, rank) VALUES ('deletemerge', 0);
