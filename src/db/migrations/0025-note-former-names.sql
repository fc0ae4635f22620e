-- Names that notes had before a rename that is under way: links are still to be spelled anew, and lead there until then. As
-- note_names; `rename` tells one rename from another. Empty where nothing is being renamed.
CREATE TABLE note_former_names (
  workspace     TEXT NOT NULL,
  name_key      TEXT NOT NULL,
  step          INTEGER NOT NULL,
  folder_length INTEGER NOT NULL,
  id            TEXT NOT NULL,
  rename        TEXT NOT NULL,
  key           INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, name_key, step, folder_length, id, rename)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_former_names_by_note ON note_former_names (key);
CREATE INDEX note_former_names_by_rename ON note_former_names (workspace, rename, key);
