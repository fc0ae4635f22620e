import { fillTemplate } from '../../lib/anki/template.ts'
import { findMathsInHtml } from '../../lib/markdown/maths'
import { listHiddenTexts, makeHtmlFaces, readCloze } from '../facts/cloze'
import type { NoteFields } from '../facts/note.ts'
import type { NoteTypeContent } from '../facts/note-type.ts'
import { drawMasks, readMasks, removeMasks } from './occlusion.ts'
import { markOccluded, removeSounds } from './sanitize.ts'

/** The filters of Anki's templates, `{{filter:Field}}`, each from HTML to HTML. */

type Side = 'prompt' | 'answer'

/** What a filter may know besides the value. */
interface FilterContext {
  readonly field: string
  readonly side: Side
  /** The number of the cloze that is asked. */
  readonly number: number
}

/** The place of the text field of a typed answer; see sanitize.ts. */
const TYPED_PLACE = '<anki-typed></anki-typed>'

/** Applies the filters of a field, the one beside its name first. Unknown ones change nothing. */
function applyFilters(value: string, filters: readonly string[], context: FilterContext): string {
  return filters.reduceRight((html, name) => {
    if (name.startsWith('tts')) return ''
    return Object.hasOwn(FILTERS, name) ? (FILTERS[name]?.(html, context) ?? html) : html
  }, value)
}

const FILTERS: Readonly<Record<string, (html: string, context: FilterContext) => string>> = {
  text: (html) => html.replace(/<[^<>]*>/g, ''),
  hint: (html, { field }) =>
    html.trim() === ''
      ? ''
      : `<details class="hint"><summary>${Bun.escapeHTML(field)}</summary><div>${html}</div></details>`,
  cloze: (html, { side, number }) => renderCloze(html, number)?.[side] ?? html,
  'cloze-only': (html, { number }) => listHidden(html, number),
  type: (html, { side }) => (side === 'prompt' ? TYPED_PLACE : `<div class="typeans">${html}</div>`),
  furigana: (html) => replaceRuby(html, (base, reading) => `<ruby>${base}<rt>${reading}</rt></ruby>`),
  kana: (html) => replaceRuby(html, (_, reading) => reading),
  kanji: (html) => replaceRuby(html, (base) => base),
}

function readHtmlCloze(html: string) {
  return readCloze(html, { literals: findMathsInHtml(html), isLenient: true }).cloze
}

function renderCloze(html: string, number: number) {
  const cloze = readHtmlCloze(html)
  return cloze && makeHtmlFaces(cloze, number)
}

function listHidden(html: string, number: number): string {
  const cloze = readHtmlCloze(html)
  return cloze ? listHiddenTexts(cloze, number).join(', ') : html
}

/** A word, and in brackets how it is read: `日本語[にほんご]`, after a space or the beginning. Sounds are no reading. */
const RUBY = /(?:^|[ >])([^ >[\]]{1,100})\[(?!sound:)([^[\]]{1,100})\]/g

function replaceRuby(html: string, write: (base: string, reading: string) => string): string {
  return html
    .replaceAll('&nbsp;', ' ')
    .replace(
      RUBY,
      (found: string, base: string, reading: string) => (found.startsWith('>') ? '>' : '') + write(base, reading),
    )
}

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
