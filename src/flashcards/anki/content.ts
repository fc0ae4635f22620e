import type { SourceInput } from '../../http/source'
import type { AnkiCard, AnkiNote, Notetype, Template } from '../../lib/anki/collection'
import { cutAnswerPart, fillTemplate, isEmptyHtml, mapFieldValues, type TemplateOptions } from '../../lib/anki/template'
import { escapeFalseMaths } from '../../lib/markdown/maths'
import { escapeMarkdown } from '../../lib/markdown/writer'
import type { FactContent, FactType } from '../fact-schema'
import { withSource } from '../fact-source'
import { fieldToMarkdown } from './field-markdown'

/**
 * A notetype of our own in an exported package. Its last field holds the original fact as JSON, because the visible
 * fields are HTML. A hash of them shows whether somebody edited them in Anki after the export.
 */
export interface SatchelNotetype {
  readonly id: number
  readonly type: FactType
  readonly name: string
  readonly fields: readonly string[]
}

/** The name of that last field. */
export const SATCHEL_FIELD = 'Satchel'

const SIDE_FIELDS = ['Front', 'Back', 'Extra', 'Hint', SATCHEL_FIELD]
export const SATCHEL_NOTETYPES: readonly SatchelNotetype[] = [
  { id: 1_722_470_400_001, type: 'basic', name: 'Satchel Basic', fields: SIDE_FIELDS },
  { id: 1_722_470_400_002, type: 'reversed', name: 'Satchel Reversed', fields: SIDE_FIELDS },
  { id: 1_722_470_400_003, type: 'typed', name: 'Satchel Typed', fields: SIDE_FIELDS },
  { id: 1_722_470_400_004, type: 'cloze', name: 'Satchel Cloze', fields: ['Text', 'Extra', 'Hint', SATCHEL_FIELD] },
]

