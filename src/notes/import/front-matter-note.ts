import { ApiError } from '../../http/api-error'
import { readSource } from '../../http/source'
import type { SourceInput } from '../../http/source-schema'
import { toSafeFileName } from '../file-name'
import type { FrontMatterMember } from './front-matter'
import {
  isCivilDate,
  type ParsedDraft,
  type ParsedSource,
  toFolder,
  toInstant,
  toTags,
  toTitle,
  type Warning,
} from './parsed'

/** What front matter says of a note: members of any program, and the one of Satchel's own. */

/** The members of a note that a front matter states. An absent member is not stated. */
export interface FrontMatterNote extends Partial<Omit<ParsedDraft, 'body' | 'properties' | 'front_matter'>> {
  id?: string
  source?: ParsedSource | null
  source_url?: string
  file_name?: string
  properties: Record<string, unknown>
  /** The members that were read from Satchel's own; absent without it. */
  satchel?: FrontMatterNote
}

type MemberReader = (member: FrontMatterMember, warnings: Warning[]) => Partial<FrontMatterNote> | null

const SATCHEL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const SATCHEL = 'satchel'

/** The readers of members by name. Null: the value is not understood, so the member becomes a property. */
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
  [SATCHEL]: ({ value }) => (isSatchelMembers(value) ? { satchel: readSatchelMembers(value) } : null),
}

/** Whether a member of this name has a meaning, so that a property of the same name needs another place. */
export function hasMeaning(name: string): boolean {
  return Object.hasOwn(MEMBER_READERS, name)
}

/** Reads one member; null if it is a property. */
export function readMember(name: string, member: FrontMatterMember, warnings: Warning[]) {
  return (hasMeaning(name) && MEMBER_READERS[name]?.(member, warnings)) || null
}

/**
 * Reads the members of a front matter. Members without a known meaning become properties. So do `date` and `modified`,
 * which mean other things in some programs; they are also the dates of a note that has no `created` or `updated`.
 * Satchel's own member fills in what no other states: people edit those.
 */
export function readMembers(members: ReadonlyMap<string, FrontMatterMember>, warnings: Warning[]): FrontMatterNote {
  const stated: FrontMatterNote = { properties: {} }
  const properties: [string, unknown][] = []
  for (const [name, member] of members) {
    const read = readMember(name, member, warnings)
    if (read) {
      Object.assign(stated, read)
      properties.push(...Object.entries(read.satchel?.properties ?? {}))
      continue
    }
    properties.push([name, member.value])
    // Zettelkasten programs write their own ids, so such an id needs no warning.
    if (hasMeaning(name) && name !== 'id')
      warnings.push({
        code: 'front_matter_value',
        detail: `The value of ${name} was not understood, so it became a property.`,
      })
  }
  const { satchel } = stated
  const exactly = stated.archived === 'now' && typeof satchel?.archived === 'number' ? satchel.archived : undefined
  return {
    ...readInstantMember('created_at', members.get('date')?.text),
    ...readInstantMember('updated_at', members.get('modified')?.text),
    ...satchel,
    ...stated,
    ...(exactly === undefined ? {} : { archived: exactly }),
    properties: Object.fromEntries(properties),
  }
}

function emptyIfNull(value: unknown, read: Partial<FrontMatterNote> | null): Partial<FrontMatterNote> | null {
  return value === null ? {} : read
}

function readInstantMember(name: 'created_at' | 'updated_at', text?: string | null): Partial<FrontMatterNote> | null {
  const at = text == null ? null : toInstant(text)
  return at === null ? null : { [name]: at }
}

/** Satchel's own member: what of a note no other member, nor the path of its file, states. */
export interface SatchelMembers {
  readonly id?: string
  readonly title?: string
  readonly folder?: string | null
  readonly created?: string
  readonly updated?: string
  readonly pinned?: boolean
  readonly archived?: string | null
  readonly source?: SourceInput
  readonly daily_date?: string
  readonly file_name?: string
  /** Properties whose names mean something else in front matter. */
  readonly properties?: Record<string, unknown>
}

const isText = (value: unknown) => typeof value === 'string'
const isInstant = (value: unknown) => typeof value === 'string' && toInstant(value) !== null

const SATCHEL_MEMBERS: Readonly<Record<keyof SatchelMembers, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && SATCHEL_ID.test(value),
  title: isText,
  folder: (value) => value === null || isText(value),
  created: isInstant,
  updated: isInstant,
  pinned: (value) => typeof value === 'boolean',
  archived: (value) => value === null || isInstant(value),
  source: isSource,
  daily_date: (value) => typeof value === 'string' && isCivilDate(value),
  file_name: (value) => typeof value === 'string' && toSafeFileName(value) === value,
  properties: isObject,
}

/** Whether a value has exactly the form that writeNoteFrontMatter writes. */
function isSatchelMembers(value: unknown): value is SatchelMembers {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, member]) => Object.hasOwn(SATCHEL_MEMBERS, name) && SATCHEL_MEMBERS[name as keyof SatchelMembers](member),
    )
  )
}

function readSatchelMembers(members: SatchelMembers): FrontMatterNote {
  const { id, title, folder, created, updated, pinned, archived, source, daily_date, file_name, properties } = members
  return {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title: toTitle(title, []) }),
    ...(folder === undefined ? {} : { folder: folder === null ? null : toFolder(folder.split('/'), []) }),
    ...readInstantMember('created_at', created),
    ...readInstantMember('updated_at', updated),
    ...(pinned === undefined ? {} : { pinned }),
    ...(archived === undefined ? {} : { archived: archived === null ? 'not' : (toInstant(archived) ?? 'now') }),
    ...(source?.system && source.id ? { source: { system: source.system, id: source.id } } : {}),
    ...(source?.url ? { source_url: source.url } : {}),
    ...(daily_date === undefined ? {} : { daily_date }),
    ...(file_name === undefined ? {} : { file_name }),
    properties: properties ?? {},
  }
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
