-- Occurrences that are due on another date than their rule's: a JSON array of { occurrence, moved_to }.
ALTER TABLE tasks ADD COLUMN moved TEXT NOT NULL DEFAULT '[]';

-- As in 0029, with these.
DROP INDEX tasks_repeating;
CREATE INDEX tasks_repeating ON tasks (workspace, due_key, start_key, recurrence_mode, due_tz, start_tz, rrule,
  recurrence_skip, anchor, exdates, rdates, moved, id, title) WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
