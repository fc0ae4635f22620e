/** The tables of an index. */

/** Raise it with every change of the analysis or of this schema: older files are made again. */
export const VERSION = 2
/** The weights of title, tags and body by which FTS5 chooses the candidates, as written and by their stems. */
const WEIGHTS = '10.0, 5.0, 1.0, 10.0, 5.0, 1.0'
/** The columns of title, tags and body: the words, and all other terms. */
export const COLUMNS = ['title', 'tags', 'body', 'title_also', 'tags_also', 'body_also'] as const

export const SCHEMA = `
  PRAGMA page_size = 4096;
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = ON;
  BEGIN;
  CREATE TABLE state (
    version   INTEGER NOT NULL,
    -- The last change of the feed that is in the index.
    seq       INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    -- The number of words of all titles, tags and bodies, as JSON.
    lengths   TEXT NOT NULL,
    -- The languages in which words were stemmed.
    languages TEXT NOT NULL,
    -- How often forms were dropped: a vocabulary in memory is then read again.
    dropped   INTEGER NOT NULL
  ) STRICT;
  INSERT INTO state VALUES (${VERSION}, 0, 0, '[0,0,0]', '', 0);
  -- doc: the seq of the change with its present text, so that a later text has a higher number.
  CREATE TABLE docs (
    doc   INTEGER PRIMARY KEY,
    type  INTEGER NOT NULL,
    key   INTEGER NOT NULL,
    id    BLOB NOT NULL,
    seq   INTEGER NOT NULL,
    hash  INTEGER NOT NULL,
    forms BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX docs_by_id ON docs (id, type);
  CREATE UNIQUE INDEX docs_by_key ON docs (type, key);
  -- docs: the number of documents that have the form.
  CREATE TABLE forms (
    form INTEGER PRIMARY KEY,
    word TEXT NOT NULL,
    also TEXT NOT NULL,
    docs INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX forms_by_word ON forms (word);
  CREATE TABLE terms (term TEXT NOT NULL, form INTEGER NOT NULL, PRIMARY KEY (term, form)) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5(${COLUMNS.join(', ')}, content = '', tokenize = 'ascii');
  -- What is deleted is overwritten, instead of being left to a later merge.
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
  INSERT INTO words (words, rank) VALUES ('rank', 'bm25(${WEIGHTS})');
  COMMIT;`
