-- What the search over everything looks through, of all but notes, which have full text tables of their own. Nothing was
-- released before this migration, so there are no tasks and flashcards to fold here.
--
-- Of a workspace and a type they lie side by side, since a text is looked for in all of them. `task_texts` and
-- `study_fact_texts` cannot serve: they keep accents and do not tell title, tags and body apart.
CREATE TABLE search_texts (
  workspace   TEXT NOT NULL,
  type        TEXT NOT NULL CHECK (type IN ('task', 'fact')),
  -- That of its row in `tasks` or `study_facts`, living or in the trash.
  key         INTEGER NOT NULL,
  -- Code points of `text` before its body.
  heading     INTEGER NOT NULL,
  -- Tags as tags are compared, each between line breaks.
  tag_keys    TEXT NOT NULL,
  -- Title, tags and body, folded: the words alone, each between blanks, and the whole text. See src/search/texts.ts.
  words       TEXT NOT NULL,
  text        TEXT NOT NULL,
  PRIMARY KEY (workspace, type, key)
) STRICT, WITHOUT ROWID;

-- A foreign key would have to look in every workspace.
CREATE TRIGGER search_texts_of_task AFTER DELETE ON tasks BEGIN
  DELETE FROM search_texts WHERE workspace = OLD.workspace AND type = 'task' AND key = OLD.key;
END;

CREATE TRIGGER search_texts_of_fact AFTER DELETE ON study_facts BEGIN
  DELETE FROM search_texts WHERE workspace = OLD.workspace AND type = 'fact' AND key = OLD.key;
END;
