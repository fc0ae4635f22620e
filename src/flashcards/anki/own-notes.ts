import type { FactContent, FactType } from '../schema'

/**
 * Our own notetypes in an exported package. Their last field holds the fact as it is here, since the fields before it
 * are HTML; a hash of those tells whether they were edited elsewhere since.
 */
export interface OwnNotetype {
  readonly id: number
  readonly type: FactType
  readonly name: string
  readonly fields: readonly string[]
}

export const OWN_FIELD = 'Satchel'

const SIDES = ['Front', 'Back', 'Extra', 'Hint', OWN_FIELD]
export const OWN_NOTETYPES: readonly OwnNotetype[] = [
  { id: 1_722_470_400_001, type: 'basic', name: 'Satchel Basic', fields: SIDES },
  { id: 1_722_470_400_002, type: 'reversed', name: 'Satchel Reversed', fields: SIDES },
  { id: 1_722_470_400_003, type: 'typed', name: 'Satchel Typed', fields: SIDES },
  { id: 1_722_470_400_004, type: 'cloze', name: 'Satchel Cloze', fields: ['Text', 'Extra', 'Hint', OWN_FIELD] },
]

/** What the last field says. */
export interface OwnFact {
  readonly content: FactContent
  readonly external_id: string | null
}

/** The type of facts that a notetype is ours for, or null. */
export function ownType(id: number, fields: readonly string[]): FactType | null {
  const own = OWN_NOTETYPES.find((notetype) => notetype.id === id)
  return own && own.fields.length === fields.length && own.fields.every((name, i) => name === fields[i])
    ? own.type
    : null
}

/** The text of the last field. Nothing in it means anything in HTML. */
export function writeOwn({ content, external_id }: OwnFact, visible: readonly string[]): string {
  const { type } = content
  const text = JSON.stringify({ hash: hashOf(type, visible), content: toContent(type, { ...content }), external_id })
  return text.replace(/[<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What the last field says if the fields before it are as they were when it was written, else null. */
export function readOwn(type: FactType, fields: readonly string[]): OwnFact | null {
  const [visible, own] = [fields.slice(0, -1), fields.at(-1) ?? '']
  try {
    const { hash, content, external_id } = JSON.parse(own)
    if (hash !== hashOf(type, visible) || content?.type !== type) return null
    const id = typeof external_id === 'string' ? external_id : null
    return { content: toContent(type, content), external_id: id }
  } catch (error) {
    // Somebody wrote into it.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** Member by member: the hash keeps nobody from writing one. */
function toContent(type: FactType, given: Readonly<Record<string, unknown>>): FactContent {
  const accepted = Array.isArray(given.accepted) ? given.accepted.filter((answer) => typeof answer === 'string') : []
  return {
    type,
    front: textOrNull(given.front),
    back: textOrNull(given.back),
    text: textOrNull(given.text),
    extra: textOrNull(given.extra),
    hint: textOrNull(given.hint),
    accepted,
    source_url: textOrNull(given.source_url),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Anki composes the characters of what it imports. */
function hashOf(type: FactType, visible: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update([type, ...visible].join('\x1f').normalize('NFC')).digest('hex')
}
