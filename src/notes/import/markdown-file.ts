import { ApiError } from '../../http/api-error'
import { readSource, type SourceInput, sourceOfRow } from '../../http/source'
import { writeInstant } from '../../http/values'
import { MAX_NOTE_BODY_BYTES } from '../limits'
import type { NoteRow } from '../store'
import {
  type FrontMatter,
  type FrontMatterMember,
  MAX_FRONT_MATTER_BYTES,
  readFrontMatter,
  writeFrontMatter,
} from './front-matter'
import {
  decodeUtf8,
  isCivilDate,
  isWritableInstant,
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

/** Reads Markdown files with front matter of any program, and writes the front matter of exported notes. */

/** Limit of one file: more than a note and its front matter can be. A larger file is not unpacked. */
export const MAX_MARKDOWN_FILE_BYTES = MAX_NOTE_BODY_BYTES + MAX_FRONT_MATTER_BYTES + 1024

/**
 * Reads a Markdown file as a note, from its front matter, its path and its text.
 * @param path the path in the archive, e.g. `Work/Trip.md`; null for a single file, which has no name
 * @param changedAt when the file was last changed, where its archive says so
 * @throws UnreadableItem
 */
export function parseMarkdown(
  path: string | null,
  bytes: Uint8Array,
  system: 'markdown' | 'obsidian',
  changedAt: number | null = null,
): ParsedItem<ParsedNote> {
  const { stated, body, warnings } = readMarkdownFile(decodeUtf8(bytes))
  const names = path?.split('/') ?? []
  const fileName = names.pop()?.replace(/\.(md|markdown)$/i, '')
  return {
    path: path ?? '',
    id: stated.id ?? null,
    // A note that Satchel exported keeps its source, or has none.
    source: stated.id === undefined ? { system, id: toSourceId(path, bytes) } : (stated.source ?? null),
    source_url: stated.source_url ?? null,
    draft: {
      title: stated.title ?? (fileName === undefined ? null : toTitle(fileName, warnings)),
      body,
      folder: stated.folder === undefined ? toFolder(names, warnings) : stated.folder,
      tags: stated.tags ?? [],
      pinned: stated.pinned ?? null,
      archived: stated.archived ?? null,
      properties: stated.properties,
      created_at: stated.created_at ?? null,
      updated_at: stated.updated_at ?? toWritable(changedAt),
      daily_date: stated.daily_date ?? null,
    },
    warnings,
  }
}

/** Reads the text of a Markdown file: what its front matter states of the note, and its body. */
export function readMarkdownFile(text: string): Pick<FrontMatter, 'body' | 'block'> & {
  readonly stated: FrontMatterNote
  readonly warnings: Warning[]
} {
  const warnings: Warning[] = []
  const { members, body, block, fault } = readFrontMatter(text)
  if (fault !== null) warnings.push({ code: 'front_matter_broken', detail: `${fault} It stays in the body.` })
  return { stated: members ? readMembers(members, warnings) : { properties: {} }, body, block, warnings }
}

/**
 * Returns the source id of a file: its path, a digest of a path that is too long, or a digest of the content without a
 * path.
 */
function toSourceId(path: string | null, bytes: Uint8Array): string {
  if (path !== null && path.length <= 500) return path
  return `sha256:${new Bun.CryptoHasher('sha256').update(path ?? bytes).digest('hex')}`
}

const SATCHEL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The members of a note that a front matter states. An absent member is not stated. */
interface FrontMatterNote extends Partial<Omit<ParsedDraft, 'body' | 'properties'>> {
  id?: string
  source?: ParsedSource | null
  source_url?: string
  properties: Record<string, unknown>
}

type MemberReader = (member: FrontMatterMember, warnings: Warning[]) => Partial<FrontMatterNote> | null

/**
 * The readers of the front matter's members by name. Null: the value is not understood, so the member becomes a
 * property.
 */
const MEMBER_READERS: Readonly<Record<string, MemberReader>> = {
  id: ({ text }) => (text !== null && SATCHEL_ID.test(text) ? { id: text } : null),
  title: ({ value, text }, warnings) => emptyIfNull(value, text === null ? null : { title: toTitle(text, warnings) }),
  folder: ({ value, text }, warnings) => {
    if (value === null) return { folder: null }
    return text === null ? null : { folder: toFolder(text.split('/'), warnings) }
  },
  tags: ({ value, text }, warnings) => {
    const texts = text === null ? value : text.split(/[,\s]+/)
    if (!Array.isArray(texts) || !texts.every((tag) => ['string', 'number', 'boolean'].includes(typeof tag)))
      return emptyIfNull(value, null)
    return { tags: toTags(texts.map(String), warnings) }
  },
  created: ({ value, text }) => emptyIfNull(value, readInstantMember('created_at', text)),
  updated: ({ value, text }) => emptyIfNull(value, readInstantMember('updated_at', text)),
  pinned: ({ value }) => emptyIfNull(value, typeof value === 'boolean' ? { pinned: value } : null),
  archived: ({ value, text }) => {
    if (value === null || value === false) return { archived: 'not' }
    const at = text === null ? null : toInstant(text)
    return value === true ? { archived: 'now' } : at === null ? null : { archived: at }
  },
  // Only Satchel writes this: the members of a note that no other name can hold.
  satchel: ({ value }) => (isSatchelMembers(value) ? readSatchelMembers(value) : null),
}

/**
 * Reads the members of a front matter. Members without a known meaning become properties. So do `date` and `modified`,
 * which mean other things in some programs; they are also the dates of a note that has no `created` or `updated`.
 */
function readMembers(members: ReadonlyMap<string, FrontMatterMember>, warnings: Warning[]): FrontMatterNote {
  const stated: FrontMatterNote = { properties: {} }
  const properties: [string, unknown][] = []
  for (const [name, member] of members) {
    const reader = Object.hasOwn(MEMBER_READERS, name) ? MEMBER_READERS[name] : undefined
    const read = reader?.(member, warnings)
    if (read) {
      Object.assign(stated, { ...read, properties: {} })
      properties.push(...Object.entries(read.properties ?? {}))
      continue
    }
    properties.push([name, member.value])
    // Zettelkasten programs write their own ids, so such an id needs no warning.
    if (reader && name !== 'id')
      warnings.push({
        code: 'front_matter_value',
        detail: `The value of ${name} was not understood, so it became a property.`,
      })
  }
  const dates = { created_at: members.get('date'), updated_at: members.get('modified') }
  for (const [name, member] of Object.entries(dates) as [keyof typeof dates, FrontMatterMember | undefined][])
    if (stated[name] === undefined) Object.assign(stated, readInstantMember(name, member?.text ?? null))
  return { ...stated, properties: Object.fromEntries(properties) }
}

/** Writes the front matter of a note, with everything stored except its body, revision and history. */
export function writeNoteFrontMatter(note: NoteRow): string {
  const properties = Object.entries<unknown>(JSON.parse(note.properties))
  const taken = properties.filter(([name]) => Object.hasOwn(MEMBER_READERS, name))
  const source = sourceOfRow(note)
  const satchel = {
    ...(source === null
      ? {}
      : { source: Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null)) }),
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
      ...(Object.keys(satchel).length === 0 ? [] : [['satchel', satchel]]),
      ...properties.filter(([name]) => !Object.hasOwn(MEMBER_READERS, name)),
    ]),
  )
}

