-- Each table has the workspace of its rows, as PostgreSQL needs it in every key. It stands before the texts, since SQLite
-- reads a row up to the column that is wanted. The tables are written anew: adding a column rewrites every row as well.
CREATE TABLE bodies (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  body      TEXT NOT NULL,
  -- See migration 0035.
  front_matter TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO bodies (key, workspace, body, front_matter)
  SELECT key, workspace, body, front_matter FROM note_bodies JOIN notes USING (key) ORDER BY key;
-- It takes its triggers with it; without them no note counts as changed here.
DROP TABLE note_bodies;
ALTER TABLE bodies RENAME TO note_bodies;

CREATE TRIGGER search_note_written AFTER INSERT ON note_bodies BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'note' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, (SELECT doc FROM search_numbers WHERE workspace = NEW.workspace), 'note', key, 1
    FROM notes WHERE key = NEW.key AND deleted_at IS NULL;
END;

CREATE TRIGGER search_note_body AFTER UPDATE OF body ON note_bodies WHEN NEW.body IS NOT OLD.body BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'note' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, (SELECT doc FROM search_numbers WHERE workspace = NEW.workspace), 'note', key, 1
    FROM notes WHERE key = NEW.key AND deleted_at IS NULL;
END;

CREATE TABLE imports (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  file_hash TEXT NOT NULL,
  note_hash TEXT NOT NULL
) STRICT;
INSERT INTO imports (key, workspace, file_hash, note_hash)
  SELECT key, workspace, file_hash, note_hash FROM note_imports JOIN notes USING (key) ORDER BY key;
DROP TABLE note_imports;
ALTER TABLE imports RENAME TO note_imports;

CREATE TABLE revision_bodies (
  workspace TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  revision  INTEGER NOT NULL,
  body      BLOB NOT NULL,
  PRIMARY KEY (key, revision)
) STRICT;
INSERT INTO revision_bodies (workspace, key, revision, body)
  SELECT notes.workspace, old.key, old.revision, old.body FROM note_revision_bodies AS old CROSS JOIN notes ON notes.key = old.key;
DROP TABLE note_revision_bodies;
ALTER TABLE revision_bodies RENAME TO note_revision_bodies;

CREATE TABLE blocks (
  workspace TEXT NOT NULL,
  segment   INTEGER NOT NULL,
  -- For the columns see migration 0019.
  first     TEXT NOT NULL,
  terms     TEXT NOT NULL,
  sizes     BLOB NOT NULL,
  counts    BLOB NOT NULL,
  places    BLOB NOT NULL,
  PRIMARY KEY (segment, first)
) STRICT, WITHOUT ROWID;
INSERT INTO blocks (workspace, segment, first, terms, sizes, counts, places)
  SELECT workspace, segment, first, terms, sizes, counts, places FROM search_blocks JOIN search_segments USING (segment)
  ORDER BY segment, first;
DROP TABLE search_blocks;
ALTER TABLE blocks RENAME TO search_blocks;

CREATE TABLE calendar_rests (
  task      INTEGER PRIMARY KEY REFERENCES tasks (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  -- For the columns see migration 0008.
  rest      TEXT NOT NULL,
  priority_read INTEGER,
  file_hash TEXT NOT NULL,
  task_hash TEXT NOT NULL
) STRICT;
INSERT INTO calendar_rests (task, workspace, rest, priority_read, file_hash, task_hash)
  SELECT task, workspace, rest, priority_read, file_hash, task_hash FROM task_calendar_rests JOIN tasks ON tasks.key = task
  ORDER BY task;
DROP TABLE task_calendar_rests;
ALTER TABLE calendar_rests RENAME TO task_calendar_rests;

-- With the workspace in them, its rows would be read five times as long by the indexes: they hold labels and tasks alone.
CREATE TABLE label_uses (
  workspace TEXT NOT NULL,
  label     INTEGER NOT NULL REFERENCES task_labels (key) ON DELETE CASCADE,
  task      INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  PRIMARY KEY (label, task)
) STRICT;
INSERT INTO label_uses (workspace, label, task)
  SELECT workspace, label, task FROM task_label_uses JOIN task_labels ON task_labels.key = label ORDER BY label, task;
DROP TABLE task_label_uses;
ALTER TABLE label_uses RENAME TO task_label_uses;
CREATE INDEX task_label_uses_by_task ON task_label_uses (task, label);

-- The file of a run's report, compressed with Zstandard, where other processes ask for it; NULL where one has the file.
ALTER TABLE import_runs ADD COLUMN report BLOB;
