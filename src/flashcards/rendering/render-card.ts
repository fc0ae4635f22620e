import { fillTemplate } from '../../lib/anki/template.ts'
import { UnreadableItem } from '../../lib/file-fault.ts'
import { ownNoteType } from '../anki/anki-settings.ts'
import { listTypedHtml, makeHtmlFaces, makeOnlyFaces, readNoteCloze } from '../facts/cloze'
import type { FactInput } from '../facts/fact.ts'
import { fieldToPlainText, markdownToField } from '../facts/field-html.ts'
import type { NoteFields } from '../facts/note.ts'
import type { NoteTypeContent } from '../facts/note-type.ts'
import { drawMasks, readMasks, removeMasks } from './occlusion.ts'
import { markOccluded, removeSounds, sanitizeCard } from './sanitize.ts'
import { reduceStyleSheet } from './styles.ts'

type Texts = Pick<FactInput, 'front' | 'back' | 'text' | 'extra' | 'hint'>

/** A card to be rendered: of a note type with its fields, or of a fact in Markdown. */
export type CardRequest = Pick<CardSource, 'ordinal' | 'tags' | 'deck'> & {
  readonly content:
    | { readonly noteType: NoteTypeContent; readonly fields: Readonly<Record<string, string>> }
    | { readonly type: Exclude<FactInput['type'], 'custom'>; readonly texts: Texts }
}

/** The sides of a card as safe HTML, with its media as marks. */
export interface RenderedCard {
  readonly prompt: string
  readonly answer: string
}

/** What the classes of Temml need beside the MathML. */
const MATHS_CSS =
  '.tml-display{margin:.4em 0}.tml-left{text-align:left}.tml-right{text-align:right}.tml-overline{border-top:.06em solid}.tml-underline{border-bottom:.06em solid}.tml-updiagonalstrike{background:linear-gradient(to bottom right,transparent 46%,currentcolor 46%,currentcolor 54%,transparent 54%)}'
/** What a card may not change: nothing of it is shown beyond its own box, wherever its CSS puts it. */
const CARD_STYLE = 'contain:layout paint style;overflow-x:auto'

/** Renders a card. Throws RangeError if it is too long, or nested too deep for the stack. */
export async function renderCard({ content, ...card }: CardRequest): Promise<RenderedCard> {
  const { noteType, fields } = 'noteType' in content ? content : readTexts(content)
  const filled = fill({ ...card, noteType, fields })
  const scope = `card-${Bun.hash(JSON.stringify([noteType.css, noteType.name])).toString(36)}`
  const write = async ({ html: source, masks }: (typeof filled)['prompt']) => {
    const { html: text, css } = takeStyles(source)
    const { html, hasMaths } = await sanitizeCard(text, masks)
    const sheet = reduceStyleSheet([BASE_CSS, hasMaths ? MATHS_CSS : '', noteType.css, css].join('\n'), scope)
    const classes = `card card${card.ordinal + 1}`
    return `<style>${sheet}</style><div class="${scope}" style="${CARD_STYLE}"><div class="${classes}">${html}</div></div>`
  }
  return { prompt: await write(filled.prompt), answer: await write(filled.answer) }
}

/** What Anki's own pages have besides the CSS of a note type. */
const BASE_CSS =
  '.card img{max-width:100%}.card video{max-width:100%}.cloze{font-weight:bold}.occlusion img{display:block}.missing-media{opacity:.6}'

function fill(source: CardSource) {
  try {
    return fillCard(source)
  } catch (error) {
    if (error instanceof UnreadableItem) throw new RangeError(error.detail)
    throw error
  }
}

/** Converts a fact in Markdown to a note of our own note type, which is also what an export to Anki has. */
function readTexts({ type, texts }: Extract<CardRequest['content'], { texts: unknown }>) {
  const html = (markdown: string | null | undefined) => (markdown ? markdownToField(markdown) : '')
  const { front, back, text, extra, hint } = texts
  const fields = { Front: html(front), Back: html(back), Text: html(text), Extra: html(extra), Hint: html(hint) }
  return { noteType: ownNoteType(type), fields }
}

