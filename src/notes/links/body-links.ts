import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { FILE_ENDINGS, isFileTarget } from '../../lib/file-target'
import { toCodePoints } from '../../lib/text'
import { type NotePath, readFilePath, readNotePath } from '../markdown/note-path'
import {
  type MarkdownLink,
  type MarkdownStructure,
  type Span,
  scanMarkdown,
  type WikiLink,
} from '../markdown/scan-markdown'
import type { NoteWriteHook } from '../note'
import type { NoteRow } from '../store'
import { deleteFormerNames, hasFormerName } from './former-store'
import {
  listChangedNames,
  listNoteNames,
  matchFirst,
  resolveTargets,
  toFolderKey,
  toTargetKey,
  toTargetQuery,
} from './names'
import { checkParts, markChangedParts } from './parts'
import { recountUnresolved } from './recount-store'
import {
  addLinks,
  addNames,
  adjustLinksIn,
  adjustUnresolved,
  deleteLinks,
  deleteNames,
  getLinkCounts,
  type LinkGroup,
  type LinkTarget,
  listLinkedNotes,
  listLinkGroups,
  recountLinksIn,
  recountLinksOut,
  redirectLinks,
} from './store'

const MAX_LINKS = 10_000
/** Code points of the longest path: a folder of 512, a slash, a title of 500. A longer target cannot name a note. */
const MAX_TARGET_CHARS = 1013
/** Links of one target whose positions are stored: as many of the shortest links as fit in an excerpt. */
const MAX_PLACES_PER_TARGET = 48

/** A wiki link, or a Markdown link to the path of a file, whose target is decoded and whose text is the alias. */
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

/** Lists the links of a body to notes and to files, in its order; offsets are UTF-16. */
export function listLinksWithFiles(body: string): readonly BodyLink[] {
  return mayHaveLinks(body) ? toLinks(scanMarkdown(body), readPath) : []
}

const readPath = (destination: string) => readNotePath(destination) ?? readFilePath(destination)

/** @param read returns the path in the destination of a Markdown link; null: the link is left out */
function toLinks({ links, markdownLinks }: MarkdownStructure, read = readNotePath): readonly BodyLink[] {
  const wikiLinks = links.map((link): BodyLink => ({ ...link, markdown: null }))
  const all = [...wikiLinks, ...markdownLinks.flatMap((link) => toBodyLink(link, read))]
  const possible = all.filter(({ target }) => isPossibleTarget(target))
  return all.length === wikiLinks.length ? possible : possible.sort((a, b) => a.start - b.start)
}

function toBodyLink(
  { start, end, destination, from, text, image }: MarkdownLink,
  read: (destination: string) => NotePath | null,
): BodyLink[] {
  const path = read(destination)
  if (!path) return []
  const place = { targetStart: from + path.from, targetEnd: from + path.to }
  const alias = text?.trim() || null
  const { path: target, heading } = path
  return [{ start, end, target, heading, alias, embed: image, ...place, markdown: { destination, path } }]
}

function isPossibleTarget(target: string): boolean {
  return target.length <= MAX_TARGET_CHARS || [...target].length <= MAX_TARGET_CHARS
}

/**
 * Lists the distinct targets of a body, notes and files; the empty one is the note itself (`[[#Heading]]`). Throws
 * too_many_links.
 * @param folder the folded folder of the note
 */
export function listLinkTargets(body: string, folder: string): LinkTarget[] {
  const links = listLinksWithFiles(body)
  if (links.length > MAX_LINKS)
    throw new ApiError('too_many_links', `The body has ${links.length} links; a note may have ${MAX_LINKS}.`)
  const offsets = toCodePoints(
    body,
    links.flatMap(({ start, end }) => [start, end]),
  )
  const targets = new Map<
    string,
    Pick<LinkTarget, 'target_key' | 'target'> & { places: number[]; parts: Set<string> }
  >()
  links.forEach(({ target, heading }, i) => {
    const target_key = toTargetKey(target, folder)
    if (target_key === '' && heading === null) return
    const entry = targets.get(target_key) ?? { target_key, target, places: [], parts: new Set() }
    if (entry.places.length < 2 * MAX_PLACES_PER_TARGET) entry.places.push(...offsets.slice(2 * i, 2 * i + 2))
    if (heading !== null && !isFileTarget(target)) entry.parts.add(heading)
    targets.set(target_key, entry)
  })
  return [...targets.values()].map((entry) => ({ ...entry, parts: [...entry.parts] }))
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

/**
 * Keeps the links of living notes, the notes that they resolve to, and the counts of links. A note in the trash has no
 * links, and no link resolves to it. Throws too_many_links.
 */
export const linkHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    await updateLinks(session, toLiving(old), toLiving(note), note)
    const counts = await getLinkCounts(session, note.key)
    return { note: { ...note, ...counts } }
  },
  async beforeErase(session, note) {
    await updateLinks(session, toLiving(note), null, note)
    return 0
  },
}

function toLiving(note: NoteRow | null): NoteRow | null {
  return note?.deleted_at === null ? note : null
}

