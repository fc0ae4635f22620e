import { ApiError, invalid } from '../../http/api-error'
import { cutAnswerPart, fillTemplate, type TemplateOptions } from '../../lib/anki/template'
import { UnreadableItem } from '../../lib/file-fault'
import { listTypedHtml, listTypedTexts, makeFaces, readNoteCloze } from './cloze'
import {
  type FactInput,
  type FactMembers,
  type FactPatch,
  listOrdinals,
  MAX_ORDINAL,
  type RightAnswers,
  readFact,
} from './fact'
import type { GivenFactType, UpdateFact } from './fact-schema'
import { clozeToField, fieldToMarkdown, fieldToPlainText, markdownToField } from './field-html'
import type { NoteTypeContent } from './note-type'

/**
 * Notes of Anki as facts. If the templates of a note type only show one field each, a fact holds these fields as
 * Markdown, too: a plain note. The cards of all other notes, facts of the type custom, are rendered from the templates.
 */

export type NoteFields = Readonly<Record<string, string>>

interface NoteSource {
  readonly fields: NoteFields
  /** The ordinals of its cards; null: those that Anki would make. */
  readonly cards: readonly number[] | null
}

const SIDES = ['front', 'back', 'text', 'extra'] as const
type Sides = Readonly<Record<(typeof SIDES)[number], string | null>>
const NO_SIDES: Sides = { front: null, back: null, text: null, extra: null }

interface NoteContent extends Sides {
  readonly type: FactInput['type']
  /** For custom; null for plain notes, whose texts decide. */
  readonly ordinals: readonly number[] | null
}

/** Returns the content of a note: plain if its note type is, and if its texts make exactly its cards; else custom. */
export function readNoteContent(noteType: NoteTypeContent, { fields, cards }: NoteSource): NoteContent {
  const ordinals = cards ?? listAskedOrdinals(noteType, fields)
  return readPlainContent(noteType, fields, ordinals) ?? { type: 'custom', ...NO_SIDES, ordinals }
}

function readPlainContent(
  noteType: NoteTypeContent,
  fields: NoteFields,
  ordinals: readonly number[],
): NoteContent | null {
  const plain = findPlainSides(noteType)
  if (!plain) return null
  try {
    const side = (name: string | null) => (name === null ? null : fieldToMarkdown(fields[name] ?? ''))
    const { type, front, back, text, extra } = plain
    const sides = { front: side(front), back: side(back), text: side(text), extra: side(extra) || null }
    const own = listOrdinals(readFact({ type, ...sides }))
    const isSame = own.length === ordinals.length && own.every((ordinal) => ordinals.includes(ordinal))
    return isSame ? { type, ...sides, ordinals: null } : null
  } catch (error) {
    // The texts of the fact would be too long, or the HTML is too deep.
    if (error instanceof ApiError || error instanceof UnreadableItem) return null
    throw error
  }
}

/** A plain note type: the fields that its cards show, by the side of the fact. */
interface PlainSides extends Sides {
  readonly type: GivenFactType
}

/** Elements that show nothing by themselves. */
const SILENT_TAGS = /<\/?(?:hr|br|div|span|p|center)\b[^<>]*>/gi
const TAG = /\{\{([^{}]*)\}\}/g

const knownSides = new WeakMap<NoteTypeContent, PlainSides | null>()

/** Which fields a plain note type shows where; null if a template shows more, or has conditions or filters. */
function findPlainSides(noteType: NoteTypeContent): PlainSides | null {
  const known = knownSides.get(noteType)
  if (known !== undefined) return known
  const sides = computePlainSides(noteType)
  knownSides.set(noteType, sides)
  return sides
}

