-- `key` is ours alone: what hangs on a row is found by a number. Everywhere else it is (workspace, id). Instants are
-- milliseconds since 1970; a study day is whole days since 1970-01-01, a civil date at the edge.

CREATE TABLE study_decks (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  trashed_at  INTEGER,
  -- The id of the deck that took it along into the trash; restoring that brings it back.
  trashed_with TEXT,
  -- The key of the deck above it; at most 10 levels, never a circle.
  parent      INTEGER REFERENCES study_decks (key),
  -- 1..200 characters, and as names are compared.
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  -- At most 10,000 characters.
  description TEXT NOT NULL,
  -- JSON object of the settings that it overrides; what is not in it is inherited.
  settings    TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE UNIQUE INDEX study_decks_by_name ON study_decks (workspace, coalesce(parent, 0), name_key) WHERE trashed_at IS NULL;
CREATE INDEX study_decks_by_parent ON study_decks (parent) WHERE parent IS NOT NULL;
CREATE INDEX study_decks_in_order ON study_decks (workspace, name_key, id);
CREATE INDEX study_decks_trashed_with ON study_decks (workspace, trashed_with) WHERE trashed_with IS NOT NULL;

CREATE TABLE study_facts (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  trashed_at  INTEGER,
  -- The id of the deck that took it along into the trash; restoring that brings it back.
  trashed_with TEXT,
  deck        INTEGER NOT NULL REFERENCES study_decks (key),
  type        TEXT NOT NULL CHECK (type IN ('basic', 'reversed', 'typed', 'cloze')),
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
  source_note_id TEXT,
  source_url  TEXT,
  external_id TEXT,
  external_modified_at INTEGER,
  -- SHA-256 in hex of what makes two facts duplicates: type, and front or text, folded.
  duplicate_key TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX study_facts_by_deck ON study_facts (deck, id);
CREATE INDEX study_facts_by_type ON study_facts (workspace, type, id);
CREATE INDEX study_facts_by_duplicate ON study_facts (workspace, duplicate_key, id) WHERE trashed_at IS NULL;
CREATE INDEX study_facts_by_note ON study_facts (workspace, source_note_id) WHERE source_note_id IS NOT NULL;
CREATE INDEX study_facts_in_trash ON study_facts (workspace, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX study_facts_trashed_with ON study_facts (workspace, trashed_with, id) WHERE trashed_with IS NOT NULL;
-- What was imported once is known again, also while it is in the trash.
CREATE UNIQUE INDEX study_facts_by_external_id ON study_facts (workspace, external_id) WHERE external_id IS NOT NULL;

-- Which facts carry which tag, by its folded form; also those in the trash.
CREATE TABLE study_fact_tags (
  workspace TEXT NOT NULL,
  tag_key   TEXT NOT NULL,
  fact      INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  PRIMARY KEY (workspace, tag_key, fact)
) STRICT, WITHOUT ROWID;

CREATE INDEX study_fact_tags_by_fact ON study_fact_tags (fact);

-- All texts of a fact, folded, a line each. A workspace's lie side by side, since a text is looked for in all of them.
CREATE TABLE study_fact_texts (
  workspace TEXT NOT NULL,
  fact      INTEGER NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (workspace, fact)
) STRICT, WITHOUT ROWID;

-- A foreign key would have to look for its fact in every workspace.
CREATE TRIGGER study_fact_texts_deleted AFTER DELETE ON study_facts BEGIN
  DELETE FROM study_fact_texts WHERE workspace = OLD.workspace AND fact = OLD.key;
END;

-- A card lives while its fact lives and still has its side or number; else it lies in the trash with its schedule.
CREATE TABLE study_cards (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  trashed_at  INTEGER,
  fact        INTEGER NOT NULL REFERENCES study_facts (key) ON DELETE CASCADE,
  -- The deck of its fact, kept here for the queue.
  deck        INTEGER NOT NULL,
  -- 0 and 1 for the sides; for cloze the number less one, 0..499. At most 50 of a fact live.
  ordinal     INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('new', 'learning', 'review', 'relearning')),
  -- The instant, for learning and relearning; the study day, for review. The other is null, for new both are.
  due_at      INTEGER,
  due_day     INTEGER,
  -- Null while new.
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
  -- Orders what is new; cards of one fact begin with the same.
  position    INTEGER NOT NULL,
  UNIQUE (workspace, id),
  UNIQUE (fact, ordinal)
) STRICT;

-- The queue: what may come up, by state, deck by deck or (learning) for the whole workspace.
CREATE INDEX study_cards_new ON study_cards (workspace, deck, position, id, fact, buried_until)
  WHERE trashed_at IS NULL AND suspended = 0 AND state = 'new';
CREATE INDEX study_cards_review ON study_cards (workspace, deck, due_day, id, fact, buried_until)
  WHERE trashed_at IS NULL AND suspended = 0 AND state = 'review';
CREATE INDEX study_cards_learning ON study_cards (workspace, due_at, id, deck, fact, buried_until)
  WHERE trashed_at IS NULL AND suspended = 0 AND state IN ('learning', 'relearning');
-- Counts of decks need no row: all that they ask of a card is in here.
CREATE INDEX study_cards_by_deck ON study_cards (workspace, deck, state, suspended, due_day, due_at, buried_until, trashed_at)
  WHERE trashed_at IS NULL;
-- Lists are ordered by id.
CREATE INDEX study_cards_in_deck ON study_cards (deck, id) WHERE trashed_at IS NULL;
CREATE INDEX study_cards_by_state ON study_cards (workspace, state, id) WHERE trashed_at IS NULL;
CREATE INDEX study_cards_by_position ON study_cards (workspace, position);
-- What a filter can ask for and few cards are.
CREATE INDEX study_cards_suspended ON study_cards (workspace, id) WHERE suspended = 1;
CREATE INDEX study_cards_leeches ON study_cards (workspace, id) WHERE leech = 1;
CREATE INDEX study_cards_flagged ON study_cards (workspace, flag, id) WHERE flag > 0;
CREATE INDEX study_cards_in_trash ON study_cards (workspace, id) WHERE trashed_at IS NOT NULL;

-- The log. `key` is the order of arrival and is given only once, also after what is erased.
CREATE TABLE study_reviews (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   TEXT NOT NULL,
  id          TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  card        INTEGER NOT NULL REFERENCES study_cards (key) ON DELETE CASCADE,
  kind        TEXT NOT NULL CHECK (kind IN ('learning', 'review', 'relearning', 'manual', 'import')),
  -- Null for manual.
  rating      INTEGER CHECK (rating BETWEEN 1 AND 4),
  reviewed_at INTEGER NOT NULL,
  study_day   INTEGER NOT NULL,
  -- 0..3,600,000.
  duration_ms INTEGER NOT NULL,
  -- Study days since the answer before, never below 0.
  elapsed_days INTEGER NOT NULL,
  -- At the answer, from the state before; null for a new card.
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
  -- SHA-256 in hex of the request that it answers: its repeat is answered with it. Null for manual and import.
  fingerprint TEXT,
  UNIQUE (workspace, id)
) STRICT;

CREATE INDEX study_reviews_by_card ON study_reviews (card, key);
-- What counts today, and the statistics, without what was undone.
CREATE INDEX study_reviews_by_day ON study_reviews (workspace, study_day, card, kind, was_new) WHERE undone_at IS NULL;
CREATE INDEX study_reviews_by_time ON study_reviews (workspace, reviewed_at, id);
-- The workspace's last answer by order of arrival.
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
  -- What the bytes are, never what the name says.
  content_type TEXT NOT NULL,
  -- In hex.
  sha256      TEXT NOT NULL,
  size_bytes  INTEGER NOT NULL,
  UNIQUE (workspace, id),
  UNIQUE (workspace, name)
) STRICT;

CREATE INDEX study_media_by_hash ON study_media (workspace, sha256);

-- Their bytes, once for each content of a workspace.
CREATE TABLE study_blobs (
  key         INTEGER PRIMARY KEY,
  workspace   TEXT NOT NULL,
  sha256      TEXT NOT NULL,
  -- At most 8 MiB.
  bytes       BLOB NOT NULL,
  UNIQUE (workspace, sha256)
) STRICT;
