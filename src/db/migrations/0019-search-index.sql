-- One index for all that can be found. See src/search/ and docs/decisions/0008.

-- The states of notes, tasks and facts: whatever changes the text of one makes it another document. Pending: not yet in
-- a segment, since that is written after the commit, in steps.
CREATE TABLE search_docs (
  workspace TEXT NOT NULL,
  -- Counted in each workspace: cursors hold it, and must not tell how much others write.
  doc       INTEGER NOT NULL,
  type      TEXT NOT NULL CHECK (type IN ('note', 'task', 'fact')),
  key       INTEGER NOT NULL,
  pending   INTEGER NOT NULL,
  PRIMARY KEY (workspace, doc),
  UNIQUE (workspace, type, key)
) STRICT, WITHOUT ROWID;

-- The number that a workspace's newest document has, or had. It outlives what is erased: no number is given twice, or what
-- was being indexed meanwhile would stand for something else.
CREATE TABLE search_numbers (
  workspace TEXT PRIMARY KEY,
  doc       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER search_numbers_forgotten AFTER DELETE ON workspaces BEGIN
  DELETE FROM search_numbers WHERE workspace = OLD.id;
END;

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

-- Workspaces in which something was erased for good, and how often: its terms are to leave the segments soon.
CREATE TABLE search_erased (
  workspace TEXT PRIMARY KEY,
  times     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- Whatever writes, the row of a document tells that its text is another now; no code can forget it.
CREATE TRIGGER search_note_written AFTER INSERT ON note_bodies BEGIN
  DELETE FROM search_docs WHERE type = 'note' AND key = NEW.key
    AND workspace = (SELECT workspace FROM notes WHERE key = NEW.key);
  INSERT INTO search_numbers (workspace, doc) SELECT workspace, 1 FROM notes WHERE key = NEW.key
    ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, (SELECT doc FROM search_numbers WHERE workspace = notes.workspace), 'note', key, 1
    FROM notes WHERE key = NEW.key AND deleted_at IS NULL;
END;

CREATE TRIGGER search_note_body AFTER UPDATE OF body ON note_bodies WHEN NEW.body IS NOT OLD.body BEGIN
  DELETE FROM search_docs WHERE type = 'note' AND key = NEW.key
    AND workspace = (SELECT workspace FROM notes WHERE key = NEW.key);
  INSERT INTO search_numbers (workspace, doc) SELECT workspace, 1 FROM notes WHERE key = NEW.key
    ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, (SELECT doc FROM search_numbers WHERE workspace = notes.workspace), 'note', key, 1
    FROM notes WHERE key = NEW.key AND deleted_at IS NULL;
END;

CREATE TRIGGER search_note_changed AFTER UPDATE OF title, tags, deleted_at ON notes
WHEN NEW.title IS NOT OLD.title OR NEW.tags IS NOT OLD.tags OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'note' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'note', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace AND NEW.deleted_at IS NULL;
END;

CREATE TRIGGER search_note_erased AFTER DELETE ON notes BEGIN
  DELETE FROM search_docs WHERE workspace = OLD.workspace AND type = 'note' AND key = OLD.key;
  INSERT INTO search_erased (workspace, times) VALUES (OLD.workspace, 1)
    ON CONFLICT (workspace) DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER search_task_written AFTER INSERT ON tasks WHEN NEW.deleted_at IS NULL BEGIN
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'task', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace;
END;

CREATE TRIGGER search_task_changed AFTER UPDATE OF title, notes, labels, deleted_at ON tasks
WHEN NEW.title IS NOT OLD.title OR NEW.notes IS NOT OLD.notes OR NEW.labels IS NOT OLD.labels
  OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'task' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'task', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace AND NEW.deleted_at IS NULL;
END;

CREATE TRIGGER search_task_erased AFTER DELETE ON tasks BEGIN
  DELETE FROM search_docs WHERE workspace = OLD.workspace AND type = 'task' AND key = OLD.key;
  INSERT INTO search_erased (workspace, times) VALUES (OLD.workspace, 1)
    ON CONFLICT (workspace) DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER search_fact_written AFTER INSERT ON study_facts WHEN NEW.trashed_at IS NULL BEGIN
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'fact', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace;
END;

CREATE TRIGGER search_fact_changed AFTER UPDATE OF front, back, text, extra, hint, accepted, tags, trashed_at ON study_facts
WHEN NEW.front IS NOT OLD.front OR NEW.back IS NOT OLD.back OR NEW.text IS NOT OLD.text OR NEW.extra IS NOT OLD.extra
  OR NEW.hint IS NOT OLD.hint OR NEW.accepted IS NOT OLD.accepted OR NEW.tags IS NOT OLD.tags
  OR (NEW.trashed_at IS NULL) <> (OLD.trashed_at IS NULL) BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'fact' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'fact', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace AND NEW.trashed_at IS NULL;
END;

CREATE TRIGGER search_fact_erased AFTER DELETE ON study_facts BEGIN
  DELETE FROM search_docs WHERE workspace = OLD.workspace AND type = 'fact' AND key = OLD.key;
  INSERT INTO search_erased (workspace, times) VALUES (OLD.workspace, 1)
    ON CONFLICT (workspace) DO UPDATE SET times = times + 1;
END;

-- A workspace that is gone itself leaves not even its number; one that was emptied goes on counting, for its cursors.
CREATE TRIGGER search_workspace_gone AFTER DELETE ON workspaces BEGIN
  DELETE FROM search_numbers WHERE workspace = OLD.id;
END;

-- What there is is indexed in steps, while the server answers.
INSERT INTO search_docs (workspace, doc, type, key, pending)
  SELECT workspace, row_number() OVER (PARTITION BY workspace ORDER BY written, type, key), type, key, 1 FROM (
    SELECT workspace, 'note' AS type, key, updated_at AS written FROM notes WHERE deleted_at IS NULL
    UNION ALL SELECT workspace, 'task', key, updated_at FROM tasks WHERE deleted_at IS NULL
    UNION ALL SELECT workspace, 'fact', key, updated_at FROM study_facts WHERE trashed_at IS NULL
  );
INSERT INTO search_numbers (workspace, doc) SELECT workspace, max(doc) FROM search_docs GROUP BY workspace;

DROP TABLE note_docs;
DROP TABLE notes_words;
DROP TABLE notes_trigrams;
DROP TABLE notes_pairs;
DROP TABLE notes_stems;
DROP TRIGGER note_docs_updated;
DROP TRIGGER note_shelves_emptied;
DROP TABLE note_shelves;
DROP TRIGGER search_texts_of_task;
DROP TRIGGER search_texts_of_fact;
DROP TABLE search_texts;
DELETE FROM facts WHERE name = 'full_text_erased';
