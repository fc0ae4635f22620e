/** Pieces of texts around what was found in them. */
import { cutCodePoints, toCodePoints } from '../lib/text'
import { areOneWord, forEachRun, splitWord } from './analyze'
import { composeMapped, fold, foldMapped, hasWords } from './fold'
import { compileNeedle, compilePhrase, compilePiece, compileWordsLike, findNames, listExactLeaves } from './needle'
import { isBare, listConjuncts, type Query } from './query'
import type { Snippet } from './schema'

/** Code points of a snippet. */
const MAX_CHARS = 240
/** Code points of a snippet before the first match. */
const LEAD_CHARS = 60
/** UTF-16 units of a body that are searched at a time, since most matches are near the beginning. */
const STRETCH_UNITS = 2048
/** UTF-16 units of texts that are searched for one page of results: about 50 ms. */
const BUDGET_UNITS = 1024 * 1024
const FIELDS = ['title', 'tags', 'body'] as const

type Field = (typeof FIELDS)[number]
type TextRange = readonly [start: number, end: number]

/** Extracts snippets around the matches of a search. One object serves one page. */
export class Snippets {
  readonly #patterns: Readonly<Record<Field, readonly RegExp[]>>
  /** Words as they are written, folded. */
  readonly #words: ReadonlySet<string>
  /** Finds words that begin as one of these does: most words of a text begin with other letters. Null if there are none. */
  readonly #wordPattern: RegExp | null
  /** Parts of words, and two words as one, each with a plus. */
  readonly #parts: ReadonlySet<string>
  /** UTF-16 units by which stretches overlap, so that a match lies within one. */
  readonly #overlap: number
  #budget = BUDGET_UNITS

  /** @param seen the terms by which the words of the query are seen; see `KnownWord` */
  constructor(query: Query, seen: readonly string[]) {
    const leaves = listExactLeaves(query)
    const bare = listConjuncts(query).filter(isBare)
    const names = new Set(bare.flatMap(({ text }) => findNames(text)))
    const signs = seen.filter((term) => term.startsWith('!')).map((term) => compilePiece(term.slice(1)))
    const words = seen.filter((term) => /^[\p{L}\p{N}]/u.test(term))
    const unspaced = words.filter((term) => !hasWords(term)).map(compilePiece)
    this.#words = new Set(words.filter(hasWords))
    this.#wordPattern = this.#words.size > 0 ? compileWordsLike(this.#words) : null
    const everywhere = [...[...names].map((name) => compilePhrase(name)), ...signs, ...unspaced]
    if (this.#wordPattern) everywhere.push(this.#wordPattern)
    const patternsFor = (field: Field) => {
      const own = leaves.filter((leaf) => leaf.field === null || leaf.field === field)
      return [...own.flatMap((leaf) => compileNeedle(leaf) ?? []), ...everywhere]
    }
    this.#patterns = { title: patternsFor('title'), tags: patternsFor('tags'), body: patternsFor('body') }
    this.#parts = new Set(seen.filter((term) => term.startsWith('+')))
    this.#overlap = 64 + 4 * Math.max(0, ...[...seen, ...leaves.map(({ text }) => text)].map(({ length }) => length))
  }

  /** Extracts a snippet of each field with a match. */
  extract(texts: Readonly<Record<Field, string>>): Snippet[] {
    return FIELDS.flatMap((field) => {
      const ranges = this.#find(texts[field], this.#patterns[field])
      return ranges.length > 0 ? [{ field, ...cutAround(texts[field], ranges) }] : []
    })
  }

  /** Finds the matches of the first stretch that has any: sorted and disjoint ranges in UTF-16 units. */
  #find(text: string, patterns: readonly RegExp[]): TextRange[] {
    if (patterns.length === 0 && this.#parts.size === 0) return []
    for (let start = 0; start < text.length && this.#budget > 0; start += STRETCH_UNITS) {
      const end = Math.min(text.length, start + STRETCH_UNITS + this.#overlap)
      this.#budget -= end - start
      const stretch = text.slice(start, end)
      const found = mergeOverlapping([...this.#findPatterns(stretch, patterns), ...this.#findParts(stretch)])
        // A match at the edge of a stretch may be part of a longer word.
        .filter(([from, to]) => (from > 0 || start === 0) && (to < stretch.length || end === text.length))
        .map(([from, to]): TextRange => [from + start, to + start])
      if (found.length > 0) return found
    }
    return []
  }

  #findPatterns(text: string, patterns: readonly RegExp[]): TextRange[] {
    const folded = foldMapped(text)
    return patterns.flatMap((pattern) =>
      [...folded.text.matchAll(pattern)].flatMap(({ 0: found, index }) =>
        pattern !== this.#wordPattern || this.#words.has(found) ? [folded.original(index, index + found.length)] : [],
      ),
    )
  }

  /** Finds parts of words, and two words that count as one. */
  #findParts(text: string): TextRange[] {
    if (this.#parts.size === 0) return []
    const composed = composeMapped(text)
    const found: TextRange[] = []
    let before: { run: string; start: number; end: number } | null = null
    forEachRun(composed.text, (start, end, isWord, run) => {
      if (!isWord) return
      let at = start
      for (const part of splitWord(run)) {
        if (this.#parts.has(`+${fold(part)}`)) found.push(composed.original(at, at + part.length))
        at += part.length
      }
      if (before?.end === start - 1 && areOneWord(before.run, composed.text.slice(before.end, start), run))
        if (this.#parts.has(`+${fold(before.run)}${fold(run)}`)) found.push(composed.original(before.start, end))
      before = { run, start, end }
    })
    return found
  }
}

/** Sorts ranges and merges those that overlap. */
function mergeOverlapping(ranges: readonly TextRange[]): TextRange[] {
  const apart: TextRange[] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1)
    if (last && start < last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], end)]
    else apart.push([start, end])
  }
  return apart
}

/** Cuts the text around the first range, with every range in it, in code points. */
function cutAround(text: string, ranges: readonly TextRange[]): Omit<Snippet, 'field'> {
  const start = findSnippetStart(text, ranges[0]?.[0] ?? 0)
  const piece = cutCodePoints(text.slice(start, start + 2 * MAX_CHARS), MAX_CHARS)
  const inside = ranges.flatMap(([from, to]) =>
    from - start < piece.length ? [from - start, Math.min(to - start, piece.length)] : [],
  )
  const points = toCodePoints(piece, inside)
  const pairs = points.flatMap((from, i): [number, number][] => (i % 2 === 0 ? [[from, points[i + 1] ?? from]] : []))
  return { text: piece.replace(/[\r\n\t]/g, ' '), ranges: pairs }
}

/** Returns where a snippet begins: at the start of the text if it is near, else at the first word within the lead. */
function findSnippetStart(text: string, found: number): number {
  if (found <= LEAD_CHARS) return 0
  const lead = text.slice(found - LEAD_CHARS, found)
  const space = lead.search(/\s/)
  const start = found - LEAD_CHARS + (space < 0 ? 0 : space + 1)
  return (text.charCodeAt(start) & 0xfc00) === 0xdc00 ? start + 1 : start
}