function toWritable(at: number | null): number | null {
  return at !== null && isWritableInstant(at) ? at : null
}

/** Returns no members for a name without a value. */
function emptyIfNull(value: unknown, read: Partial<FrontMatterNote> | null): Partial<FrontMatterNote> | null {
  return value === null ? {} : read
}

function readInstantMember(name: 'created_at' | 'updated_at', text: string | null): Partial<FrontMatterNote> | null {
  const at = text === null ? null : toInstant(text)
  return at === null ? null : { [name]: at }
}

interface SatchelMembers {
  readonly source?: SourceInput
  readonly daily_date?: string
  readonly properties?: Record<string, unknown>
}

function readSatchelMembers({ source, daily_date, properties }: SatchelMembers): Partial<FrontMatterNote> {
  return {
    ...(source?.system && source.id ? { source: { system: source.system, id: source.id } } : {}),
    ...(source?.url ? { source_url: source.url } : {}),
    ...(daily_date === undefined ? {} : { daily_date }),
    properties: properties ?? {},
  }
}

/** Whether a value has exactly the form that writeNoteFrontMatter writes. */
function isSatchelMembers(value: unknown): value is SatchelMembers {
  if (!isObject(value) || Object.keys(value).some((name) => !['source', 'daily_date', 'properties'].includes(name)))
    return false
  const { source, daily_date, properties } = value
  return (
    (source === undefined || isSource(source)) &&
    (daily_date === undefined || (typeof daily_date === 'string' && isCivilDate(daily_date))) &&
    (properties === undefined || isObject(properties))
  )
}

function isSource(value: unknown): value is SourceInput {
  if (!isObject(value) || Object.keys(value).some((name) => !['system', 'id', 'url'].includes(name))) return false
  try {
    return readSource(value as SourceInput) !== null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
