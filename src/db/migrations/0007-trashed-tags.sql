-- The tags of notes in the trash, folded as in note_tags. They have a table of their own, so that what counts the tags in
-- use never meets them. SQLite folds ASCII alone: what is in the trash already is found by its other letters as sent.
CREATE TABLE note_trashed_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, tag_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_trashed_tags_by_note ON note_trashed_tags (key);

INSERT INTO note_trashed_tags (workspace, tag_key, key)
  SELECT workspace, lower(tag.value), notes.key FROM notes, json_each(notes.tags) AS tag WHERE deleted_at IS NOT NULL
  UNION
  SELECT workspace, lower(tag.value), notes.key FROM notes, json_each(notes.inline_tags) AS tag
  WHERE deleted_at IS NOT NULL;
