-- An agenda shows up to 2,000 tasks, and looked up the row of each for its id and title: as many pages all over the
-- table, read anew after every write. The indexes that it walks by date hold them now.
DROP INDEX tasks_by_due;
CREATE INDEX tasks_by_due ON tasks (workspace, closed, due_key, id, due_tz, title) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_start;
CREATE INDEX tasks_by_start ON tasks (workspace, closed, start_key, id, start_tz, title) WHERE deleted_at IS NULL;
DROP INDEX tasks_repeating;
CREATE INDEX tasks_repeating ON tasks (workspace, due_key, start_key, recurrence_mode, due_tz, start_tz, rrule,
  recurrence_skip, anchor, exdates, id, title) WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
