import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { computeNearness, findNearest, quantize, readVectors } from '../../../src/search/meaning/nearest'
import { MAX_PASSAGES, splitPassages } from '../../../src/search/meaning/passages'
import { makeIndexed, OWN } from '../indexed'

const unit = (numbers: readonly number[]) => {
  const length = Math.hypot(...numbers) || 1
  return Float32Array.from(numbers, (number) => number / length)
}
const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 }).map(unit)

test('eight bits keep a cosine to a hundredth, and the nearest is the nearest of all passages', () => {
  fc.assert(
    fc.property(vector, fc.array(vector, { minLength: 1, maxLength: 5 }), (query, passages) => {
      const dot = (other: Float32Array) => other.reduce((sum, number, i) => sum + number * (query[i] ?? 0), 0)
      const vectors = quantize(passages)
      expect(vectors.length).toEqual(24 * passages.length)
      const nearness = computeNearness([query], vectors) ?? Number.NaN
      expect(Math.abs(nearness - Math.max(...passages.map(dot)))).toBeLessThan(0.02)
      const read = readVectors(vectors, 24)
      const off = read.flatMap((own, n) => Array.from(own, (number, i) => Math.abs(number - (passages[n]?.[i] ?? 0))))
      expect(Math.max(...off)).toBeLessThan(0.02)
    }),
  )
})

test.each([
  ['all of a workspace', 1, 300],
  ['the newest up to 16 MiB', 16 * 1024, 200],
])('%s is compared', async (_, passages, compared) => {
  const { db } = await makeIndexed()
  const one = quantize(Array(passages).fill(unit([1, 2, 3, 4, 5, 6, 7, 8])))
  const allowed = Array.from({ length: 300 }, (_, i) => ({ doc: i + 1, type: 'note' as const, key: 1000 + i }))
  await db.transaction(async (tx) => {
    for (const { key } of allowed)
      await tx.run(
        "INSERT INTO search_vectors (workspace, type, key, id, hash, vectors) VALUES ($1, 'note', $2, $3, '', $4)",
        [OWN, key, String(key), one],
      )
  })
  const session = { db, workspace: { id: OWN, kind: 'key' as const } }
  const near = await findNearest(session, [unit([1, 0, 0, 0, 0, 0, 0, 0])], allowed, 1000)
  expect([near.length, near[0]?.doc, near.at(-1)?.doc]).toEqual([compared, 300, 301 - compared])
  await db.close()
})

test('passages are bounded in number and length, and lose no word of a text that fits', () => {
  const text = fc.array(
    fc.oneof(fc.lorem({ maxCount: 60 }), fc.constantFrom('# One', '## Two', '', '```', '😀'.repeat(700))),
  )
  fc.assert(
    fc.property(fc.lorem(), text, (title, lines) => {
      const passages = splitPassages({ title, tags: ['tag'], body: lines.join('\n') })
      expect(passages.length).toBeLessThanOrEqual(MAX_PASSAGES)
      for (const passage of passages) {
        expect(passage.length).toBeLessThanOrEqual(1000)
        expect(passage.isWellFormed()).toBeTrue()
      }
      const whole = passages.join(' ')
      if (lines.join('\n').length < 8000)
        for (const word of lines.join(' ').match(/[a-z]+/g) ?? []) expect(whole).toContain(word)
    }),
  )
})

test('a passage stands below its title and headings; in code nothing is a heading', () => {
  const body = '# Trips\nAll of them.\n## Lisbon\nBy train.\n\n```\n# not one\n```\n# Food\nSoup.'
  expect(splitPassages({ title: 'Plans', tags: ['a/b'], body })).toEqual([
    'Plans · a/b\nTrips\nAll of them.',
    'Plans · a/b\nTrips › Lisbon\nBy train.\n```\n# not one\n```',
    'Plans · a/b\nFood\nSoup.',
  ])
  expect(splitPassages({ title: 'Alone', tags: [], body: '' })).toEqual(['Alone'])
  expect(splitPassages({ title: '—', tags: [], body: '***' })).toEqual([])
})
