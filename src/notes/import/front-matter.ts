import { type Document, isMap, isNode, isScalar, parseDocument, stringify, visit } from 'yaml'
import { ApiError } from '../../http/api-error'
import { parseJson } from '../../http/request'
import { ID_PATTERN, isCivilDate, readSource, type SentSource } from '../../http/values'
import { toSafeFileName } from '../file-name'
import { type ParsedDraft, type ParsedSource, toFolder, toInstant, toTags, toTitle, type Warning } from './parsed'

/** Reads and writes YAML at the beginning of a Markdown file. No other file uses the YAML library. */

/**
 * Limit of one block. The parser takes hundreds of bytes for a node, and an array of nulls has a node for every two
 * bytes.
 */
export const MAX_FRONT_MATTER_BYTES = 256 * 1024
/** Levels of nested brackets. Checked before parsing, because the parser is recursive. */
const MAX_BRACKETS = 200
/** Deeper indentation can only come from nesting. */
const MAX_INDENT_SPACES = 400

interface FrontMatterMember {
  readonly value: unknown
  /** A scalar as it is written, e.g. `1.0` for `title: 1.0`; null for other values. */
  readonly text: string | null
}

export interface FrontMatter {
  /** Null: the file has no block, or one that cannot be read and stays in the body. */
  readonly members: ReadonlyMap<string, FrontMatterMember> | null
  readonly body: string
  /** The block with its `---` lines, as it is written; empty if the file has none that can be read. */
  readonly block: string
  /** The reason why a block could not be read; null if it could or there is none. */
  readonly fault: string | null
}

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?<=^|\n)---[ \t]*(?:\r?\n|$)/

export function readFrontMatter(text: string): FrontMatter {
  const match = /^---[ \t]*\r?\n/.test(text) ? BLOCK.exec(text) : null
  if (!match) return { members: null, body: text, block: '', fault: null }
  try {
    const [block, inner = ''] = match
    return { members: readBlock(inner), body: text.slice(block.length), block, fault: null }
  } catch (error) {
    return { members: null, body: text, block: '', fault: toFaultText(error) }
  }
}

const WRITE_OPTIONS = {
  schema: 'core',
  lineWidth: 0,
  blockQuote: false,
  flowCollectionPadding: false,
  aliasDuplicateObjects: false,
} as const

/** Writes members as a block with its `---` lines. readFrontMatter reads the same members from it. */
export function writeFrontMatter(members: Readonly<Record<string, unknown>>): string {
  const block = stringify(members, WRITE_OPTIONS)
  // Indentation can make a nested list many times as long as its JSON.
  const isReadable = Buffer.byteLength(block) <= MAX_FRONT_MATTER_BYTES
  return `---\n${isReadable ? block : stringify(members, { ...WRITE_OPTIONS, collectionStyle: 'flow' })}---\n`
}

/**
 * Changes members of a block and leaves everything else as it is written: other members, their order, comments, quotes
 * and line ends. New members are added at the end.
 * @param block a block that readFrontMatter read
 * @param changes the new values by name; undefined removes a member
 * @returns null if the block is in a form of YAML that cannot be changed line by line
 */
export function changeFrontMatter(block: string, changes: ReadonlyMap<string, unknown>): string | null {
  const open = /^[^\n]*\n/.exec(block)?.[0] ?? ''
  const inner = BLOCK.exec(block)?.[1] ?? ''
  const { contents } = parseBlock(inner)
  if (contents !== null && !(isMap(contents) && !contents.flow)) return null
  const lineEnd = open.endsWith('\r\n') ? '\r\n' : '\n'
  const added = new Map(changes)
  const parts: string[] = []
  let at = 0
  for (const { key, value } of contents?.items ?? []) {
    const name = isScalar(key) ? String(key.value) : String(key)
    const [start = -1, keyEnd = -1] = isNode(key) ? (key.range ?? []) : []
    // A name that does not begin its line is nested, or has an explicit `?`.
    if (start < 0 || !isNode(value) || !value.range || (start > 0 && inner[start - 1] !== '\n')) return null
    if (!changes.has(name)) continue
    added.delete(name)
    parts.push(inner.slice(at, start))
    const end = start + inner.slice(start, Math.max(value.range[1], keyEnd + 1)).trimEnd().length
    const next = changes.get(name)
    if (next === undefined) at = inner.indexOf('\n', end) + 1 || inner.length
    else {
      parts.push(inner.slice(start, keyEnd), writeMember('x', next, lineEnd).slice(1).trimEnd())
      at = end
    }
  }
  parts.push(inner.slice(at))
  for (const [name, value] of added) if (value !== undefined) parts.push(writeMember(name, value, lineEnd))
  return open + parts.join('') + block.slice(open.length + inner.length)
}