function computePlainSides({ kind, fields, templates }: NoteTypeContent): PlainSides | null {
  const [first, second, ...more] = templates.map(({ question, answer }) => [listTags(question), listTags(answer)])
  const has = (name: string | undefined): name is string => name !== undefined && fields.includes(name)
  if (!first || more.length > 0) return null
  const [question, answer] = first
  if (!question || !answer) return null
  if (kind === 'cloze' && !second) {
    const [, text] = /^cloze:(.+)$/.exec(question[0] ?? '') ?? []
    const extra = answer[1] ?? null
    const isWhole = question.length === 1 && answer.length <= 2 && answer[0] === question[0]
    return isWhole && has(text) && (extra === null || has(extra)) ? { type: 'cloze', ...NO_SIDES, text, extra } : null
  }
  if (kind !== 'standard') return null
  const [front, typed] = question
  const [start, shown] = answer
  const [, back] = /^(?:type:)?(.+)$/.exec(shown ?? '') ?? []
  const isAnswer = answer.length === 2 && (start === 'FrontSide' || start === front)
  if (!isAnswer || !has(front) || !has(back) || front === back) return null
  if (question.length === 2) {
    const isTyped = typed === `type:${back}` && !second
    return isTyped ? { type: 'typed', ...NO_SIDES, front, back } : null
  }
  if (question.length !== 1 || shown !== back) return null
  if (!second) return { type: 'basic', ...NO_SIDES, front, back }
  const [asked, answered] = second
  const isMirrored =
    asked?.length === 1 &&
    asked[0] === back &&
    answered?.length === 2 &&
    answered[1] === front &&
    (answered[0] === 'FrontSide' || answered[0] === back)
  return isMirrored ? { type: 'reversed', ...NO_SIDES, front, back } : null
}

/** Returns what a template shows, one `{{…}}` each; null if it shows anything else. */
function listTags(template: string): string[] | null {
  const rest = template.replace(SILENT_TAGS, '')
  return rest.replace(TAG, '').trim() === '' ? [...rest.matchAll(TAG)].map(([, name = '']) => name.trim()) : null
}

const toValues = ({ fields }: NoteTypeContent, given: NoteFields) =>
  new Map(fields.map((name) => [name, given[name] ?? '']))

/** Leaves out speech, which no text shows. */
const readValue: TemplateOptions['value'] = (_, value, filters) =>
  filters.some((filter) => filter.startsWith('tts')) ? '' : value
const QUESTION: TemplateOptions = { showTyped: false, value: readValue }
const WITHOUT_VALUES: TemplateOptions = { showTyped: true, value: () => '' }
const WITH_TYPED: TemplateOptions = { showTyped: true, value: readValue }

/** Returns the ordinals of the cards that Anki makes of a note, ascending: see "Card Generation" in its manual. */
export function listAskedOrdinals(noteType: NoteTypeContent, fields: NoteFields): number[] {
  const values = toValues(noteType, fields)
  if (noteType.kind === 'standard')
    return [...noteType.templates.keys()].filter((ordinal) => {
      const { question } = noteType.templates[ordinal] ?? { question: '' }
      return !fillTemplate(question, values, WITHOUT_VALUES).isEmpty
    })
  const found = new Set<number>()
  fillTemplate(noteType.templates[0]?.question ?? '', values, {
    showTyped: true,
    value: (_, value, filters) => {
      if (filters.includes('cloze')) for (const number of readNoteCloze(value, 'html').numbers) found.add(number - 1)
      return ''
    },
  })
  return [...found].filter((ordinal) => ordinal >= 0 && ordinal <= MAX_ORDINAL).sort((a, b) => a - b)
}

/** The sides of a card as Markdown. */
export interface NoteCard {
  readonly prompt: string
  readonly answer: string
  /** What is right where the question does not say what is to be typed. */
  readonly right: readonly string[]
}

/** The mask of an occluded picture, which text cannot show. */
const MASKS = /\{\{c[\d,]+::image-occlusion:[^{}]*\}\}(?:<br\s*\/?>)?/g

/** Renders a card of a note. A card whose template or number is gone has empty sides, or shows the text as it is. */
export function renderNoteCard(noteType: NoteTypeContent, fields: NoteFields, ordinal: number): NoteCard {
  try {
    const unmasked = Object.entries(fields).map(([name, html]) => [name, html.replace(MASKS, '')])
    const given = noteType.kind === 'image_occlusion' ? Object.fromEntries(unmasked) : fields
    const render = noteType.kind === 'standard' ? renderStandardCard : renderClozeCard
    return render(noteType, toValues(noteType, given), ordinal)
  } catch (error) {
    if (error instanceof UnreadableItem) return { prompt: error.detail, answer: '', right: [''] }
    throw error
  }
}

function renderStandardCard(noteType: NoteTypeContent, values: Map<string, string>, ordinal: number): NoteCard {
  const template = noteType.templates[ordinal] ?? { question: '', answer: '' }
  const question = fillTemplate(template.question, values, QUESTION)
  const answer = fieldToMarkdown(fillTemplate(cutAnswerPart(template.answer), values, WITH_TYPED).html)
  return { prompt: fieldToMarkdown(question.html), answer, right: [answer] }
}

