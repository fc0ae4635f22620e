-- `key` is ours alone: what hangs on a task is found by a number. Everywhere else a task is (workspace, id).
-- No key is given twice: a completion that is undone must not find another task under the key of one that is gone.
CREATE TABLE tasks (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  -- Grows when something computed from other tasks changes; the second half of the ETag.
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- What took it along into the trash: the id of a task above it, or of its project. Restoring that brings it back.
  trashed_with TEXT,
  title       TEXT NOT NULL,
  -- The title as titles are compared: NFC, lower case, white space joined.
  title_key   TEXT NOT NULL,
  notes       TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'cancelled')),
  -- 1 for done and cancelled: lists show what is not closed.
  closed      INTEGER NOT NULL,
  priority    INTEGER NOT NULL,
  -- Priorities as people sort them: 1 is the most urgent, 0 is none and comes last.
  urgency     INTEGER NOT NULL,
  -- A civil date, a time of day `HH:MM` or null (all day), a zone or null (floating); `_at` is the instant of a zoned time.
  due_date    TEXT,
  due_time    TEXT,
  due_tz      TEXT,
  due_at      INTEGER,
  start_date  TEXT,
  start_time  TEXT,
  start_tz    TEXT,
  start_at    INTEGER,
  -- Date and time as they are sorted: all day before any time, and `~` (after all digits) for none.
  due_key     TEXT NOT NULL,
  start_key   TEXT NOT NULL,
  duration_minutes INTEGER,
  rrule       TEXT,
  recurrence_mode TEXT CHECK (recurrence_mode IN ('schedule', 'completion')),
  recurrence_skip TEXT CHECK (recurrence_skip IN ('backward', 'omit')),
  anchor      TEXT,
  -- JSON arrays.
  exdates     TEXT NOT NULL,
  reminders   TEXT NOT NULL,
  labels      TEXT NOT NULL,
  note_ids    TEXT NOT NULL,
  blocked_by  TEXT NOT NULL,
  parent_id   TEXT,
  project_id  TEXT,
  section_id  TEXT,
  -- Among whom it is ordered: `t:` and its parent, or `s:` and its section, or `p:` and its project, or empty (inbox).
  place       TEXT NOT NULL,
  position    TEXT NOT NULL,
  completed_at INTEGER,
  cancelled_at INTEGER,
  source_system TEXT,
  source_id   TEXT,
  -- Computed from other tasks: its unsatisfied blockers, those it holds up, its living parts and the closed ones of them.
  blockers    INTEGER NOT NULL DEFAULT 0,
  held_up     INTEGER NOT NULL DEFAULT 0,
  subtasks_total INTEGER NOT NULL DEFAULT 0,
  subtasks_done INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- One index for each sort, living tasks apart from the trash and those still to be done apart from the closed.
