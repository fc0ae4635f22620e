import { expect, test } from 'bun:test'
import { cutAsking } from '../../src/search/plan'
import { makeIndexed } from './indexed'

/** What Japanese questions ask with. */

test.each([
  ['光合成とは', '光合成'],
  ['光合成とは何ですか？', '光合成'],
  ['図書館について教えてください', '図書館'],
  ['鍵はどこですか', '鍵'],
  ['塾はいつ', '塾'],
  ['選挙はどこでするの', '選挙'],
])('%s asks for %s', (question, content) => {
  expect(cutAsking(question).trim()).toBe(content)
})

test.each(['ぶどう', 'すいか', 'きのこの山', '光合成', 'いつもの店', 'what is the'])('%s stays as it is', (text) => {
  expect(cutAsking(text)).toBe(text)
})

test('a question finds what it asks for, and the ending alone is looked for as written', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { title: '鍵', body: '引き出しの中' })
  await indexed.write(2, { body: '財布はどこですかと聞いた' })
  const keys = async (query: string) => (await indexed.find(query)).found.map(({ key }) => key)
  expect(await keys('鍵はどこですか')).toEqual([1])
  expect(await keys('どこですか')).toEqual([2])
})
