import {
  type AnkiDeck,
  invalidPackage,
  type Notetype,
  packageTooLarge,
  type SqliteValue,
  type Template,
} from './collection'
import { readBytesField, readNumberField, readTextField } from './protobuf'

/** Schema 18: notetypes, decks and settings have tables of their own, with protobuf messages in them. */

type Row = Readonly<Record<string, SqliteValue>>

/** What a collection says of itself apart from its notes and cards. */
export interface Described {
  readonly notetypes: readonly Notetype[]
  readonly decks: readonly AnkiDeck[]
  /** A setting; null or undefined if there is none of this name. */
  config(key: string): unknown
}

export interface Tables {
  readonly notetypes: readonly Row[]
  readonly fields: readonly Row[]
  readonly templates: readonly Row[]
  readonly decks: readonly Row[]
  readonly config: readonly Row[]
}

const KIND = 1
const ORIGINAL_STOCK_KIND = 9
const IMAGE_OCCLUSION = 6
const QUESTION = 1
const ANSWER = 2
const NORMAL_DECK = 1
const DESCRIPTION = 4

/** Throws FileFault. */
export function describeSchema18({ notetypes, fields, templates, decks, config }: Tables): Described {
  const fieldsOf = Map.groupBy(fields, ({ ntid }) => ntid)
  const templatesOf = Map.groupBy(templates, ({ ntid }) => ntid)
  const settings = new Map(config.map(({ key, val }) => [key, val]))
  return {
    notetypes: notetypes.map(({ id, name, config }) => ({
      id: number(id),
      name: String(name),
      isCloze: readNumberField(bytes(config), KIND) === 1,
      isImageOcclusion: readNumberField(bytes(config), ORIGINAL_STOCK_KIND) === IMAGE_OCCLUSION,
      fields: inOrder(fieldsOf.get(id)).map((field) => String(field.name)),
      templates: inOrder(templatesOf.get(id)).map(toTemplate),
    })),
    decks: decks.map(toDeck),
    config: (key) => parse(settings.get(key)),
  }
}

function inOrder(rows: readonly Row[] = []): Row[] {
  return rows.toSorted((a, b) => number(a.ord) - number(b.ord))
}

function toTemplate({ ord, config }: Row): Template {
  return {
    ordinal: number(ord),
    question: readTextField(bytes(config), QUESTION),
    answer: readTextField(bytes(config), ANSWER),
  }
}

function toDeck({ id, name, kind }: Row): AnkiDeck {
  const normal = readBytesField(bytes(kind), NORMAL_DECK)
  return {
    id: number(id),
    path: String(name).split('\x1f'),
    description: normal ? readTextField(normal, DESCRIPTION) : '',
  }
}

function parse(value: SqliteValue | undefined): unknown {
  if (!(value instanceof Uint8Array)) return null
  try {
    return JSON.parse(new TextDecoder().decode(value))
  } catch {
    throw invalidPackage('The settings of the collection are broken.')
  }
}

function number(value: SqliteValue | undefined): number {
  if (typeof value !== 'number') throw invalidPackage('The collection has an id that is no number.')
  return value
}

function bytes(value: SqliteValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw invalidPackage('The collection lacks a part of its settings.')
  return value
}

/** Schema 11: notetypes, decks and settings are JSON in the only row of `col`. */

type Members = Readonly<Record<string, unknown>>

/** Throws FileFault. */
export function describeSchema11(col: Readonly<Record<string, SqliteValue>>): Described {
  const config = parseJson11(col, 'conf')
  return {
    notetypes: Object.values(parseJson11(col, 'models')).map((model) => toNotetype(members(model))),
    decks: Object.values(parseJson11(col, 'decks')).map((deck) => toDeck11(members(deck))),
    config: (key) => (Object.hasOwn(config, key) ? config[key] : null),
  }
}

function toNotetype(model: Members): Notetype {
  return {
    id: number11(model.id),
    name: text(model.name),
    isCloze: model.type === 1,
    isImageOcclusion: model.originalStockKind === 6,
    fields: list(model.flds).map((field) => text(field.name)),
    templates: list(model.tmpls).map(toTemplate11),
  }
}

function toTemplate11(template: Members, index: number): Template {
  return {
    ordinal: typeof template.ord === 'number' ? template.ord : index,
    question: text(template.qfmt),
    answer: text(template.afmt),
  }
}

function toDeck11(deck: Members): AnkiDeck {
  return {
    id: number11(deck.id),
    path: text(deck.name).split('::'),
    description: typeof deck.desc === 'string' ? deck.desc : '',
  }
}

/** Characters; even of a collection with hundreds of notetypes, far more than there are. */
const MAX_JSON = 16 * 1024 * 1024

function parseJson11(col: Readonly<Record<string, SqliteValue>>, column: string): Members {
  const text = String(col[column])
  if (text.length > MAX_JSON) throw packageTooLarge('The settings of the collection are too large.')
  try {
    return members(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw broken()
    throw error
  }
}

function members(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw broken()
  return value as Members
}

/** In the order that the items themselves name, if they do. */
function list(value: unknown): Members[] {
  if (!Array.isArray(value)) throw broken()
  return value.map(members).toSorted((a, b) => order(a) - order(b))
}

function order({ ord }: Members): number {
  return typeof ord === 'number' && Number.isFinite(ord) ? ord : 0
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw broken()
  return value
}

/** Ids are numbers, in some programs' files as text. */
function number11(value: unknown): number {
  const id = typeof value === 'string' ? Number(value) : value
  if (typeof id !== 'number' || !Number.isFinite(id)) throw broken()
  return id
}

function broken(): Error {
  return invalidPackage('The settings of the collection are broken.')
}
