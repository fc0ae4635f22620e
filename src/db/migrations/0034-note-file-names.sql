-- The name of the file that a note came from, with its extension. Links find the note by it before they look for a title;
-- null: the title does both. Kinds of names in note_names from now on: `name` (step 2) and `folder/name` (1) are those of
-- the file, else the title; the title of a note with a file name is 5, with its folder 4.
ALTER TABLE notes ADD COLUMN file_name TEXT;

-- Names and targets of links are compared without `.md` from now on, so that `[[Trip.md]]` leads to the note Trip; and
-- `[[/Trip]]` leads to the one in the root.
CREATE TABLE renamed_keys (workspace TEXT NOT NULL, name_key TEXT NOT NULL, PRIMARY KEY (workspace, name_key)) WITHOUT ROWID;
INSERT OR IGNORE INTO renamed_keys
  SELECT workspace, rtrim(substr(name_key, 1, length(name_key) - 3)) FROM note_names WHERE name_key GLOB '*[^/].md'
  UNION SELECT workspace, rtrim(substr(target_key, 1, length(target_key) - 3)) FROM note_links WHERE target_key GLOB '*[^/].md'
  UNION SELECT workspace, rtrim(substr(name_key, 1, length(name_key) - 9)) FROM note_names WHERE name_key GLOB '*[^/].markdown'
  UNION SELECT workspace, rtrim(substr(target_key, 1, length(target_key) - 9)) FROM note_links WHERE target_key GLOB '*[^/].markdown'
  UNION SELECT workspace, target_key FROM note_links WHERE target_key GLOB '/*';
UPDATE OR REPLACE note_names SET name_key = rtrim(substr(name_key, 1, length(name_key) - 3)) WHERE name_key GLOB '*[^/].md';
UPDATE OR REPLACE note_names SET name_key = rtrim(substr(name_key, 1, length(name_key) - 9)) WHERE name_key GLOB '*[^/].markdown';
UPDATE OR REPLACE note_former_names SET name_key = rtrim(substr(name_key, 1, length(name_key) - 3)) WHERE name_key GLOB '*[^/].md';
UPDATE OR REPLACE note_former_names SET name_key = rtrim(substr(name_key, 1, length(name_key) - 9)) WHERE name_key GLOB '*[^/].markdown';
UPDATE OR REPLACE note_links SET target_key = rtrim(substr(target_key, 1, length(target_key) - 3)) WHERE target_key GLOB '*[^/].md';
UPDATE OR REPLACE note_links SET target_key = rtrim(substr(target_key, 1, length(target_key) - 9)) WHERE target_key GLOB '*[^/].markdown';

UPDATE note_links AS w SET resolved = coalesce(
  (SELECT key FROM note_names WHERE workspace = w.workspace AND name_key = target_key AND step = 1
    ORDER BY folder_length, id LIMIT 1),
  (SELECT key FROM note_names WHERE workspace = w.workspace AND name_key = folder_key || '/' || target_key AND step = 1
    AND folder_length = length(folder_key) ORDER BY id LIMIT 1),
  (SELECT key FROM note_names WHERE workspace = w.workspace AND name_key = target_key AND step IN (2, 3)
    ORDER BY step, folder_length, id LIMIT 1))
  WHERE (workspace, target_key) IN (SELECT workspace, name_key FROM renamed_keys);

UPDATE notes SET
  links_out = (SELECT count(*) FROM note_links WHERE source = notes.key),
  links_unresolved = (SELECT count(*) FROM note_links WHERE source = notes.key AND resolved IS NULL),
  links_in = (SELECT count(DISTINCT source) FROM note_links WHERE resolved = notes.key),
  computed_revision = computed_revision + 1
  WHERE workspace IN (SELECT workspace FROM renamed_keys) AND (
    links_out <> (SELECT count(*) FROM note_links WHERE source = notes.key)
    OR links_unresolved <> (SELECT count(*) FROM note_links WHERE source = notes.key AND resolved IS NULL)
    OR links_in <> (SELECT count(DISTINCT source) FROM note_links WHERE resolved = notes.key));
DROP TABLE renamed_keys;
