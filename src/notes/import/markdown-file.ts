import { writeInstant } from '../../http/values'
import { NOTE_BODY_BYTES } from '../limits'
import type { NoteRow } from '../store'
import { FRONT_MATTER_BYTES, type Member, readFrontMatter, writeFrontMatter } from './front-matter'
import {
  decode,
  isDateText,
  type ParsedDraft,
  type ParsedItem,
  type ParsedNote,
  type ParsedSource,
  toFolder,
  toInstant,
  toTags,
  toTitle,
  type Warning,
} from './parsed'

/** Notes as Markdown files with a front matter: read from any program's files, written as ours. */

/** More than a note and its front matter can be; a larger file is not even unpacked. */
export const MARKDOWN_BYTES = NOTE_BODY_BYTES + FRONT_MATTER_BYTES + 1024

/**
 * Reads a Markdown file as a note: its front matter, its place, its text.
 * @param path where it lies, e.g. `Work/Trip.md`; null for a file sent alone, which has no name
 * @throws UnreadableItem
 */
export function parseMarkdown(
  path: string | null,
  bytes: Uint8Array,
  system: 'markdown' | 'obsidian',
): ParsedItem<ParsedNote> {
  const warnings: Warning[] = []
  const { members, body, fault } = readFrontMatter(decode(bytes))
  if (fault !== null) warnings.push({ code: 'front_matter_broken', detail: `${fault} It stays in the body.` })
  const stated: FrontMatterNote = members ? readMembers(members, warnings) : { properties: {} }
  const names = path?.split('/') ?? []
  const fileName = names.pop()?.replace(/\.(md|markdown)$/i, '')
  return {
    path: path ?? '',
    id: stated.id ?? null,
    // A note of ours keeps the source it has, which may be none.
    source: stated.id === undefined ? { system, id: idOf(path, bytes) } : (stated.source ?? null),
    draft: {
      title: stated.title ?? (fileName === undefined ? null : toTitle(fileName, warnings)),
      body,
      folder: stated.folder === undefined ? toFolder(names, warnings) : stated.folder,
      tags: stated.tags ?? [],
      pinned: stated.pinned ?? null,
      archived: stated.archived ?? null,
      properties: stated.properties,
      created_at: stated.created_at ?? null,
      updated_at: stated.updated_at ?? null,
      daily_date: stated.daily_date ?? null,
    },
    warnings,
  }
}

