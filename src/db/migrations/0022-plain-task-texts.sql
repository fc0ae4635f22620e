-- A task's text is stored beside the task only where SQLite cannot tell as much from `title_key` and `notes`, or where the
-- index of search may not have all of it: see src/tasks/filter/text.ts. What stays although it need not does no harm.
DELETE FROM task_texts WHERE
  text NOT GLOB '*' || replace(hex(zeroblob(32)), '0', '[0-9A-Za-z' || char(128) || '-' || char(1114111) || ']') || '*'
  AND text = (SELECT title_key || char(10) || trim(
    replace(replace(replace(replace(replace(replace(lower(tasks.notes),
      char(9), ' '), char(10), ' '), char(13), ' '), ' ', ' ' || char(1)), char(1) || ' ', ''), char(1), ''))
    FROM tasks WHERE tasks.key = task AND instr(tasks.notes, char(1)) = 0);
