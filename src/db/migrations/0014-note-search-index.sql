-- The pinned notes of a workspace, mostly few among many: to find them, all notes were walked.
CREATE INDEX notes_pinned ON notes (workspace, updated_at, id) WHERE pinned = 1 AND deleted_at IS NULL;

-- Of equal ranks the note changed last comes first. Here that is told by rows of 20 bytes, not by the notes themselves.
ALTER TABLE note_docs ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
UPDATE note_docs SET changed_at = (SELECT updated_at FROM notes WHERE notes.key = note_docs.key);

CREATE TRIGGER note_docs_updated AFTER UPDATE OF updated_at ON notes WHEN NEW.updated_at <> OLD.updated_at BEGIN
  UPDATE note_docs SET changed_at = NEW.updated_at WHERE key = NEW.key;
END;
