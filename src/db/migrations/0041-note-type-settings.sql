-- JSON: what else Anki has of the note type, such as fonts and LaTeX, for exports; see NoteTypeSettings. Null if it is
-- not known. It is not part of the hash.
ALTER TABLE flashcard_note_types ADD COLUMN settings TEXT;
