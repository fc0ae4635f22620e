/** Which notes of the copy a list shows, and in which order. */
import { titleKey } from '../../src/lib/text'
import type { NoteSummary } from '../api/types'

export interface NoteFilter {
  /** With the tags below it; null: all. */
  readonly tag: string | null
  /** With the folders below it; null: all. */
  readonly folder: string | null
  /** Only notes of the archive; else only those that are not in it. */
  readonly archived: boolean
}

/** A part of a text, in UTF-16 code units: from the first up to the second. */
export type Range = readonly [from: number, to: number]

/** All tags of a note: its own and those in its body, each once. */
export function tagsOf({ tags, inline_tags }: Pick<NoteSummary, 'tags' | 'inline_tags'>): string[] {
  if (inline_tags.length === 0) return tags
  return [...new Map([...inline_tags, ...tags].map((tag) => [titleKey(tag), tag])).values()]
}

/** Lists the notes that pass a filter: pinned first, then the newest. */
export function listNotes(notes: Iterable<NoteSummary>, { tag, folder, archived }: NoteFilter): NoteSummary[] {
  const key = tag === null ? null : titleKey(tag)
  const isBelow = (path: string, top: string) => path === top || path.startsWith(`${top}/`)
  const listed = [...notes].filter(
    (note) =>
      (note.archived_at !== null) === archived &&
      (folder === null || (note.folder !== null && isBelow(note.folder, folder))) &&
      (key === null || tagsOf(note).some((each) => isBelow(titleKey(each), key))),
  )
  return listed.sort(
    (a, b) => Number(b.pinned) - Number(a.pinned) || compare(b.updated_at, a.updated_at) || compare(b.id, a.id),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const texts = new WeakMap<NoteSummary, string>()

function searchedText(note: NoteSummary): string {
  const known = texts.get(note)
  if (known !== undefined) return known
  const { title, folder, excerpt } = note
  const text = `${title}\n${folder ?? ''}\n${tagsOf(note).join('\n')}\n${excerpt}`.toLowerCase()
  texts.set(note, text)
  return text
}

/** The words of a query, in lower case. */
export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** What of a note is searched, in lower case; `text` begins with the title as its first line. */
interface Searched {
  readonly note: NoteSummary
  readonly title: string
  readonly text: string
}

/** `isAll`: no other note has all words; false where there may be others. */
export interface FoundNotes {
  readonly notes: readonly NoteSummary[]
  readonly isAll: boolean
}

export interface NoteSearch {
  /** Makes the texts that are searched, so that the first query is as fast as the others. */
  prepare(): void
  /**
   * Finds the notes that have all words, in any place. Those whose title begins with the first word come first, then those
   * where a word of the title does, then those that have it elsewhere in the title; the order stays otherwise. No more
   * than the first `enough` are looked for.
   */
  find(words: readonly string[], enough?: number): FoundNotes
}

/** Searches in notes during typing: a longer word is looked for only where the shorter one was found. */
export function createNoteSearch(notes: readonly NoteSummary[]): NoteSearch {
  let all: readonly Searched[] | undefined
  let last: { readonly words: readonly string[]; readonly found: readonly Searched[] } | undefined
  const prepare = () => {
    all ??= notes.map((note) => ({ note, title: note.title.toLowerCase(), text: searchedText(note) }))
    return all
  }
  return {
    prepare,
    find(words, enough = Number.POSITIVE_INFINITY) {
      if (words.length === 0) return { notes, isAll: true }
      const isNarrower = last?.words.every((before) => words.some((word) => word.includes(before)))
      const from = (isNarrower && last?.found) || prepare()
      const found = findFirst(from, words, enough)
      const isAll = found.length < enough
      if (isAll) {
        const known = new Set(found)
        last = { words, found: from.filter((each) => known.has(each)) }
      }
      return { notes: found.map(({ note }) => note), isAll }
    },
  }
}

/** Finds the first that have all words, as many as `enough` or all there are. */
function findFirst(
  from: readonly Searched[],
  [first = '', ...others]: readonly string[],
  enough: number,
): readonly Searched[] {
  const ranks: Searched[][] = [[], [], []]
  const elsewhere: Searched[] = []
  for (const each of from) {
    const at = each.title.indexOf(first)
    if (at < 0) elsewhere.push(each)
    else if (others.every((word) => each.text.includes(word))) {
      ranks[rankOf(each.title, at)]?.push(each)
      // No other comes before those whose title begins with the word.
      if (ranks[0]?.length === enough) return ranks[0]
    }
  }
  const found = ranks.flat()
  for (const each of elsewhere) {
    if (found.length >= enough) break
    if (each.text.includes(first) && others.every((word) => each.text.includes(word))) found.push(each)
  }
  return found.slice(0, enough)
}

/** 0: the title begins with the word; 1: one of its words does; 2: the word is within another. */
function rankOf(title: string, at: number): number {
  if (at === 0) return 0
  const before = title.charAt(at - 1)
  return before !== ' ' && /[\p{L}\p{N}]/u.test(before) ? 2 : 1
}

/** The patterns of words, since a list looks for the same words in many texts. */
const patterns = new WeakMap<readonly string[], RegExp>()

function patternOf(words: readonly string[]): RegExp {
  const known = patterns.get(words)
  if (known) return known
  // The longest first, of those that begin at the same place.
  const sorted = words.toSorted((a, b) => b.length - a.length)
  const parts = sorted.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const pattern = new RegExp(parts.join('|'), 'giu')
  patterns.set(words, pattern)
  return pattern
}

/** Finds where words are in a text, without regard to case, in order and without overlaps. */
export function findWords(text: string, words: readonly string[]): Range[] {
  if (words.length === 0) return []
  return [...text.matchAll(patternOf(words))].map(({ index, 0: { length } }) => [index, index + length])
}

/** Converts ranges in code points, which the server counts in, to UTF-16 code units. */
export function toUnits(text: string, ranges: readonly (readonly number[])[]): Range[] {
  const offsets: number[] = []
  let unit = 0
  for (const letter of text) {
    offsets.push(unit)
    unit += letter.length
  }
  offsets.push(unit)
  return ranges.map(([from = 0, to = 0]) => [offsets[from] ?? unit, offsets[to] ?? unit])
}

/** Parts a text into what is in the ranges and what is between them, in order. */
export function partText(text: string, ranges: readonly Range[]): { text: string; isMarked: boolean }[] {
  const parts: { text: string; isMarked: boolean }[] = []
  let at = 0
  for (const [from, to] of ranges) {
    if (from > at) parts.push({ text: text.slice(at, from), isMarked: false })
    if (to > from) parts.push({ text: text.slice(from, to), isMarked: true })
    at = to
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMarked: false })
  return parts
}