/** A file without a name is known by its content; one whose path is longer than an id may be, by the path's digest. */
function idOf(path: string | null, bytes: Uint8Array): string {
  if (path !== null && path.length <= 500) return path
  return `sha256:${new Bun.CryptoHasher('sha256').update(path ?? bytes).digest('hex')}`
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** What a front matter states. An absent member is not stated. */
interface FrontMatterNote extends Partial<Omit<ParsedDraft, 'body' | 'properties'>> {
  id?: string
  source?: ParsedSource | null
  properties: Record<string, unknown>
}

type Reader = (member: Member, warnings: Warning[]) => Partial<FrontMatterNote> | null

/** What each name states; null where the member is in no form that is understood, and so a property like others. */
const READERS: Readonly<Record<string, Reader>> = {
  id: ({ text }) => (text !== null && ID.test(text) ? { id: text } : null),
  title: ({ value, text }, warnings) => orNothing(value, text === null ? null : { title: toTitle(text, warnings) }),
  folder: ({ value, text }, warnings) => {
    if (value === null) return { folder: null }
    return text === null ? null : { folder: toFolder(text.split('/'), warnings) }
  },
  tags: ({ value, text }, warnings) => {
    const texts = text === null ? value : text.split(/[,\s]+/)
    if (!Array.isArray(texts) || !texts.every((tag) => ['string', 'number', 'boolean'].includes(typeof tag)))
      return orNothing(value, null)
    return { tags: toTags(texts.map(String), warnings) }
  },
  created: ({ value, text }) => orNothing(value, instant('created_at', text)),
  updated: ({ value, text }) => orNothing(value, instant('updated_at', text)),
  pinned: ({ value }) => orNothing(value, typeof value === 'boolean' ? { pinned: value } : null),
  archived: ({ value, text }) => {
    if (value === null || value === false) return { archived: 'not' }
    const at = text === null ? null : toInstant(text)
    return value === true ? { archived: 'now' } : at === null ? null : { archived: at }
  },
  // Ours alone: the members of a note that have no name among the others.
  satchel: ({ value }) => (isSatchelMembers(value) ? readSatchelMembers(value) : null),
}

/** Reads the members of a front matter; those without a meaning are properties. */
function readMembers(members: ReadonlyMap<string, Member>, warnings: Warning[]): FrontMatterNote {
  const stated: FrontMatterNote = { properties: {} }
  const properties: [string, unknown][] = []
  for (const [name, member] of members) {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined
    const read = reader?.(member, warnings)
    if (read) {
      Object.assign(stated, { ...read, properties: {} })
      properties.push(...Object.entries(read.properties ?? {}))
      continue
    }
    properties.push([name, member.value])
    // Card indexes have ids of their own: nothing about them is odd.
    if (reader && name !== 'id')
      warnings.push({
        code: 'front_matter_value',
        detail: `${name} has no form that is understood: it became a property.`,
      })
  }
  return { ...stated, properties: Object.fromEntries(properties) }
}

/** The front matter of a note: all that is stored of it but its body, its revision and its history. */
export function writeNoteFrontMatter(note: NoteRow): string {
  const properties = Object.entries<unknown>(JSON.parse(note.properties))
  const taken = properties.filter(([name]) => Object.hasOwn(READERS, name))
  const own = {
    ...(note.source_system === null ? {} : { source: { system: note.source_system, id: note.source_id } }),
    ...(note.daily_date === null ? {} : { daily_date: note.daily_date }),
    ...(taken.length === 0 ? {} : { properties: Object.fromEntries(taken) }),
  }
  return writeFrontMatter(
    Object.fromEntries([
      ['title', note.title],
      ['id', note.id],
      ['created', writeInstant(note.created_at)],
      ['updated', writeInstant(note.updated_at)],
      ['folder', note.folder],
      ['tags', JSON.parse(note.tags)],
      ['pinned', note.pinned === 1],
      ['archived', note.archived_at === null ? null : writeInstant(note.archived_at)],
      ...(Object.keys(own).length === 0 ? [] : [['satchel', own]]),
      ...properties.filter(([name]) => !Object.hasOwn(READERS, name)),
    ]),
  )
}

/** A name without a value states nothing. */
function orNothing(value: unknown, read: Partial<FrontMatterNote> | null): Partial<FrontMatterNote> | null {
  return value === null ? {} : read
}

function instant(name: 'created_at' | 'updated_at', text: string | null): Partial<FrontMatterNote> | null {
  const at = text === null ? null : toInstant(text)
  return at === null ? null : { [name]: at }
}

interface SatchelMembers {
  readonly source?: ParsedSource
  readonly daily_date?: string
  readonly properties?: Record<string, unknown>
}

function readSatchelMembers({ source, daily_date, properties }: SatchelMembers): Partial<FrontMatterNote> {
  return {
    ...(source ? { source: { system: source.system, id: source.id } } : {}),
    ...(daily_date === undefined ? {} : { daily_date }),
    properties: properties ?? {},
  }
}

/** Whether a value has the form that writeMembers gives it, and nothing besides. */
function isSatchelMembers(value: unknown): value is SatchelMembers {
  if (!isObject(value) || Object.keys(value).some((name) => !['source', 'daily_date', 'properties'].includes(name)))
    return false
  const { source, daily_date, properties } = value
  return (
    (source === undefined || isSource(source)) &&
    (daily_date === undefined || (typeof daily_date === 'string' && isDateText(daily_date))) &&
    (properties === undefined || isObject(properties))
  )
}

function isSource(value: unknown): boolean {
  if (!isObject(value)) return false
  const { system, id } = value
  return isText(system, 50) && isText(id, 500)
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= max
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
