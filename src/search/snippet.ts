import { cutCodePoints, toCodePoints } from '../lib/text'
import { fold, foldMapped } from './fold'
import { compileName, compileNeedle, compilePiece, findNames, listExactLeaves } from './needle'
import type { Word } from './plan'
import { isBare, listConjuncts, type Query } from './query'
import type { Snippet } from './schema'
import { type TextRange, WordRanges } from './word-ranges'

/** Longest text of a snippet, and how much of it may come before what was found; both in code points. */
const MAX_CHARS = 240
const LEAD_CHARS = 60
/** Bodies are looked through in stretches of so many UTF-16 units, since most matches are near the beginning. */
const STRETCH_UNITS = 2048
/** UTF-16 units of bodies that one page of results may look through: bounds the time it takes. */
const BUDGET_UNITS = 4 * 1024 * 1024
/** Of these, how many may be looked through word by word: a tenth of a second. */
const WORD_BUDGET_UNITS = 256 * 1024
/** How far behind the first find further ones are looked for: as far as a snippet reaches, in UTF-16 units. */
const REACH_UNITS = 4 * MAX_CHARS
const FIELDS = ['title', 'tags', 'body'] as const

type Field = (typeof FIELDS)[number]
type Texts = Readonly<Record<Field, string>>

/** Cuts out of texts what a search found in them. One object serves one page. */
export class Snippets {
  readonly #patterns: Readonly<Record<Field, readonly RegExp[]>>
  readonly #words: WordRanges
  /** How far stretches overlap, so that what was found lies within one. */
  readonly #overlap: number
  readonly #hasWords: boolean
  #budget = BUDGET_UNITS
  #wordBudget = WORD_BUDGET_UNITS

  /** @param words that were looked for; see `Results` */
  constructor(query: Query, words: readonly Word[]) {
    const terms = new Set(words.flatMap((word) => [...word.terms.keys()]))
    const leaves = listExactLeaves(query)
    const signs = [...terms].filter((term) => term.startsWith('!'))
    const names = new Set(
      listConjuncts(query)
        .filter(isBare)
        .flatMap(({ text }) => findNames(text)),
    )
    const everywhere = [...[...names].map(compileName), ...signs.map((term) => compilePiece(term.slice(1)))]
    const extract = (field: Field) => [
      ...leaves
        .filter((leaf) => leaf.field === null || leaf.field === field)
        .flatMap((leaf) => compileNeedle(leaf) ?? []),
      ...everywhere,
    ]
    this.#patterns = { title: extract('title'), tags: extract('tags'), body: extract('body') }
    this.#words = new WordRanges(terms)
    this.#hasWords = terms.size > 0
    const longest = Math.max(...[...terms].map((term) => term.length), 0, ...leaves.map(({ text }) => text.length))
    this.#overlap = 64 + 4 * longest
  }

  /** Whether bodies are looked into at all. */
  get canSearchBodies(): boolean {
    return (this.#patterns.body.length > 0 || this.#hasWords) && this.#budget > 0
  }

  /** A snippet of each field that holds a match. */
  of(texts: Texts): Snippet[] {
    if (this.#hasWords) this.#words.setTexts(FIELDS.map((field) => texts[field]))
    return FIELDS.flatMap((field) => {
      const ranges = this.#find(texts[field], this.#patterns[field])
      return ranges.length > 0 ? [{ field, ...cutAround(texts[field], ranges) }] : []
    })
  }

  /** The first stretch's ranges that are not empty: ascending, apart, in UTF-16 units. */
  #find(text: string, patterns: readonly RegExp[]): TextRange[] {
    if (patterns.length === 0 && !this.#hasWords) return []
    for (let start = 0; start < text.length && this.#budget > 0; start += STRETCH_UNITS) {
      const end = Math.min(text.length, start + STRETCH_UNITS + this.#overlap)
      this.#budget -= end - start
      const stretch = text.slice(start, end)
      const found = mergeOverlapping(this.#findRanges(stretch, patterns))
        // What touches the edge of a stretch may be part of a longer word.
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

/** The matches of the patterns, from the first of them on as far as a snippet reaches. */
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

/** In their order, those that overlap as one. */
function mergeOverlapping(ranges: readonly TextRange[]): TextRange[] {
  const apart: TextRange[] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1)
    if (last && start < last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], end)]
    else apart.push([start, end])
  }
  return apart
}

/** The text around the first range, and every range in it, in code points. */
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

/** Where a snippet begins: the text's start if it is near, else the first word within the lead. */
function findSnippetStart(text: string, found: number): number {
  if (found <= LEAD_CHARS) return 0
  const lead = text.slice(found - LEAD_CHARS, found)
  const space = lead.search(/\s/)
  const start = found - LEAD_CHARS + (space < 0 ? 0 : space + 1)
  return (text.charCodeAt(start) & 0xfc00) === 0xdc00 ? start + 1 : start
}
