-- Every name that a living note answers to in a link: its id (step 0), its folder and title (1), its title (2), its
-- aliases (3). The primary key is the order in which names are tried, so the first row of a step is the answer.
CREATE TABLE note_names (
  workspace     TEXT NOT NULL,
  -- As titles are compared. A path is `folder/title`, without a folder `/title`; an id is `note:id`.
  name_key      TEXT NOT NULL,
  step          INTEGER NOT NULL,
  folder_length INTEGER NOT NULL,
  id            TEXT NOT NULL,
  key           INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, name_key, step, folder_length, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_names_by_note ON note_names (key);

-- The links of living notes, one row for each distinct target of a note.
CREATE TABLE note_links (
  source     INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  target_key TEXT NOT NULL,
  workspace  TEXT NOT NULL,
  -- The target as the note spells it first.
  target     TEXT NOT NULL,
  -- The folder of the source, as names are compared: with the target it decides what the link leads to.
  folder_key TEXT NOT NULL,
  -- Where its first links stand, in code points: [start, end, start, end, …].
  places     TEXT NOT NULL,
  -- The key of the note that answers; null while none does.
  resolved   INTEGER,
  PRIMARY KEY (source, target_key)
) STRICT, WITHOUT ROWID;

-- What must be resolved again when a name comes or goes; who links to a note; what nothing answers to.
CREATE INDEX note_links_by_target ON note_links (workspace, target_key, folder_key, resolved);
CREATE INDEX note_links_by_note ON note_links (resolved, source) WHERE resolved IS NOT NULL;
CREATE INDEX note_links_unresolved ON note_links (workspace, target_key, source, resolved) WHERE resolved IS NULL;
