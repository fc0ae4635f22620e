-- The pinned notes of a workspace, mostly few among many: to find them, all notes were walked.
CREATE INDEX notes_pinned ON notes (workspace, updated_at, id) WHERE pinned = 1 AND deleted_at IS NULL;
