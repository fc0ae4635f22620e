import { findMathsInHtml } from '../../lib/markdown/maths'
import { listHiddenTexts, makeHtmlFaces, readCloze } from '../cloze'

/** The filters of Anki's templates, `{{filter:Field}}`, each from HTML to HTML. */

export type Side = 'prompt' | 'answer'

/** What a filter may know besides the value. */
interface FilterContext {
  readonly field: string
  readonly side: Side
  /** The number of the cloze that is asked. */
  readonly number: number
}

/** The place of the text field of a typed answer; see sanitize.ts. */
export const TYPED_PLACE = '<anki-typed></anki-typed>'

/** Applies the filters of a field, the one beside its name first. Unknown ones change nothing. */
export function applyFilters(value: string, filters: readonly string[], context: FilterContext): string {
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
