-- What follows the last slash of a target that names a file, such as `map.png`; null for the target of a note. A file of
-- that name answers to the link.
ALTER TABLE note_links ADD COLUMN file_key TEXT;
UPDATE note_links SET file_key = replace(target_key, rtrim(target_key, replace(target_key, '/', '')), '')
  WHERE target_key LIKE '%.avif' OR target_key LIKE '%.bmp' OR target_key LIKE '%.gif' OR target_key LIKE '%.heic' OR target_key LIKE '%.ico' OR target_key LIKE '%.jpeg'
    OR target_key LIKE '%.jpg' OR target_key LIKE '%.png' OR target_key LIKE '%.svg' OR target_key LIKE '%.tif' OR target_key LIKE '%.tiff' OR target_key LIKE '%.webp'
    OR target_key LIKE '%.flac' OR target_key LIKE '%.m4a' OR target_key LIKE '%.mp3' OR target_key LIKE '%.oga' OR target_key LIKE '%.ogg' OR target_key LIKE '%.opus'
    OR target_key LIKE '%.wav' OR target_key LIKE '%.3gp' OR target_key LIKE '%.mkv' OR target_key LIKE '%.mov' OR target_key LIKE '%.mp4' OR target_key LIKE '%.ogv'
    OR target_key LIKE '%.webm' OR target_key LIKE '%.pdf' OR target_key LIKE '%.base' OR target_key LIKE '%.canvas' OR target_key LIKE '%.csv' OR target_key LIKE '%.doc'
    OR target_key LIKE '%.docx' OR target_key LIKE '%.epub' OR target_key LIKE '%.excalidraw' OR target_key LIKE '%.gz' OR target_key LIKE '%.htm' OR target_key LIKE '%.html'
    OR target_key LIKE '%.ics' OR target_key LIKE '%.json' OR target_key LIKE '%.odp' OR target_key LIKE '%.ods' OR target_key LIKE '%.odt' OR target_key LIKE '%.ppt'
    OR target_key LIKE '%.pptx' OR target_key LIKE '%.rtf' OR target_key LIKE '%.tar' OR target_key LIKE '%.txt' OR target_key LIKE '%.xls' OR target_key LIKE '%.xlsx'
    OR target_key LIKE '%.xml' OR target_key LIKE '%.zip';
CREATE INDEX note_links_by_file ON note_links (workspace, file_key, source) WHERE file_key IS NOT NULL;
DROP INDEX note_links_unresolved;
CREATE INDEX note_links_unresolved ON note_links (workspace, target_key, source, file_key, resolved) WHERE resolved IS NULL;

-- Files that are there are no unresolved links from now on.
UPDATE notes SET links_unresolved = (SELECT count(*) FROM note_links WHERE source = notes.key AND resolved IS NULL
    AND NOT (file_key IS NOT NULL AND EXISTS (SELECT 1 FROM note_attachments
      WHERE note_attachments.workspace = note_links.workspace AND name_key = file_key))),
  computed_revision = computed_revision + 1
  WHERE key IN (SELECT source FROM note_attachments CROSS JOIN note_links
    WHERE note_links.workspace = note_attachments.workspace AND file_key = name_key AND resolved IS NULL);
