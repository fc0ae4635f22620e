import { titleKey } from '../../lib/text'
import { collapseWhitespace } from '../markdown/plain-text'
import { type Heading, scanHeadings } from '../markdown/scan-markdown'

/** How many candidates a refusal lists. */
export const MAX_CANDIDATES = 20
/** UTF-16 units of JSON that they may have in all. */
const MAX_CANDIDATE_UNITS = 64 * 1024
/** Of a heading's text, as much as is compared to find the nearest. */
const COMPARED_UNITS = 200

/** A heading outside of quotes and list items: what an edit can name. */
export interface NoteSection {
  readonly heading: Heading
  /** Its text as paths are compared: NFC, case kept. */
  readonly name: string
  readonly parent: NoteSection | null
}

/** A place that an edit may have meant; `target` is ready to send back. */
export interface EditCandidate {
  readonly path: readonly string[]
  /** Number of its line, from 1. */
  readonly line: number
  readonly target: object
}

/** The sections of a body, in body order. A heading's parent is the nearest one above it of a higher level. */
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

/** The texts of the headings above a section and its own: at most six. */
export function getHeadingPath(section: NoteSection): string[] {
  return [...(section.parent ? getHeadingPath(section.parent) : []), section.heading.text]
}

/** The sections whose full path ends with `path`. Each text is compared once: a parent may be long and have many below it. */
export function matchSections(sections: readonly NoteSection[], path: readonly string[]): NoteSection[] {
  const named = path.map((text) => {
    const name = collapseWhitespace(text).normalize('NFC')
    return new Set(sections.filter((section) => section.name === name))
  })
  return sections.filter((section) => {
    let at: NoteSection | null = section
    return named.toReversed().every((those) => {
      const fits: boolean = at !== null && those.has(at)
      at = at?.parent ?? null
      return fits
    })
  })
}

/** The sections as candidates. `rest` is the path to go on below each of them. */
export function toHeadingCandidates(
  all: readonly NoteSection[],
  shown: readonly NoteSection[],
  extra: object = {},
  rest: readonly string[] = [],
): EditCandidate[] {
  const fitting = memoize((key) => matchSections(all, JSON.parse(key)))
  return toCandidates(shown, (section) => {
    const path = getHeadingPath(section)
    const same = fitting(JSON.stringify(path))
    const nth = same.length > 1 ? { nth: same.indexOf(section) + 1 } : {}
    return { path, line: section.heading.line, target: { heading: [...path, ...rest], ...nth, ...extra } }
  })
}

/** As many as are allowed of the first, and always one: a body may hold few but very long headings. */
function toCandidates<Item>(items: readonly Item[], toCandidate: (item: Item) => EditCandidate): EditCandidate[] {
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

/** The sections whose names are most like `name`, in body order: Dice's coefficient of their pairs of characters. */
export function findNearestSections(sections: readonly NoteSection[], name: string): NoteSection[] {
  const wanted = listCharPairs(name.slice(0, COMPARED_UNITS))
  const scoreOf = memoize((other) => computeLikeness(wanted, listCharPairs(other)))
  const scored = sections.map((section) => ({ section, score: scoreOf(section.name.slice(0, COMPARED_UNITS)) }))
  const best = new Set(scored.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES))
  return scored.filter((entry) => best.has(entry)).map(({ section }) => section)
}

/** Names repeat: a body of 1 MiB may hold the same heading 200,000 times. */
function memoize<Result>(compute: (key: string) => Result): (key: string) => Result {
  const known = new Map<string, Result>()
  return (key) => {
    const result = known.get(key) ?? compute(key)
    known.set(key, result)
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

/** Where `text` occurs in `body`, overlaps included: Knuth, Morris and Pratt, since edits may name long and repetitive texts. */
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

/** For each prefix the length of its longest proper border. */
function computeBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (text.charCodeAt(at) === text.charCodeAt(matched)) matched += 1
    borders[at] = matched
  }
  return borders
}

/** Occurrences of a text as candidates; `all` are its occurrences in the whole body, `shown` some of them. */
export function toTextCandidates(
  body: string,
  text: string,
  all: readonly number[],
  shown: readonly number[],
): EditCandidate[] {
  const sections = listSections(body)
  return toCandidates(shown, (at) => {
    const section = sections.findLast(({ heading }) => heading.start <= at)
    const line = body.slice(0, at).split(/\r\n|[\r\n]/).length
    const target = all.length === 1 ? { text } : { text, nth: all.indexOf(at) + 1 }
    return { path: section ? getHeadingPath(section) : [], line, target }
  })
}
