import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Layout } from '../../../src/flashcards/anki/open-package'
import { KEY_LIMITS, SCRATCH_LIMITS } from '../../../src/flashcards/anki/read-package'
import { spent } from '../../support/cost'
import { runs, slow } from '../../support/full'
import { type Entry, zipOf } from '../../support/zip'
import { collectionOf, entriesOf, packageOf, type Source } from './build'
import { hostilePackages, legacy } from './hostile'
import { BASIC, codesIn, factsIn, itemsOf, outcome, SMALL as source } from './support'

describe('a package is refused, soon and for little memory, that', () => {
  test.each(hostilePackages)('%s (%s)', async (_, code, bytes) => {
    const before = process.memoryUsage().rss
    const { ms } = await spent(async () => expect(await outcome(bytes)).toBe(code))
    expect(ms).toBeLessThan(2000)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
  })

  test('has more cards, reviews or files than allowed', async () => {
    const many: Source = {
      ...source,
      cards: [1, 2, 3].map((id) => ({ id, nid: 1, did: 100 })),
      reviews: [1, 2, 3].map((id) => ({ id, cid: 1, ease: 3 })),
    }
    const bytes = packageOf('latest', many)
    expect(await outcome(bytes, { ...KEY_LIMITS, cards: 3, reviews: 3 })).toBe('ok')
    expect(await outcome(bytes, { ...KEY_LIMITS, cards: 2 })).toBe('too_large')
    expect(await outcome(bytes, { ...KEY_LIMITS, reviews: 2 })).toBe('too_large')
    expect(await outcome(bytes, { ...KEY_LIMITS, entries: 1 })).toBe('too_large')
  })

  test('is a zip bomb by count', async () => {
    const bytes = zipOf(
      Array.from({ length: SCRATCH_LIMITS.entries + 1 }, (_, i) => ({ name: `${i}`, data: '', method: 0 })),
    )
    expect(await outcome(bytes, SCRATCH_LIMITS)).toBe('too_large')
  })

  test.each<Layout>(['legacy1', 'legacy2', 'latest'])('has a larger collection than allowed (%s)', async (layout) => {
    expect(await outcome(packageOf(layout, source), { ...KEY_LIMITS, collection: 16_000 })).toBe('too_large')
  })

  test('comes to more bytes in all than allowed, though each file is small', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.bin`, 'x'.repeat(200_000)]))
    const bytes = packageOf('latest', { ...source, media: files })
    expect(await outcome(bytes)).toBe('ok')
    expect(await outcome(bytes, { ...SCRATCH_LIMITS, unpacked: 4 * 2 ** 20 })).toBe('too_large')
  })
})

describe('a media file is dropped with a line, and the rest is read, that', () => {
  const lines = async (media: Record<string, string>, change: (entries: Entry[]) => Entry[] = (entries) => entries) => {
    const items = await itemsOf(zipOf(change(entriesOf('legacy1', { ...source, media }))))
    expect(factsIn(items)).toHaveLength(1)
    return [codesIn(items), items.flatMap((item) => (item.kind === 'media' ? [item.name] : []))]
  }

  test.each(['../x', 'a/b', 'a\\b', '.hidden', '', 'a\nb', 'x'.repeat(256)])('is named %j', async (name) => {
    expect(await lines({ [name]: 'x', 'good.png': 'y' })).toEqual([['media_name'], ['good.png']])
  })

  test('is too large, damaged or not there', async () => {
    const broken = (entries: Entry[]): Entry[] =>
      entries.flatMap((entry) => (entry.name === '1' ? [{ ...entry, crc: 1 }] : entry.name === '2' ? [] : [entry]))
    const media = { 'large.bin': 'x', 'broken.bin': 'x', 'lost.bin': 'x', 'good.png': 'y' }
    const large = (entries: Entry[]): Entry[] =>
      broken(entries).map((entry) => (entry.name === '0' ? { ...entry, data: noise(9 * 2 ** 20), method: 0 } : entry))
    expect(await lines(media, large)).toEqual([['too_large', 'corrupt_entry', 'missing_entry'], ['good.png']])
  })

  test('has the name of another one, composed', async () => {
    expect(await lines({ 'e\u0301.png': 'x', 'é.png': 'y' })).toEqual([['duplicate_name'], ['é.png']])
  })
})

describe('a package is read, soon, that', () => {
  const readSoon = async (given: Source) => {
    let items: Awaited<ReturnType<typeof itemsOf>> = []
    const { ms } = await spent(async () => {
      items = await itemsOf(packageOf('legacy1', given))
    })
    expect(ms).toBeLessThan(5000)
    return items
  }

  slow('has tens of thousands of notetypes', async () => {
    const notetypes = Array.from({ length: 50_000 }, (_, id) => ({ ...BASIC, id }))
    expect(factsIn(await readSoon({ ...source, notetypes }))).toHaveLength(1)
  })

  test('has a deck below tens of thousands of others', async () => {
    const decks = [{ id: 100, name: Array(50_000).fill('deck').join('::') }]
    const items = await readSoon({ ...source, decks })
    expect(items.filter(({ kind }) => kind === 'deck')).toHaveLength(1)
  })

  test('has notes, cards and answers that belong to nothing', async () => {
    const cards = Array.from({ length: 20_000 }, (_, id) => ({ id, nid: -id, did: id, ord: id - 100 }))
    const reviews = cards.map(({ id }) => ({ id: id + 1, cid: id + 50_000, ease: id % 7 }))
    const [ignored, ...items] = await readSoon({ ...source, cards, reviews, decks: [] })
    expect(ignored).toMatchObject({ components: [{ count: 20_000 }, { count: 20_000 }] })
    expect(factsIn(items)).toHaveLength(1)
  })

  test('has a deck among its own ancestors, or of no name', async () => {
    const decks = [
      { id: 100, name: 'A::A::A' },
      { id: 101, name: '' },
    ]
    const items = await readSoon({ ...source, decks })
    expect(items.flatMap((item) => (item.kind === 'deck' ? [item.path.join('::')] : []))).toEqual(['A::A::A'])
  })
})

test('other entries of the archive are never opened', async () => {
  const evil = { name: '../../etc/passwd', data: 'x', crc: 1 }
  expect(
    factsIn(await itemsOf(zipOf([evil, ...legacy, { ...evil, name: 'collection.anki3', method: 14 }]))),
  ).toHaveLength(1)
})

test('a package with any bytes changed is read, or refused with a fault of its own', async () => {
  const packages = [
    packageOf('legacy1', source),
    packageOf('latest', source),
    zipOf(legacy.map((e) => ({ ...e, method: 0 }))),
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.nat(2),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      async (which, changes) => {
        const bytes = (packages[which] ?? new Uint8Array()).slice()
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        expect(['ok', 'invalid_package', 'unsupported_package', 'too_large']).toContain(await outcome(bytes))
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a collection with any bytes changed is read, or refused with a fault of its own', async () => {
  const file = collectionOf(source, 11)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(file)
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      const zip = zipOf([{ name: 'collection.anki2', data: bytes, method: 0 }])
      expect(['ok', 'invalid_package', 'unsupported_package', 'too_large']).toContain(await outcome(zip))
    }),
    { numRuns: runs(300) },
  )
})

/** Bytes that no compression makes smaller. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0, state = 1; i < length; i++) {
    state = (state * 48_271) % 2_147_483_647
    bytes[i] = state
  }
  return bytes
}
