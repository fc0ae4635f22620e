/** A line of data/note_type.jsonl. */
export const NOTE_TYPE_LINE = {
  ...{ id: '01890000-0000-7000-8000-00000000fffe', revision: 1 },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  ...{ anki_id: 1, name: 'Words', kind: 'standard', fields: ['Front'], css: '', settings: null },
  templates: [{ name: 'Card 1', question: '{{Front}}', answer: '{{FrontSide}}' }],
}
