-- The properties of living notes: a row for each value, of a list for each of its items. SQLite folds ASCII alone: what is
-- there already is found by its other letters as sent, until the note is written again.
CREATE TABLE note_properties (
  workspace TEXT NOT NULL,
  -- Folded, as are values.
  name      TEXT NOT NULL,
  value     TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  -- If the value is a number or reads as one.
  number    REAL,
  PRIMARY KEY (workspace, name, value, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_properties_by_note ON note_properties (key);

INSERT OR IGNORE INTO note_properties (workspace, name, value, key, number)
  SELECT workspace, name, CASE type WHEN 'true' THEN type WHEN 'false' THEN type WHEN 'object' THEN '' WHEN 'array' THEN ''
      ELSE substr(lower(value), 1, 200) END,
    key, CASE WHEN type IN ('integer', 'real') THEN value END
  FROM (
    SELECT notes.workspace, notes.key, lower(property.key) AS name, item.value,
      CASE property.type WHEN 'array' THEN item.type ELSE property.type END AS type
    FROM notes, json_each(notes.properties) AS property,
      json_each(CASE property.type WHEN 'array' THEN property.value ELSE json_array(property.value) END) AS item
    WHERE notes.deleted_at IS NULL AND notes.properties <> '{}'
  )
  WHERE type <> 'null';
