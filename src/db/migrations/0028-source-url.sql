-- The page that a note or a task came from, at most 2,000 characters: as facts have it since 0027.
ALTER TABLE notes ADD COLUMN source_url TEXT;
ALTER TABLE tasks ADD COLUMN source_url TEXT;