function writeMember(name: string, value: unknown, lineEnd: string): string {
  return stringify({ [name]: value }, WRITE_OPTIONS).replaceAll('\n', lineEnd)
}

class BrokenBlock extends Error {
  override readonly name = 'BrokenBlock'
}

function toFaultText(error: unknown): string {
  if (error instanceof BrokenBlock) return error.message
  if (error instanceof ApiError) return 'The front matter nests too deep, or contains text that cannot be stored.'
  throw error
}

function readBlock(block: string): Map<string, FrontMatterMember> {
  refuseHugeBlock(block)
  const document = parseBlock(block)
  const [error] = document.errors
  if (error) throw new BrokenBlock(`The front matter is not valid YAML: ${error.code}.`)
  if (document.contents === null) return new Map()
  if (!isMap(document.contents)) throw new BrokenBlock('The front matter is not a list of names and values.')
  const texts = collectScalarTexts(document)
  // Parsing it as JSON rejects NUL and half surrogate pairs, and leaves only values that JSON can express.
  const values = parseJson(JSON.stringify(document.toJS({ maxAliasCount: 0 })))
  return new Map(
    Object.entries(Object(values)).map(([name, value]) => [name, { value, text: texts.get(name) ?? null }]),
  )
}

function parseBlock(block: string): Document.Parsed {
  return parseDocument(block, {
    schema: 'core',
    version: '1.2',
    // The library compares each key with every other key. collectScalarTexts checks the keys of the top level instead.
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  })
}

function refuseHugeBlock(block: string): void {
  if (Buffer.byteLength(block) > MAX_FRONT_MATTER_BYTES)
    throw new BrokenBlock(`The front matter is larger than ${MAX_FRONT_MATTER_BYTES} bytes.`)
  let open = 0
  for (const char of block) {
    if (char === '[' || char === '{') open++
    else if (char === ']' || char === '}') open = Math.max(0, open - 1)
    if (open > MAX_BRACKETS) throw new BrokenBlock('The front matter nests too deep.')
  }
  // `- - - -` and `? ? ?` nest within one line, indentation nests over several lines.
  if (/(?:[-?:][ \t]+){64}/.test(block) || new RegExp(`^[ ]{${MAX_INDENT_SPACES}}`, 'm').test(block))
    throw new BrokenBlock('The front matter nests too deep.')
}

/**
 * Collects the scalars of the top level as they are written. Also replaces numbers that JSON would distort by their
 * text (in `document`), and rejects aliases and repeated names.
 */
function collectScalarTexts(document: Document.Parsed): Map<string, string> {
  const texts = new Map<string, string>()
  visit(document, {
    Alias: () => {
      throw new BrokenBlock('The front matter uses YAML aliases, which are not supported.')
    },
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && isDistorted(node.value, node.source)) node.value = node.source
    },
  })
  if (!isMap(document.contents)) return texts
  const seen = new Set<string>()
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    if (seen.has(name)) throw new BrokenBlock('The front matter contains a name twice.')
    seen.add(name)
    if (isScalar(value) && value.value !== null)
      texts.set(name, typeof value.value === 'string' ? value.value : (value.source ?? String(value.value)))
  }
  return texts
}

/** Whether a number differs from what was written: too long for a double, infinite, or NaN. */
function isDistorted(value: number, source: string | undefined): boolean {
  if (!Number.isFinite(value)) return true
  return (
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    /^[-+]?\d+$/.test(source ?? '') &&
    String(value) !== source
  )
}

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

const SATCHEL_ID = new RegExp(ID_PATTERN)

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
  readonly source?: SentSource
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

/** Those that front matter can also state outside of it are read in the same way. */
function readSatchelMembers({ source, daily_date, file_name, properties, ...others }: SatchelMembers): FrontMatterNote {
  const read = Object.entries(others).map(([name, value]) =>
    readMember(name, { value, text: typeof value === 'string' ? value : null }, []),
  )
  return {
    ...Object.assign({}, ...read),
    ...(source?.system && source.id ? { source: { system: source.system, id: source.id } } : {}),
    ...(source?.url ? { source_url: source.url } : {}),
    ...(daily_date === undefined ? {} : { daily_date }),
    ...(file_name === undefined ? {} : { file_name }),
    properties: properties ?? {},
  }
}

function isSource(value: unknown): value is SentSource {
  if (!isObject(value) || Object.keys(value).some((name) => !['system', 'id', 'url'].includes(name))) return false
  try {
    return readSource(value as SentSource) !== null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
