-- The schema of satchel.db. That of PostgreSQL has the same tables and columns: ../postgres/migrations/0001-schema.sql.
--
-- In all tables:
-- - `key` is internal: what belongs to a row refers to it by this number. Everywhere else a row is (workspace, id).
-- - Instants are milliseconds since 1970. A study day is whole days since 1970-01-01. Flags are 0 or 1.
-- - `deleted_at` is when a row went to the trash. `size_bytes` is what it counts towards the quota of its workspace.
-- - `name_key`, `title_key` and the like are texts in the form in which they are compared: NFC, lower case, white space
--   joined.
-- - Each row has its workspace, since PostgreSQL needs it in every key. It comes before long texts, since SQLite reads
--   a row up to the column that is wanted.

-- The server ----------------------------------------------------------------------------------------------------------

-- Facts about this database: the fingerprint of the secret that the ids of its workspaces are made with.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- One row for each workspace that ever had something in it. The totals are kept exact, in the transaction of each
-- change.
CREATE TABLE workspaces (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('key', 'scratch')),
  -- The hash of the network address of a scratch space: 32 hexadecimal digits. All of its sites share one quota.
  -- NULL with a key.
  address     TEXT,
  -- The hour of the last request to a scratch space, in hours since 1970: it decides when the space is erased. NULL
  -- with a key.
  asked_hour  INTEGER,
  created_at  INTEGER NOT NULL,
  -- The number of the newest change.
  seq         INTEGER NOT NULL,
  -- Changes up to this number may have left the feed: a client that stopped there or before must read everything again.
  forgotten_seq INTEGER NOT NULL DEFAULT 0,
  resources   INTEGER NOT NULL,
  size_bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX workspaces_by_address ON workspaces (address) WHERE address IS NOT NULL;
CREATE INDEX workspaces_quiet ON workspaces (asked_hour) WHERE asked_hour IS NOT NULL;

