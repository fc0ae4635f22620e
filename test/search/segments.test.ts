import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { analyzeInSteps } from '../../src/search/analyze'
import { readBlock } from '../../src/search/blocks'
import { addBlocks, addSegment } from '../../src/search/index-store'
import { mergeSegments } from '../../src/search/merging'
import { readPlaces } from '../../src/search/postings'
import { buildSegment, buildSegmentInSteps, mergeDocuments, type Segment } from '../../src/search/segment'
import { runSync } from '../../src/search/steps'
import { analyze } from '../support/analyze'
import { runs } from '../support/full'
import { makeIndexed, OWN } from './indexed'

const word = fc.oneof(
  fc.constantFrom(
    'the',
    'der',
    'die',
    'und',
    'batteries',
    'e-mail',
    'getUserName',
    'C++',
    '.NET',
    '会議録',
    '😀',
    'Ñu',
  ),
  fc.constantFrom('\uffee', '𝒳', 'v1', '->', 'Straße', 'книги'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
)
const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
/** Words that stand in a text very often, so that its postings are longer than a block. */
const long = fc.tuple(word, fc.constantFrom(1, 1, 1, 3000)).map(([one, times]) => `${one} `.repeat(times))
const texts = fc.tuple(
  text,
  text,
  fc.tuple(text, long).map((parts) => parts.join(' ')),
)
type OneText = readonly [title: string, tags: string, body: string]

const documentsOf = (all: readonly OneText[], from = 1) =>
  all.map((own, i) => ({ doc: from + i, type: 'note' as const, analysis: runSync(analyzeInSteps(own, ['code'])) }))

/** Each term with its places in each document that has it. */
const contentOf = ({ blocks }: Pick<Segment, 'blocks'>) =>
  blocks.flatMap((block) =>
    readBlock(block).map(({ term, posting }) => [term, [...readPlaces(posting, () => true)]] as const),
  )

test('a segment holds the terms of its documents, in the order of code points', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 6 }), (all) => {
      const terms = new Map<string, [number, unknown][]>()
      all.forEach((own, number) => {
        for (const [term, places] of analyze(own, ['code']).terms)
          terms.set(term, [...(terms.get(term) ?? []), [number, places]])
      })
      const sorted = [...terms].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(contentOf(buildSegment(documentsOf(all)))).toEqual(sorted as never)
    }),
    { numRuns: runs(60) },
  )
})

test('segments that are made in turns number the words of each as its own', () => {
  const all: OneText[] = Array.from({ length: 40 }, (_, i) => ['', '', `word${i} shared ${'common '.repeat(2000)}`])
  const works = [buildSegmentInSteps(documentsOf(all)), buildSegmentInSteps(documentsOf([...all].reverse()))]
  const made: Segment[] = []
  let turns = 0
  while (made.length < 2) {
    for (const work of works) {
      const step = work.next()
      if (step.done && step.value) made.push(step.value)
      else turns++
    }
  }
  expect(turns).toBeGreaterThan(4)
  expect(made.map(contentOf)).toEqual([
    contentOf(buildSegment(documentsOf(all))),
    contentOf(buildSegment(documentsOf([...all].reverse()))),
  ])
})

test('segments merged are the segment of the documents that are left, byte for byte', async () => {
  const { db } = await makeIndexed()
  const dead = fc.oneof(fc.constant<number[]>([]), fc.array(fc.nat(12), { maxLength: 6 }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(texts, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
      dead,
      async (groups, gone) => {
        let next = 1
        const parts = groups.map((group) => {
          const documents = documentsOf(group, next)
          next += group.length
          return { documents, segment: buildSegment(documents) }
        })
        const ids: number[] = []
        for (const { segment } of parts)
          await db.transaction(async (tx) => {
            const id = await addSegment(tx, OWN, segment)
            await addBlocks(tx, OWN, id, segment.blocks)
            ids.push(id)
          })
        const merged = mergeDocuments(
          parts.map(({ segment }) => segment.documents),
          parts.map(({ documents }) => Uint8Array.from(documents, ({ doc }) => (gone.includes(doc) ? 0 : 1))),
        )
        const blocks = (await Array.fromAsync(mergeSegments(db, OWN, ids, merged.parts))).flat()
        const left = parts.flatMap(({ documents }) => documents.filter(({ doc }) => !gone.includes(doc)))
        const expected = buildSegment(left)
        expect(blocks).toEqual([...expected.blocks])
        expect(merged.documents).toEqual(expected.documents)
      },
    ),
    { numRuns: runs(40) },
  )
}, 30_000)
