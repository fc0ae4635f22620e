import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { forEachRun } from '../../src/search/analyze'
import { type Block, BlockWriter, compareTerms, findInBlock, readBlock } from '../../src/search/blocks'
import { forEachCount, type Posting, PostingWriter, readPlaces } from '../../src/search/postings'
import { runs } from '../support/full'

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

function write(own: Documents, writer: PostingWriter) {
  for (const [number, lists] of own) {
    const [title = [], tags = [], body = []] = lists
    writer.add(number, title.length, tags.length, body.length)
    for (const list of [title, tags, body])
      list.forEach((place, i) => {
        writer.places.writeNumber(place - (list[i - 1] ?? -1))
      })
  }
}

function take(writer: PostingWriter): Posting {
  const { documents } = writer
  writer.next()
  return { documents, counts: writer.counts.takeFirst(), places: writer.places.takeFirst() }
}

function posting(own: Documents): Posting {
  const writer = new PostingWriter()
  write(own, writer)
  return take(writer)
}

test('a posting holds each document with its counts and places', () => {
  const writer = new PostingWriter()
  fc.assert(
    fc.property(documents, fc.func(fc.boolean()), (own, wanted) => {
      write(own, writer)
      const posting = take(writer)
      const counts: number[][] = []
      forEachCount(posting.counts, (...one) => counts.push(one))
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
      const writer = new PostingWriter()
      for (const own of parts) {
        const size = Math.max(-1, ...own.keys()) + 1
        const shift = next
        const numbers = new Int32Array(size).fill(-1)
        for (let number = 0; number < size; number++) {
          if (!all && !isLeft(number)) continue
          const lists = own.get(number)
          if (lists) left.set(next, lists)
          numbers[number] = next++
        }
        // As it stands among others in a block.
        const { documents, counts, places } = posting(own)
        const among = (bytes: Uint8Array) => Uint8Array.of(129, ...bytes, 130, 3)
        const part = { countsFrom: 1, countsTo: 1 + counts.length, placesFrom: 1, placesTo: 1 + places.length }
        writer.addAll(
          { documents, counts: among(counts), places: among(places), ...part },
          { numbers, shift: all ? shift : null },
        )
      }
      expect(take(writer)).toEqual(posting(left))
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
      const entries = terms.map((one) => ({ term: one, posting: posting(own[one] ?? new Map()) }))
      for (const one of terms) {
        write(own[one] ?? new Map(), writer.postings)
        writer.add(one)
        writer.add(`${one} in no document`)
      }
      writer.end()
      for (const { terms: held, counts, places } of blocks)
        expect(held.split('\n').length === 3 || counts.length + places.length <= 4096).toBe(true)
      expect(blocks.flatMap((block) => readBlock(block))).toEqual(entries)
      for (const one of entries)
        expect(blocks.map((block) => findInBlock(block, one.term)).filter((found) => found !== null)).toEqual([one])
      expect(blocks.map((block) => findInBlock(block, '\n'))).toEqual(blocks.map(() => null))
    }),
    { numRuns: runs(30) },
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
      forEachRun(own, (start, end, isWord) => {
        runs.push(own.slice(start, end))
        expect(isWord).toBe(/^[\p{L}\p{N}]/u.test(own.slice(start, end)))
      })
      expect(runs).toEqual(own.match(RUN) ?? [])
    }),
    { numRuns: runs(2000) },
  )
})
