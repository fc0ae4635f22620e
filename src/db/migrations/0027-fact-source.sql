-- Facts say where they came from and which notes they belong to as notes and tasks do. What Anki calls a fact began with
-- `anki:`; any other name was given by a caller or a file, which is `external` from now on.
DROP INDEX study_facts_by_external_id;
DROP INDEX study_facts_by_note;
ALTER TABLE study_facts RENAME COLUMN external_id TO source_id;
-- At most 50 characters; null if and only if `source_id` is, which has at most 500. `source_url` may be without them.
ALTER TABLE study_facts ADD COLUMN source_system TEXT;
-- JSON array of at most 20 ids.
ALTER TABLE study_facts ADD COLUMN note_ids TEXT NOT NULL DEFAULT '[]';

-- Which facts belong to which note, also those in the trash: a note that is erased for good leaves them.
CREATE TABLE study_fact_note_uses (
  workspace TEXT NOT NULL,
  note_id   TEXT NOT NULL,
  fact      INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, note_id, fact)
) STRICT, WITHOUT ROWID;

CREATE INDEX study_fact_note_uses_by_fact ON study_fact_note_uses (fact);

INSERT INTO study_fact_note_uses (workspace, note_id, fact)
  SELECT workspace, source_note_id, key FROM study_facts WHERE source_note_id IS NOT NULL;

-- The bytes of a fact count its notes and its system as well, and `anki:` no more: those of its workspace follow.
UPDATE workspaces SET size_bytes = size_bytes
  - (SELECT coalesce(sum(size_bytes), 0) FROM study_facts WHERE workspace = workspaces.id);
UPDATE study_facts SET
  note_ids = iif(source_note_id IS NULL, '[]', json_array(source_note_id)),
  source_system = CASE WHEN source_id IS NULL THEN NULL WHEN source_id GLOB 'anki:?*' THEN 'anki' ELSE 'external' END,
  source_id = iif(source_id GLOB 'anki:?*', substr(source_id, 6), source_id),
  size_bytes = size_bytes + iif(source_note_id IS NULL, 2, octet_length(json_array(source_note_id)))
    + CASE WHEN source_id IS NULL THEN 0 WHEN source_id GLOB 'anki:?*' THEN -1 ELSE 8 END;
UPDATE workspaces SET size_bytes = size_bytes
  + (SELECT coalesce(sum(size_bytes), 0) FROM study_facts WHERE workspace = workspaces.id);

ALTER TABLE study_facts DROP COLUMN source_note_id;
-- What was imported once is known again, also while it is in the trash.
CREATE UNIQUE INDEX study_facts_by_source ON study_facts (workspace, source_system, source_id) WHERE source_system IS NOT NULL;
