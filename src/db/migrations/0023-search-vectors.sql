-- What texts mean, as vectors of their passages. See src/search/meaning/ and docs/decisions/0008. Empty where no encoder is set.

-- Of a document, as 8-bit numbers. It goes with the document: whatever changes a text makes it another document, and
-- what is in the trash has none.
CREATE TABLE search_vectors (
  workspace  TEXT NOT NULL,
  doc        INTEGER NOT NULL,
  -- Passage by passage.
  vectors    BLOB NOT NULL,
  -- What it and its row in search_codes count towards the quota.
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (workspace, doc),
  FOREIGN KEY (workspace, doc) REFERENCES search_docs (workspace, doc) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The signs of the same numbers, a bit each: small enough for a search to go through all of a workspace.
CREATE TABLE search_codes (
  workspace TEXT NOT NULL,
  doc       INTEGER NOT NULL,
  codes     BLOB NOT NULL,
  PRIMARY KEY (workspace, doc),
  FOREIGN KEY (workspace, doc) REFERENCES search_vectors (workspace, doc) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER search_vectors_dropped AFTER DELETE ON search_vectors BEGIN
  UPDATE workspaces SET size_bytes = size_bytes - OLD.size_bytes WHERE id = OLD.workspace;
END;

-- The model that made the vectors of a workspace, and up to which document all have what they are to have.
CREATE TABLE search_models (
  workspace TEXT PRIMARY KEY,
  model     TEXT NOT NULL,
  done      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER search_models_forgotten AFTER DELETE ON workspaces BEGIN
  DELETE FROM search_models WHERE workspace = OLD.id;
END;
