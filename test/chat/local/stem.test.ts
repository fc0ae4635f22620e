import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { stem } from '../../../src/chat/local/stem'

const ENDINGS =
  's es ies sses ed eed ing ational tional enci anci izer logi bli ble alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll y'.split(
    ' ',
  )

const word = fc
  .tuple(fc.stringMatching(/^[a-z]{1,7}$/), fc.array(fc.constantFrom(...ENDINGS), { maxLength: 3 }))
  .map(([root, endings]) => root + endings.join(''))

test('a word has the stem that the full-text index gives it', () => {
  const db = new Database(':memory:')
  db.run(`CREATE VIRTUAL TABLE words USING fts5(word, tokenize = "porter unicode61 remove_diacritics 2")`)
  db.run(`CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance')`)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 50 }), (words) => {
      db.run('DELETE FROM words')
      for (const [i, each] of words.entries()) db.query('INSERT INTO words (rowid, word) VALUES (?, ?)').run(i, each)
      const rows = db.query('SELECT term FROM terms ORDER BY doc').all() as { term: string }[]
      expect(words.map(stem)).toEqual(rows.map(({ term }) => term))
    }),
    { numRuns: 200 },
  )
})

test('forms of one word share a stem', () => {
  expect(['connect', 'connected', 'connecting', 'connection', 'connections'].map(stem)).toEqual(
    Array(5).fill('connect'),
  )
  expect(stem('happiness')).toBe(stem('happy'))
})
