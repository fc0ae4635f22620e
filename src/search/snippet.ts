import { cutCodePoints, toCodePoints } from '../lib/text'
import { fold, foldMapped } from './fold'
import { compileName, compileNeedle, compilePiece, findNames, listExactLeaves } from './needle'
import type { Word } from './plan'
import { isBare, listConjuncts, type Query } from './query'
import type { Snippet } from './schema'
import { type TextRange, WordRanges } from './word-ranges'

/** Code points of a snippet. */
const MAX_CHARS = 240
/** Code points of a snippet before the first match. */
const LEAD_CHARS = 60
/** UTF-16 units of a body that are searched at a time, since most matches are near the beginning. */
const STRETCH_UNITS = 2048
/** UTF-16 units of texts that are searched for one page of results: bounds the time it takes. */
const BUDGET_UNITS = 4 * 1024 * 1024
/** UTF-16 units of these that may be searched word by word: a tenth of a second. */
const WORD_BUDGET_UNITS = 256 * 1024
/** UTF-16 units after the first match in which further ones are searched: as far as a snippet reaches. */
const REACH_UNITS = 4 * MAX_CHARS
const FIELDS = ['title', 'tags', 'body'] as const

type Field = (typeof FIELDS)[number]
type Texts = Readonly<Record<Field, string>>

/** Extracts snippets around the matches of a search. One object serves one page. */
export class Snippets {
  readonly #patterns: Readonly<Record<Field, readonly RegExp[]>>
  readonly #words: WordRanges
  /** UTF-16 units by which stretches overlap, so that a match lies within one. */
  readonly #overlap: number
  readonly #hasWords: boolean
  #budget = BUDGET_UNITS
  #wordBudget = WORD_BUDGET_UNITS

  /** @param words the words that were searched; see `Results` */
  constructor(query: Query, words: readonly Word[]) {
    const terms = new Set(words.flatMap((word) => [...word.terms.keys()]))
    const leaves = listExactLeaves(query)
    const symbolTerms = [...terms].filter((term) => term.startsWith('!'))
    const names = new Set(
      listConjuncts(query)
        .filter(isBare)
        .flatMap(({ text }) => findNames(text)),
    )
    const everywhere = [...[...names].map(compileName), ...symbolTerms.map((term) => compilePiece(term.slice(1)))]
    const patternsFor = (field: Field) => [
      ...leaves
        .filter((leaf) => leaf.field === null || leaf.field === field)
        .flatMap((leaf) => compileNeedle(leaf) ?? []),
      ...everywhere,
    ]
    this.#patterns = { title: patternsFor('title'), tags: patternsFor('tags'), body: patternsFor('body') }
    this.#words = new WordRanges(terms)
    this.#hasWords = terms.size > 0
    const longest = Math.max(...[...terms].map((term) => term.length), 0, ...leaves.map(({ text }) => text.length))
    this.#overlap = 64 + 4 * longest
  }

  /** Whether bodies can still be searched: the query has something to find in them, and the budget is not spent. */
  get canSearchBodies(): boolean {
    return (this.#patterns.body.length > 0 || this.#hasWords) && this.#budget > 0
  }

  /** Extracts a snippet of each field with a match. */
  extract(texts: Texts): Snippet[] {
    if (this.#hasWords) this.#words.setTexts(FIELDS.map((field) => texts[field]))
    return FIELDS.flatMap((field) => {
      const ranges = this.#find(texts[field], this.#patterns[field])
      return ranges.length > 0 ? [{ field, ...cutAround(texts[field], ranges) }] : []
    })
  }

  /** Finds the matches of the first stretch that has any: sorted and disjoint ranges in UTF-16 units. */
  #find(text: string, patterns: readonly RegExp[]): TextRange[] {
    if (patterns.length === 0 && !this.#hasWords) return []
    for (let start = 0; start < text.length && this.#budget > 0; start += STRETCH_UNITS) {
      const end = Math.min(text.length, start + STRETCH_UNITS + this.#overlap)
      this.#budget -= end - start
      const stretch = text.slice(start, end)
      const found = mergeOverlapping(this.#findRanges(stretch, patterns))
        // A match at the edge of a stretch may be part of a longer word.
        .filter(([from, to]) => (from > 0 || start === 0) && (to < stretch.length || end === text.length))
        .map(([from, to]): TextRange => [from + start, to + start])
      if (found.length > 0) return found
    }
    return []
  }

  #findRanges(stretch: string, patterns: readonly RegExp[]): TextRange[] {
    const folded = fold(stretch)
    const ranges = findRanges(stretch, folded, patterns)
    if (this.#wordBudget <= 0 || !this.#words.mayFindIn(folded)) return ranges
    this.#wordBudget -= stretch.length
    return [...ranges, ...this.#words.find(stretch, REACH_UNITS)]
  }
}

/** Finds the matches of the patterns, from the first match on as far as a snippet reaches. */
function findRanges(text: string, folded: string, patterns: readonly RegExp[]): TextRange[] {
  const firsts = patterns.map((one) => folded.search(one)).filter((at) => at >= 0)
  if (firsts.length === 0) return []
  const mapped = foldMapped(text)
  const until = Math.min(...firsts) + REACH_UNITS
  const found: TextRange[] = []
  for (const one of patterns) {
    for (const match of mapped.text.matchAll(one)) {
      if (match.index > until) break
      found.push(mapped.original(match.index, match.index + match[0].length))
    }
  }
  return found
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
