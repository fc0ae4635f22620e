-- The front matter of a note as its file has it, with its `---` lines: an export gives back what nobody changed, byte for
-- byte. Empty for a note that never had any. It lies beside the body, which lists do not read.
ALTER TABLE note_bodies ADD COLUMN front_matter TEXT NOT NULL DEFAULT '';
