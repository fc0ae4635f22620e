/**
 * Our packages in another program, and hostile ones at length:
 * `SLOW=1 bun test --timeout 900000 ./test/slow/anki.test.ts`. The first needs python3 with Mnemosyne 2.9 on its path.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { writePackage } from '../../src/flashcards/anki/write-package'
import { collectionOf, packageOf } from '../flashcards/anki/build'
import { exported, NEW, outcome, SMALL } from '../flashcards/anki/support'
import { makeFolder } from '../support/folder'
import { zipOf } from '../support/zip'

const isSlow = process.env.SLOW === '1'
const hasMnemosyne =
  isSlow &&
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-c', 'import mnemosyne.libmnemosyne']).exitCode === 0
const OUTCOMES = ['ok', 'invalid_package', 'unsupported_package', 'too_large']

test.skipIf(!hasMnemosyne)('Mnemosyne opens our package with all facts, cards, tags and due days', async () => {
  const review = {
    ...NEW,
    state: 'review' as const,
    due_day: '2026-03-21',
    scheduled_days: 16,
    reps: 3,
    stability: 16,
    difficulty: 2,
  }
  const facts = [
    exported({ type: 'basic', front: 'a *b*', back: '![p](media:p.png)', tags: ['x'] }, { id: '1', cards: [review] }),
    exported({ type: 'reversed', front: 'a', back: 'b' }, { id: '2', cards: [NEW, { ...review, ordinal: 1 }] }),
    exported({ type: 'typed', front: 'a', back: 'b' }, { id: '3' }),
    exported({ type: 'cloze', text: '{{c1::a}} {{c2::b}}' }, { id: '4', cards: [NEW, { ...NEW, ordinal: 1 }] }),
  ]
  const media = [{ name: 'p.png', bytes: Buffer.from('png') }]
  const clock = { time_zone: 'UTC', day_starts_at_hour: 4 }
  const content = { today: '2026-03-21', clock, whole: null, decks: [], facts, media, limit: 2 ** 27 }
  const path = join(makeFolder(), 'ours.apkg')
  await Bun.write(path, Buffer.concat(await Array.fromAsync(writePackage(content))))
  const child = Bun.spawnSync(['python3', join(import.meta.dir, 'anki-oracle.py'), path])
  const due = Date.UTC(2026, 2, 21, 4) / 1000
  expect(JSON.parse(child.stdout.toString())).toMatchObject({
    facts: 4,
    cards: [
      ['Satchel Basic', 4, due],
      ['Satchel Cloze', -1, null],
      ['Satchel Cloze', -1, null],
      ['Satchel Reversed', -1, null],
      ['Satchel Reversed', 4, due],
      ['Satchel Typed', -1, null],
    ],
    errors: [],
  })
})

test.skipIf(!isSlow)(
  '30,000 packages with any bytes changed are read, or refused with a fault of their own',
  async () => {
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
  },
)

function changed(
  bytes: Uint8Array,
  changes: readonly (readonly [at: number, byte: number])[],
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  for (const [at, byte] of changes) copy[at % copy.length] = byte
  return copy
}