-- The time zone and the language of requests that name none. Without a row: UTC and English.
CREATE TABLE workspace_settings (
  workspace  TEXT PRIMARY KEY,
  revision   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  time_zone  TEXT,
  language   TEXT,
  line_breaks INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The change feed: the latest change of each resource.
CREATE TABLE changes (
  workspace  TEXT NOT NULL,
  type       TEXT NOT NULL,
  id         TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  op         TEXT NOT NULL CHECK (op IN ('upsert', 'delete')),
  revision   INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, type, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX changes_by_seq ON changes (workspace, seq);
-- For the cleanup of all workspaces: deletions that are too old for the feed.
CREATE INDEX changes_deleted ON changes (changed_at) WHERE op = 'delete';

-- The responses to requests with an Idempotency-Key, which answer a repeat of the request.
CREATE TABLE idempotency (
  workspace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL,
  headers     TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (workspace, created_at);
-- For the cleanup of all workspaces: responses that are too old to be repeated.
CREATE INDEX idempotency_stored ON idempotency (created_at);

-- The workspaces that are being erased. The row is written before the first step and deleted with the last one, so that
-- an erasure continues after a crash. `forget`: the row of the workspace is deleted, too, not only its content.
CREATE TABLE erasures (
  workspace TEXT PRIMARY KEY,
  forget    INTEGER NOT NULL CHECK (forget IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Runs of imports. A row is updated in the transaction of each step, so that a run continues after a crash. What else a
-- run has to remember is in a file of its own.
CREATE TABLE import_runs (
  id              TEXT PRIMARY KEY,
  workspace       TEXT NOT NULL,
  -- Of a scratch space; else NULL.
  address         TEXT,
  kind            TEXT NOT NULL,
  params          TEXT NOT NULL,
  dry_run         INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'reading', 'running', 'done', 'failed', 'cancelled')),
  -- How far it is: the pass, and the items of it that are done.
  pass            INTEGER NOT NULL,
  done            INTEGER NOT NULL,
  total           INTEGER,
  -- JSON: how many items had each outcome.
  counts          TEXT NOT NULL,
  -- JSON: what reading the file found out; see FileFacts.
  facts           TEXT,
  -- JSON: why it failed.
  error           TEXT,
  -- JSON: where work that has no file continues.
  work            TEXT,
  idempotency_key TEXT,
  fingerprint     TEXT,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  -- The lines of its report once it has ended, compressed with Zstandard.
  report          BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX import_runs_of_workspace ON import_runs (workspace, id);
CREATE INDEX import_runs_open ON import_runs (id) WHERE state IN ('waiting', 'reading', 'running');
CREATE INDEX import_runs_ended ON import_runs (updated_at) WHERE state IN ('done', 'failed', 'cancelled');

-- Files, once for each content of a workspace: attachments of notes and media of flashcards refer to them.
CREATE TABLE blobs (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  -- In hex; NULL while the parts are being written or erased, so that half a file is never read.
  sha256      TEXT,
  size_bytes  INTEGER NOT NULL,
  -- How many names refer to it.
  uses        INTEGER NOT NULL,
  -- Without sha256: when the last part was written; 0: to be erased.
  staged_at   INTEGER,
  UNIQUE (workspace, sha256)
) STRICT;

CREATE INDEX blobs_unfinished ON blobs (staged_at) WHERE sha256 IS NULL;

-- Their bytes, 256 KiB in each row but the last one, so that a range reads only its own rows.
CREATE TABLE blob_parts (
  key       INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  blob      INTEGER NOT NULL REFERENCES blobs (key),
  -- From 0.
  position  INTEGER NOT NULL,
  bytes     BLOB NOT NULL,
  UNIQUE (blob, position)
) STRICT;

CREATE INDEX blob_parts_by_workspace ON blob_parts (workspace);

-- Notes ---------------------------------------------------------------------------------------------------------------

CREATE TABLE notes (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  -- Increases when something computed from other resources changes; the second half of the ETag.
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  title       TEXT NOT NULL,
  title_key   TEXT NOT NULL,
  -- The name of the file that the note came from, with its extension. A link finds the note by it before it looks for a
  -- title. NULL: the title is both.
  file_name   TEXT,
  folder      TEXT,
  -- JSON arrays.
  tags        TEXT NOT NULL,
  inline_tags TEXT NOT NULL,
  pinned      INTEGER NOT NULL,
  archived_at INTEGER,
  -- JSON object.
  properties  TEXT NOT NULL,
  source_system TEXT,
  source_id   TEXT,
  source_url  TEXT,
  daily_date  TEXT,
  excerpt     TEXT NOT NULL,
  word_count  INTEGER NOT NULL,
  checklist_total INTEGER NOT NULL,
  checklist_done  INTEGER NOT NULL,
  -- Distinct targets of its links, how many of these lead to nothing, and how many notes link to it.
  links_out   INTEGER NOT NULL DEFAULT 0,
  links_unresolved INTEGER NOT NULL DEFAULT 0,
  links_in    INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- One index for each sort, and one for the trash.
CREATE INDEX notes_by_updated ON notes (workspace, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_created ON notes (workspace, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_title ON notes (workspace, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_folder ON notes (workspace, coalesce(folder, ''), id) WHERE deleted_at IS NULL;
CREATE INDEX notes_in_trash ON notes (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;
-- Mostly few among many.
CREATE INDEX notes_pinned ON notes (workspace, updated_at, id) WHERE pinned = 1 AND deleted_at IS NULL;
-- A repeated import recognizes a note, also in the trash.
CREATE UNIQUE INDEX notes_by_source ON notes (workspace, source_system, source_id) WHERE source_system IS NOT NULL;
-- A day has one note outside the trash.
CREATE UNIQUE INDEX notes_by_day ON notes (workspace, daily_date) WHERE daily_date IS NOT NULL AND deleted_at IS NULL;

-- Bodies have a table of their own, so that lists do not read them.
CREATE TABLE note_bodies (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  body      TEXT NOT NULL,
  -- The front matter as the file of the note has it, with its `---` lines: an export writes unchanged lines byte for
  -- byte. Empty for a note without any.
  front_matter TEXT NOT NULL DEFAULT ''
) STRICT;

-- The tags of notes outside the trash, folded so that case makes no difference: those set by the client (explicit) and
-- those in the body (inline).
CREATE TABLE note_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  tag       TEXT NOT NULL,
  explicit  INTEGER NOT NULL,
  inline    INTEGER NOT NULL,
  PRIMARY KEY (workspace, tag_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_tags_by_note ON note_tags (key);

-- The tags of notes in the trash, in a table of their own, so that counts of the tags in use do not read them.
CREATE TABLE note_trashed_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, tag_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_trashed_tags_by_note ON note_trashed_tags (key);

-- The properties of notes outside the trash: a row for each value, and for each item of a list.
CREATE TABLE note_properties (
  workspace TEXT NOT NULL,
  -- Folded, like the values.
  name      TEXT NOT NULL,
  value     TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  -- If the value is a number or can be read as one.
  number    REAL,
  PRIMARY KEY (workspace, name, value, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_properties_by_note ON note_properties (key);
-- Lists of notes sorted by a property: numbers first, however they are written, then text.
CREATE INDEX note_properties_in_order ON note_properties (
  workspace, name, (number IS NULL), coalesce(number, 0), (CASE WHEN number IS NULL THEN value ELSE '' END)
);

-- The names by which links find notes outside the trash. The primary key is the order in which they are tried: the
-- first row of a step is the target.
CREATE TABLE note_names (
  workspace     TEXT NOT NULL,
  -- A path is `folder/title`, without a folder `/title`; an id is `note:id`. Names have no `.md`.
  name_key      TEXT NOT NULL,
  -- 0: the id. 1 and 2: the path and the name of the file, or without a file those of the title. 3: an alias. 4 and 5:
  -- the path and the title of a note with a file name.
  step          INTEGER NOT NULL,
  folder_length INTEGER NOT NULL,
  id            TEXT NOT NULL,
  key           INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, name_key, step, folder_length, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_names_by_note ON note_names (key);

-- The names that notes had before a rename that is not finished: links that still have an old name lead to the note
-- until they are rewritten. `rename` is the id of the rename.
CREATE TABLE note_former_names (
  workspace     TEXT NOT NULL,
  name_key      TEXT NOT NULL,
  step          INTEGER NOT NULL,
  folder_length INTEGER NOT NULL,
  id            TEXT NOT NULL,
  rename        TEXT NOT NULL,
  key           INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, name_key, step, folder_length, id, rename)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_former_names_by_note ON note_former_names (key);
CREATE INDEX note_former_names_by_rename ON note_former_names (workspace, rename, key);

-- The links of notes outside the trash: a row for each distinct target of a note. An empty target is the note itself,
-- which is no link between notes: it is there for the headings and blocks that such links name.
CREATE TABLE note_links (
  source     INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  target_key TEXT NOT NULL,
  workspace  TEXT NOT NULL,
  -- The target as the note spells it first.
  target     TEXT NOT NULL,
  -- The folder of the source: together with the target it decides where the link leads.
  folder_key TEXT NOT NULL,
  -- Where its first links are in the body, in code points: [start, end, start, end, …].
  places     TEXT NOT NULL,
  -- The key of the note that it leads to; NULL if there is none.
  resolved   INTEGER,
  -- What follows the last slash of a target that names a file, such as `map.png`: any file of this name is the target.
  -- NULL for the target of a note.
  file_key   TEXT,
  -- The headings and blocks that the links name, as the first of them spells each: a JSON list; NULL if they name none.
  parts      TEXT,
  -- Those of `parts` that the note it leads to does not have: a JSON list of [key, part]; NULL if it has all.
  missing    TEXT,
  -- 1: that has still to be found out, since the link, or the note that it leads to, has changed.
  stale      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source, target_key)
) STRICT, WITHOUT ROWID;

-- For a name that comes or goes; for backlinks; for unresolved targets; for a file that comes or goes; for headings.
CREATE INDEX note_links_by_target ON note_links (workspace, target_key, folder_key, resolved);
CREATE INDEX note_links_by_note ON note_links (resolved, source) WHERE resolved IS NOT NULL;
CREATE INDEX note_links_unresolved ON note_links (workspace, target_key, source, file_key, resolved)
  WHERE resolved IS NULL;
CREATE INDEX note_links_by_file ON note_links (workspace, file_key, source) WHERE file_key IS NOT NULL;
CREATE INDEX note_links_to_parts ON note_links (resolved, source, target_key) WHERE parts IS NOT NULL;
CREATE INDEX note_links_missing ON note_links (workspace, target_key, source) WHERE missing IS NOT NULL;
CREATE INDEX note_links_stale ON note_links (workspace, source, target_key) WHERE stale = 1;

-- Notes whose unresolved links a job has to count again, since a file that many notes link to came or went.
CREATE TABLE notes_to_recount (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL
) STRICT;

CREATE INDEX notes_to_recount_by_workspace ON notes_to_recount (workspace);

-- The history of a note: a row for each version of its content, under the revision that made it. The content of the
-- newest version is in `notes`: here it is NULL until the next change closes the version.
CREATE TABLE note_revisions (
  workspace TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  revision  INTEGER NOT NULL,
  -- The last revision with this content; the ones between changed nothing that a version has. NULL: the newest version.
  last_revision INTEGER,
  updated_at INTEGER NOT NULL,
  label     TEXT,
  -- Increases when the label changes: the ETag of the version, which is otherwise constant.
  label_revision INTEGER NOT NULL DEFAULT 1,
  title     TEXT,
  folder    TEXT,
  tags      TEXT,
  properties BLOB,
  -- The revision that made its body. Several versions may share a body.
  body_revision INTEGER NOT NULL,
  -- Only in the newest version: when thinning should look at the note next. NULL: not before another change.
  thin_at   INTEGER,
  PRIMARY KEY (key, revision)
) STRICT;

CREATE UNIQUE INDEX note_revisions_newest ON note_revisions (key) WHERE last_revision IS NULL;
CREATE INDEX note_revisions_to_thin ON note_revisions (thin_at) WHERE thin_at IS NOT NULL;

-- Bodies that were replaced, each of them once.
CREATE TABLE note_revision_bodies (
  workspace TEXT NOT NULL,
  key       INTEGER NOT NULL REFERENCES notes (key) ON DELETE CASCADE,
  revision  INTEGER NOT NULL,
  body      BLOB NOT NULL,
  PRIMARY KEY (key, revision)
) STRICT;

-- Digests of each imported note at its last import: of the file and of what was stored. A repeated import tells by them
-- whether the file or the owner changed it since.
CREATE TABLE note_imports (
  key       INTEGER PRIMARY KEY REFERENCES notes (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  file_hash TEXT NOT NULL,
  note_hash TEXT NOT NULL
) STRICT;

-- Files that notes show or link to by their names, as in an Obsidian vault. They have no trash.
CREATE TABLE note_attachments (
  key          INTEGER PRIMARY KEY,
  workspace    TEXT NOT NULL,
  id           TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  name         TEXT NOT NULL,
  name_key     TEXT NOT NULL,
  folder       TEXT,
  -- Detected from the bytes, never from the name.
  content_type TEXT NOT NULL,
  -- Of the blob, in hex.
  sha256       TEXT NOT NULL,
  -- Of the blob.
  size_bytes   INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX note_attachments_by_path ON note_attachments (workspace, coalesce(folder, ''), name);
CREATE INDEX note_attachments_by_name ON note_attachments (workspace, name_key);
CREATE INDEX note_attachments_by_hash ON note_attachments (workspace, sha256, size_bytes);

-- Tasks ---------------------------------------------------------------------------------------------------------------

CREATE TABLE tasks (
  -- No key is given twice: a completion that is undone must not find another task under the key of an erased one.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  -- Increases when something computed from other tasks changes; the second half of the ETag.
  computed_revision INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- What it was trashed with, and is restored with: the id of a task above it, or `p:` and its project.
  trashed_with TEXT,
  title       TEXT NOT NULL,
  -- The title as it is sorted; see src/search/fold.ts.
  title_sort  TEXT NOT NULL,
  notes       TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'cancelled')),
  -- 1 for done and cancelled: lists show what is not closed.
  closed      INTEGER NOT NULL,
  priority    INTEGER NOT NULL,
  -- The priority as it is sorted: 1 is the most urgent, and no priority comes last.
  urgency     INTEGER NOT NULL,
  -- A civil date, a time of day `HH:MM` or NULL (all day), a zone or NULL (floating), and the instant if it has a zone.
  due_date    TEXT,
  due_time    TEXT,
  due_tz      TEXT,
  due_at      INTEGER,
  start_date  TEXT,
  start_time  TEXT,
  start_tz    TEXT,
  start_at    INTEGER,
  -- Date and time as they are sorted: all day before any time, and `~` (after all digits) without a date.
  due_key     TEXT NOT NULL,
  start_key   TEXT NOT NULL,
  duration_minutes INTEGER,
  rrule       TEXT,
  recurrence_mode TEXT CHECK (recurrence_mode IN ('schedule', 'completion')),
  recurrence_skip TEXT CHECK (recurrence_skip IN ('backward', 'omit')),
  anchor      TEXT,
  -- JSON arrays: dates left out of the rule, dates beside it, and { occurrence, moved_to } for the dates that are due
  -- at another time than the rule says.
  exdates     TEXT NOT NULL,
  rdates      TEXT NOT NULL,
  moved       TEXT NOT NULL,
  -- JSON arrays.
  reminders   TEXT NOT NULL,
  labels      TEXT NOT NULL,
  note_ids    TEXT NOT NULL,
  blocked_by  TEXT NOT NULL,
  parent_id   TEXT,
  project_id  TEXT,
  section_id  TEXT,
  -- Where it was before its project was deleted and it went to the inbox; NULL once it was moved since.
  former_project_id TEXT,
  former_section_id TEXT,
  -- The list that it is ordered in: `t:` and its parent, `s:` and its section, `p:` and its project, or empty (inbox).
  place       TEXT NOT NULL,
  position    TEXT NOT NULL,
  completed_at INTEGER,
  cancelled_at INTEGER,
  source_system TEXT,
  source_id   TEXT,
  source_url  TEXT,
  -- Computed from other tasks: open blockers, tasks that wait for it, subtasks outside the trash and those of them that
  -- are closed.
  blockers    INTEGER NOT NULL DEFAULT 0,
  held_up     INTEGER NOT NULL DEFAULT 0,
  subtasks_total INTEGER NOT NULL DEFAULT 0,
  subtasks_done INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

-- One index for each sort, with what is not closed first. An agenda reads the zone and the title from the indexes by
-- date, since the rows of 2,000 tasks are on as many pages. Lists leave out the tasks of archived projects, which may
-- be most of a workspace: the indexes have the project, so that no row is read for that.
CREATE INDEX tasks_by_due ON tasks (workspace, closed, due_key, id, due_tz, title, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_start ON tasks (workspace, closed, start_key, id, start_tz, title, project_id)
  WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_urgency ON tasks (workspace, closed, urgency, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_position ON tasks (workspace, closed, position, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_created ON tasks (workspace, closed, created_at, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_updated ON tasks (workspace, closed, updated_at, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_title ON tasks (workspace, closed, title_sort, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_in_trash ON tasks (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;
-- Everything that the dates of a series depend on: an agenda expands thousands of them without reading a row.
CREATE INDEX tasks_repeating ON tasks (workspace, due_key, start_key, recurrence_mode, due_tz, start_tz, rrule,
  recurrence_skip, anchor, exdates, rdates, moved, id, title, project_id)
  WHERE rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0;
CREATE INDEX tasks_reminding ON tasks (workspace, key, project_id)
  WHERE reminders <> '[]' AND deleted_at IS NULL AND closed = 0;
CREATE INDEX tasks_by_place ON tasks (workspace, place, position);
CREATE INDEX tasks_by_parent ON tasks (workspace, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_by_project ON tasks (workspace, project_id, closed) WHERE project_id IS NOT NULL;
CREATE INDEX tasks_by_section ON tasks (workspace, section_id, closed) WHERE section_id IS NOT NULL;
CREATE INDEX tasks_by_former_project ON tasks (workspace, former_project_id, position, id)
  WHERE former_project_id IS NOT NULL;
-- Conditions of filters that are true of few tasks.
CREATE INDEX tasks_by_completed ON tasks (workspace, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_by_duration ON tasks (workspace, duration_minutes) WHERE duration_minutes IS NOT NULL;
CREATE INDEX tasks_with_notes ON tasks (workspace) WHERE notes <> '';
CREATE INDEX tasks_cancelled ON tasks (workspace) WHERE status = 'cancelled';
CREATE INDEX tasks_in_progress ON tasks (workspace) WHERE status = 'in_progress';
CREATE INDEX tasks_blocked ON tasks (workspace) WHERE blockers > 0;
CREATE INDEX tasks_blocking ON tasks (workspace) WHERE held_up > 0;
CREATE INDEX tasks_trashed_with ON tasks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;
-- A repeated import recognizes a task, also in the trash.
CREATE UNIQUE INDEX tasks_by_source ON tasks (workspace, source_system, source_id) WHERE source_system IS NOT NULL;

-- What waits for what. `since` is the key of the newest completion of the blocker when the edge was made, or when the
-- dependent task last advanced: a later completion satisfies the edge.
CREATE TABLE task_edges (
  workspace TEXT NOT NULL,
  dependent INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  blocker   INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  since     INTEGER NOT NULL,
  PRIMARY KEY (dependent, blocker)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_edges_by_blocker ON task_edges (blocker, dependent);

-- Completions and skips. The newest one of a task can be undone: `before` has what completing changed, `after` the
-- result, both as JSON.
CREATE TABLE task_completions (
  -- No key is given twice: edges compare completions by it.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  task        INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  task_id     TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('done', 'skip')),
  -- The due date that it was for; NULL for a task without one.
  occurrence  TEXT,
  completed_at INTEGER NOT NULL,
  next_due    TEXT,
  -- JSON array of the due dates that were passed over.
  missed      TEXT NOT NULL,
  -- As they were at the time.
  title       TEXT NOT NULL,
  project_id  TEXT,
  before      TEXT NOT NULL,
  after       TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX task_completions_by_task ON task_completions (task, key);
-- Statistics read nothing else.
CREATE INDEX task_completions_by_time ON task_completions (workspace, completed_at, id, occurrence, project_id)
  WHERE kind = 'done';

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
  -- Its tasks outside the trash: those that are not closed, and the closed ones.
  open        INTEGER NOT NULL DEFAULT 0,
  done        INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_projects_by_name ON task_projects (workspace, name_key) WHERE deleted_at IS NULL;
-- Also those in the trash, whose position is still free when they are restored; so for sections and filters.
CREATE INDEX task_projects_by_position ON task_projects (workspace, position, id);
CREATE INDEX task_projects_archived ON task_projects (workspace, id) WHERE archived_at IS NOT NULL;

CREATE TABLE task_sections (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- The id of its project, if it was trashed with that.
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
CREATE INDEX task_sections_in_trash ON task_sections (workspace, project_id, position, id) WHERE deleted_at IS NOT NULL;

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
  -- Tasks outside the trash that have it.
  count       INTEGER NOT NULL DEFAULT 0,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX task_labels_by_name ON task_labels (workspace, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_labels_in_trash ON task_labels (workspace, name_key, id) WHERE deleted_at IS NOT NULL;

-- Which tasks have which label, also those in the trash. With the workspace in the rows of the primary key, reading
-- them would take five times as long: the indexes have labels and tasks alone.
CREATE TABLE task_label_uses (
  workspace TEXT NOT NULL,
  label     INTEGER NOT NULL REFERENCES task_labels (key) ON DELETE CASCADE,
  task      INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  PRIMARY KEY (label, task)
) STRICT;

CREATE INDEX task_label_uses_by_task ON task_label_uses (task, label);

-- Which tasks refer to which note, also those in the trash: an erased note is removed from them.
CREATE TABLE task_note_uses (
  workspace TEXT NOT NULL,
  note_id   TEXT NOT NULL,
  task      INTEGER NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, note_id, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_note_uses_by_task ON task_note_uses (task);

-- Saved filters.
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

-- Calendars that other programs subscribe to. Of the token in their address only the SHA-256 is stored.
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

-- What a calendar file says of a task that a task has no member for: its lines, at most 16 KiB, and PRIORITY as it was
-- read. An export writes them again. The digests are those of note_imports.
CREATE TABLE task_calendar_rests (
  task      INTEGER PRIMARY KEY REFERENCES tasks (key) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  rest      TEXT NOT NULL,
  priority_read INTEGER,
  file_hash TEXT NOT NULL,
  task_hash TEXT NOT NULL
) STRICT;

-- Flashcards ----------------------------------------------------------------------------------------------------------

CREATE TABLE study_decks (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- The id of the deck that it was trashed with, and is restored with.
  trashed_with TEXT,
  -- The key of the deck above it; at most 10 levels, never a cycle.
  parent      INTEGER REFERENCES study_decks (key),
  -- 1..200 characters.
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  -- At most 10,000 characters.
  description TEXT NOT NULL,
  -- JSON object of the settings that it overrides; others are inherited.
  settings    TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX study_decks_by_name ON study_decks (workspace, coalesce(parent, 0), name_key)
  WHERE deleted_at IS NULL;
CREATE INDEX study_decks_by_parent ON study_decks (parent) WHERE parent IS NOT NULL;
CREATE INDEX study_decks_in_order ON study_decks (workspace, name_key, id);
CREATE INDEX study_decks_trashed_with ON study_decks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;

-- Note types of Anki, once for each content of a workspace. They never change: another content is another row.
CREATE TABLE flashcard_note_types (
  key        INTEGER PRIMARY KEY,
  workspace  TEXT NOT NULL,
  id         TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The id in Anki, mostly milliseconds since 1970.
  anki_id    INTEGER NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('standard', 'cloze', 'image_occlusion')),
  -- JSON: names of fields, in order.
  fields     TEXT NOT NULL,
  -- JSON: [{ name, question, answer }], in order.
  templates  TEXT NOT NULL,
  css        TEXT NOT NULL,
  -- SHA-256 in hex of everything from anki_id to css.
  hash       TEXT NOT NULL,
  -- JSON: what else Anki has of the note type, such as fonts and LaTeX, for exports; see NoteTypeSettings. NULL if it
  -- is not known. It is not part of the hash.
  settings   TEXT,
  size_bytes INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX flashcard_note_types_by_hash ON flashcard_note_types (workspace, hash);

CREATE TABLE study_facts (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  -- The id of the deck that it was trashed with, and is restored with.
  trashed_with TEXT,
  deck        INTEGER NOT NULL REFERENCES study_decks (key),
  type        TEXT NOT NULL CHECK (type IN ('basic', 'reversed', 'typed', 'cloze', 'custom')),
  -- Markdown, at most 20,000 characters each; front and back, or text for cloze.
  front       TEXT,
  back        TEXT,
  text        TEXT,
  extra       TEXT,
  -- At most 1,000 characters.
  hint        TEXT,
  -- JSON arrays: at most 20 answers of 500 characters; at most 50 tags of 100 characters, sorted.
  accepted    TEXT NOT NULL,
  tags        TEXT NOT NULL,
  note_type   INTEGER REFERENCES flashcard_note_types (key),
  -- JSON: HTML by the name of the field. NULL without a note type.
  fields      TEXT,
  -- JSON: the ordinals of the cards of a custom fact, ascending; NULL for other types, whose texts decide.
  ordinals    TEXT,
  -- JSON array of at most 20 ids.
  note_ids    TEXT NOT NULL,
  -- At most 50 characters; NULL if and only if `source_id` is, which has at most 500.
  source_system TEXT,
  source_id   TEXT,
  -- May be set without the other two.
  source_url  TEXT,
  external_modified_at INTEGER,
  -- SHA-256 in hex of what makes two facts duplicates: type, and front or text, folded.
  duplicate_key TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX study_facts_by_deck ON study_facts (deck, id);
CREATE INDEX study_facts_by_type ON study_facts (workspace, type, id);
CREATE INDEX study_facts_by_note_type ON study_facts (note_type) WHERE note_type IS NOT NULL;
CREATE INDEX study_facts_by_duplicate ON study_facts (workspace, duplicate_key, id) WHERE deleted_at IS NULL;
CREATE INDEX study_facts_in_trash ON study_facts (workspace, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX study_facts_trashed_with ON study_facts (workspace, trashed_with, id) WHERE trashed_with IS NOT NULL;
-- A repeated import recognizes a fact, also in the trash.
CREATE UNIQUE INDEX study_facts_by_source ON study_facts (workspace, source_system, source_id)
  WHERE source_system IS NOT NULL;

-- Which facts have which tag, in its folded form, also those in the trash.
CREATE TABLE study_fact_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  fact      INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, tag_key, fact)
) STRICT, WITHOUT ROWID;

CREATE INDEX study_fact_tags_by_fact ON study_fact_tags (fact);

-- Which facts belong to which note, also those in the trash: an erased note is removed from them.
CREATE TABLE study_fact_note_uses (
  workspace TEXT NOT NULL,
  note_id   TEXT NOT NULL,
  fact      INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, note_id, fact)
) STRICT, WITHOUT ROWID;

CREATE INDEX study_fact_note_uses_by_fact ON study_fact_note_uses (fact);

-- A card is outside the trash as long as its fact is and still has its side or number. In the trash it keeps its
-- schedule.
CREATE TABLE study_cards (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  fact        INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  -- The deck of its fact, for the queue.
  deck        INTEGER NOT NULL,
  -- 0 and 1 for the sides; for cloze the number less one, 0..499. A fact has at most 50 cards outside the trash.
  ordinal     INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('new', 'learning', 'review', 'relearning')),
  -- For learning and relearning the instant, for review the study day. The other one is NULL; for new, both are.
  due_at      INTEGER,
  due_day     INTEGER,
  -- NULL while new.
  stability   REAL,
  difficulty  REAL,
  scheduled_days INTEGER NOT NULL,
  step        INTEGER NOT NULL,
  reps        INTEGER NOT NULL,
  lapses      INTEGER NOT NULL,
  last_reviewed_at INTEGER,
  suspended   INTEGER NOT NULL CHECK (suspended IN (0, 1)),
  -- The study day before which it is hidden.
  buried_until INTEGER,
  -- 0..7.
  flag        INTEGER NOT NULL,
  leech       INTEGER NOT NULL CHECK (leech IN (0, 1)),
  -- The order of new cards; cards of one fact begin with the same.
  position    INTEGER NOT NULL,
  UNIQUE (workspace, id),
  UNIQUE (fact, ordinal)
) STRICT;

-- The queue: candidates by state, deck by deck or (learning) for the whole workspace. The index of reviews has what
-- recall is computed from: sorting ten thousand due cards by it takes five times as long if their rows are read.
CREATE INDEX study_cards_new ON study_cards (workspace, deck, position, id, fact, buried_until)
  WHERE deleted_at IS NULL AND suspended = 0 AND state = 'new';
CREATE INDEX study_cards_review
  ON study_cards (workspace, deck, due_day, id, fact, buried_until, stability, last_reviewed_at)
  WHERE deleted_at IS NULL AND suspended = 0 AND state = 'review';
CREATE INDEX study_cards_learning ON study_cards (workspace, due_at, id, deck, fact, buried_until)
  WHERE deleted_at IS NULL AND suspended = 0 AND state IN ('learning', 'relearning');
-- Counts of decks read no row: the index has everything that they need of a card.
CREATE INDEX study_cards_by_deck
  ON study_cards (workspace, deck, state, suspended, due_day, due_at, buried_until, deleted_at)
  WHERE deleted_at IS NULL;
-- Lists are ordered by id.
CREATE INDEX study_cards_in_deck ON study_cards (deck, id) WHERE deleted_at IS NULL;
CREATE INDEX study_cards_by_state ON study_cards (workspace, state, id) WHERE deleted_at IS NULL;
CREATE INDEX study_cards_in_trash ON study_cards (workspace, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX study_cards_by_position ON study_cards (workspace, position);
-- The deck of a card, for statistics of a deck: they look it up for every answer, and a row is twenty times as long.
CREATE UNIQUE INDEX study_cards_deck_of ON study_cards (key, deck);
-- All cards of a deck, also those in the trash, by key: the log of a deck is read without that of the others.
CREATE INDEX study_cards_of_deck ON study_cards (deck);
-- Conditions of filters that are true of few cards.
CREATE INDEX study_cards_suspended ON study_cards (workspace, id) WHERE suspended = 1;
CREATE INDEX study_cards_leeches ON study_cards (workspace, id) WHERE leech = 1;
CREATE INDEX study_cards_flagged ON study_cards (workspace, flag, id) WHERE flag > 0;

-- The log of answers.
CREATE TABLE study_reviews (
  -- The order of arrival. No key is given twice, even after reviews are erased.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  card        INTEGER NOT NULL REFERENCES study_cards (key) ON DELETE CASCADE,
  kind        TEXT NOT NULL CHECK (kind IN ('learning', 'review', 'relearning', 'manual', 'import')),
  -- NULL for manual.
  rating      INTEGER CHECK (rating BETWEEN 1 AND 4),
  reviewed_at INTEGER NOT NULL,
  study_day   INTEGER NOT NULL,
  -- 0..3,600,000.
  duration_ms INTEGER NOT NULL,
  -- Study days since the answer before, never below 0.
  elapsed_days INTEGER NOT NULL,
  -- At the answer, from the state before; NULL for a new card.
  predicted_retrievability REAL,
  -- Which weights were used.
  params_id   TEXT,
  -- Of the state before, for the limits of a day and the statistics: whether the card was new, and its interval.
  was_new     INTEGER NOT NULL CHECK (was_new IN (0, 1)),
  interval_days INTEGER NOT NULL,
  -- JSON: snapshots of the card, days as numbers.
  before      TEXT NOT NULL,
  after       TEXT NOT NULL,
  undone_at   INTEGER,
  -- SHA-256 in hex of the request that it answers: a repeat of the request is answered with it. NULL for manual and
  -- import.
  fingerprint TEXT,
  UNIQUE (workspace, id)
) STRICT;

-- Everything that statistics read of a review is in the first two: its row, with two snapshots, is ten times as long.
CREATE INDEX study_reviews_by_card ON study_reviews (card, key, study_day, kind, was_new, rating, interval_days,
  elapsed_days, reviewed_at, duration_ms, predicted_retrievability, undone_at);
CREATE INDEX study_reviews_by_day ON study_reviews (workspace, study_day, card, kind, was_new, rating, interval_days,
  elapsed_days, reviewed_at, duration_ms, predicted_retrievability) WHERE undone_at IS NULL;
-- Lists of the log, which look at what its reviews are before they read one; and of what is little of it.
CREATE INDEX study_reviews_by_time ON study_reviews (workspace, reviewed_at, id, card, kind, undone_at);
CREATE INDEX study_reviews_by_kind ON study_reviews (workspace, kind, reviewed_at, id) WHERE kind <> 'review';
CREATE INDEX study_reviews_undone ON study_reviews (workspace, reviewed_at, id) WHERE undone_at IS NOT NULL;
-- The last answer of a workspace by order of arrival.
CREATE INDEX study_reviews_by_arrival ON study_reviews (workspace, key) WHERE undone_at IS NULL;

-- One row for each workspace that ever changed them.
CREATE TABLE study_settings (
  workspace   TEXT PRIMARY KEY,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  time_zone   TEXT NOT NULL,
  day_starts_at_hour INTEGER NOT NULL CHECK (day_starts_at_hour BETWEEN 0 AND 23),
  learn_ahead_minutes INTEGER NOT NULL CHECK (learn_ahead_minutes BETWEEN 0 AND 1439),
  -- JSON object of what differs from the defaults.
  deck_defaults TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last change of settings of a workspace that moved due days, until it is undone.
CREATE TABLE study_reschedules (
  workspace   TEXT PRIMARY KEY,
  id          TEXT NOT NULL,
  -- JSON: the id of the deck, or null for deck_defaults; its own settings before and after, those that move due days.
  change      TEXT NOT NULL
) STRICT;

-- Where cards were due before they were moved. Of a card only the last move is kept, so the table never outgrows the
-- cards.
CREATE TABLE study_moved_cards (
  card        INTEGER PRIMARY KEY REFERENCES study_cards (key) ON DELETE CASCADE,
  workspace   TEXT NOT NULL,
  -- The id of what moved it.
  reschedule  TEXT NOT NULL,
  due_day     INTEGER NOT NULL,
  scheduled_days INTEGER NOT NULL,
  -- The due day that it was moved to.
  moved_to    INTEGER NOT NULL,
  -- Of the card at that time: it was answered since if it has others now.
  reps        INTEGER NOT NULL
) STRICT;

CREATE INDEX study_moved_cards_by_reschedule ON study_moved_cards (workspace, reschedule);

-- Names of files that facts refer to as `media:name`.
CREATE TABLE study_media (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  -- 1..255 bytes, NFC.
  name        TEXT NOT NULL,
  -- Detected from the bytes, never from the name.
  content_type TEXT NOT NULL,
  -- Of the blob, in hex.
  sha256      TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id),
  UNIQUE (workspace, name)
) STRICT;

CREATE INDEX study_media_by_hash ON study_media (workspace, sha256);

-- Chat and agents -----------------------------------------------------------------------------------------------------

-- What chat was asked to do and does only once its caller confirms it. Of the token and the code only hashes are
-- stored.
CREATE TABLE chat_confirmations (
  -- No key is given twice: the oldest row of a workspace makes room for the newest.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  -- SHA-256 of the workspace's id and the token, and of the id and the code.
  token_hash  TEXT NOT NULL UNIQUE,
  code_hash   TEXT NOT NULL,
  tool        TEXT NOT NULL,
  -- JSON, as it was checked.
  arguments   TEXT NOT NULL,
  timezone    TEXT NOT NULL,
  -- What the caller was told that it would do; shown again when it is cancelled.
  summary     TEXT NOT NULL,
  -- The revision of the one resource that it changes.
  revision    INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX chat_confirmations_by_workspace ON chat_confirmations (workspace, code_hash);
CREATE INDEX chat_confirmations_by_expiry ON chat_confirmations (expires_at);

-- How to undo what an answer of chat or an agent did.
CREATE TABLE chat_undos (
  -- No key is given twice: the oldest row of a workspace makes room for the newest.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  -- SHA-256 of the workspace's id and the text of the answer, which is not stored.
  answer_hash TEXT NOT NULL,
  -- The requests in their order, as JSON.
  steps       TEXT NOT NULL,
  expires_at  INTEGER NOT NULL,
  -- The id that an agent was given; NULL for an answer of chat.
  undo_id     TEXT,
  -- For an undo that an agent asked for: the ids of what it undid, as JSON; else NULL.
  undoes      TEXT
) STRICT;

CREATE INDEX chat_undos_by_workspace ON chat_undos (workspace, answer_hash);
CREATE INDEX chat_undos_by_expiry ON chat_undos (expires_at);

-- Tokens that runs with a language model took, by day (UTC, YYYY-MM-DD). The first row of a day removes those of
-- others.
CREATE TABLE chat_tokens (
  day        TEXT NOT NULL,
  workspace  TEXT NOT NULL,
  tokens     INTEGER NOT NULL,
  PRIMARY KEY (day, workspace)
) STRICT, WITHOUT ROWID;

-- Search by meaning ---------------------------------------------------------------------------------------------------
-- Empty where no encoder is set. The index of words is in files of its own, see src/search/.

-- Vectors of the passages of a text, as 8-bit numbers. They are here, and not in a file that can be thrown away, since
-- they cost requests to make.
CREATE TABLE search_vectors (
  workspace  TEXT NOT NULL,
  type       TEXT NOT NULL CHECK (type IN ('note', 'task', 'fact')),
  -- The key of the note, task or fact.
  key        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  -- Of the passages that they were made of: a pin does not make them again.
  hash       TEXT NOT NULL,
  -- Passage by passage. Empty for a text without words, and for one that the model refused.
  vectors    BLOB NOT NULL,
  PRIMARY KEY (workspace, type, key),
  UNIQUE (workspace, type, id)
) STRICT, WITHOUT ROWID;

-- The model that made the vectors of a workspace, and the change up to which all texts have theirs.
CREATE TABLE search_models (
  workspace  TEXT PRIMARY KEY,
  model      TEXT NOT NULL,
  -- Of each vector; 0 while there are none.
  dimensions INTEGER NOT NULL,
  done       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What goes to the trash or is erased takes its vectors along, also where the encoder is not set any more.
CREATE TRIGGER search_text_deleted AFTER UPDATE OF op ON changes WHEN NEW.op = 'delete' BEGIN
  DELETE FROM search_vectors WHERE workspace = NEW.workspace AND type = NEW.type AND id = NEW.id;
END;

CREATE TRIGGER search_vectors_dropped AFTER DELETE ON search_vectors BEGIN
  UPDATE workspaces SET size_bytes = size_bytes - length(OLD.vectors) WHERE id = OLD.workspace;
END;

CREATE TRIGGER search_workspace_gone AFTER DELETE ON workspaces BEGIN
  DELETE FROM search_models WHERE workspace = OLD.id;
END;
