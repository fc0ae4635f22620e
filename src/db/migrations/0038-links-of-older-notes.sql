-- Notes whose links a job has still to read again: Markdown links, and links to files, were not kept before.
CREATE TABLE notes_to_reread (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL
) STRICT;
CREATE INDEX notes_to_reread_by_workspace ON notes_to_reread (workspace);
INSERT INTO notes_to_reread SELECT key, workspace FROM notes WHERE deleted_at IS NULL;