/** Returns the fact type if the notetype is one of our own, else null. */
function satchelType(id: number, fields: readonly string[]): FactType | null {
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
function readSatchelField(type: FactType, fields: readonly string[]): FactContent | null {
  const [visible, own] = [fields.slice(0, -1), fields.at(-1) ?? '']
  try {
    const { hash, content, ...former } = JSON.parse(own)
    if (hash !== hashFields(type, visible) || content?.type !== type) return null
    return toContent(type, { ...(withSource({ ...content, ...former }) as object) })
  } catch (error) {
    // The field was edited by hand and no longer holds our JSON.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** Copies the content member by member: the file is untrusted, and anybody can compute a valid hash. */
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
    source: toSource(given.source),
  }
}

/** Reads the source. Ids of notes are left out, since a package is made for other people. */
function toSource(given: unknown): SourceInput {
  const { system, id, url } = (given ?? {}) as Readonly<Record<string, unknown>>
  const isNamed = typeof system === 'string' && typeof id === 'string'
  return { ...(isNamed ? { system, id } : {}), url: textOrNull(url) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Hashes the fields in NFC: Anki normalizes what it imports, and the hash must still fit then. */
function hashFields(type: FactType, visible: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update([type, ...visible].join('\x1f').normalize('NFC')).digest('hex')
}

/** A fact made from a note, and the cards that belong to it. */
export interface NoteFact {
  readonly content: FactContent
  readonly cards: readonly { readonly card: AnkiCard; readonly ordinal: number }[]
  /** The number of the template if the note becomes several facts, else null. */
  readonly part: number | null
}

type Values = ReadonlyMap<string, string>

const QUESTION_OPTIONS: TemplateOptions = {
  showTyped: false,
  value: (_, value, filters) => (hasSpeechFilter(filters) ? '' : value),
}
const ANSWER_OPTIONS: TemplateOptions = { ...QUESTION_OPTIONS, showTyped: true }

/**
 * Converts a note to facts, by what its templates show. `cards` must be sorted by `ord`; cards without a template are
 * left out.
 * @throws UnreadableItem
 */
export function splitNote(note: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact[] {
  const own = factOfSatchelNotetype(note, notetype, cards)
  if (own) return [own]
  const values = mapFieldValues(notetype, note.fields)
  if (notetype.isCloze) return [factOfClozeNotetype(notetype, values, cards)]
  const shown = cards.flatMap((card) => {
    const template = notetype.templates.find(({ ordinal }) => ordinal === card.ord)
    return template ? [{ card, ...renderSides(template, values) }] : []
  })
  const unused = unusedFields(
    notetype,
    values,
    shown.flatMap(({ used }) => used),
  )
  const [first, second] = shown
  if (first && second && shown.length === 2 && isMirrored(first, second)) {
    const extra = joinParagraphs([first.extra, unused])
    const both = [first, second].map(({ card }, ordinal) => ({ card, ordinal }))
    return [{ content: contentOfSides('reversed', first, extra), cards: both, part: null }]
  }
  return shown.map((side) => ({
    content: contentOfSides(side.isTyped ? 'typed' : 'basic', side, joinParagraphs([side.extra, unused])),
    cards: [{ card: side.card, ordinal: 0 }],
    part: shown.length > 1 ? side.card.ord : null,
  }))
}

function factOfSatchelNotetype({ fields }: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact | null {
  const type = satchelType(notetype.id, notetype.fields)
  if (!type) return null
  const own = readSatchelField(type, fields)
  const values = mapFieldValues(notetype, fields)
  const text = (name: string) => fieldToMarkdown(values.get(name) ?? '')
  const edited = () =>
    type === 'cloze'
      ? { type, front: null, back: null, text: text('Text') }
      : { type, front: text('Front'), back: text('Back'), text: null }
  return {
    content: own ?? { ...edited(), extra: text('Extra') || null, hint: text('Hint') || null },
    cards: cards.map((card) => ({ card, ordinal: card.ord })),
    part: null,
  }
}

interface Sides {
  readonly front: string
  readonly back: string
  readonly extra: string
  readonly isTyped: boolean
  readonly used: readonly string[]
}

function renderSides(template: Template, values: Values): Sides {
  const question = fillTemplate(template.question, values, QUESTION_OPTIONS)
  const typed = question.typed
  const after = cutAnswerPart(template.answer)
  // A typed answer is compared as a whole, so everything else on the answer side goes into `extra`.
  const answer = fillTemplate(after, values, typed === null ? ANSWER_OPTIONS : QUESTION_OPTIONS)
  return {
    front: fieldToMarkdown(question.html),
    back: fieldToMarkdown(typed === null ? answer.html : (values.get(typed) ?? '')),
    extra: typed === null ? '' : fieldToMarkdown(answer.html),
    isTyped: typed !== null,
    used: [...question.used, ...answer.used],
  }
}

/** Whether the two cards are the same with front and back swapped. */
function isMirrored(a: Sides, b: Sides): boolean {
  return !a.isTyped && !b.isTyped && a.front === b.back && a.back === b.front
}

function contentOfSides(type: 'basic' | 'reversed' | 'typed', { front, back }: Sides, extra: string): FactContent {
  return { type, front, back, text: null, extra: extra || null }
}

function factOfClozeNotetype(notetype: Notetype, values: Values, cards: readonly AnkiCard[]): NoteFact {
  const [template] = notetype.templates
  const question = fillTemplate(template?.question ?? '', values, { ...QUESTION_OPTIONS, showTyped: true })
  const answer = fillTemplate(cutAnswerPart(template?.answer ?? ''), values, {
    showTyped: false,
    // The text already holds what the question shows.
    value: (name, value, filters) => (question.used.has(name) || hasSpeechFilter(filters) ? '' : value),
  })
  const unused = unusedFields(notetype, values, [...question.used, ...answer.used])
  return {
    content: {
      type: 'cloze',
      front: null,
      back: null,
      text: fieldToMarkdown(question.html),
      extra: joinParagraphs([fieldToMarkdown(answer.html), unused]) || null,
    },
    cards: cards.map((card) => ({ card, ordinal: card.ord })),
    part: null,
  }
}

/** Returns the fields that no template shows, each with its name, as Markdown. */
function unusedFields({ fields }: Notetype, values: Values, used: readonly string[]): string {
  const shown = new Set([...used, SATCHEL_FIELD])
  const left = fields.filter((name) => !shown.has(name) && !isEmptyHtml(values.get(name) ?? ''))
  return joinParagraphs(
    left.map(
      (name) => `**${escapeFalseMaths(escapeMarkdown(name, false))}:** ${fieldToMarkdown(values.get(name) ?? '')}`,
    ),
  )
}

function joinParagraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Whether a text-to-speech filter (`tts…`) applies to the field. */
function hasSpeechFilter(filters: readonly string[]): boolean {
  return filters.some((filter) => filter.startsWith('tts'))
}