CREATE INDEX tasks_by_due ON tasks (workspace, closed, due_key, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_start ON tasks (workspace, closed, start_key, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_urgency ON tasks (workspace, closed, urgency, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_position ON tasks (workspace, closed, position, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_created ON tasks (workspace, closed, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_updated ON tasks (workspace, closed, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_title ON tasks (workspace, closed, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_in_trash ON tasks (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX tasks_by_place ON tasks (workspace, place, position);
CREATE INDEX tasks_by_parent ON tasks (workspace, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_by_project ON tasks (workspace, project_id, closed) WHERE project_id IS NOT NULL;
CREATE INDEX tasks_by_section ON tasks (workspace, section_id, closed) WHERE section_id IS NOT NULL;
-- What a filter can ask for and few tasks are.
CREATE INDEX tasks_by_completed ON tasks (workspace, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_by_duration ON tasks (workspace, duration_minutes) WHERE duration_minutes IS NOT NULL;
CREATE INDEX tasks_cancelled ON tasks (workspace) WHERE status = 'cancelled';
CREATE INDEX tasks_in_progress ON tasks (workspace) WHERE status = 'in_progress';
CREATE INDEX tasks_blocked ON tasks (workspace) WHERE blockers > 0;
CREATE INDEX tasks_blocking ON tasks (workspace) WHERE held_up > 0;
CREATE INDEX tasks_trashed_with ON tasks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;
CREATE INDEX tasks_repeating ON tasks (workspace, due_key) WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
CREATE INDEX tasks_reminding ON tasks (workspace, key) WHERE reminders <> '[]' AND deleted_at IS NULL AND closed = 0;
-- What was imported once is known again, also while it is in the trash.
CREATE UNIQUE INDEX tasks_by_source ON tasks (workspace, source_system, source_id) WHERE source_system IS NOT NULL;

-- Title and notes as they are looked through: folded like `title_key`, with a line break between them. A workspace's lie
-- side by side, since a text is looked for in all of them.
CREATE TABLE task_texts (
  workspace TEXT NOT NULL,
  task      INTEGER NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (workspace, task)
) STRICT, WITHOUT ROWID;

-- A foreign key would have to look for its task in every workspace.
CREATE TRIGGER task_texts_deleted AFTER DELETE ON tasks BEGIN
  DELETE FROM task_texts WHERE workspace = OLD.workspace AND task = OLD.key;
END;

-- What waits for what. `since` is the key of the blocker's newest completion when the edge was made, or when its
-- dependent advanced last: a later one satisfies it.
CREATE TABLE task_edges (
  workspace TEXT NOT NULL,
  dependent INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  blocker   INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  since     INTEGER NOT NULL,
  PRIMARY KEY (dependent, blocker)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_edges_by_blocker ON task_edges (blocker, dependent);

CREATE TABLE task_projects (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  color       TEXT,
  notes       TEXT NOT NULL,
  archived_at INTEGER,
  position    TEXT NOT NULL,
  -- Living tasks in it, still to be done and closed.
  open        INTEGER NOT NULL DEFAULT 0,
  done        INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_projects_by_name ON task_projects (workspace, name_key) WHERE deleted_at IS NULL;
-- Also those in the trash: what comes back finds its position free.
CREATE INDEX task_projects_by_position ON task_projects (workspace, position, id);

CREATE TABLE task_sections (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- The id of its project, if it went into the trash with that.
  trashed_with TEXT,
  project_id  TEXT NOT NULL,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  position    TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_sections_by_name ON task_sections (workspace, project_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_sections_by_position ON task_sections (workspace, project_id, position, id);

CREATE TABLE task_labels (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  color       TEXT,
  -- Living tasks that carry it.
  count       INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_labels_by_name ON task_labels (workspace, name_key) WHERE deleted_at IS NULL;

-- Which tasks carry which label, also those in the trash.
CREATE TABLE task_label_uses (
  label INTEGER NOT NULL REFERENCES task_labels (key) ON DELETE CASCADE,
  task  INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  PRIMARY KEY (label, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_label_uses_by_task ON task_label_uses (task);

-- Which tasks speak of which note: a note that is erased for good leaves them.
CREATE TABLE task_note_uses (
  workspace TEXT NOT NULL,
  note_id   TEXT NOT NULL,
  task      INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, note_id, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_note_uses_by_task ON task_note_uses (task);

CREATE TABLE task_filters (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  filter      TEXT NOT NULL,
  sort        TEXT,
  position    TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_filters_by_name ON task_filters (workspace, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_filters_by_position ON task_filters (workspace, position, id);

-- What was done or skipped. The newest of a task can be undone: `before` holds what completing changed, `after` what it
-- became, both as JSON.
CREATE TABLE task_completions (
  -- Grows for ever: edges tell later completions by it.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  task        INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  task_id     TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('done', 'skip')),
  -- The due date that it was for; null for a task without one.
  occurrence  TEXT,
  completed_at INTEGER NOT NULL,
  next_due    TEXT,
  -- JSON array of the due dates that were passed over.
  missed      TEXT NOT NULL,
  -- As they were then.
  title       TEXT NOT NULL,
  project_id  TEXT,
  before      TEXT NOT NULL,
  after       TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX task_completions_by_task ON task_completions (task, key);
CREATE INDEX task_completions_by_time ON task_completions (workspace, completed_at, key);

-- Subscriptions of calendar programs. Of a token only the SHA-256 is stored.
CREATE TABLE task_feeds (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  name        TEXT NOT NULL,
  filter      TEXT,
  component   TEXT NOT NULL CHECK (component IN ('vevent', 'vtodo')),
  include_done INTEGER NOT NULL,
  token_hash  TEXT NOT NULL UNIQUE,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- What a calendar file said of a task that tasks have no member for, at most 16 KiB, as JSON: written back by an export.
CREATE TABLE task_calendar_rests (
  task INTEGER PRIMARY KEY REFERENCES tasks (key) ON DELETE CASCADE,
  rest TEXT NOT NULL
) STRICT;
