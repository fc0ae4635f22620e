import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../../../src/search/fold'
import { toNeedle } from '../../../src/search/needle'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { type Caller, makeCallers } from './callers'

const { world, stranger, ask, items, titles, create } = await makeCallers()
afterAll(world.close)

const wordsOf = (folded: string) => folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

const body = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'))

/** What stands between blanks, as phrases, so that no sign is an operator. */
const phrasesOf = (text: string) =>
  text
    .split(/[\s"]+/)
    .filter((word) => word !== '')
    .map((word) => `"${Array.from(word).slice(0, 100).join('')}"`)

async function found(me: Caller, id: string, text: string): Promise<boolean[]> {
  const phrases = phrasesOf(text)
  return Promise.all(phrases.map(async (q) => (await items(me, q)).some((one) => one.id === id)))
}

describe('the index', () => {
  test('knows every word of a note after it is created, edited and restored, and none after it goes', async () => {
    await fc.assert(
      fc.asyncProperty(body, body, async (first, second) => {
        const me = stranger()
        const { id } = await create(me, { title: 'T', body: first })
        expect(await found(me, id, first)).not.toContain(false)
        await world.call(me, 'PATCH', `/api/notes/${id}`, { body: second })
        expect(await found(me, id, second)).not.toContain(false)
        const gone = wordsOf(fold(first)).filter((word) => !fold(second).includes(word) && word !== 't')
        expect(await found(me, id, gone.join(' '))).not.toContain(true)
        await world.call(me, 'DELETE', `/api/notes/${id}`)
        expect(await found(me, id, `${first} ${second} T`)).not.toContain(true)
        await world.call(me, 'POST', `/api/notes/${id}/restore`)
        expect(await found(me, id, second)).not.toContain(false)
        await world.call(me, 'DELETE', `/api/notes/${id}?permanent=true`)
        expect(await titles(me, '-zzzz')).toEqual([])
      }),
      { numRuns: runs(60) },
    )
  })

  test('built anew from the bodies gives the same answers', async () => {
    const [me, copy] = [stranger(), stranger()]
    const queries = ['a', 'b*', '*b*', '会議', '議', '-a', 'a OR +', 'title:a', 'has:code', 'has:heading', '"a b"']
    const words = fc.sample(
      fc.array(fc.constantFrom('a', 'b', 'ab', '会議', '+', '# a', '`b`', '\n'), { maxLength: 8 }),
      { numRuns: 60, seed: 3 },
    )
    const ids: string[] = []
    for (const [n, text] of words.entries()) {
      const id = ids[n % 7] ?? (await create(me, { title: `n${n}`, body: '' })).id
      if (n < 7) ids.push(id)
      await world.call(me, 'PATCH', `/api/notes/${id}`, { body: text.join(' ') })
      if (n % 5 === 0) await world.call(me, 'DELETE', `/api/notes/${id}`)
      if (n % 3 === 0) await world.call(me, 'POST', `/api/notes/${id}/restore`)
    }
    const { items: living } = (await world.call(me, 'GET', '/api/notes?include=body&sort=updated')).body
    expect(living.length).toBeGreaterThan(3)
    for (const note of living) await create(copy, { id: note.id, title: note.title, body: note.body })
    for (const q of queries)
      for (const more of [{}, { sort: '-updated' }] as Record<string, string>[]) {
        const [kept, anew] = await Promise.all([me, copy].map((who) => titles(who, q, more)))
        expect([q, kept?.sort()]).toEqual([q, anew?.sort()])
      }
  })
})

describe('the order', () => {
  test('is title, then tags, then body, shorter ones first, and words in a row before words apart', async () => {
    const me = stranger()
    const made = [
      { title: 'thread and needle', tags: ['needle'] },
      { title: 'needle' },
      { title: 'thread', tags: ['needle'] },
      { title: 'tagged', tags: ['needle', 'thread'] },
      { title: 'long', body: `thread ${'hay '.repeat(50)} needle` },
      { title: 'short', body: `needle ${'straw '.repeat(12)} thread` },
    ]
    for (const one of made) {
      world.clock.now += 1000
      await create(me, one)
    }
    const orders = {
      needle: ['needle', 'thread and needle', 'thread', 'tagged', 'short', 'long'],
      'title:needle OR body:needle': ['needle', 'thread and needle', 'short', 'long'],
      // With one of the words alone, it comes after those with both, although it is in the title.
      'needle thread': ['tagged', 'thread and needle', 'thread', 'short', 'long', 'needle'],
      'needle -is:pinned': ['needle', 'thread and needle', 'thread', 'tagged', 'short', 'long'],
      '-zzz': ['short', 'long', 'tagged', 'thread', 'needle', 'thread and needle'],
    }
    for (const [q, order] of Object.entries(orders)) expect([q, await titles(me, q)]).toEqual([q, order])
  })

  test('of equal ranks is that of the last writing, and the same on every page', async () => {
    const me = stranger()
    for (let n = 0; n < 30; n++) {
      world.clock.now += n % 3 === 0 ? 1000 : 0
      await create(me, { title: 'same', body: 'same words 会議' })
    }
    for (const q of ['words', '会議', '*ord*', 'words 会議', '-zzz', 'words OR is:pinned']) {
      const all = await items(me, q)
      const sorted = all.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at) || b.id.localeCompare(a.id))
      expect([q, all.map(({ id }) => id)]).toEqual([q, sorted.map(({ id }) => id)])
      const paged: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const answer = await ask(me, q, { limit: '7', ...(cursor === '' ? {} : { cursor }) })
        paged.push(...answer.body.items.map(({ id }: { id: string }) => id))
        cursor = answer.body.next_cursor
      }
      expect(paged).toEqual(all.map(({ id }) => id))
    }
  })

  test('without words is that of the last change, such as a pin', async () => {
    const me = stranger()
    const made: string[] = []
    for (let n = 0; n < 9; n++) {
      world.clock.now += 1000
      made.push((await create(me, { title: 'same', body: 'equal' })).id)
    }
    world.clock.now += 1000
    const [first = '', second = '', ...others] = made
    await world.call(me, 'PATCH', `/api/notes/${second}`, { pinned: true })
    const newest = [second, ...others.toReversed(), first]
    for (const q of ['-zzz', 'is:untagged', '-tag:x'])
      expect((await items(me, q, { limit: '3' })).map(({ id }) => id)).toEqual(newest.slice(0, 3))
  })
})

