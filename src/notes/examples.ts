/** One small note, as the documentation shows it in every answer that holds a note. */

const [id, other] = ['01980000-0000-7000-8000-000000000000', '01980000-0000-7000-8000-000000000001']

export const summaryExample = {
  id,
  revision: 2,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  deleted_at: null,
  title: 'Trip to Lisbon',
  folder: 'Work/Plans',
  tags: ['travel'],
  inline_tags: ['train'],
  pinned: false,
  archived_at: null,
  source: null,
  daily_date: null,
  excerpt: 'Plan book the #train call Ana',
  word_count: 7,
  checklist: { total: 2, done: 1 },
  links: { out: 0, unresolved: 0, in: 1 },
}

export const noteExample = {
  ...summaryExample,
  body: '# Plan\n\n- [x] book the #train\n- [ ] call Ana\n',
  properties: { color: 'blue' },
}

export const outlineExample = {
  items: [{ level: 1, text: 'Plan', path: ['Plan'], line: 1, start: 0, end: 45, word_count: 6 }],
}

export const revisionExample = {
  revision: 1,
  updated_at: '2026-03-01T08:15:00.000Z',
  label: 'as sent to Ana',
  title: 'Trip to Lisbon',
  folder: 'Work/Plans',
  tags: ['travel'],
}

export const foundExample = {
  items: [{ note: summaryExample, snippets: [{ field: 'title', text: 'Trip to Lisbon', ranges: [[8, 14]] }] }],
  relaxed: 'none',
  ignored: [],
  corrected: [],
  meaning: false,
  ranking_limited: false,
  next_cursor: null,
}

export const relatedExample = { items: [summaryExample], by: 'words' }

export const batchExample = {
  items: [
    { index: 0, status: 200, id, body: summaryExample },
    { index: 1, status: 204, id: other, body: null },
  ],
}
