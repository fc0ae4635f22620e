import { UnreadableItem } from '../../lib/file-fault.ts'
import { ownNoteType } from '../anki/anki-settings.ts'
import type { FactInput } from '../facts/fact.ts'
import { markdownToField } from '../facts/field-html.ts'
import type { NoteTypeContent } from '../facts/note-type.ts'
import { MATHS_CSS } from './maths.ts'
import { sanitizeCard } from './sanitize.ts'
import { reduceStyleSheet } from './styles.ts'
import { type CardSource, fillCard } from './templates.ts'

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
