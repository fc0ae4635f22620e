import {
  type AnkiDeck,
  invalidPackage,
  type JsonMembers,
  type Notetype,
  type SqliteValue,
  type Template,
} from './collection'
import { readBytesField, readFields, readNumberField, readTextField } from './protobuf'

/** Schema 18 has tables with protobuf messages for notetypes, decks and settings; schema 11 has JSON in `col`. */

type Row = Readonly<Record<string, SqliteValue>>

export interface CollectionDescription {
  readonly notetypes: readonly Notetype[]
  readonly decks: readonly AnkiDeck[]
  /** Returns a setting; null or undefined if there is none with this name. */
  config(key: string): unknown
}

type Schema18Tables = Readonly<Record<'notetypes' | 'fields' | 'templates' | 'decks' | 'config', readonly Row[]>>

// Field numbers and values of the protobuf messages of schema 18 (notetypes.proto, decks.proto).
const KIND = 1
const CSS = 3
const STOCK_KIND = 9
const IMAGE_OCCLUSION = 6
const QUESTION = 1
const ANSWER = 2
const NORMAL_DECK = 1
const DESCRIPTION = 4

/** A field of a message that is a setting, and its name in schema 11. */
type Setting = readonly [number: number, name: string, kind: 'text' | 'number' | 'boolean']
const NOTETYPE_SETTINGS: readonly Setting[] = [
  [2, 'sortf', 'number'],
  [5, 'latexPre', 'text'],
  [6, 'latexPost', 'text'],
  [7, 'latexsvg', 'boolean'],
  [9, 'originalStockKind', 'number'],
]
const FIELD_SETTINGS: readonly Setting[] = [
  [1, 'sticky', 'boolean'],
  [2, 'rtl', 'boolean'],
  [3, 'font', 'text'],
  [4, 'size', 'number'],
  [5, 'description', 'text'],
  [6, 'plainText', 'boolean'],
  [7, 'collapsed', 'boolean'],
  [8, 'excludeFromSearch', 'boolean'],
  [10, 'tag', 'number'],
  [11, 'preventDeletion', 'boolean'],
]
const TEMPLATE_SETTINGS: readonly Setting[] = [
  [3, 'bqfmt', 'text'],
  [4, 'bafmt', 'text'],
  [6, 'bfont', 'text'],
  [7, 'bsize', 'number'],
]
/** A member of each message that has JSON of add-ons. */
const OTHER = 255

function readSettings(config: Uint8Array, settings: readonly Setting[]): JsonMembers {
  const found: Record<string, unknown> = readOtherSettings(config)
  // Fields that hold their default are left out of the message: only the tag of a field may be absent.
  const stored = new Set(Array.from(readFields(config), ({ number }) => number))
  for (const [number, name, kind] of settings) {
    if (name === 'tag' && !stored.has(number)) continue
    found[name] = kind === 'text' ? readTextField(config, number) : readNumberField(config, number)
    if (kind === 'boolean') found[name] = found[name] !== 0
  }
  return found
}

function readOtherSettings(config: Uint8Array): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readTextField(config, OTHER) || '{}')
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? { ...found } : {}
  } catch {
    // Add-ons store anything.
    return {}
  }
}

/** Throws FileFault. */
export function describeSchema18({
  notetypes,
  fields,
  templates,
  decks,
  config,
}: Schema18Tables): CollectionDescription {
  const fieldsOf = Map.groupBy(fields, ({ ntid }) => ntid)
  const templatesOf = Map.groupBy(templates, ({ ntid }) => ntid)
  const settings = new Map(config.map(({ key, val }) => [key, val]))
  return {
    notetypes: notetypes.map(({ id, name, config }) => ({
      anki_id: requireNumber(id),
      name: String(name),
      kind: kindOf(readNumberField(requireBytes(config), KIND), readNumberField(requireBytes(config), STOCK_KIND)),
      fields: sortByOrdinal(fieldsOf.get(id)).map((field) => String(field.name)),
      templates: sortByOrdinal(templatesOf.get(id)).map(toTemplate),
      css: readTextField(requireBytes(config), CSS),
      settings: {
        notetype: readSettings(requireBytes(config), NOTETYPE_SETTINGS),
        fields: sortByOrdinal(fieldsOf.get(id)).map(({ config }) => readSettings(requireBytes(config), FIELD_SETTINGS)),
        templates: sortByOrdinal(templatesOf.get(id)).map(({ config }) =>
          readSettings(requireBytes(config), TEMPLATE_SETTINGS),
        ),
      },
    })),
    decks: decks.map(toDeck),
    config: (key) => parseSetting(settings.get(key)),
  }
}

