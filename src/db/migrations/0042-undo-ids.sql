-- Undos of agents' changes, which are found by an id as well.
-- An id that an agent was given; null for what an answer of chat did.
ALTER TABLE chat_undos ADD COLUMN undo_id TEXT;
-- For an undo that an agent asked for: the ids of what it undid, as JSON. Else null.
ALTER TABLE chat_undos ADD COLUMN undoes TEXT;
