-- 1 where the index of search may lack a part of the text: words that may be longer than a term, and letters that it joins;
-- see src/tasks/filter/text-store.ts. A filter looks for its text in the index, and in these. Here all are marked that may
-- have been such before they were folded, since a mark too many does no harm.
ALTER TABLE task_texts ADD COLUMN unindexed INTEGER NOT NULL DEFAULT 1 CHECK (unindexed IN (0, 1));
UPDATE task_texts SET unindexed = 0 WHERE
  -- Folding makes one letter of four at most.
  text NOT GLOB '*' || replace(hex(zeroblob(8)), '0', '[0-9A-Za-z' || char(128) || '-' || char(1114111) || ']') || '*'
  AND text NOT GLOB '*[' || char(4352) || '-' || char(4607) || char(12593) || '-' || char(12686)
    || char(44032) || '-' || char(55295) || char(65438) || '-' || char(65500) || ']*';
CREATE INDEX task_texts_unindexed ON task_texts (workspace, task) WHERE unindexed = 1;
