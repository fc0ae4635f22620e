import { ApiError } from '../http/api-error'
import { titleKey } from '../lib/text'
import { collapseWhitespace } from './markdown/plain-text'
import { type Heading, scanHeadings } from './markdown/scan-markdown'

export const MAX_CANDIDATES = 20
/** UTF-16 units of the JSON of all candidates. */
const MAX_CANDIDATE_UNITS = 64 * 1024
/** UTF-16 units of a heading's text that are compared to find the nearest headings. */
const COMPARED_UNITS = 200

/** A section that an edit can name: its heading is outside of quotes and list items. */
export interface NoteSection {
  readonly heading: Heading
  /** The heading's text in the form that paths are compared in: NFC, in its case. */
  readonly name: string
  readonly parent: NoteSection | null
}

export interface EditCandidate {
  readonly path: readonly string[]
  /** The number of its line in the body, from 1; null for a property. */
  readonly line: number | null
  readonly target: object
}

/**
 * Lists the sections of a body, in body order. A heading's parent is the nearest heading above it of a higher level.
 */
export function listSections(body: string): NoteSection[] {
  const open: NoteSection[] = []
  return scanHeadings(body)
    .filter(({ nested }) => !nested)
    .map((heading) => {
      while ((open.at(-1)?.heading.level ?? 0) >= heading.level) open.pop()
      const section = { heading, name: heading.text.normalize('NFC'), parent: open.at(-1) ?? null }
      open.push(section)
      return section
    })
}

/** Returns the texts of the headings above a section and of its own heading: at most six. */
export function getHeadingPath(section: NoteSection): string[] {
  return [...(section.parent ? getHeadingPath(section.parent) : []), section.heading.text]
}

/**
 * Returns the sections whose full path ends with `path`. Each text is compared once, since many sections can share a
 * long parent.
 */
export function matchSections(sections: readonly NoteSection[], path: readonly string[]): NoteSection[] {
  const matches = path.map((text) => {
    const name = collapseWhitespace(text).normalize('NFC')
    return new Set(sections.filter((section) => section.name === name))
  })
  return sections.filter((section) => {
    let ancestor: NoteSection | null = section
    return matches.toReversed().every((level) => {
      const isMatch: boolean = ancestor !== null && level.has(ancestor)
      ancestor = ancestor?.parent ?? null
      return isMatch
    })
  })
}

/** Converts sections to candidates. `rest` is appended to the path of each, and `extra` to its target. */
export function toHeadingCandidates(
  all: readonly NoteSection[],
  shown: readonly NoteSection[],
  extra: object = {},
  rest: readonly string[] = [],
): EditCandidate[] {
  const findByPath = memoize((key) => matchSections(all, JSON.parse(key)))
  return toCandidates(shown, (section) => {
    const path = getHeadingPath(section)
    const same = findByPath(JSON.stringify(path))
    const nth = same.length > 1 ? { nth: same.indexOf(section) + 1 } : {}
    return { path, line: section.heading.line, target: { heading: [...path, ...rest], ...nth, ...extra } }
  })
}

/** Converts the first items up to the limits, but at least one: a body may have few but very long headings. */
export function toCandidates<Item>(
  items: readonly Item[],
  toCandidate: (item: Item) => EditCandidate,
): EditCandidate[] {
  const candidates: EditCandidate[] = []
  let length = 0
  for (const item of items.slice(0, MAX_CANDIDATES)) {
    const candidate = toCandidate(item)
    length += JSON.stringify(candidate).length
    if (length > MAX_CANDIDATE_UNITS && candidates.length > 0) break
    candidates.push(candidate)
  }
  return candidates
}

/** Returns the items whose names are most similar to `name`, in their order, by Dice's coefficient of character pairs. */
export function pickNearest<Item>(items: readonly Item[], name: string, getName: (item: Item) => string): Item[] {
  const wanted = listCharPairs(name.slice(0, COMPARED_UNITS))
  const getScore = memoize((other) => computeLikeness(wanted, listCharPairs(other)))
  const scored = items.map((item) => ({ item, score: getScore(getName(item).slice(0, COMPARED_UNITS)) }))
  const best = new Set(scored.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES))
  return scored.filter((entry) => best.has(entry)).map(({ item }) => item)
}

