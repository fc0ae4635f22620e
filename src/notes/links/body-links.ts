import { ApiError } from '../../http/api-error'
import { FILE_ENDINGS } from '../../lib/file-target'
import { toCodePoints } from '../../lib/text'
import { type NotePath, readFilePath, readNotePath } from '../markdown/note-path'
import {
  type MarkdownLink,
  type MarkdownStructure,
  type Span,
  scanMarkdown,
  type WikiLink,
} from '../markdown/scan-markdown'
import { toTargetKey } from './names'
import type { LinkTarget } from './store'

const MAX_LINKS = 10_000
/** Code points of the longest path: a folder of 512, a slash, a title of 500. A longer target cannot name a note. */
const MAX_TARGET_CHARS = 1013
/** Links of one target whose positions are stored: as many of the shortest links as fit in an excerpt. */
const MAX_PLACES_PER_TARGET = 48

/** A wiki link, or a Markdown link to the path of a Markdown file, whose target is decoded and whose text is the alias. */
export interface BodyLink extends WikiLink {
  /** The destination of a Markdown link, and the path in it; null for a wiki link. */
  readonly markdown: { readonly destination: string; readonly path: NotePath } | null
}

const PATH_END = new RegExp(`\\.(?:md|markdown|${FILE_ENDINGS.join('|')})(?:[)>#\\s]|$)`, 'i')

/** Whether a body may have links to notes or files; most have none, and need no scan. */
export function mayHaveLinks(body: string): boolean {
  return body.includes('[[') || PATH_END.test(body)
}

/** Lists the links of a body to notes, in its order; offsets are UTF-16. */
export function listLinks(body: string): readonly BodyLink[] {
  return mayHaveLinks(body) ? toLinks(scanMarkdown(body)) : []
}

function toLinks({ links, markdownLinks }: Pick<MarkdownStructure, 'links' | 'markdownLinks'>): readonly BodyLink[] {
  const wikiLinks = links.map((link): BodyLink => ({ ...link, markdown: null }))
  const all = [...wikiLinks, ...markdownLinks.flatMap(toBodyLink)].filter(({ target }) => isPossibleTarget(target))
  return all.length === wikiLinks.length ? all : all.sort((a, b) => a.start - b.start)
}

function toBodyLink({ start, end, destination, from, text, image }: MarkdownLink): BodyLink[] {
  const path = readNotePath(destination)
  if (!path) return []
  const place = { targetStart: from + path.from, targetEnd: from + path.to }
  const alias = text?.trim() || null
  const { path: target, heading } = path
  return [{ start, end, target, heading, alias, embed: image, ...place, markdown: { destination, path } }]
}

function isPossibleTarget(target: string): boolean {
  return target.length <= MAX_TARGET_CHARS || [...target].length <= MAX_TARGET_CHARS
}

/** A Markdown picture or link whose destination is the path of a file. */
function toFileLink({ start, end, destination }: MarkdownLink): (Span & Pick<BodyLink, 'target'>)[] {
  const target = readFilePath(destination)?.path
  return target === undefined || !isPossibleTarget(target) ? [] : [{ start, end, target }]
}

/**
 * Lists the distinct targets of a body, notes and files, without links into the note itself (`[[#Heading]]`). Throws
 * too_many_links.
 * @param folder the folded folder of the note
 */
export function listLinkTargets(body: string, folder: string): LinkTarget[] {
  if (!mayHaveLinks(body)) return []
  const markdown = scanMarkdown(body)
  const links = [...toLinks(markdown), ...markdown.markdownLinks.flatMap(toFileLink)].sort((a, b) => a.start - b.start)
  if (links.length > MAX_LINKS)
    throw new ApiError('too_many_links', `The body has ${links.length} links; a note may have ${MAX_LINKS}.`)
  const offsets = toCodePoints(
    body,
    links.flatMap(({ start, end }) => [start, end]),
  )
  const targets = new Map<string, { target_key: string; target: string; places: number[] }>()
  links.forEach(({ target }, i) => {
    const target_key = toTargetKey(target, folder)
    if (target_key === '') return
    const entry = targets.get(target_key) ?? { target_key, target, places: [] }
    if (entry.places.length < 2 * MAX_PLACES_PER_TARGET) entry.places.push(...offsets.slice(2 * i, 2 * i + 2))
    targets.set(target_key, entry)
  })
  return [...targets.values()]
}

