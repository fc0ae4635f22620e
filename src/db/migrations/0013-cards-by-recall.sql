-- The index of reviews holds what recall is reckoned from: an order by it of ten thousand cards that are due takes five
-- times as long where it reads their rows.
DROP INDEX study_cards_review;
CREATE INDEX study_cards_review
  ON study_cards (workspace, deck, due_day, id, fact, buried_until, stability, last_reviewed_at)
  WHERE trashed_at IS NULL AND suspended = 0 AND state = 'review';