function renderClozeCard(noteType: NoteTypeContent, values: Map<string, string>, ordinal: number): NoteCard {
  const template = noteType.templates[0] ?? { question: '', answer: '' }
  const showTyped = !template.question.includes('{{cloze:')
  const question = fillTemplate(template.question, values, { showTyped, value: readValue })
  const rest = fillTemplate(cutAnswerPart(template.answer), values, {
    showTyped: false,
    // The text already holds what the question shows.
    value: (name, value, filters) => (question.used.has(name) ? '' : readValue(name, value, filters)),
  })
  const text = fieldToMarkdown(question.html)
  const more = fieldToMarkdown(rest.html)
  const cloze = readNoteCloze(text, 'markdown')
  const isAsked = cloze.numbers.includes(ordinal + 1)
  const faces = isAsked ? makeFaces(cloze, ordinal + 1) : { prompt: text, answer: text }
  const answer = [faces.answer, more].filter((part) => part !== '').join('\n\n')
  return { prompt: faces.prompt, answer, right: listTypedTexts(cloze, ordinal + 1) }
}

/** Returns what its question asks to type; null: nothing, or a field that is empty. */
export function readTypedField(noteType: NoteTypeContent, fields: NoteFields, ordinal: number): RightAnswers | null {
  const { question } = noteType.templates[noteType.kind === 'standard' ? ordinal : 0] ?? { question: '' }
  const values = toValues(noteType, fields)
  const { typed } = fillTemplate(question, values, WITHOUT_VALUES)
  if (!typed) return null
  const texts = listTypedHtml(values.get(typed.name) ?? '', typed.filters, ordinal + 1)
  const right = texts.map(fieldToPlainText).filter((text) => text !== '')
  return right.length === 0 ? null : { right, ignores_accents: typed.filters.join(':') === 'type:nc' }
}

/**
 * Applies a merge patch to a fact with a note type, so that fields and texts stay in step: a new text changes its field,
 * and new fields change the texts. Throws invalid_request.
 */
export function patchNote(
  noteType: NoteTypeContent,
  old: FactMembers,
  { fields, ...patch }: Omit<UpdateFact, 'deck_id'>,
): FactPatch {
  if (fields === null) return { ...patch, note_type: null, fields: null, ordinals: null }
  const sides = SIDES.filter((side) => patch[side] !== undefined)
  if (fields !== undefined) {
    const [side] = sides
    if (side) throw invalid(`/${side}`, 'not_allowed', `${side} and fields must not be given together`)
    return { ...patch, ...patchFields(noteType, old, fields) }
  }
  if (patch.type !== undefined && patch.type !== old.type)
    throw invalid('/type', 'type_fixed', TYPE_FIXED[old.type === 'custom' ? 'custom' : 'plain'])
  const plain = findPlainSides(noteType)
  if (old.type === 'custom' || !plain) return patch
  const changed = sides.flatMap((side) => {
    const name = plain[side]
    const toField = side === 'text' ? clozeToField : markdownToField
    return name === null || patch[side] === old[side] ? [] : [[name, toField(patch[side] ?? '')]]
  })
  return { ...patch, fields: { ...old.fields, ...Object.fromEntries(changed) } }
}

const TYPE_FIXED = {
  plain: 'the note type decides the type: remove it with "fields": null first',
  custom: 'the note type decides the type',
}

function patchFields(
  noteType: NoteTypeContent,
  old: FactMembers,
  patch: Readonly<Record<string, string | null>>,
): FactPatch {
  const unknown = Object.keys(patch).find((name) => !noteType.fields.includes(name))
  if (unknown !== undefined)
    throw invalid('/fields', 'unknown_field', `the note type has no such field; it has: ${noteType.fields.join(', ')}`)
  const cleared = Object.entries(patch).map(([name, html]) => [name, html ?? ''])
  const fields: NoteFields = { ...old.fields, ...Object.fromEntries(cleared) }
  // Cards whose template or number was gone before are kept.
  const asked = new Set(listAskedOrdinals(noteType, old.fields ?? {}))
  const kept = (old.ordinals ?? []).filter((ordinal) => !asked.has(ordinal))
  const cards = [...new Set([...listAskedOrdinals(noteType, fields), ...kept])].sort((a, b) => a - b)
  return { fields, ...readNoteContent(noteType, { fields, cards }) }
}
