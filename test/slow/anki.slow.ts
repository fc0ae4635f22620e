/** Hostile packages at length. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { collectionOf, packageOf } from '../flashcards/anki/build'
import { outcome, SMALL } from '../flashcards/anki/support'
import { zipOf } from '../support/zip'

const OUTCOMES = ['ok', 'invalid_package', 'unsupported_package', 'too_large']

test('30,000 packages with any bytes changed are read, or refused with a fault of their own', async () => {
  const packages = [packageOf('legacy1', SMALL), packageOf('latest', SMALL)]
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.nat(1), changes, async (which, all) => {
      expect(OUTCOMES).toContain(await outcome(changed(packages[which] ?? new Uint8Array(), all)))
    }),
    { numRuns: 15_000 },
  )
  const file = collectionOf(SMALL, 18)
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const latest = [{ name: 'collection.anki21b', data: Bun.zstdCompressSync(changed(file, all)), method: 0 }]
      expect(OUTCOMES).toContain(await outcome(zipOf(latest)))
    }),
    { numRuns: 15_000 },
  )
})

function changed(
  bytes: Uint8Array,
  changes: readonly (readonly [at: number, byte: number])[],
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  for (const [at, byte] of changes) copy[at % copy.length] = byte
  return copy
}
