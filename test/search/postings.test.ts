import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FIELD_BIT } from '../../src/search/analyze'
import { type Block, BlockWriter, compareTerms, findInBlock, readBlock } from '../../src/search/blocks'
import { eachCount, mergePostings, PostingWriter, readPlaces } from '../../src/search/postings'
import { eachRun } from '../../src/search/runs'

const list = fc.uniqueArray(fc.nat(300_000), { maxLength: 5 }).map((own) => own.sort((a, b) => a - b))
const places = fc.tuple(list, list, list).filter((lists) => lists.some((own) => own.length > 0))
/** Documents with their places, by number. */
const documents = fc
  .tuple(
    fc.uniqueArray(fc.nat(3000), { minLength: 1, maxLength: 20 }),
    fc.array(places, { minLength: 20, maxLength: 20 }),
  )
  .map(([numbers, all]) => new Map(numbers.sort((a, b) => a - b).map((number, i) => [number, all[i] ?? [[], [], []]])))

type Documents = ReadonlyMap<number, readonly (readonly number[])[]>

function write(own: Documents, writer = new PostingWriter()) {
  for (const [number, lists] of own)
    writer.add(
      number,
      lists.flatMap((one, field) => one.map((place) => (field << FIELD_BIT) + place)),
    )
  return writer.take()
}

test('a posting holds each document with its counts and places', () => {
  const writer = new PostingWriter()
  fc.assert(
    fc.property(documents, fc.func(fc.boolean()), (own, wanted) => {
      const posting = write(own, writer)
      const counts: number[][] = []
      eachCount(posting.counts, (...one) => counts.push(one))
      expect(counts).toEqual([...own].map(([number, lists]) => [number, ...lists.map(({ length }) => length)]))
      expect(posting.documents).toBe(own.size)
      expect([...readPlaces(posting, wanted)]).toEqual([...own].filter(([number]) => wanted(number)) as never)
    }),
  )
})

test('postings merged are the posting of the documents that are left, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(documents, { maxLength: 3 }), fc.func(fc.boolean()), fc.boolean(), (parts, isLeft, all) => {
      let next = 0
      const left = new Map<number, readonly (readonly number[])[]>()
      const merged = parts.map((own) => {
        const size = Math.max(-1, ...own.keys()) + 1
        const shift = next
        const numbers = new Int32Array(size).fill(-1)
        for (let number = 0; number < size; number++) {
          if (!all && !isLeft(number)) continue
          const lists = own.get(number)
          if (lists) left.set(next, lists)
          numbers[number] = next++
        }
        return { posting: write(own), numbers, shift: all ? shift : null }
      })
      expect(mergePostings(merged)).toEqual(write(left))
    }),
  )
})

test('blocks hold each term, in the order of code points', () => {
  const term = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((own) => !own.includes('\n'))
  fc.assert(
    fc.property(fc.dictionary(term, documents, { maxKeys: 300 }), (own) => {
      const terms = Object.keys(own).sort(compareTerms)
      expect(terms).toEqual(Object.keys(own).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      const blocks: Block[] = []
      const writer = new BlockWriter((block) => blocks.push(block))
      const entries = terms.map((one) => ({ term: one, posting: write(own[one] ?? new Map()) }))
      for (const one of entries) writer.add(one.term, one.posting)
      writer.end()
      expect(blocks.flatMap((block) => readBlock(block))).toEqual(entries)
      for (const one of entries)
        expect(blocks.map((block) => findInBlock(block, one.term)).filter((found) => found !== null)).toEqual([one])
      expect(blocks.map((block) => findInBlock(block, '\n'))).toEqual(blocks.map(() => null))
    }),
    { numRuns: 30 },
  )
})

test('text is cut into runs as its expression says', () => {
  const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad]*|[^\p{L}\p{N}\s]+/gu
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom('a', ' ', '\u0301', '\u00ad', '-', '\ud800', '\u2028', 'é', '会'),
    ),
  })
  fc.assert(
    fc.property(text, (own) => {
      const runs: string[] = []
      eachRun(own, (start, end, isWord) => {
        runs.push(own.slice(start, end))
        expect(isWord).toBe(/^[\p{L}\p{N}]/u.test(own.slice(start, end)))
      })
      expect(runs).toEqual(own.match(RUN) ?? [])
    }),
    { numRuns: 2000 },
  )
})
