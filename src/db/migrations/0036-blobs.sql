-- The bytes of files, once for each content of a workspace: media of flashcards and attachments of notes refer to them.
CREATE TABLE blobs (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  -- In hex; null while the parts are being written or erased, so that nobody sees half a file.
  sha256      TEXT,
  -- That count towards the workspace.
  size_bytes  INTEGER NOT NULL,
  -- How many names have it.
  uses        INTEGER NOT NULL,
  -- Without sha256: when a part was written last, in milliseconds since 1970; 0: to be erased.
  staged_at   INTEGER,
  -- The key of the row of study_blobs that has the bytes, until a job has moved them.
  study_blob  INTEGER,
  UNIQUE (workspace, sha256)
) STRICT;
CREATE INDEX blobs_unfinished ON blobs (staged_at) WHERE sha256 IS NULL;
CREATE INDEX blobs_unmoved ON blobs (key) WHERE study_blob IS NOT NULL;

-- Their bytes, 256 KiB in each row but the last one, so that a range reads only its rows.
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

-- The bytes of media stay where they are at first: moving them here would hold the start for minutes.
INSERT INTO blobs (workspace, sha256, size_bytes, uses, study_blob)
  SELECT workspace, sha256, octet_length(bytes),
    (SELECT count(*) FROM study_media WHERE study_media.workspace = study_blobs.workspace
       AND study_media.sha256 = study_blobs.sha256),
    key
  FROM study_blobs;

-- Files that notes show or link to by their names, as in an Obsidian vault.
CREATE TABLE note_attachments (
  key          INTEGER PRIMARY KEY,
  workspace    TEXT NOT NULL,
  id           TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  name         TEXT NOT NULL,
  -- The name in the form in which names are compared.
  name_key     TEXT NOT NULL,
  folder       TEXT,
  -- What the bytes are, never what the name says.
  content_type TEXT NOT NULL,
  -- Of the blob, in hex.
  sha256       TEXT NOT NULL,
  -- Of the content.
  size_bytes   INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;
CREATE UNIQUE INDEX note_attachments_by_path ON note_attachments (workspace, coalesce(folder, ''), name);
CREATE INDEX note_attachments_by_name ON note_attachments (workspace, name_key);
CREATE INDEX note_attachments_by_hash ON note_attachments (workspace, sha256, size_bytes);
