import { fillTemplate } from '../../lib/anki/template.ts'
import type { NoteFields } from '../note.ts'
import type { NoteTypeContent } from '../note-type.ts'
import { applyFilters, type Side, TYPED_PLACE } from './filters.ts'
import { drawMasks, readMasks, removeMasks } from './occlusion.ts'
import { markOccluded, removeSounds } from './sanitize.ts'

export interface CardSource {
  readonly noteType: NoteTypeContent
  readonly fields: NoteFields
  readonly ordinal: number
  /** What templates can show besides the fields. */
  readonly tags: readonly string[]
  /** The names of the deck and those above it, the topmost first. */
  readonly deck: readonly string[]
}

/** One side of a card as its templates make it: HTML that is not safe yet. */
interface FilledSide {
  readonly html: string
  /** The masks over its picture. */
  readonly masks: string
}

/** Fills the templates of a card, as Anki does. Throws UnreadableItem too_long. */
export function fillCard(source: CardSource): Readonly<Record<Side, FilledSide>> {
  const { noteType, fields, ordinal } = source
  const isStandard = noteType.kind === 'standard'
  const template = noteType.templates[isStandard ? ordinal : 0] ?? { name: '', question: '', answer: '' }
  const masks = noteType.kind === 'image_occlusion' ? Object.values(fields).flatMap(readMasks) : []
  const values = readValues(source, template)
  const picture = noteType.fields.find((name) => masks.length > 0 && /<img\b/i.test(values.get(name) ?? ''))
  const fill = (side: Side, text: string) =>
    fillTemplate(text, values, {
      showTyped: true,
      value(name, value, filters) {
        const html = applyFilters(value, filters, { field: name, side, number: ordinal + 1 })
        return name === picture ? markOccluded(html) : html
      },
    }).html
  const prompt = fill('prompt', template.question)
  values.set('FrontSide', removeSounds(prompt).replaceAll(TYPED_PLACE, ''))
  const answer = fill('answer', template.answer)
  return {
    prompt: { html: prompt, masks: drawMasks(masks, ordinal + 1, 'prompt') },
    answer: { html: answer, masks: drawMasks(masks, ordinal + 1, 'answer') },
  }
}

function readValues(
  { noteType, fields, ordinal, tags, deck }: CardSource,
  { name, question, answer }: NoteTypeContent['templates'][number],
): Map<string, string> {
  const shown = (html: string) => (noteType.kind === 'image_occlusion' ? removeMasks(html) : html)
  const own = noteType.fields.map((field): [string, string] => [field, shown(fields[field] ?? '')])
  const asked = [...`${question}${answer}`.matchAll(/\{\{[#^]\s*(c\d+)\s*\}\}/g)].map(([, mark = '']) => mark)
  const isAsked = (mark: string) => noteType.kind !== 'standard' && mark === `c${ordinal + 1}`
  return new Map([
    ...asked.map((mark): [string, string] => [mark, isAsked(mark) ? '1' : '']),
    ['Tags', Bun.escapeHTML(tags.join(' '))],
    ['Type', Bun.escapeHTML(noteType.name)],
    ['Deck', Bun.escapeHTML(deck.join('::'))],
    ['Subdeck', Bun.escapeHTML(deck.at(-1) ?? '')],
    ['Card', Bun.escapeHTML(name)],
    ['FrontSide', ''],
    ...own,
  ])
}