/**
 * Caches the results of a function by its argument. Needed because a body of 1 MiB can repeat a heading 200,000 times.
 */
function memoize<Result>(compute: (key: string) => Result): (key: string) => Result {
  const results = new Map<string, Result>()
  return (key) => {
    const result = results.get(key) ?? compute(key)
    results.set(key, result)
    return result
  }
}

function listCharPairs(text: string): Set<string> {
  const key = ` ${titleKey(text)} `
  return new Set(Array.from({ length: key.length - 1 }, (_, at) => key.slice(at, at + 2)))
}

function computeLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return (2 * a.intersection(b).size) / (a.size + b.size)
}

/**
 * Finds the offsets of `text` in `body`, overlaps included. Uses the algorithm of Knuth, Morris and Pratt, because
 * edits may name long and repetitive texts.
 */
export function findOccurrences(body: string, text: string): number[] {
  const found: number[] = []
  const borders = computeBorders(text)
  let matched = 0
  for (let at = 0; at < body.length; at += 1) {
    while (matched > 0 && body.charCodeAt(at) !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (body.charCodeAt(at) === text.charCodeAt(matched)) matched += 1
    if (matched < text.length) continue
    found.push(at + 1 - matched)
    matched = borders[matched - 1] ?? 0
  }
  return found
}

/** Computes for each prefix the length of its longest proper border (a prefix that is also a suffix). */
function computeBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (text.charCodeAt(at) === text.charCodeAt(matched)) matched += 1
    borders[at] = matched
  }
  return borders
}

/** Converts places in a body to candidates, each with the section that it is in. */
export function toPlaceCandidates<Place>(
  body: string,
  places: readonly Place[],
  getStart: (place: Place) => number,
  toTarget: (place: Place) => object,
): EditCandidate[] {
  const sections = listSections(body)
  return toCandidates(places, (place) => {
    const at = getStart(place)
    const section = sections.findLast(({ heading }) => heading.start <= at)
    const line = body.slice(0, at).split(/\r\n|[\r\n]/).length
    return { path: section ? getHeadingPath(section) : [], line, target: toTarget(place) }
  })
}

/** Converts occurrences of a text to candidates. `all` are its occurrences in the whole body, `shown` some of them. */
export function toTextCandidates(
  body: string,
  text: string,
  all: readonly number[],
  shown: readonly number[],
): EditCandidate[] {
  const toTarget = (at: number) => (all.length === 1 ? { text } : { text, nth: all.indexOf(at) + 1 })
  return toPlaceCandidates(body, shown, (at) => at, toTarget)
}

/** What a target names. */
type Targeted = 'heading' | 'text' | 'block' | 'property'

export function createAmbiguousError(what: Targeted, at: string, candidates: readonly EditCandidate[]): ApiError {
  const detail = `More than one ${what} matches the target. Nothing was changed; send one of the candidates.`
  return createTargetError('edit_target_ambiguous', detail, at, candidates)
}

export function createMissingError(what: Targeted, at: string, candidates: readonly EditCandidate[]): ApiError {
  const detail = `No ${what} matches the target. Nothing was changed; the candidates are the nearest matches.`
  return createTargetError('edit_target_missing', detail, at, candidates)
}

function createTargetError(
  code: 'edit_target_ambiguous' | 'edit_target_missing',
  detail: string,
  at: string,
  candidates: readonly EditCandidate[],
): ApiError {
  return new ApiError(code, detail, { errors: [{ pointer: `${at}/target`, code, detail }], candidates })
}

/** Returns the line end that the body uses, else that of the content, else LF. */
export function detectLineEnd(body: string, content = ''): string {
  return /\r\n|[\r\n]/.exec(body)?.[0] ?? /\r\n|[\r\n]/.exec(content)?.[0] ?? '\n'
}
