-- The schema of PostgreSQL 15 or newer. Tables and columns are those of SQLite, in the same order: what they mean is
-- said in ../../migrations/0001-schema.sql, and here only what is different.
--
-- The workspace is first in every primary key, unique index and foreign key, so that Citus can distribute the tables by
-- it. So SQL that is the same for both engines needs further indexes, by the key alone: those whose names end in
-- `_by_key`. Texts are compared by their bytes, as in SQLite.
--
-- Everything is in the schema `satchel`, which the connections search before `pg_catalog`: it has the functions and
-- operators of SQLite that stores use and PostgreSQL lacks, or has in another form. They come first.

-- The elements of a JSON array: lists and objects as JSON, true and false as 1 and 0, all else as its text.
CREATE FUNCTION json_each(list text) RETURNS TABLE (key bigint, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS $$
  SELECT place - 1,
    CASE WHEN jsonb_typeof(element) IN ('object', 'array') THEN element::text
      WHEN element = 'true' THEN '1' WHEN element = 'false' THEN '0' ELSE element #>> '{}' END
  FROM jsonb_array_elements(list::jsonb) WITH ORDINALITY AS elements (element, place)
$$;

CREATE FUNCTION json_member(object text, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE object::jsonb -> name WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE object::jsonb ->> name END;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member);

CREATE FUNCTION json_member(list text, place integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE list::jsonb -> place WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE list::jsonb ->> place END;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = json_member);

CREATE FUNCTION json_member_as_json(object text, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (object::jsonb -> name)::text;
CREATE OPERATOR -> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member_as_json);

CREATE FUNCTION json(value text) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN value::json;

CREATE FUNCTION append_json(list text[], value anyelement) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT list || coalesce(to_json(value)::text, 'null') $$;
CREATE FUNCTION join_json(list text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '[' || array_to_string(list, ',') || ']';
CREATE AGGREGATE json_group_array(anyelement) (
  SFUNC = append_json, STYPE = text[], INITCOND = '{}', FINALFUNC = join_json
);

-- PostgreSQL's own sum of bigint is a numeric, which clients get as text.
CREATE AGGREGATE sum(bigint) (
  SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = SAFE
);

CREATE FUNCTION max(a bigint, b bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN greatest(a, b);
CREATE FUNCTION min(a bigint, b bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN least(a, b);

CREATE FUNCTION instr(value text, part text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN strpos(value, part);

CREATE FUNCTION substr(value bytea, start bigint, count bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN substring(value FROM start::integer FOR count::integer);
CREATE FUNCTION substr(value text, start bigint, count bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN substring(value FROM start::integer FOR count::integer);

-- GLOB: `*`, `?` and `[…]`, of which `[*]`, `[?]` and `[[]` are the characters themselves.
CREATE FUNCTION glob(pattern text, value text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN value COLLATE "C" ~ ('^' || replace(replace(replace(replace(replace(
  regexp_replace(replace(replace(replace(pattern, '[*]', E'\x01'), '[?]', E'\x02'), '[[]', E'\x03'),
    '[.^$+(){}|\\]', '\\\&', 'g'),
  '*', '.*'), '?', '.'), E'\x01', '\*'), E'\x02', '\?'), E'\x03', '\[') || '$');

-- The server ----------------------------------------------------------------------------------------------------------

CREATE TABLE facts (
  name  text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE workspaces (
  id            text COLLATE "C" NOT NULL,
  kind          text COLLATE "C" NOT NULL CHECK (kind IN ('key', 'scratch')),
  address       text COLLATE "C",
  asked_hour    bigint,
  created_at    bigint NOT NULL,
  seq           bigint NOT NULL,
  forgotten_seq bigint NOT NULL DEFAULT 0,
  resources     bigint NOT NULL,
  size_bytes    bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX workspaces_by_address ON workspaces (address) WHERE address IS NOT NULL;
CREATE INDEX workspaces_quiet ON workspaces (asked_hour) WHERE asked_hour IS NOT NULL;

CREATE TABLE workspace_settings (
  workspace  text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  time_zone  text COLLATE "C",
  language   text COLLATE "C",
  line_breaks bigint NOT NULL,
  size_bytes bigint NOT NULL,
  PRIMARY KEY (workspace)
);

CREATE TABLE changes (
  workspace  text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  op         text COLLATE "C" NOT NULL CHECK (op IN ('upsert', 'delete')),
  revision   bigint NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (workspace, type, id)
);
CREATE UNIQUE INDEX changes_by_seq ON changes (workspace, seq);
CREATE INDEX changes_deleted ON changes (changed_at) WHERE op = 'delete';

CREATE TABLE idempotency (
  workspace   text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  status      bigint NOT NULL,
  headers     text COLLATE "C" NOT NULL,
  body        text COLLATE "C" NOT NULL,
  created_at  bigint NOT NULL,
  PRIMARY KEY (workspace, key)
);
CREATE INDEX idempotency_by_age ON idempotency (workspace, created_at);
CREATE INDEX idempotency_stored ON idempotency (created_at);

CREATE TABLE erasures (
  workspace text COLLATE "C" NOT NULL,
  forget    bigint NOT NULL CHECK (forget IN (0, 1)),
  PRIMARY KEY (workspace)
);

CREATE TABLE import_runs (
  id              text COLLATE "C" NOT NULL,
  workspace       text COLLATE "C" NOT NULL,
  address         text COLLATE "C",
  kind            text COLLATE "C" NOT NULL,
  params          text COLLATE "C" NOT NULL,
  dry_run         bigint NOT NULL CHECK (dry_run IN (0, 1)),
  state           text COLLATE "C" NOT NULL
    CHECK (state IN ('waiting', 'reading', 'running', 'done', 'failed', 'cancelled')),
  pass            bigint NOT NULL,
  done            bigint NOT NULL,
  total           bigint,
  counts          text COLLATE "C" NOT NULL,
  facts           text COLLATE "C",
  error           text COLLATE "C",
  work            text COLLATE "C",
  idempotency_key text COLLATE "C",
  fingerprint     text COLLATE "C",
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  report          bytea,
  PRIMARY KEY (workspace, id)
);
CREATE INDEX import_runs_of_workspace ON import_runs (workspace, id);
CREATE INDEX import_runs_open ON import_runs (id) WHERE state IN ('waiting', 'reading', 'running');
CREATE INDEX import_runs_ended ON import_runs (updated_at) WHERE state IN ('done', 'failed', 'cancelled');
CREATE INDEX import_runs_by_key ON import_runs (id);

CREATE TABLE blobs (
  key        bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace  text COLLATE "C" NOT NULL,
  sha256     text COLLATE "C",
  size_bytes bigint NOT NULL,
  uses       bigint NOT NULL,
  staged_at  bigint,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, sha256)
);
CREATE INDEX blobs_unfinished ON blobs (staged_at) WHERE sha256 IS NULL;
CREATE INDEX blobs_by_key ON blobs (key);

CREATE TABLE blob_parts (
  key       bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace text COLLATE "C" NOT NULL,
  blob      bigint NOT NULL,
  position  bigint NOT NULL,
  bytes     bytea NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, blob, position),
  FOREIGN KEY (workspace, blob) REFERENCES blobs (workspace, key)
);
CREATE INDEX blob_parts_by_workspace ON blob_parts (workspace);
CREATE INDEX blob_parts_by_key ON blob_parts (key);
CREATE INDEX blob_parts_by_blob ON blob_parts (blob, position);

-- Notes ---------------------------------------------------------------------------------------------------------------

CREATE TABLE notes (
  key               bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace         text COLLATE "C" NOT NULL,
  id                text COLLATE "C" NOT NULL,
  revision          bigint NOT NULL,
  computed_revision bigint NOT NULL DEFAULT 0,
  created_at        bigint NOT NULL,
  updated_at        bigint NOT NULL,
  deleted_at        bigint,
  title             text COLLATE "C" NOT NULL,
  title_key         text COLLATE "C" NOT NULL,
  file_name         text COLLATE "C",
  folder            text COLLATE "C",
  tags              text COLLATE "C" NOT NULL,
  inline_tags       text COLLATE "C" NOT NULL,
  pinned            bigint NOT NULL,
  archived_at       bigint,
  properties        text COLLATE "C" NOT NULL,
  source_system     text COLLATE "C",
  source_id         text COLLATE "C",
  source_url        text COLLATE "C",
  daily_date        text COLLATE "C",
  excerpt           text COLLATE "C" NOT NULL,
  word_count        bigint NOT NULL,
  checklist_total   bigint NOT NULL,
  checklist_done    bigint NOT NULL,
  links_out         bigint NOT NULL DEFAULT 0,
  links_unresolved  bigint NOT NULL DEFAULT 0,
  links_in          bigint NOT NULL DEFAULT 0,
  size_bytes        bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE INDEX notes_by_updated ON notes (workspace, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_created ON notes (workspace, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_title ON notes (workspace, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_folder ON notes (workspace, coalesce(folder, ''), id) WHERE deleted_at IS NULL;
CREATE INDEX notes_in_trash ON notes (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX notes_pinned ON notes (workspace, updated_at, id) WHERE pinned = 1 AND deleted_at IS NULL;
CREATE UNIQUE INDEX notes_by_source ON notes (workspace, source_system, source_id) WHERE source_system IS NOT NULL;
CREATE UNIQUE INDEX notes_by_day ON notes (workspace, daily_date) WHERE daily_date IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX notes_by_key ON notes (key);

CREATE TABLE note_bodies (
  key          bigint NOT NULL,
  workspace    text COLLATE "C" NOT NULL,
  body         text COLLATE "C" NOT NULL,
  front_matter text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (workspace, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_bodies_by_key ON note_bodies (key);

CREATE TABLE note_tags (
  workspace text COLLATE "C" NOT NULL,
  tag_key   text COLLATE "C" NOT NULL,
  key       bigint NOT NULL,
  tag       text COLLATE "C" NOT NULL,
  explicit  bigint NOT NULL,
  inline    bigint NOT NULL,
  PRIMARY KEY (workspace, tag_key, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_tags_by_note ON note_tags (key);

CREATE TABLE note_trashed_tags (
  workspace text COLLATE "C" NOT NULL,
  tag_key   text COLLATE "C" NOT NULL,
  key       bigint NOT NULL,
  PRIMARY KEY (workspace, tag_key, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_trashed_tags_by_note ON note_trashed_tags (key);

CREATE TABLE note_properties (
  workspace text COLLATE "C" NOT NULL,
  name      text COLLATE "C" NOT NULL,
  value     text COLLATE "C" NOT NULL,
  key       bigint NOT NULL,
  number    double precision,
  PRIMARY KEY (workspace, name, value, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_properties_by_note ON note_properties (key);
CREATE INDEX note_properties_in_order ON note_properties (
  workspace, name, (number IS NULL), coalesce(number, 0), (CASE WHEN number IS NULL THEN value ELSE '' END)
);

CREATE TABLE note_names (
  workspace     text COLLATE "C" NOT NULL,
  name_key      text COLLATE "C" NOT NULL,
  step          bigint NOT NULL,
  folder_length bigint NOT NULL,
  id            text COLLATE "C" NOT NULL,
  key           bigint NOT NULL,
  PRIMARY KEY (workspace, name_key, step, folder_length, id),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_names_by_note ON note_names (key);

CREATE TABLE note_former_names (
  workspace     text COLLATE "C" NOT NULL,
  name_key      text COLLATE "C" NOT NULL,
  step          bigint NOT NULL,
  folder_length bigint NOT NULL,
  id            text COLLATE "C" NOT NULL,
  rename        text COLLATE "C" NOT NULL,
  key           bigint NOT NULL,
  PRIMARY KEY (workspace, name_key, step, folder_length, id, rename),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_former_names_by_note ON note_former_names (key);
CREATE INDEX note_former_names_by_rename ON note_former_names (workspace, rename, key);

CREATE TABLE note_links (
  source     bigint NOT NULL,
  target_key text COLLATE "C" NOT NULL,
  workspace  text COLLATE "C" NOT NULL,
  target     text COLLATE "C" NOT NULL,
  folder_key text COLLATE "C" NOT NULL,
  places     text COLLATE "C" NOT NULL,
  resolved   bigint,
  file_key   text COLLATE "C",
  parts      text COLLATE "C",
  missing    text COLLATE "C",
  stale      bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, source, target_key),
  FOREIGN KEY (workspace, source) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_links_by_target ON note_links (workspace, target_key, folder_key, resolved);
CREATE INDEX note_links_by_note ON note_links (resolved, source) WHERE resolved IS NOT NULL;
CREATE INDEX note_links_unresolved ON note_links (workspace, target_key, source, file_key, resolved)
  WHERE resolved IS NULL;
CREATE INDEX note_links_by_file ON note_links (workspace, file_key, source) WHERE file_key IS NOT NULL;
CREATE INDEX note_links_to_parts ON note_links (resolved, source, target_key) WHERE parts IS NOT NULL;
CREATE INDEX note_links_missing ON note_links (workspace, target_key, source) WHERE missing IS NOT NULL;
CREATE INDEX note_links_stale ON note_links (workspace, source, target_key) WHERE stale = 1;
CREATE INDEX note_links_by_key ON note_links (source, target_key);

CREATE TABLE notes_to_recount (
  key       bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX notes_to_recount_by_workspace ON notes_to_recount (workspace);
CREATE INDEX notes_to_recount_by_key ON notes_to_recount (key);

CREATE TABLE note_revisions (
  workspace      text COLLATE "C" NOT NULL,
  key            bigint NOT NULL,
  revision       bigint NOT NULL,
  last_revision  bigint,
  updated_at     bigint NOT NULL,
  label          text COLLATE "C",
  label_revision bigint NOT NULL DEFAULT 1,
  title          text COLLATE "C",
  folder         text COLLATE "C",
  tags           text COLLATE "C",
  properties     bytea,
  body_revision  bigint NOT NULL,
  thin_at        bigint,
  PRIMARY KEY (workspace, key, revision),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE UNIQUE INDEX note_revisions_newest ON note_revisions (workspace, key) WHERE last_revision IS NULL;
CREATE INDEX note_revisions_to_thin ON note_revisions (thin_at) WHERE thin_at IS NOT NULL;
CREATE INDEX note_revisions_by_key ON note_revisions (key, revision);

CREATE TABLE note_revision_bodies (
  workspace text COLLATE "C" NOT NULL,
  key       bigint NOT NULL,
  revision  bigint NOT NULL,
  body      bytea NOT NULL,
  PRIMARY KEY (workspace, key, revision),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_revision_bodies_by_key ON note_revision_bodies (key, revision);

CREATE TABLE note_imports (
  key       bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  file_hash text COLLATE "C" NOT NULL,
  note_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, key),
  FOREIGN KEY (workspace, key) REFERENCES notes (workspace, key) ON DELETE CASCADE
);
CREATE INDEX note_imports_by_key ON note_imports (key);

CREATE TABLE note_attachments (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  name         text COLLATE "C" NOT NULL,
  name_key     text COLLATE "C" NOT NULL,
  folder       text COLLATE "C",
  content_type text COLLATE "C" NOT NULL,
  sha256       text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE UNIQUE INDEX note_attachments_by_path ON note_attachments (workspace, coalesce(folder, ''), name);
CREATE INDEX note_attachments_by_name ON note_attachments (workspace, name_key);
CREATE INDEX note_attachments_by_hash ON note_attachments (workspace, sha256, size_bytes);
CREATE INDEX note_attachments_by_key ON note_attachments (key);

-- Tasks ---------------------------------------------------------------------------------------------------------------

CREATE TABLE tasks (
  key               bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace         text COLLATE "C" NOT NULL,
  id                text COLLATE "C" NOT NULL,
  revision          bigint NOT NULL,
  computed_revision bigint NOT NULL DEFAULT 0,
  created_at        bigint NOT NULL,
  updated_at        bigint NOT NULL,
  deleted_at        bigint,
  trashed_with      text COLLATE "C",
  title             text COLLATE "C" NOT NULL,
  -- The title as it is sorted; see src/search/fold.ts.
  title_sort        text COLLATE "C" NOT NULL,
  notes             text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'cancelled')),
  closed            bigint NOT NULL,
  priority          bigint NOT NULL,
  urgency           bigint NOT NULL,
  due_date          text COLLATE "C",
  due_time          text COLLATE "C",
  due_tz            text COLLATE "C",
  due_at            bigint,
  start_date        text COLLATE "C",
  start_time        text COLLATE "C",
  start_tz          text COLLATE "C",
  start_at          bigint,
  due_key           text COLLATE "C" NOT NULL,
  start_key         text COLLATE "C" NOT NULL,
  duration_minutes  bigint,
  rrule             text COLLATE "C",
  recurrence_mode   text COLLATE "C" CHECK (recurrence_mode IN ('schedule', 'completion')),
  recurrence_skip   text COLLATE "C" CHECK (recurrence_skip IN ('backward', 'omit')),
  anchor            text COLLATE "C",
  exdates           text COLLATE "C" NOT NULL,
  rdates            text COLLATE "C" NOT NULL,
  moved             text COLLATE "C" NOT NULL,
  reminders         text COLLATE "C" NOT NULL,
  labels            text COLLATE "C" NOT NULL,
  note_ids          text COLLATE "C" NOT NULL,
  blocked_by        text COLLATE "C" NOT NULL,
  parent_id         text COLLATE "C",
  project_id        text COLLATE "C",
  section_id        text COLLATE "C",
  former_project_id text COLLATE "C",
  former_section_id text COLLATE "C",
  place             text COLLATE "C" NOT NULL,
  position          text COLLATE "C" NOT NULL,
  completed_at      bigint,
  cancelled_at      bigint,
  source_system     text COLLATE "C",
  source_id         text COLLATE "C",
  source_url        text COLLATE "C",
  blockers          bigint NOT NULL DEFAULT 0,
  held_up           bigint NOT NULL DEFAULT 0,
  subtasks_total    bigint NOT NULL DEFAULT 0,
  subtasks_done     bigint NOT NULL DEFAULT 0,
  size_bytes        bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE INDEX tasks_by_due ON tasks (workspace, closed, due_key, id, due_tz, title, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_start ON tasks (workspace, closed, start_key, id, start_tz, title, project_id)
  WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_urgency ON tasks (workspace, closed, urgency, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_position ON tasks (workspace, closed, position, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_created ON tasks (workspace, closed, created_at, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_updated ON tasks (workspace, closed, updated_at, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_title ON tasks (workspace, closed, title_sort, id, project_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_in_trash ON tasks (workspace, deleted_at, id) WHERE deleted_at IS NOT NULL;
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
CREATE INDEX tasks_by_completed ON tasks (workspace, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_by_duration ON tasks (workspace, duration_minutes) WHERE duration_minutes IS NOT NULL;
CREATE INDEX tasks_with_notes ON tasks (workspace) WHERE notes <> '';
CREATE INDEX tasks_cancelled ON tasks (workspace) WHERE status = 'cancelled';
CREATE INDEX tasks_in_progress ON tasks (workspace) WHERE status = 'in_progress';
CREATE INDEX tasks_blocked ON tasks (workspace) WHERE blockers > 0;
CREATE INDEX tasks_blocking ON tasks (workspace) WHERE held_up > 0;
CREATE INDEX tasks_trashed_with ON tasks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_source ON tasks (workspace, source_system, source_id) WHERE source_system IS NOT NULL;
CREATE INDEX tasks_by_key ON tasks (key);

CREATE TABLE task_edges (
  workspace text COLLATE "C" NOT NULL,
  dependent bigint NOT NULL,
  blocker   bigint NOT NULL,
  since     bigint NOT NULL,
  PRIMARY KEY (workspace, dependent, blocker),
  FOREIGN KEY (workspace, dependent) REFERENCES tasks (workspace, key) ON DELETE CASCADE,
  FOREIGN KEY (workspace, blocker) REFERENCES tasks (workspace, key) ON DELETE CASCADE
);
CREATE INDEX task_edges_by_blocker ON task_edges (blocker, dependent);
CREATE INDEX task_edges_by_key ON task_edges (dependent, blocker);

CREATE TABLE task_completions (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  task         bigint NOT NULL,
  task_id      text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('done', 'skip')),
  occurrence   text COLLATE "C",
  completed_at bigint NOT NULL,
  next_due     text COLLATE "C",
  missed       text COLLATE "C" NOT NULL,
  title        text COLLATE "C" NOT NULL,
  project_id   text COLLATE "C",
  before       text COLLATE "C" NOT NULL,
  after        text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  FOREIGN KEY (workspace, task) REFERENCES tasks (workspace, key) ON DELETE CASCADE
);
CREATE INDEX task_completions_by_task ON task_completions (task, key);
CREATE INDEX task_completions_by_time ON task_completions (workspace, completed_at, id, occurrence, project_id)
  WHERE kind = 'done';
CREATE INDEX task_completions_by_key ON task_completions (key);

CREATE TABLE task_projects (
  key               bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace         text COLLATE "C" NOT NULL,
  id                text COLLATE "C" NOT NULL,
  revision          bigint NOT NULL,
  computed_revision bigint NOT NULL DEFAULT 0,
  created_at        bigint NOT NULL,
  updated_at        bigint NOT NULL,
  deleted_at        bigint,
  name              text COLLATE "C" NOT NULL,
  name_key          text COLLATE "C" NOT NULL,
  color             text COLLATE "C",
  notes             text COLLATE "C" NOT NULL,
  archived_at       bigint,
  position          text COLLATE "C" NOT NULL,
  open              bigint NOT NULL DEFAULT 0,
  done              bigint NOT NULL DEFAULT 0,
  size_bytes        bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE UNIQUE INDEX task_projects_by_name ON task_projects (workspace, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_projects_by_position ON task_projects (workspace, position, id);
CREATE INDEX task_projects_archived ON task_projects (workspace, id) WHERE archived_at IS NOT NULL;
CREATE INDEX task_projects_by_key ON task_projects (key);

CREATE TABLE task_sections (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  deleted_at   bigint,
  trashed_with text COLLATE "C",
  project_id   text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  name_key     text COLLATE "C" NOT NULL,
  position     text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE UNIQUE INDEX task_sections_by_name ON task_sections (workspace, project_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_sections_by_position ON task_sections (workspace, project_id, position, id);
CREATE INDEX task_sections_in_trash ON task_sections (workspace, project_id, position, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX task_sections_by_key ON task_sections (key);

CREATE TABLE task_labels (
  key               bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace         text COLLATE "C" NOT NULL,
  id                text COLLATE "C" NOT NULL,
  revision          bigint NOT NULL,
  computed_revision bigint NOT NULL DEFAULT 0,
  created_at        bigint NOT NULL,
  updated_at        bigint NOT NULL,
  deleted_at        bigint,
  name              text COLLATE "C" NOT NULL,
  name_key          text COLLATE "C" NOT NULL,
  color             text COLLATE "C",
  count             bigint NOT NULL DEFAULT 0,
  size_bytes        bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE UNIQUE INDEX task_labels_by_name ON task_labels (workspace, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_labels_in_trash ON task_labels (workspace, name_key, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX task_labels_by_key ON task_labels (key);

CREATE TABLE task_label_uses (
  workspace text COLLATE "C" NOT NULL,
  label     bigint NOT NULL,
  task      bigint NOT NULL,
  PRIMARY KEY (workspace, label, task),
  FOREIGN KEY (workspace, label) REFERENCES task_labels (workspace, key) ON DELETE CASCADE,
  FOREIGN KEY (workspace, task) REFERENCES tasks (workspace, key) ON DELETE CASCADE
);
CREATE INDEX task_label_uses_by_task ON task_label_uses (task, label);
CREATE INDEX task_label_uses_by_key ON task_label_uses (label, task);

CREATE TABLE task_note_uses (
  workspace text COLLATE "C" NOT NULL,
  note_id   text COLLATE "C" NOT NULL,
  task      bigint NOT NULL,
  PRIMARY KEY (workspace, note_id, task),
  FOREIGN KEY (workspace, task) REFERENCES tasks (workspace, key) ON DELETE CASCADE
);
CREATE INDEX task_note_uses_by_task ON task_note_uses (task);

CREATE TABLE task_filters (
  key        bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace  text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint,
  name       text COLLATE "C" NOT NULL,
  name_key   text COLLATE "C" NOT NULL,
  filter     text COLLATE "C" NOT NULL,
  sort       text COLLATE "C",
  position   text COLLATE "C" NOT NULL,
  size_bytes bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE UNIQUE INDEX task_filters_by_name ON task_filters (workspace, name_key) WHERE deleted_at IS NULL;
CREATE INDEX task_filters_by_position ON task_filters (workspace, position, id);
CREATE INDEX task_filters_by_key ON task_filters (key);

CREATE TABLE task_feeds (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  name         text COLLATE "C" NOT NULL,
  filter       text COLLATE "C",
  component    text COLLATE "C" NOT NULL CHECK (component IN ('vevent', 'vtodo')),
  include_done bigint NOT NULL,
  token_hash   text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, token_hash),
  UNIQUE (workspace, id)
);
CREATE INDEX task_feeds_by_key ON task_feeds (key);
CREATE INDEX task_feeds_by_token_hash ON task_feeds (token_hash);

CREATE TABLE task_calendar_rests (
  task          bigint NOT NULL,
  workspace     text COLLATE "C" NOT NULL,
  rest          text COLLATE "C" NOT NULL,
  priority_read bigint,
  file_hash     text COLLATE "C" NOT NULL,
  task_hash     text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, task),
  FOREIGN KEY (workspace, task) REFERENCES tasks (workspace, key) ON DELETE CASCADE
);
CREATE INDEX task_calendar_rests_by_key ON task_calendar_rests (task);

-- Flashcards ----------------------------------------------------------------------------------------------------------

CREATE TABLE study_decks (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  deleted_at   bigint,
  trashed_with text COLLATE "C",
  parent       bigint,
  name         text COLLATE "C" NOT NULL,
  name_key     text COLLATE "C" NOT NULL,
  description  text COLLATE "C" NOT NULL,
  settings     text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  FOREIGN KEY (workspace, parent) REFERENCES study_decks (workspace, key)
);
CREATE UNIQUE INDEX study_decks_by_name ON study_decks (workspace, coalesce(parent, 0), name_key)
  WHERE deleted_at IS NULL;
CREATE INDEX study_decks_by_parent ON study_decks (parent) WHERE parent IS NOT NULL;
CREATE INDEX study_decks_in_order ON study_decks (workspace, name_key, id);
CREATE INDEX study_decks_trashed_with ON study_decks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;
CREATE INDEX study_decks_by_key ON study_decks (key);

CREATE TABLE flashcard_note_types (
  key        bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace  text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  anki_id    bigint NOT NULL,
  name       text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('standard', 'cloze', 'image_occlusion')),
  fields     text COLLATE "C" NOT NULL,
  templates  text COLLATE "C" NOT NULL,
  css        text COLLATE "C" NOT NULL,
  hash       text COLLATE "C" NOT NULL,
  settings   text COLLATE "C",
  size_bytes bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
);
CREATE INDEX flashcard_note_types_by_hash ON flashcard_note_types (workspace, hash);
CREATE INDEX flashcard_note_types_by_key ON flashcard_note_types (key);

CREATE TABLE study_facts (
  key                  bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace            text COLLATE "C" NOT NULL,
  id                   text COLLATE "C" NOT NULL,
  revision             bigint NOT NULL,
  created_at           bigint NOT NULL,
  updated_at           bigint NOT NULL,
  deleted_at           bigint,
  trashed_with         text COLLATE "C",
  deck                 bigint NOT NULL,
  type                 text COLLATE "C" NOT NULL CHECK (type IN ('basic', 'reversed', 'typed', 'cloze', 'custom')),
  front                text COLLATE "C",
  back                 text COLLATE "C",
  text                 text COLLATE "C",
  extra                text COLLATE "C",
  hint                 text COLLATE "C",
  accepted             text COLLATE "C" NOT NULL,
  tags                 text COLLATE "C" NOT NULL,
  note_type            bigint,
  fields               text COLLATE "C",
  ordinals             text COLLATE "C",
  note_ids             text COLLATE "C" NOT NULL,
  source_system        text COLLATE "C",
  source_id            text COLLATE "C",
  source_url           text COLLATE "C",
  external_modified_at bigint,
  duplicate_key        text COLLATE "C" NOT NULL,
  size_bytes           bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  FOREIGN KEY (workspace, deck) REFERENCES study_decks (workspace, key),
  FOREIGN KEY (workspace, note_type) REFERENCES flashcard_note_types (workspace, key)
);
CREATE INDEX study_facts_by_deck ON study_facts (deck, id);
CREATE INDEX study_facts_by_type ON study_facts (workspace, type, id);
CREATE INDEX study_facts_by_note_type ON study_facts (note_type) WHERE note_type IS NOT NULL;
CREATE INDEX study_facts_by_duplicate ON study_facts (workspace, duplicate_key, id) WHERE deleted_at IS NULL;
CREATE INDEX study_facts_in_trash ON study_facts (workspace, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX study_facts_trashed_with ON study_facts (workspace, trashed_with, id) WHERE trashed_with IS NOT NULL;
CREATE UNIQUE INDEX study_facts_by_source ON study_facts (workspace, source_system, source_id)
  WHERE source_system IS NOT NULL;
CREATE INDEX study_facts_by_key ON study_facts (key);

CREATE TABLE study_fact_tags (
  workspace text COLLATE "C" NOT NULL,
  tag_key   text COLLATE "C" NOT NULL,
  fact      bigint NOT NULL,
  PRIMARY KEY (workspace, tag_key, fact),
  FOREIGN KEY (workspace, fact) REFERENCES study_facts (workspace, key) ON DELETE CASCADE
);
CREATE INDEX study_fact_tags_by_fact ON study_fact_tags (fact);

CREATE TABLE study_fact_note_uses (
  workspace text COLLATE "C" NOT NULL,
  note_id   text COLLATE "C" NOT NULL,
  fact      bigint NOT NULL,
  PRIMARY KEY (workspace, note_id, fact),
  FOREIGN KEY (workspace, fact) REFERENCES study_facts (workspace, key) ON DELETE CASCADE
);
CREATE INDEX study_fact_note_uses_by_fact ON study_fact_note_uses (fact);

CREATE TABLE study_cards (
  key              bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace        text COLLATE "C" NOT NULL,
  id               text COLLATE "C" NOT NULL,
  revision         bigint NOT NULL,
  created_at       bigint NOT NULL,
  updated_at       bigint NOT NULL,
  deleted_at       bigint,
  fact             bigint NOT NULL,
  deck             bigint NOT NULL,
  ordinal          bigint NOT NULL,
  state            text COLLATE "C" NOT NULL CHECK (state IN ('new', 'learning', 'review', 'relearning')),
  due_at           bigint,
  due_day          bigint,
  stability        double precision,
  difficulty       double precision,
  scheduled_days   bigint NOT NULL,
  step             bigint NOT NULL,
  reps             bigint NOT NULL,
  lapses           bigint NOT NULL,
  last_reviewed_at bigint,
  suspended        bigint NOT NULL CHECK (suspended IN (0, 1)),
  buried_until     bigint,
  flag             bigint NOT NULL,
  leech            bigint NOT NULL CHECK (leech IN (0, 1)),
  position         bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  UNIQUE (workspace, fact, ordinal),
  FOREIGN KEY (workspace, fact) REFERENCES study_facts (workspace, key) ON DELETE CASCADE
);
CREATE INDEX study_cards_new ON study_cards (workspace, deck, position, id, fact, buried_until)
  WHERE deleted_at IS NULL AND suspended = 0 AND state = 'new';
CREATE INDEX study_cards_review
  ON study_cards (workspace, deck, due_day, id, fact, buried_until, stability, last_reviewed_at)
  WHERE deleted_at IS NULL AND suspended = 0 AND state = 'review';
CREATE INDEX study_cards_learning ON study_cards (workspace, due_at, id, deck, fact, buried_until)
  WHERE deleted_at IS NULL AND suspended = 0 AND state IN ('learning', 'relearning');
CREATE INDEX study_cards_by_deck
  ON study_cards (workspace, deck, state, suspended, due_day, due_at, buried_until, deleted_at)
  WHERE deleted_at IS NULL;
CREATE INDEX study_cards_in_deck ON study_cards (deck, id) WHERE deleted_at IS NULL;
CREATE INDEX study_cards_by_state ON study_cards (workspace, state, id) WHERE deleted_at IS NULL;
CREATE INDEX study_cards_in_trash ON study_cards (workspace, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX study_cards_by_position ON study_cards (workspace, position);
CREATE UNIQUE INDEX study_cards_deck_of ON study_cards (workspace, key, deck);
CREATE INDEX study_cards_of_deck ON study_cards (deck);
CREATE INDEX study_cards_suspended ON study_cards (workspace, id) WHERE suspended = 1;
CREATE INDEX study_cards_leeches ON study_cards (workspace, id) WHERE leech = 1;
CREATE INDEX study_cards_flagged ON study_cards (workspace, flag, id) WHERE flag > 0;
CREATE INDEX study_cards_by_key ON study_cards (key);
CREATE INDEX study_cards_by_fact ON study_cards (fact, ordinal);

CREATE TABLE study_reviews (
  key                      bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace                text COLLATE "C" NOT NULL,
  id                       text COLLATE "C" NOT NULL,
  revision                 bigint NOT NULL,
  created_at               bigint NOT NULL,
  updated_at               bigint NOT NULL,
  card                     bigint NOT NULL,
  kind                     text COLLATE "C" NOT NULL
    CHECK (kind IN ('learning', 'review', 'relearning', 'manual', 'import')),
  rating                   bigint CHECK (rating BETWEEN 1 AND 4),
  reviewed_at              bigint NOT NULL,
  study_day                bigint NOT NULL,
  duration_ms              bigint NOT NULL,
  elapsed_days             bigint NOT NULL,
  predicted_retrievability double precision,
  params_id                text COLLATE "C",
  was_new                  bigint NOT NULL CHECK (was_new IN (0, 1)),
  interval_days            bigint NOT NULL,
  before                   text COLLATE "C" NOT NULL,
  after                    text COLLATE "C" NOT NULL,
  undone_at                bigint,
  fingerprint              text COLLATE "C",
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  FOREIGN KEY (workspace, card) REFERENCES study_cards (workspace, key) ON DELETE CASCADE
);
CREATE INDEX study_reviews_by_card ON study_reviews (card, key, study_day, kind, was_new, rating, interval_days,
  elapsed_days, reviewed_at, duration_ms, predicted_retrievability, undone_at);
CREATE INDEX study_reviews_by_day ON study_reviews (workspace, study_day, card, kind, was_new, rating, interval_days,
  elapsed_days, reviewed_at, duration_ms, predicted_retrievability) WHERE undone_at IS NULL;
-- Lists of the log, which look at what its reviews are before they read one; and of what is little of it.
CREATE INDEX study_reviews_by_time ON study_reviews (workspace, reviewed_at, id, card, kind, undone_at);
CREATE INDEX study_reviews_by_kind ON study_reviews (workspace, kind, reviewed_at, id) WHERE kind <> 'review';
CREATE INDEX study_reviews_undone ON study_reviews (workspace, reviewed_at, id) WHERE undone_at IS NOT NULL;
CREATE INDEX study_reviews_by_arrival ON study_reviews (workspace, key) WHERE undone_at IS NULL;
CREATE INDEX study_reviews_by_key ON study_reviews (key);

CREATE TABLE study_settings (
  workspace           text COLLATE "C" NOT NULL,
  revision            bigint NOT NULL,
  created_at          bigint NOT NULL,
  updated_at          bigint NOT NULL,
  time_zone           text COLLATE "C" NOT NULL,
  day_starts_at_hour  bigint NOT NULL CHECK (day_starts_at_hour BETWEEN 0 AND 23),
  learn_ahead_minutes bigint NOT NULL CHECK (learn_ahead_minutes BETWEEN 0 AND 1439),
  deck_defaults       text COLLATE "C" NOT NULL,
  size_bytes          bigint NOT NULL,
  PRIMARY KEY (workspace)
);

CREATE TABLE study_reschedules (
  workspace text COLLATE "C" NOT NULL,
  id        text COLLATE "C" NOT NULL,
  change    text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace)
);

CREATE TABLE study_moved_cards (
  card           bigint NOT NULL,
  workspace      text COLLATE "C" NOT NULL,
  reschedule     text COLLATE "C" NOT NULL,
  due_day        bigint NOT NULL,
  scheduled_days bigint NOT NULL,
  moved_to       bigint NOT NULL,
  reps           bigint NOT NULL,
  PRIMARY KEY (workspace, card),
  FOREIGN KEY (workspace, card) REFERENCES study_cards (workspace, key) ON DELETE CASCADE
);
CREATE INDEX study_moved_cards_by_reschedule ON study_moved_cards (workspace, reschedule);
CREATE INDEX study_moved_cards_by_key ON study_moved_cards (card);

CREATE TABLE study_media (
  key          bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace    text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  name         text COLLATE "C" NOT NULL,
  content_type text COLLATE "C" NOT NULL,
  sha256       text COLLATE "C" NOT NULL,
  size_bytes   bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  UNIQUE (workspace, name)
);
CREATE INDEX study_media_by_hash ON study_media (workspace, sha256);
CREATE INDEX study_media_by_key ON study_media (key);

-- Chat and agents -----------------------------------------------------------------------------------------------------

CREATE TABLE chat_confirmations (
  key        bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace  text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  code_hash  text COLLATE "C" NOT NULL,
  tool       text COLLATE "C" NOT NULL,
  arguments  text COLLATE "C" NOT NULL,
  timezone   text COLLATE "C" NOT NULL,
  summary    text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, token_hash)
);
CREATE INDEX chat_confirmations_by_workspace ON chat_confirmations (workspace, code_hash);
CREATE INDEX chat_confirmations_by_expiry ON chat_confirmations (expires_at);
CREATE INDEX chat_confirmations_by_key ON chat_confirmations (key);
CREATE INDEX chat_confirmations_by_token_hash ON chat_confirmations (token_hash);

CREATE TABLE chat_undos (
  key         bigint GENERATED BY DEFAULT AS IDENTITY,
  workspace   text COLLATE "C" NOT NULL,
  answer_hash text COLLATE "C" NOT NULL,
  steps       text COLLATE "C" NOT NULL,
  expires_at  bigint NOT NULL,
  undo_id     text COLLATE "C",
  undoes      text COLLATE "C",
  PRIMARY KEY (workspace, key)
);
CREATE INDEX chat_undos_by_workspace ON chat_undos (workspace, answer_hash);
CREATE INDEX chat_undos_by_expiry ON chat_undos (expires_at);
CREATE INDEX chat_undos_by_key ON chat_undos (key);

CREATE TABLE chat_tokens (
  day       text COLLATE "C" NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  tokens    bigint NOT NULL,
  PRIMARY KEY (workspace, day)
);

-- Search by meaning ---------------------------------------------------------------------------------------------------
-- As in SQLite. The index of words is in files of each process.

CREATE TABLE search_vectors (
  workspace  text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL CHECK (type IN ('note', 'task', 'fact')),
  key        bigint NOT NULL,
  id         text COLLATE "C" NOT NULL,
  hash       text COLLATE "C" NOT NULL,
  vectors    bytea NOT NULL,
  PRIMARY KEY (workspace, type, key),
  UNIQUE (workspace, type, id)
);

CREATE TABLE search_models (
  workspace  text COLLATE "C" NOT NULL,
  model      text COLLATE "C" NOT NULL,
  dimensions bigint NOT NULL,
  done       bigint NOT NULL,
  PRIMARY KEY (workspace)
);

CREATE FUNCTION forget_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_vectors WHERE workspace = NEW.workspace AND type = NEW.type AND id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER search_text_deleted AFTER UPDATE OF op ON changes
  FOR EACH ROW WHEN (NEW.op = 'delete') EXECUTE FUNCTION forget_vectors();

CREATE FUNCTION free_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE workspaces SET size_bytes = size_bytes - octet_length(OLD.vectors) WHERE id = OLD.workspace;
  RETURN NULL;
END
$$;
CREATE TRIGGER search_vectors_dropped AFTER DELETE ON search_vectors
  FOR EACH ROW EXECUTE FUNCTION free_vectors();

CREATE FUNCTION forget_search_of_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_models WHERE workspace = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER search_workspace_gone AFTER DELETE ON workspaces
  FOR EACH ROW EXECUTE FUNCTION forget_search_of_workspace();
