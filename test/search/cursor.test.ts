import { expect, test } from 'bun:test'
import { readPosition, writePosition } from '../../src/search/cursor'
import { makeIndexed } from './indexed'
import { encoderOf } from './meaning/model'

/** What the schema of a cursor takes, in characters. */
const MOST_CHARACTERS = 4096

const numbered = (letter: string, count: number, add = '') =>
  Array.from(
    { length: count },
    (_, i) => `${letter.repeat(8)}${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}${add}`,
  )

async function makeNotes() {
  const indexed = await makeIndexed(encoderOf())
  const shared = numbered('д', 40, 'яяяяя').join(' ')
  for (let key = 1; key <= 50; key++) {
    const own = numbered('b', 60).slice(key).join(' ')
    await indexed.write(key, {
      title: `note ${key}`,
      body: `${own} ${shared} plain${key} ${numbered('c', 40, '++').join(' ')}`,
    })
  }
  for (let key = 51; key <= 600; key++) await indexed.write(key, { body: `other ${key}` })
  await indexed.embed()
  return indexed
}

test('a cursor fits into a request, whatever was asked, and goes on where the page ended', async () => {
  const indexed = await makeNotes()
  const words = numbered('b', 60)
  for (const [name, query] of Object.entries({
    'few words': words.slice(0, 3).join(' '),
    'words that occur nowhere': [...numbered('z', 190), ...words].join(' '),
    'long words that occur nowhere': [...numbered('z', 190, 'z'.repeat(40)), ...words].join(' '),
    'words of other scripts that occur nowhere': [...numbered('щ', 190), ...words].join(' '),
    'very many typos': [...words.map((word) => `${word.slice(0, 4)}x${word.slice(5)}`), ...words].join(' '),
    'more words than count': [
      ...words,
      ...Array.from({ length: 50 }, (_, i) => `plain${i + 1}`),
      ...numbered('z', 100),
    ].join(' '),
    'very many names': [...numbered('c', 200, '++'), ...words].join(' '),
  })) {
    const first = await indexed.find(query, { limit: 5 })
    const cursor = first.next && writePosition('list', first.next)
    expect([name, (cursor ?? '').length]).toEqual([name, expect.any(Number)])
    expect((cursor ?? '').length).toBeGreaterThan(0)
    expect((cursor ?? '').length).toBeLessThanOrEqual(MOST_CHARACTERS)
    const whole = await indexed.find(query, { limit: 10 })
    const second = await indexed.find(query, { limit: 5, after: readPosition(cursor ?? '', 'list') })
    const docs = [...first.found, ...second.found].map(({ doc }) => doc)
    expect([name, docs]).toEqual([name, whole.found.map(({ doc }) => doc)])
    expect([second.ignored, second.corrected]).toEqual([first.ignored, first.corrected])
  }
})

test('of more words than count, later pages look for those of the first, whatever is written meanwhile', async () => {
  const indexed = await makeIndexed()
  const words = numbered('b', 80)
  for (let key = 1; key <= 40; key++) await indexed.write(key, { body: words.slice(key % 20).join(' ') })
  const query = words.join(' ')
  const first = await indexed.find(query, { limit: 5 })
  const before = await indexed.find(query, { limit: 35, after: first.next })
  // What was rare is commoner than the rest now.
  for (let key = 41; key <= 80; key++) await indexed.write(key, { body: words.slice(0, 16).join(' ') })
  const after = await indexed.find(query, { limit: 35, after: first.next })
  expect(before.found).toHaveLength(35)
  const named = ({ found }: typeof before) => found.map(({ doc, words }) => [doc, words])
  expect(named(after)).toEqual(named(before))
})

test('what is written between two pages is on no page, even after the best', async () => {
  const indexed = await makeIndexed()
  for (let key = 1; key <= 300; key++) await indexed.write(key, { body: key % 2 ? 'grape fig' : 'grape' })
  const keys: number[] = []
  let after: Awaited<ReturnType<typeof indexed.find>>['next'] = null
  for (let page = 0; page === 0 || after; page++) {
    const { found, next } = await indexed.find('grape fig', { limit: 40, after })
    keys.push(...found.map(({ key }) => key))
    after = next
    await indexed.write(1000 + page, { body: page % 2 ? 'grape' : 'grape fig' })
  }
  const [all, some] = [1, 0].map((odd) => Array.from({ length: 150 }, (_, i) => 2 * i + 2 - odd))
  expect(keys.slice(0, 150).sort((a, b) => a - b)).toEqual(all ?? [])
  expect(keys.slice(150).sort((a, b) => a - b)).toEqual(some ?? [])
  await indexed.db.close()
})
