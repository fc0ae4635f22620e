import type { AnkiDeck, Notetype, SqliteValue, Template } from './collection'
import { invalidPackage } from './fault'
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
