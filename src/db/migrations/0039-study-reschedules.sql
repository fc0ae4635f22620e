-- The last change of settings of a workspace that moved due days, until it is undone.
CREATE TABLE study_reschedules (
  workspace   TEXT PRIMARY KEY,
  id          TEXT NOT NULL,
  -- JSON: the id of the deck, or null for deck_defaults; its own settings before and after, those that move due days.
  change      TEXT NOT NULL
) STRICT;

-- Where cards were due before they were moved. Of a card only the last move is kept, so the table never outgrows the cards.
CREATE TABLE study_moved_cards (
  card        INTEGER PRIMARY KEY REFERENCES study_cards (key) ON DELETE CASCADE,
  workspace   TEXT NOT NULL,
  -- The id of what moved it.
  reschedule  TEXT NOT NULL,
  due_day     INTEGER NOT NULL,
  scheduled_days INTEGER NOT NULL,
  -- The due day that it was moved to.
  moved_to    INTEGER NOT NULL,
  -- Of the card then: it was answered since if it has others now.
  reps        INTEGER NOT NULL
) STRICT;

CREATE INDEX study_moved_cards_by_reschedule ON study_moved_cards (workspace, reschedule);
