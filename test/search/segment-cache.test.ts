import { expect, test } from 'bun:test'
import { listSegments, type StoredSegment } from '../../src/search/index-store'
import { SegmentCache } from '../../src/search/segment-cache'
import { makeIndexed, OWN } from './indexed'

test('segments that are held are told even if reading the others drops them', async () => {
  const indexed = await makeIndexed()
  for (let key = 1; key <= 3; key++) {
    for (let n = 0; n < key; n++) await indexed.write(10 * key + n, { body: 'word' })
    await indexed.step()
  }
  const all = (await indexed.segments()).map(({ segment }) => segment)
  expect(all).toHaveLength(3)
  const segments = await listSegments(indexed.db, OWN)
  for (let first = 0; first < 3; first++)
    for (let bytes = 0; bytes < 4000; bytes += 21) {
      const held = new SegmentCache<StoredSegment>(bytes)
      const one = segments[first] as StoredSegment
      held.add(one.segment, one, 21 * one.documents.count)
      for (let again = 0; again < 2; again++)
        expect((await listSegments(indexed.db, OWN, held)).map(({ segment }) => segment)).toEqual(all)
    }
})

test('very many small things take no more than all may', () => {
  const held = new SegmentCache<number>(100_000)
  for (let segment = 1; segment <= 100_000; segment++) held.add(segment, segment, 1)
  const left = Array.from({ length: 100_000 }, (_, i) => held.get(i + 1)).filter((one) => one !== undefined)
  expect(left.length).toBeGreaterThan(10)
  expect(left.length).toBeLessThan(1000)
  expect(left.at(-1)).toBe(100_000)
})