describe('a snippet', () => {
  test('is the example of the page', async () => {
    const me = stranger()
    await create(me, { title: 'Reise', body: 'Treffpunkt: Zürcher Hauptbahnhof, Gleis 7' })
    expect((await items(me, 'zurcher -tag:done'))[0]?.snippets).toEqual([
      { field: 'body', text: 'Treffpunkt: Zürcher Hauptbahnhof, Gleis 7', ranges: [[12, 19]] },
    ])
  })

  test('shows each field that was found, and nothing of what must not be there', async () => {
    const me = stranger()
    await create(me, { title: 'A cat', tags: ['dog', 'cat'], body: 'no\n\nCat 😀 cats, tomcat' })
    expect((await items(me, 'cat* -bird'))[0]?.snippets).toEqual([
      { field: 'title', text: 'A cat', ranges: [[2, 5]] },
      { field: 'tags', text: 'dog cat', ranges: [[4, 7]] },
      {
        field: 'body',
        text: 'no  Cat 😀 cats, tomcat',
        ranges: [
          [4, 7],
          [10, 14],
        ],
      },
    ])
    expect((await items(me, 'title:cat'))[0]?.snippets.map(({ field }) => field)).toEqual(['title'])
    expect((await items(me, '*at*'))[0]?.snippets[2]?.ranges).toEqual([
      [5, 7],
      [11, 13],
      [20, 22],
    ])
  })

  test('points at what was found, wherever it stands, in at most 240 code points', async () => {
    const filler = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .filter((text) => text.isWellFormed() && !text.includes('\0'))
    const needle = fc.constantFrom('Café', 'CAFE\u0301', 'cafe', '会議録', '++', '🤩', 'naïve x', '10:30')
    await fc.assert(
      fc.asyncProperty(
        filler,
        filler,
        needle,
        fc.integer({ min: 0, max: 300 }),
        async (before, after, wanted, times) => {
          const me = stranger()
          await create(me, { title: 'T', body: `${`${before} `.repeat(times)}${wanted} ${after}` })
          const [item] = await items(me, `"${wanted}"`)
          const snippet = item?.snippets.find(({ field }) => field === 'body')
          const characters = Array.from(snippet?.text ?? '')
          expect(characters.length).toBeWithin(1, 241)
          expect(snippet?.ranges.length).toBeGreaterThan(0)
          let last = -1
          for (const [start, end] of snippet?.ranges ?? []) {
            expect(start).toBeGreaterThanOrEqual(last)
            last = end
            const pointed = fold(characters.slice(start, end).join(''))
            const looked = toNeedle({ kind: 'text', field: null, text: wanted, match: 'whole' })
            if (looked.how === 'words') expect(wordsOf(pointed)).toEqual(wordsOf(fold(wanted)))
            else if (end < 240) expect(pointed).toContain(looked.text)
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })

  test('cannot be forged by markers in the text, and is quick for notes of 1 MiB', async () => {
    const me = stranger()
    await create(me, { title: 'marks', body: '\u0001<b>[[x]]</b>\u0002 <mark>needle</mark> \ue000' })
    expect((await items(me, 'needle'))[0]?.snippets[0]).toEqual({
      field: 'body',
      text: '\u0001<b>[[x]]</b>\u0002 <mark>needle</mark> \ue000',
      ranges: [[21, 27]],
    })
    for (let n = 0; n < 5; n++) await create(me, { title: 'big', body: `${'é '.repeat(340_000)}stack` })
    expect(await items(me, 'stack')).toHaveLength(5)
    expect(await cost(1000, () => items(me, 'stack'))).toBeLessThan(1000)
  })
})
