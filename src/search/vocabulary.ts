/** The terms of a segment: kept in memory, since pieces and typos are looked for among all of them. */
import type { Queries, WorkspaceId } from '../db/database'
import { compareTerms } from './blocks'
import { listTerms } from './find-store'
import type { SegmentCache } from './segment-cache'

/** Blocks as they are stored, in their order. */
export interface Vocabulary {
  readonly firsts: readonly string[]
  readonly terms: readonly string[]
}

/** Terms from one on (included) to another (not included). */
export interface TermRange {
  readonly from: string
  readonly below: string
  /** Stands in each; null leaves it open. */
  readonly piece: string | null
  /** UTF-16 units of the shortest and of the longest; null leaves them open. */
  readonly lengths: readonly [least: number, most: number] | null
}

/** The most that a term can be: behind all others. */
const AFTER_ALL_TERMS = '\u{10ffff}'
/** Blocks whose terms are read, or looked through, at once: a few milliseconds. */
const BLOCKS_PER_READ = 256
const BYTES_OF_UNIT = 2

export interface VocabularyReader {
  readonly db: Queries
  readonly workspace: WorkspaceId
  readonly cache: SegmentCache<Vocabulary>
  /** Lets other requests run, if this has taken long. */
  readonly yieldTurn: () => Promise<void>
}

async function readVocabulary(
  { db, workspace, cache, yieldTurn }: VocabularyReader,
  segment: number,
): Promise<Vocabulary> {
  const known = cache.get(segment)
  if (known) return known
  const [firsts, terms]: [string[], string[]] = [[], []]
  let units = 0
  for (let after = '', more = true; more; after = firsts.at(-1) ?? '') {
    const blocks = await listTerms(db, workspace, segment, after, BLOCKS_PER_READ)
    for (const block of blocks) {
      firsts.push(block.first)
      terms.push(block.terms)
      units += block.first.length + block.terms.length
    }
    more = blocks.length === BLOCKS_PER_READ
    await yieldTurn()
  }
  cache.add(segment, { firsts, terms }, units * BYTES_OF_UNIT)
  return { firsts, terms }
}

/**
 * The terms of the blocks of a segment, by the first of each, that have a wanted term of a range, or near it. Those with few terms come
 * first: they have the commonest, which may be enough.
 */
export async function findBlocksWithTerms(
  reading: VocabularyReader,
  segment: number,
  range: TermRange,
  wanted: (term: string) => boolean,
): Promise<[first: string, terms: string][]> {
  const { firsts, terms } = await readVocabulary(reading, segment)
  const found: [string, string][] = []
  for (const [i, first] of firsts.entries()) {
    if (compareTerms(first, range.below) >= 0) break
    const next = firsts[i + 1]
    if (next !== undefined && compareTerms(next, range.from) <= 0) continue
    const own = terms[i] ?? ''
    if (forEachTerm(own, range, (_, term) => wanted(term))) found.push([first, own])
    if (i % BLOCKS_PER_READ === BLOCKS_PER_READ - 1) await reading.yieldTurn()
  }
  return found.sort((a, b) => a[1].length - b[1].length)
}

/**
 * Passes on the terms of a block that a range allows, but for where it begins and ends, until `take` has enough; returns
 * whether it has.
 * @param take gets the position of the term in the block, from 0
 */
export function forEachTerm(
  terms: string,
  { piece, lengths }: Pick<TermRange, 'piece' | 'lengths'>,
  take: (index: number, term: string) => boolean,
): boolean {
  const [least, most] = lengths ?? [0, terms.length]
  let next = 0
  for (let start = 1, index = 0; start < terms.length; index++) {
    const end = terms.indexOf('\n', start)
    if (piece !== null && next < start) next = terms.indexOf(piece, start)
    if (next < 0) return false
    const isLeft = next < end && end - start >= least && end - start <= most
    if (isLeft && take(index, terms.slice(start, end))) return true
    start = end + 1
  }
  return false
}

/** Terms that begin with a text. */
export function rangeOfPrefix(start: string): TermRange {
  return { from: start, below: start + AFTER_ALL_TERMS, piece: null, lengths: null }
}

/** All terms, or those that hold a text. */
export function rangeOfAll(piece: string | null = null): TermRange {
  return { from: '', below: AFTER_ALL_TERMS, piece, lengths: null }
}

/** Terms of other kinds begin with a sign. */
export function isWordTerm(term: string): boolean {
  const first = term.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || (first >= 0x61 && first <= 0x7a) || first >= 0x80
}