/** Updates names first, since the links of this note and of others are resolved by the new names. */
async function updateLinks(session: Session, old: NoteRow | null, now: NoteRow | null, note: NoteRow): Promise<void> {
  const folder = toFolderKey(note.folder)
  const renamed = new Set(listChangedNames(old, now))
  if (old && renamed.size > 0) {
    // During a rename, the stored names may differ from those of `old`.
    const deleted = await deleteNames(session, note.key)
    if (!now) deleted.push(...(await deleteFormerNames(session, note.key)))
    const kept = new Set(now && listNoteNames(now).map(({ key }) => key))
    for (const name of deleted) if (!kept.has(name)) renamed.add(name)
  }
  if (now && renamed.size > 0) await addNames(session, note, folder, listNoteNames(now))
  const [before, after] = [old?.body ?? '', now?.body ?? '']
  const moved = before !== after || (old !== null && toFolderKey(old.folder) !== folder)
  // Most notes have no links before or after.
  if (moved && (mayHaveLinks(before) || mayHaveLinks(after))) {
    const targets = listLinkTargets(after, folder)
    await replaceLinks(session, { key: note.key, folder, targets, isNew: old === null })
  }
  await resolveLinksAgain(session, [...renamed], note.key)
  if (old && now && (await markChangedParts(session, note.key, before, after))) await checkParts(session, note.key)
}

interface LinksOfNote {
  readonly key: number
  readonly folder: string
  readonly targets: readonly LinkTarget[]
  /** True: the note is new or was in the trash, so it has no links to delete. */
  readonly isNew: boolean
}

export async function replaceLinks(session: Session, { key, folder, targets, isNew }: LinksOfNote): Promise<void> {
  const before = new Set(isNew ? [] : await listLinkedNotes(session, key))
  if (!isNew) await deleteLinks(session, key)
  await addLinks(session, key, folder, targets)
  const after = new Set(await listLinkedNotes(session, key))
  await adjustLinksIn(session, [...after.difference(before)], 1, key)
  await adjustLinksIn(session, [...before.difference(after)], -1, key)
  if (targets.some(({ parts }) => parts.length > 0)) await checkParts(session, key)
  await recountLinksOut(session, key)
}

/**
 * Resolves every link by one of these names again, and updates the counts of links. A link that a rename has still to
 * rewrite keeps its note.
 * @param writtenNote the key of the note that is being written; 0 for none
 */
export async function resolveLinksAgain(
  session: Session,
  names: readonly string[],
  writtenNote: number,
): Promise<void> {
  if (names.length === 0) return
  const targets = [...new Set(names.flatMap(listSpellings))]
  const groups = await listLinkGroups(session, targets)
  const hits = await resolveTargets(session, groups.map(toTargetQuery))
  const redirects: LinkRedirect[] = []
  for (const [i, group] of groups.entries()) {
    const to = hits[i]?.key ?? null
    if (to !== group.resolved && !(await isPending(session, group))) redirects.push({ group, to })
  }
  await redirectGroups(session, redirects, writtenNote, Number.MAX_SAFE_INTEGER)
}

/**
 * Resolves again at most `limit` links that resolved to a note by these former names. Returns whether there may be
 * more.
 */
export async function releaseLinks(
  session: Session,
  key: number,
  targets: readonly string[],
  limit: number,
): Promise<boolean> {
  const groups = (await listLinkGroups(session, targets)).filter(({ resolved }) => resolved === key)
  const hits = await matchFirst(session, groups.map(toTargetQuery))
  const redirects = groups.map((group, i) => ({ group, to: hits[i]?.key ?? null }))
  const changed = redirects.filter(({ to }) => to !== key)
  return redirectGroups(session, changed, 0, limit)
}

/** Lists how links spell a name: a path also as what is left of it below each of its folders. */
function listSpellings(name: string): string[] {
  const levels = name.split('/')
  return [name, ...levels.slice(1, -1).map((_, i) => levels.slice(i + 1).join('/'))]
}

interface LinkRedirect {
  readonly group: LinkGroup
  readonly to: number | null
}

/** Redirects at most `limit` links, and updates the counts of links. Returns whether there may be more. */
async function redirectGroups(
  session: Session,
  redirects: readonly LinkRedirect[],
  writtenNote: number,
  limit: number,
): Promise<boolean> {
  const sources = new Map<number, number>()
  const [notes, withParts] = [new Set<number>(), new Set<number>()]
  let remaining = limit
  for (const { group, to } of redirects) {
    if (remaining === 0) break
    const added = countUnresolvedChange(group, to)
    const redirected = await redirectLinks(session, group, to, remaining)
    for (const { source, has_parts } of redirected) {
      sources.set(source, (sources.get(source) ?? 0) + added)
      if (has_parts) withParts.add(source)
    }
    for (const key of [group.resolved, to]) if (key !== null) notes.add(key)
    remaining -= redirected.length
  }
  const byChange = Map.groupBy(sources.keys(), (source) => sources.get(source) ?? 0)
  for (const [added, changed] of byChange) await adjustUnresolved(session, changed, added, writtenNote)
  await recountLinksIn(session, [...notes], writtenNote)
  if (withParts.size > 0) {
    await recountUnresolved(session, [...withParts], writtenNote)
    await checkParts(session, writtenNote)
  }
  return remaining === 0
}

/** Whether the links of a group resolve to their note by a former name, so a rename has still to rewrite them. */
function isPending(session: Session, { target_key, folder_key, resolved }: LinkGroup): Promise<boolean> {
  const names = [target_key, `${folder_key}/${target_key}`]
  return resolved === null ? Promise.resolve(false) : hasFormerName(session, resolved, names)
}

function countUnresolvedChange({ resolved, has_file }: LinkGroup, to: number | null): number {
  if (has_file) return 0
  return Number(to === null) - Number(resolved === null)
}
