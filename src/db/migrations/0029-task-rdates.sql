-- Dates that a task's rule does not name, a JSON array as `exdates` is one.
ALTER TABLE tasks ADD COLUMN rdates TEXT NOT NULL DEFAULT '[]';

-- As in 0016, with these.
DROP INDEX tasks_repeating;
CREATE INDEX tasks_repeating ON tasks (workspace, due_key, start_key, recurrence_mode, due_tz, start_tz, rrule,
  recurrence_skip, anchor, exdates, rdates, id, title) WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
