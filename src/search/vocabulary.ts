/** The terms of a segment, cached in memory: pieces and typos are searched among all of them. */
import type { Queries, WorkspaceId } from '../db/database'
import { compareTerms } from './blocks'
import { listTerms } from './find-store'
import type { SegmentCache } from './segment-cache'

/** The first term and the terms of each stored block, in order. */
export interface Vocabulary {
  readonly firsts: readonly string[]
  readonly terms: readonly string[]
  /** All terms in UTF-8, in which a text that no term holds is missed at once. */
  readonly bytes: Buffer
}

/** A range of terms: from one (included) to another (not included). */
export interface TermRange {
  readonly from: string
  readonly below: string
  /** A text that each term holds; null for any. */
  readonly piece: string | null
  /** UTF-16 units of the shortest and of the longest term; null for any. */
  readonly lengths: readonly [least: number, most: number] | null
}

/** A text that sorts after every term. */
const AFTER_ALL_TERMS = '\u{10ffff}'
/** Blocks whose terms are read or searched at once: a few milliseconds. */
const BLOCKS_PER_READ = 256
/** Bytes of a UTF-16 unit. */
const BYTES_OF_UNIT = 2

/** The access to the terms of a workspace. */
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
  const vocabulary = { firsts, terms, bytes: Buffer.from(terms.join('')) }
  cache.add(segment, vocabulary, units * BYTES_OF_UNIT + vocabulary.bytes.length)
  return vocabulary
}

/**
 * Finds the blocks of a segment with a wanted term of a range. Blocks with few terms come first: they hold the most
 * common terms, which may be enough.
 */
export async function findBlocksWithTerms(
  reading: VocabularyReader,
  segment: number,
  range: TermRange,
  wanted: (term: string) => boolean,
): Promise<[first: string, terms: string][]> {
  const { firsts, terms, bytes } = await readVocabulary(reading, segment)
  const found: [string, string][] = []
  if (range.piece !== null && !bytes.includes(range.piece)) return found
  for (const [i, first] of firsts.entries()) {
    if (compareTerms(first, range.below) >= 0) break
    const next = firsts[i + 1]
    if (next !== undefined && compareTerms(next, range.from) <= 0) continue
    const blockTerms = terms[i] ?? ''
    if (forEachTerm(blockTerms, range, (_, term) => wanted(term))) found.push([first, blockTerms])
    if (i % BLOCKS_PER_READ === BLOCKS_PER_READ - 1) await reading.yieldTurn()
  }
  return found.sort((a, b) => a[1].length - b[1].length)
}

/**
 * Calls `take` with the terms of a block that have the piece and the length of a range, until it returns true; returns
 * whether it did. The bounds of the range are not checked.
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

/** Returns the range of the terms that begin with a text. */
export function rangeOfPrefix(start: string): TermRange {
  return { from: start, below: start + AFTER_ALL_TERMS, piece: start, lengths: null }
}

/** Returns the range of all terms, or of those that hold a text. */
export function rangeOfAll(piece: string | null = null): TermRange {
  return { from: '', below: AFTER_ALL_TERMS, piece, lengths: null }
}

/** Whether a term is a word: terms of other kinds begin with a sign. */
export function isWordTerm(term: string): boolean {
  const first = term.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || (first >= 0x61 && first <= 0x7a) || first >= 0x80
}
