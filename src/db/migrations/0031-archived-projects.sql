-- Lists and agendas leave out the tasks of archived projects, which may be most of a workspace: each index that they
-- walk holds the project, so that no row is read to find out.
CREATE INDEX task_projects_archived ON task_projects (workspace, id) WHERE archived_at IS NOT NULL;
DROP INDEX tasks_by_due;
CREATE INDEX tasks_by_due ON tasks (workspace, closed, due_key, id, due_tz, title, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_start;
CREATE INDEX tasks_by_start ON tasks (workspace, closed, start_key, id, start_tz, title, project_id)
  WHERE deleted_at IS NULL;
DROP INDEX tasks_by_urgency;
CREATE INDEX tasks_by_urgency ON tasks (workspace, closed, urgency, id, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_position;
CREATE INDEX tasks_by_position ON tasks (workspace, closed, position, id, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_created;
CREATE INDEX tasks_by_created ON tasks (workspace, closed, created_at, id, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_updated;
CREATE INDEX tasks_by_updated ON tasks (workspace, closed, updated_at, id, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_by_title;
CREATE INDEX tasks_by_title ON tasks (workspace, closed, title_key, id, project_id) WHERE deleted_at IS NULL;
DROP INDEX tasks_repeating;
CREATE INDEX tasks_repeating ON tasks (workspace, due_key, start_key, recurrence_mode, due_tz, start_tz, rrule,
  recurrence_skip, anchor, exdates, rdates, moved, id, title, project_id)
  WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
DROP INDEX tasks_reminding;
CREATE INDEX tasks_reminding ON tasks (workspace, key, project_id)
  WHERE reminders <> '[]' AND deleted_at IS NULL AND closed = 0;

-- Where a task was before its project was deleted and it went to the inbox; null once it has been moved since.
ALTER TABLE tasks ADD COLUMN former_project_id TEXT;
ALTER TABLE tasks ADD COLUMN former_section_id TEXT;
CREATE INDEX tasks_by_former_project ON tasks (workspace, former_project_id, position, id)
  WHERE former_project_id IS NOT NULL;

-- The time zone and the language that requests have which name none. No row: UTC and English.
CREATE TABLE workspace_settings (
  workspace  TEXT PRIMARY KEY,
  revision   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  time_zone  TEXT,
  language   TEXT,
  size_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
