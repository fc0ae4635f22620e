import type { Notetype, NotetypeSettings } from '../../lib/anki/collection'

/** A note type of Anki as it is stored. */
export interface NoteTypeContent extends Omit<Notetype, 'settings'> {
  /** For exports; null: not known. Two note types that only differ in it are the same. */
  readonly settings: NotetypeSettings | null
}

/** The largest size of names, templates, CSS and settings of a note type, in bytes. */
export const MAX_NOTE_TYPE_BYTES = 1024 * 1024

/** The largest size of its settings as JSON, in bytes. Larger ones are not kept. */
const MAX_SETTINGS_BYTES = 64 * 1024
/** How deep they may nest. Anki's own are flat. */
const MAX_SETTINGS_DEPTH = 16

export function toNoteType({ settings, ...notetype }: Notetype): NoteTypeContent {
  return { ...notetype, settings: isStorableSettings(settings) ? settings : null }
}

/** Makes a note type that asks for the first field and shows all others, for notes whose own cannot be kept. */
export function makeNoteType(anki_id: number, fields: string[]): NoteTypeContent {
  const [first = '', ...others] = fields
  const answer = others.map((name) => `{{${name}}}`).join('<br>')
  const template = { name: 'Card 1', question: `{{${first}}}`, answer: `{{FrontSide}}<hr id=answer>${answer}` }
  return {
    anki_id,
    name: `Note type ${anki_id}`,
    kind: 'standard',
    fields,
    templates: [template],
    css: '',
    settings: null,
  }
}

/** Whether settings are small and flat enough, and hold no text that cannot be stored. */
export function isStorableSettings(settings: NotetypeSettings): boolean {
  if (!isShallow(settings, MAX_SETTINGS_DEPTH)) return false
  const json = JSON.stringify(settings)
  // JSON escapes what cannot be stored: NUL, and halves of surrogate pairs.
  return Buffer.byteLength(json) <= MAX_SETTINGS_BYTES && !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json)
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}

/** Returns a SHA-256 in hex that is equal for note types only that are equal but for their settings. */
export function hashNoteType({ anki_id, name, kind, fields, templates, css }: NoteTypeContent): string {
  const cards = templates.map(({ name, question, answer }) => [name, question, answer])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([anki_id, name, kind, fields, cards, css])).digest('hex')
}

/** What a note type, a field and a template count beside their texts, in bytes: else empty ones would be free. */
const ROW_BYTES = 300
const PART_BYTES = 50

export function measureNoteType({ name, fields, templates, css, settings }: NoteTypeContent): number {
  const parts = [...fields, ...templates.flatMap((one) => [one.name, one.question, one.answer])]
  const texts = [name, css, ...parts, settings ? JSON.stringify(settings) : '']
  const row = ROW_BYTES + PART_BYTES * (fields.length + templates.length)
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), row)
}