/** Takes the `<style>` elements out of a template. In linear time. */
function takeStyles(source: string): { html: string; css: string } {
  const tag = /<(\/?)style\b[^<>]*>/gi
  let html = ''
  let css = ''
  let from = 0
  let isStyle = false
  for (const { 0: text, 1: slash, index } of source.matchAll(tag)) {
    const ends = slash === '/'
    // A start within a style is part of it, and an end outside of one is none.
    if (ends !== isStyle) continue
    if (ends) css += `${source.slice(from, index)}\n`
    else html += source.slice(from, index)
    isStyle = !ends
    from = index + text.length
  }
  return { html: isStyle ? html : html + source.slice(from), css }
}

/** The filters of Anki's templates, `{{filter:Field}}`, each from HTML to HTML. */

type Side = 'prompt' | 'answer'

interface FilterContext {
  readonly field: string
  readonly side: Side
  readonly number: number
}

/** The place of the text field of a typed answer; see sanitize.ts. */
const TYPED_PLACE = '<anki-typed></anki-typed>'

/** Applies the filters of a field, the one beside its name first. Unknown ones change nothing, nor do those below `type`. */
function applyFilters(value: string, filters: readonly string[], context: FilterContext): string {
  if (filters.includes('type')) {
    const [right = ''] = listTypedHtml(value, filters, context.number)
    if (context.side === 'answer') return `<div class="typeans">${right}</div>`
    // There is nothing to type of an empty field.
    return fieldToPlainText(right) === '' ? '' : TYPED_PLACE
  }
  return filters.reduceRight((html, name) => {
    if (name.startsWith('tts')) return writeSpeech(html, name.slice(3))
    return Object.hasOwn(FILTERS, name) ? (FILTERS[name]?.(html, context) ?? html) : html
  }, value)
}

/** Marks what is spoken, and not shown, in the language that begins the options: `{{tts en_US voices=… speed=1.5:Field}}`. */
function writeSpeech(html: string, options: string): string {
  const [lang = ''] = options.trim().split(/\s/)
  const [, speed = '1'] = /\sspeed=([\d.]+)/.exec(options) ?? []
  const text = Bun.escapeHTML(fieldToPlainText(html))
  const attributes = `lang="${Bun.escapeHTML(lang.replaceAll('_', '-'))}" data-speed="${speed}"`
  return text === '' ? '' : `<anki-speech ${attributes}>${text}</anki-speech>`
}
const SPEECH = /<anki-speech[^<>]*>[^<>]*<\/anki-speech>/g

const FILTERS: Readonly<Record<string, (html: string, context: FilterContext) => string>> = {
  text: (html) => html.replace(/<[^<>]*>/g, ''),
  hint: (html, { field }) =>
    html.trim() === ''
      ? ''
      : `<details class="hint"><summary>${Bun.escapeHTML(field)}</summary><div>${html}</div></details>`,
  cloze: (html, { side, number }) => makeHtmlFaces(readNoteCloze(html, 'html'), number)[side],
  'cloze-only': (html, { side, number }) => makeOnlyFaces(readNoteCloze(html, 'html'), number)[side],
  furigana: (html) => replaceRuby(html, (base, reading) => `<ruby>${base}<rt>${reading}</rt></ruby>`),
  kana: (html) => replaceRuby(html, (_, reading) => reading),
  kanji: (html) => replaceRuby(html, (base) => base),
}

/** A word, and in brackets how it is read: `日本語[にほんご]`. A space before it only says where it begins. Sounds are no reading. */
const RUBY = / ?([^ >[\]]{1,100})\[(?!sound:)([^[\]]{1,100})\]/g

function replaceRuby(html: string, write: (base: string, reading: string) => string): string {
  return html.replaceAll('&nbsp;', ' ').replace(RUBY, (_, base: string, reading: string) => write(base, reading))
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
  values.set('FrontSide', removeSounds(prompt).replaceAll(TYPED_PLACE, '').replace(SPEECH, ''))
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
  const asked = [...`${question}${answer}`.matchAll(/\{\{\s*[#^]\s*(c\d+)\s*\}\}/g)].map(([, mark = '']) => mark)
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
