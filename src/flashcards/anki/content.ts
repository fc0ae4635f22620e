import { escapeMarkdown } from '../../lib/markdown/writer'
import type { FactContent } from '../schema'
import type { AnkiCard, AnkiNote, Notetype, Template } from './collection'
import { fieldToMarkdown } from './field-markdown'
import { OWN_FIELD, ownType, readOwn } from './own-notes'
import { answerPart, fillTemplate, isEmptyHtml, type TemplateOptions, valuesOf } from './template'

/** What facts a note makes, by what its notetype shows of it. */

/** A fact that a note makes, and the cards that are its own. */
export interface NoteFact {
  readonly content: FactContent
  readonly cards: readonly { readonly card: AnkiCard; readonly ordinal: number }[]
  /** The template's number, if the note makes several facts. */
  readonly part: number | null
  /** From our own export; null: after the note. */
  readonly external_id: string | null
}

type Values = ReadonlyMap<string, string>

const QUESTION: TemplateOptions = { showTyped: false, value: (_, value, filters) => (isSpoken(filters) ? '' : value) }
const ANSWER: TemplateOptions = { ...QUESTION, showTyped: true }

/** Throws ItemFault. Cards must be in order of their numbers; those of no template are left out. */
export function factsOfNote(note: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact[] {
  const own = ownDraft(note, notetype, cards)
  if (own) return [own]
  const values = valuesOf(notetype, note.fields)
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
    return [{ content: sides('reversed', first, extra), cards: both, part: null, external_id: null }]
  }
  return shown.map((side) => ({
    content: sides(side.isTyped ? 'typed' : 'basic', side, joined([side.extra, unused])),
    cards: [{ card: side.card, ordinal: 0 }],
    part: shown.length > 1 ? side.card.ord : null,
    external_id: null,
  }))
}

function ownDraft({ fields }: AnkiNote, notetype: Notetype, cards: readonly AnkiCard[]): NoteFact | null {
  const type = ownType(notetype.id, notetype.fields)
  if (!type) return null
  const own = readOwn(type, fields)
  const values = valuesOf(notetype, fields)
  const text = (name: string) => fieldToMarkdown(values.get(name) ?? '')
  const edited = () =>
    type === 'cloze'
      ? { type, front: null, back: null, text: text('Text') }
      : { type, front: text('Front'), back: text('Back'), text: null }
  return {
    content: own?.content ?? { ...edited(), extra: text('Extra') || null, hint: text('Hint') || null },
    cards: cards.map((card) => ({ card, ordinal: card.ord })),
    part: null,
    external_id: own?.external_id ?? null,
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
  const after = answerPart(template.answer)
  // A typed answer is compared as a whole: what else the answer shows stands apart.
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
  const answer = fillTemplate(answerPart(template?.answer ?? ''), values, {
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
    external_id: null,
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
