-- When a resource went to the trash is `deleted_at` in every table. Indexes and triggers follow by themselves.
ALTER TABLE study_decks RENAME COLUMN trashed_at TO deleted_at;
ALTER TABLE study_facts RENAME COLUMN trashed_at TO deleted_at;
ALTER TABLE study_cards RENAME COLUMN trashed_at TO deleted_at;
