import type { AnkiDeck, Notetype, SqliteValue, Template } from './collection'
import { invalidPackage, packageTooLarge } from './fault'
import type { Described } from './schema18'

/** Schema 11: notetypes, decks and settings are JSON in the only row of `col`. */

type Members = Readonly<Record<string, unknown>>

/** Throws FileFault. */
export function describeSchema11(col: Readonly<Record<string, SqliteValue>>): Described {
  const config = parse(col, 'conf')
  return {
    notetypes: Object.values(parse(col, 'models')).map((model) => toNotetype(members(model))),
    decks: Object.values(parse(col, 'decks')).map((deck) => toDeck(members(deck))),
    config: (key) => (Object.hasOwn(config, key) ? config[key] : null),
  }
}

function toNotetype(model: Members): Notetype {
  return {
    id: number(model.id),
    name: text(model.name),
    isCloze: model.type === 1,
    isImageOcclusion: model.originalStockKind === 6,
    fields: list(model.flds).map((field) => text(field.name)),
    templates: list(model.tmpls).map(toTemplate),
  }
}

function toTemplate(template: Members, index: number): Template {
  return {
    ordinal: typeof template.ord === 'number' ? template.ord : index,
    question: text(template.qfmt),
    answer: text(template.afmt),
  }
}

function toDeck(deck: Members): AnkiDeck {
  return {
    id: number(deck.id),
    path: text(deck.name).split('::'),
    description: typeof deck.desc === 'string' ? deck.desc : '',
  }
}

/** Characters; even of a collection with hundreds of notetypes, far more than there are. */
const MAX_JSON = 16 * 1024 * 1024

function parse(col: Readonly<Record<string, SqliteValue>>, column: string): Members {
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
function number(value: unknown): number {
  const id = typeof value === 'string' ? Number(value) : value
  if (typeof id !== 'number' || !Number.isFinite(id)) throw broken()
  return id
}

function broken(): Error {
  return invalidPackage('The settings of the collection are broken.')
}
