import type { SourceInput } from '../../http/source'
import type { AnkiCard, AnkiNote, Notetype, Template } from '../../lib/anki/collection'
import { cutAnswerPart, fillTemplate, isEmptyHtml, mapFieldValues, type TemplateOptions } from '../../lib/anki/template'
import { escapeMarkdown } from '../../lib/markdown/writer'
import type { FactContent, FactType } from '../fact-schema'
import { withSource } from '../fact-source'
import { fieldToMarkdown } from './field-markdown'

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

/** The type of facts that a notetype is ours for, or null. */
function ownType(id: number, fields: readonly string[]): FactType | null {
  const own = OWN_NOTETYPES.find((notetype) => notetype.id === id)
  return own && own.fields.length === fields.length && own.fields.every((name, i) => name === fields[i])
    ? own.type
    : null
}

/** The text of the last field. Nothing in it means anything in HTML. */
export function writeOwn(content: FactContent, visible: readonly string[]): string {
  const { type } = content
  const text = JSON.stringify({ hash: hashOf(type, visible), content: toContent(type, { ...content }) })
  return text.replace(/[<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What the last field says if the fields before it are as they were when it was written, else null. */
function readOwn(type: FactType, fields: readonly string[]): FactContent | null {
  const [visible, own] = [fields.slice(0, -1), fields.at(-1) ?? '']
  try {
    const { hash, content, ...former } = JSON.parse(own)
    if (hash !== hashOf(type, visible) || content?.type !== type) return null
    return toContent(type, { ...(withSource({ ...content, ...former }) as object) })
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
    source: toSource(given.source),
  }
}

/** Notes are not named: a package is for others. */
function toSource(given: unknown): SourceInput {
  const { system, id, url } = (given ?? {}) as Readonly<Record<string, unknown>>
  const isNamed = typeof system === 'string' && typeof id === 'string'
  return { ...(isNamed ? { system, id } : {}), url: textOrNull(url) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Anki composes the characters of what it imports. */
function hashOf(type: FactType, visible: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update([type, ...visible].join('\x1f').normalize('NFC')).digest('hex')
}

/** What facts a note makes, by what its notetype shows of it. */

/** A fact that a note makes, and the cards that are its own. */
export interface NoteFact {
  readonly content: FactContent
  readonly cards: readonly { readonly card: AnkiCard; readonly ordinal: number }[]
  /** The template's number, if the note makes several facts. */
  readonly part: number | null
}

type Values = ReadonlyMap<string, string>

const QUESTION: TemplateOptions = { showTyped: false, value: (_, value, filters) => (isSpoken(filters) ? '' : value) }
const ANSWER: TemplateOptions = { ...QUESTION, showTyped: true }

/** Throws ItemFault. Cards must be in order of their numbers; those of no template are left out. */
export function splitNote(note: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact[] {
  const own = ownDraft(note, notetype, cards)
  if (own) return [own]
  const values = mapFieldValues(notetype, note.fields)
  if (notetype.isCloze) return [clozeDraft(notetype, values, cards)]
  const shown = cards.flatMap((card) => {
    const template = notetype.templates.find(({ ordinal }) => ordinal === card.ord)
    return template ? [{ card, ...sidesOf(template, values) }] : []
  })
  const unused = unusedFields(
    notetype,
    values,
    shown.flatMap(({ used }) => used),
  )
  const [first, second] = shown
  if (first && second && shown.length === 2 && mirrors(first, second)) {
    const extra = joined([first.extra, unused])
    const both = [first, second].map(({ card }, ordinal) => ({ card, ordinal }))
    return [{ content: sides('reversed', first, extra), cards: both, part: null }]
  }
  return shown.map((side) => ({
    content: sides(side.isTyped ? 'typed' : 'basic', side, joined([side.extra, unused])),
    cards: [{ card: side.card, ordinal: 0 }],
    part: shown.length > 1 ? side.card.ord : null,
  }))
}

function ownDraft({ fields }: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact | null {
  const type = ownType(notetype.id, notetype.fields)
  if (!type) return null
  const own = readOwn(type, fields)
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

function sidesOf(template: Template, values: Values): Sides {
  const question = fillTemplate(template.question, values, QUESTION)
  const typed = question.typed
  const after = cutAnswerPart(template.answer)
  // A typed answer is compared as a whole: what else the answer shows goes into `extra`.
  const answer = fillTemplate(after, values, typed === null ? ANSWER : QUESTION)
  return {
    front: fieldToMarkdown(question.html),
    back: fieldToMarkdown(typed === null ? answer.html : (values.get(typed) ?? '')),
    extra: typed === null ? '' : fieldToMarkdown(answer.html),
    isTyped: typed !== null,
    used: [...question.used, ...answer.used],
  }
}

/** Whether each asks for what the other answers. */
function mirrors(a: Sides, b: Sides): boolean {
  return !a.isTyped && !b.isTyped && a.front === b.back && a.back === b.front
}

function sides(type: 'basic' | 'reversed' | 'typed', { front, back }: Sides, extra: string): FactContent {
  return { type, front, back, text: null, extra: extra || null }
}

function clozeDraft(notetype: Notetype, values: Values, cards: readonly AnkiCard[]): NoteFact {
  const [template] = notetype.templates
  const question = fillTemplate(template?.question ?? '', values, { ...QUESTION, showTyped: true })
  const answer = fillTemplate(cutAnswerPart(template?.answer ?? ''), values, {
    showTyped: false,
    // What the question shows is in the text already.
    value: (name, value, filters) => (question.used.has(name) || isSpoken(filters) ? '' : value),
  })
  const unused = unusedFields(notetype, values, [...question.used, ...answer.used])
  return {
    content: {
      type: 'cloze',
      front: null,
      back: null,
      text: fieldToMarkdown(question.html),
      extra: joined([fieldToMarkdown(answer.html), unused]) || null,
    },
    cards: cards.map((card) => ({ card, ordinal: card.ord })),
    part: null,
  }
}

/** Fields that no template shows, each with its name. */
function unusedFields({ fields }: Notetype, values: Values, used: readonly string[]): string {
  const shown = new Set([...used, OWN_FIELD])
  const left = fields.filter((name) => !shown.has(name) && !isEmptyHtml(values.get(name) ?? ''))
  return joined(left.map((name) => `**${escapeMarkdown(name, false)}:** ${fieldToMarkdown(values.get(name) ?? '')}`))
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** The field is read out, beside its text. */
function isSpoken(filters: readonly string[]): boolean {
  return filters.some((filter) => filter.startsWith('tts'))
}
