import type { SentSource } from '../../http/values'
import type { Notetype } from '../../lib/anki/collection'
import { mapFieldValues } from '../../lib/anki/template'
import type { FactContent, GivenFactType } from '../facts/fact-schema'
import { fieldToMarkdown } from '../facts/field-html'

/**
 * A notetype of our own in an exported package. Its last field holds the original fact as JSON, because the visible
 * fields are HTML. A hash of them shows whether somebody edited them in Anki after the export.
 */
export interface SatchelNotetype {
  readonly id: number
  readonly type: GivenFactType
  readonly name: string
  readonly fields: string[]
}

export const SATCHEL_FIELD = 'Satchel'

const SIDE_FIELDS = ['Front', 'Back', 'Extra', 'Hint', SATCHEL_FIELD]
export const SATCHEL_NOTETYPES: readonly SatchelNotetype[] = [
  { id: 1_722_470_400_001, type: 'basic', name: 'Satchel Basic', fields: SIDE_FIELDS },
  { id: 1_722_470_400_002, type: 'reversed', name: 'Satchel Reversed', fields: SIDE_FIELDS },
  { id: 1_722_470_400_003, type: 'typed', name: 'Satchel Typed', fields: SIDE_FIELDS },
  { id: 1_722_470_400_004, type: 'cloze', name: 'Satchel Cloze', fields: ['Text', 'Extra', 'Hint', SATCHEL_FIELD] },
]

/** Returns the fact type if the notetype is one of our own, else null. */
function satchelType(id: number, fields: readonly string[]): GivenFactType | null {
  const own = SATCHEL_NOTETYPES.find((notetype) => notetype.id === id)
  return own && own.fields.length === fields.length && own.fields.every((name, i) => name === fields[i])
    ? own.type
    : null
}

/** Serializes the last field. `<`, `>` and `&` are escaped, so that Anki does not read them as HTML. */
export function writeSatchelField(content: FactContent, visible: readonly string[]): string {
  const { type } = content
  const text = JSON.stringify({ hash: hashFields(type, visible), content: toContent(type, { ...content }) })
  return text.replace(/[<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns the content in the last field, or null if the visible fields were edited after it was written. */
function readSatchelField(type: GivenFactType, fields: readonly string[]): FactContent | null {
  const [visible, own] = [fields.slice(0, -1), fields.at(-1) ?? '']
  try {
    const { hash, content } = JSON.parse(own)
    if (hash !== hashFields(type, visible) || content?.type !== type) return null
    return toContent(type, content)
  } catch (error) {
    // The field was edited by hand and no longer holds our JSON.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** Copies the content member by member: the file is untrusted, and anybody can compute a valid hash. */
function toContent(type: GivenFactType, given: Readonly<Record<string, unknown>>): FactContent {
  const accepted = Array.isArray(given.accepted) ? given.accepted.filter((answer) => typeof answer === 'string') : []
  return {
    type,
    front: textOrNull(given.front),
    back: textOrNull(given.back),
    text: textOrNull(given.text),
    extra: textOrNull(given.extra),
    hint: textOrNull(given.hint),
    accepted,
    source: toSource(given.source),
  }
}

/** Reads the source. Ids of notes are left out, since a package is made for other people. */
function toSource(given: unknown): SentSource {
  const { system, id, url } = (given ?? {}) as Readonly<Record<string, unknown>>
  const isNamed = typeof system === 'string' && typeof id === 'string'
  return { ...(isNamed ? { system, id } : {}), url: textOrNull(url) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Hashes the fields in NFC: Anki normalizes what it imports, and the hash must still fit then. */
function hashFields(type: GivenFactType, visible: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update([type, ...visible].join('\x1f').normalize('NFC')).digest('hex')
}

/**
 * Returns the content of a note of one of our own notetypes, by its fields; null for any other notetype.
 * @throws UnreadableItem
 */
export function readSatchelNote(
  notetype: Pick<Notetype, 'anki_id' | 'fields'>,
  fields: readonly string[],
): FactContent | null {
  const type = satchelType(notetype.anki_id, notetype.fields)
  if (!type) return null
  const own = readSatchelField(type, fields)
  if (own) return own
  const values = mapFieldValues(notetype, fields)
  const text = (name: string) => fieldToMarkdown(values.get(name) ?? '')
  const sides =
    type === 'cloze'
      ? { front: null, back: null, text: text('Text') }
      : { front: text('Front'), back: text('Back'), text: null }
  return { type, ...sides, extra: text('Extra') || null, hint: text('Hint') || null }
}
