-- Lists of notes in the order of a property: numbers, each as one however it is written, then text.
CREATE INDEX note_properties_in_order ON note_properties (
  workspace, name, (number IS NULL), coalesce(number, 0), (CASE WHEN number IS NULL THEN value ELSE '' END)
);
