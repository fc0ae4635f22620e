import type { Notetype } from '../lib/anki/collection'

/** A note type of Anki: which fields a note has, and the templates that make cards of them. */
export interface NoteTypeContent {
  /** The id in Anki, mostly milliseconds since 1970. */
  readonly anki_id: number
  readonly name: string
  /** `cloze` and `image_occlusion` have one template, and a card for each number in its cloze fields. */
  readonly kind: 'standard' | 'cloze' | 'image_occlusion'
  /** The names of the fields, in order. */
  readonly fields: readonly string[]
  /** In the order of their ordinals. */
  readonly templates: readonly NoteTemplate[]
  readonly css: string
}

/** How a card is made: HTML with `{{Field}}`. */
export interface NoteTemplate {
  readonly name: string
  readonly question: string
  readonly answer: string
}

/** The largest size of names, templates and CSS of a note type, in bytes. */
export const MAX_NOTE_TYPE_BYTES = 1024 * 1024

export function toNoteType({ id, name, isCloze, isImageOcclusion, fields, templates, css }: Notetype): NoteTypeContent {
  return {
    anki_id: id,
    name,
    kind: isImageOcclusion ? 'image_occlusion' : isCloze ? 'cloze' : 'standard',
    fields,
    templates: templates.map(({ name, question, answer }) => ({ name, question, answer })),
    css,
  }
}

/** Returns a SHA-256 in hex that is equal for equal note types only. */
export function hashNoteType({ anki_id, name, kind, fields, templates, css }: NoteTypeContent): string {
  const cards = templates.map(({ name, question, answer }) => [name, question, answer])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([anki_id, name, kind, fields, cards, css])).digest('hex')
}

/** Returns the size of a note type in bytes, as it counts towards the quota. */
export function measureNoteType({ name, fields, templates, css }: NoteTypeContent): number {
  return [name, ...fields, ...templates.flatMap((one) => [one.name, one.question, one.answer]), css].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  )
}
