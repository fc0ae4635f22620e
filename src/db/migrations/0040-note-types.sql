-- The note types of Anki, once for each content of a workspace. They never change: another content is another row.
CREATE TABLE flashcard_note_types (
  key        INTEGER PRIMARY KEY,
  workspace  TEXT NOT NULL,
  id         TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The id in Anki, mostly milliseconds since 1970.
  anki_id    INTEGER NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('standard', 'cloze', 'image_occlusion')),
  -- JSON: names of fields, in order.
  fields     TEXT NOT NULL,
  -- JSON: [{ name, question, answer }], in order.
  templates  TEXT NOT NULL,
  css        TEXT NOT NULL,
  -- SHA-256 in hex of all of the above from anki_id on.
  hash       TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;
CREATE INDEX flashcard_note_types_by_hash ON flashcard_note_types (workspace, hash);

ALTER TABLE study_facts ADD COLUMN note_type INTEGER REFERENCES flashcard_note_types (key);
-- JSON: HTML by the name of the field. Null without a note type.
ALTER TABLE study_facts ADD COLUMN fields TEXT;
-- JSON: the ordinals of the cards of a custom fact, ascending; null for the other types, whose texts decide.
ALTER TABLE study_facts ADD COLUMN ordinals TEXT;
CREATE INDEX study_facts_by_note_type ON study_facts (note_type) WHERE note_type IS NOT NULL;

-- The check of a column can only be replaced with the column.
DROP INDEX study_facts_by_type;
ALTER TABLE study_facts ADD COLUMN checked_type TEXT NOT NULL DEFAULT 'basic'
  CHECK (checked_type IN ('basic', 'reversed', 'typed', 'cloze', 'custom'));
UPDATE study_facts SET checked_type = type WHERE type <> 'basic';
ALTER TABLE study_facts DROP COLUMN type;
ALTER TABLE study_facts RENAME COLUMN checked_type TO type;
CREATE INDEX study_facts_by_type ON study_facts (workspace, type, id);

DROP TRIGGER search_fact_changed;
CREATE TRIGGER search_fact_changed
AFTER UPDATE OF front, back, text, extra, hint, accepted, fields, tags, deleted_at ON study_facts
WHEN NEW.front IS NOT OLD.front OR NEW.back IS NOT OLD.back OR NEW.text IS NOT OLD.text OR NEW.extra IS NOT OLD.extra
  OR NEW.hint IS NOT OLD.hint OR NEW.accepted IS NOT OLD.accepted OR NEW.fields IS NOT OLD.fields
  OR NEW.tags IS NOT OLD.tags OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
  DELETE FROM search_docs WHERE workspace = NEW.workspace AND type = 'fact' AND key = NEW.key;
  INSERT INTO search_numbers (workspace, doc) VALUES (NEW.workspace, 1) ON CONFLICT (workspace) DO UPDATE SET doc = doc + 1;
  INSERT INTO search_docs (workspace, doc, type, key, pending)
    SELECT workspace, doc, 'fact', NEW.key, 1 FROM search_numbers WHERE workspace = NEW.workspace AND NEW.deleted_at IS NULL;
END;