function sortByOrdinal(rows: readonly Row[] = []): Row[] {
  return rows.toSorted((a, b) => requireNumber(a.ord) - requireNumber(b.ord))
}

function kindOf(type: unknown, stockKind: unknown): Notetype['kind'] {
  if (stockKind === IMAGE_OCCLUSION) return 'image_occlusion'
  return type === 1 ? 'cloze' : 'standard'
}

function toTemplate({ name, config }: Row): Template {
  return {
    name: String(name ?? ''),
    question: readTextField(requireBytes(config), QUESTION),
    answer: readTextField(requireBytes(config), ANSWER),
  }
}

function toDeck({ id, name, kind }: Row): AnkiDeck {
  const normal = readBytesField(requireBytes(kind), NORMAL_DECK)
  return {
    id: requireNumber(id),
    path: String(name).split('\x1f'),
    description: normal ? readTextField(normal, DESCRIPTION) : '',
  }
}

function parseSetting(value: SqliteValue | undefined): unknown {
  if (!(value instanceof Uint8Array)) return null
  try {
    return JSON.parse(new TextDecoder().decode(value))
  } catch {
    throw invalidPackage('The settings of the collection are broken.')
  }
}

function requireNumber(value: SqliteValue | undefined): number {
  if (typeof value !== 'number') throw invalidPackage('The collection has an id that is not a number.')
  return value
}

function requireBytes(value: SqliteValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw invalidPackage('The collection lacks a part of its settings.')
  return value
}

/** Throws FileFault. */
export function describeSchema11(col: Readonly<Record<string, SqliteValue>>): CollectionDescription {
  const config = parseJson11(col, 'conf')
  return {
    notetypes: Object.values(parseJson11(col, 'models')).map((model) => toNotetype(requireMembers(model))),
    decks: Object.values(parseJson11(col, 'decks')).map((deck) => toDeck11(requireMembers(deck))),
    config: (key) => (Object.hasOwn(config, key) ? config[key] : null),
  }
}

function toNotetype(model: JsonMembers): Notetype {
  return {
    anki_id: requireId11(model.id),
    name: requireText(model.name),
    kind: kindOf(model.type, model.originalStockKind),
    fields: requireList(model.flds).map((field) => requireText(field.name)),
    templates: requireList(model.tmpls).map(toTemplate11),
    css: typeof model.css === 'string' ? model.css : '',
    settings: {
      notetype: omit(model, ['id', 'name', 'type', 'flds', 'tmpls', 'css', 'mod', 'usn', 'ls']),
      fields: requireList(model.flds).map((field) => omit(field, ['name', 'ord', 'id'])),
      templates: requireList(model.tmpls).map((template) => omit(template, ['name', 'ord', 'qfmt', 'afmt', 'id'])),
    },
  }
}

function omit(members: JsonMembers, names: readonly string[]): JsonMembers {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
}

function toTemplate11(template: JsonMembers): Template {
  return {
    name: typeof template.name === 'string' ? template.name : '',
    question: requireText(template.qfmt),
    answer: requireText(template.afmt),
  }
}

function toDeck11(deck: JsonMembers): AnkiDeck {
  return {
    id: requireId11(deck.id),
    path: requireText(deck.name).split('::'),
    description: typeof deck.desc === 'string' ? deck.desc : '',
  }
}

function parseJson11(col: Readonly<Record<string, SqliteValue>>, column: string): JsonMembers {
  try {
    return requireMembers(JSON.parse(String(col[column])))
  } catch (error) {
    if (error instanceof SyntaxError) throw brokenSettings()
    throw error
  }
}

function requireMembers(value: unknown): JsonMembers {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw brokenSettings()
  return value as JsonMembers
}

/** Reads a list, sorted by the ordinals of its items, if they have any. */
function requireList(value: unknown): JsonMembers[] {
  if (!Array.isArray(value)) throw brokenSettings()
  return value.map(requireMembers).toSorted((a, b) => ordinalOf(a) - ordinalOf(b))
}

function ordinalOf({ ord }: JsonMembers): number {
  return typeof ord === 'number' && Number.isFinite(ord) ? ord : 0
}

function requireText(value: unknown): string {
  if (typeof value !== 'string') throw brokenSettings()
  return value
}

/** Reads an id: a number, which some programs write as text. */
function requireId11(value: unknown): number {
  const id = typeof value === 'string' ? Number(value) : value
  if (typeof id !== 'number' || !Number.isFinite(id)) throw brokenSettings()
  return id
}

function brokenSettings(): Error {
  return invalidPackage('The settings of the collection are broken.')
}