/** Mentions that are searched in one body: as many of the shortest mentions as fit in an excerpt. */
const MAX_MENTIONS = 48

/**
 * Finds a title in the plain text of a body, as whole words, ignoring case and the kind of white space; not in links,
 * code or comments. Returns [start, end, start, end, …] in code points.
 */
export function findMentions(body: string, title: string): number[] {
  const pattern = buildMentionPattern(title)
  if (!pattern.test(body)) return []
  pattern.lastIndex = 0
  const { links, code, comments } = scanMarkdown(body)
  const taken = [...links, ...code, ...comments].sort((a, b) => a.start - b.start)
  const found: number[] = []
  let next = 0
  for (const match of body.matchAll(pattern)) {
    const [start, end] = [match.index, match.index + match[0].length]
    while ((taken[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1
    if (!isOverlapping(taken[next], end)) found.push(start, end)
    if (found.length >= 2 * MAX_MENTIONS) break
  }
  return toCodePoints(body, found)
}

function isOverlapping(span: Span | undefined, end: number): boolean {
  return span !== undefined && span.start < end
}

/**
 * Builds a pattern that finds a title in NFC and in NFD, since a body may write an accent as one character or as two.
 */
function buildMentionPattern(title: string): RegExp {
  const words = title.trim().split(/\s+/)
  const spelled = (form: 'NFC' | 'NFD') => words.map((word) => RegExp.escape(word.normalize(form))).join('\\s+')
  const letter = '[\\p{L}\\p{N}\\p{M}_]'
  return new RegExp(`(?<!${letter})(?:${spelled('NFC')}|${spelled('NFD')})(?!${letter})`, 'giu')
}

/** Code points of the excerpt around a link or a mention. */
export const EXCERPT_CHARS = 240
/** The most of them that come before it. */
const EXCERPT_CHARS_BEFORE = 80

export interface Excerpt {
  readonly text: string
  /** [start, end) in code points of `text`. */
  readonly ranges: [number, number][]
}

/** Returns the start of the window around a position, in code points of the body. */
export function getWindowStart(place: number): number {
  return Math.max(0, place - EXCERPT_CHARS_BEFORE)
}

/**
 * Cuts the line around the first of the places to the window, and returns it with the ranges of the places in it.
 * @param window EXCERPT_CHARS code points of the body from `from` on
 * @param places [start, end, start, end, …] in code points of the body, ascending
 */
export function cutExcerpt(window: string, from: number, places: readonly number[]): Excerpt {
  const chars = [...window]
  const isBreak = (char: string) => char === '\n' || char === '\r'
  const first = (places[0] ?? from) - from
  let begin = chars.slice(0, first).findLastIndex(isBreak) + 1
  while (begin < first && chars[begin]?.trim() === '') begin += 1
  const eol = chars.findIndex((char, at) => at >= first && isBreak(char))
  const text = chars
    .slice(begin, eol < 0 ? EXCERPT_CHARS : eol)
    .join('')
    .trimEnd()
  return { text, ranges: toRanges(places, from + begin, [...text].length) }
}

function toRanges(places: readonly number[], from: number, length: number): [number, number][] {
  const ranges: [number, number][] = []
  for (let i = 0; i + 1 < places.length; i += 2) {
    const [start, end] = [(places[i] ?? 0) - from, (places[i + 1] ?? 0) - from]
    if (start >= 0 && start < length) ranges.push([start, Math.min(end, length)])
  }
  return ranges
}
