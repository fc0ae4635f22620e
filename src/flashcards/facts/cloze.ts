import { invalid } from '../../http/api-error'
import { findFieldLiterals, findLiterals, type TextSpan as Literal } from '../../lib/markdown/maths'

/**
 * Cloze text: `{{c1::text::hint}}`, nested, with several numbers as `{{c1,2::…}}`. An incomplete opening is text. No cloze
 * ends in code or maths that begins within it. Every cloze of our own facts must be closed; one of a note that is not is text.
 */

const MAX_CLOZE_NUMBER = 500
const MAX_CLOZE_DEPTH = 8
/** Anki takes deeper openings for none. */
const MAX_NOTE_DEPTH = 10
export const MAX_CLOZE_CARDS = 50

const FAULTS = {
  number: { code: 'cloze_number', detail: `The number of a cloze must be 1 to ${MAX_CLOZE_NUMBER}` },
  depth: { code: 'cloze_depth', detail: `Clozes must be nested at most ${MAX_CLOZE_DEPTH} deep` },
  empty: { code: 'cloze_empty', detail: 'A cloze must hide something' },
  unclosed: { code: 'cloze_unclosed', detail: 'A cloze of text lacks its }}' },
  none: { code: 'no_cloze', detail: 'text must hold a cloze such as {{c1::hidden}}' },
  many: { code: 'too_many_clozes', detail: `text must hold at most ${MAX_CLOZE_CARDS} different numbers` },
} as const

type ClozeFault = (typeof FAULTS)[keyof typeof FAULTS]

interface Span {
  /** The opening, as it was written. */
  readonly sign: string
  readonly numbers: readonly number[]
  readonly parts: Part[]
  /** Null until the `::` that begins it. In a fact of our own a cloze in a hint is part of it and makes no card. */
  hint: Part[] | null
  /** Single `{` that are still open: `{{c1::\frac{a}{b}}}` ends with the last two braces. */
  braces: number
  /** The code or maths that it is in. */
  readonly literal: Literal | undefined
  /** Whether it is where its marks would be shown as they are: stars in code or maths, elements in maths. */
  readonly isLiteral: boolean
}
type Part = string | Span

interface Cloze {
  readonly parts: readonly Part[]
  /** The numbers, ascending, each once. */
  readonly numbers: readonly number[]
}

/** Parses a text. Returns its clozes, or its first fault. */
export function readCloze(text: string): { cloze: Cloze; fault: null } | { cloze: null; fault: ClozeFault } {
  const read = readSpans(text, 'fact')
  return 'code' in read ? { cloze: null, fault: read } : { cloze: read, fault: null }
}

/** Parses a text of a note of Anki, in Markdown or as HTML, which may hold any number, and clozes that hide nothing. */
export function readNoteCloze(text: string, form: 'markdown' | 'html'): Cloze {
  const read = readSpans(text, form)
  if ('code' in read) throw new Error(`a text of a note is refused: ${read.code}`)
  return read
}

/** Parses a text. Throws invalid_request at /text if it is faulty, or has no or too many clozes. */
export function requireCloze(text: string): Cloze {
  const { cloze, fault } = readCloze(text)
  if (fault) throw invalid('/text', fault.code, fault.detail)
  return cloze
}

/** The prompt of one number's card has `[…]` or `[hint]`, the answer has the text in bold, but for code and maths. */
export function makeFaces({ parts }: Cloze, number: number): { prompt: string; answer: string } {
  return {
    prompt: render(parts, number, (span) => `[${readHint(span) || '…'}]`),
    answer: render(parts, number, (span) => (span.isLiteral ? renderOpen : toBoldText)(span.parts)),
  }
}

/** The marks around the clozes of HTML. Code and maths have none. */
const ASKED = '<span class="cloze">'
const NOT_ASKED = '<span class="cloze-inactive">'

/**
 * Returns prompt and answer of the card of one number as Anki marks them in HTML, with `[...]` or `[hint]`. A text without
 * the number is empty: another field of the note has it.
 */
export function makeHtmlFaces({ parts, numbers }: Cloze, number: number): { prompt: string; answer: string } {
  if (!numbers.includes(number)) return { prompt: '', answer: '' }
  const mark = (tag: string, text: string, { isLiteral }: Span) => (isLiteral ? text : `${tag}${text}</span>`)
  const showOther = (text: string, span: Span) => mark(NOT_ASKED, text, span)
  const open = (shown: readonly Part[]): string =>
    render(shown, number, (span) => mark(ASKED, open(span.parts), span), showOther)
  return {
    prompt: render(parts, number, (span) => mark(ASKED, `[${readHint(span) || '...'}]`, span), showOther),
    answer: open(parts),
  }
}

/** Returns the hints of one number without its text, and what it hides. */
export function makeOnlyFaces({ parts }: Cloze, number: number): { prompt: string; answer: string } {
  return {
    prompt: listHidden(parts, number, (span) => readHint(span) || '...').join(', '),
    answer: listHidden(parts, number).join(', '),
  }
}

function readHint({ hint }: Span): string {
  return hint === null ? '' : renderOpen(hint).trim()
}

/** Returns what may be typed for one number: what it hides, with commas or without; once if it is the same everywhere. */
export function listTypedTexts({ parts }: Cloze, number: number): string[] {
  const hidden = listHidden(parts, number)
  const [first = ''] = hidden
  return new Set(hidden).size > 1 ? [hidden.join(', '), hidden.join(' ')] : [first]
}

/** Returns what `{{type:…}}` asks for, as HTML: of `type:cloze` what the number hides. */
export function listTypedHtml(html: string, filters: readonly string[], number: number): string[] {
  return filters.join(':') === 'type:cloze' ? listTypedTexts(readNoteCloze(html, 'html'), number) : [html]
}

/** Lists the clozes of one number, in order, including nested ones. */
function listHidden(
  parts: readonly Part[],
  number: number,
  show: (span: Span) => string = (span) => renderOpen(span.parts),
): string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return []
    return part.numbers.includes(number) ? [show(part)] : listHidden(part.parts, number, show)
  })
}

function render(
  parts: readonly Part[],
  number: number,
  show: (hidden: Span) => string,
  showOther: (text: string, span: Span) => string = (text) => text,
): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      return part.numbers.includes(number) ? show(part) : showOther(render(part.parts, number, show, showOther), part)
    })
    .join('')
}

function renderOpen(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : renderOpen(part.parts))).join('')
}

/** Renders in bold, by paragraph: bold ends at a blank line, and must not have white space inside of the stars. */
function toBoldText(parts: readonly Part[]): string {
  return renderOpen(parts)
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const core = paragraph.trim()
      if (core === '') return paragraph
      const start = paragraph.indexOf(core)
      return `${paragraph.slice(0, start)}**${core}**${paragraph.slice(start + core.length)}`
    })
    .join('')
}

/** The signs of clozes: `{{c1,2::` with its numbers, the `::` before a hint, and braces. */
const SIGN = /\{\{c(\d+(?:,\d+)*)::|::|[{}]/g

type Form = 'fact' | 'markdown' | 'html'

/**
 * Reads spans. What was taken for code or maths may be none, such as two prices with the end of a cloze between them: if
 * a cloze stays open for it, ends in code and maths count.
 */
function readSpans(text: string, form: 'fact'): Cloze | ClozeFault
function readSpans(text: string, form: Exclude<Form, 'fact'>): Cloze
function readSpans(text: string, form: Form): Cloze | ClozeFault {
  const { maths, code } = form === 'html' ? findFieldLiterals(text) : findLiterals(text)
  const literals = [...maths, ...code].sort(([a], [b]) => a - b)
  const source = { text, isFact: form === 'fact', unmarked: form === 'html' ? maths : literals }
  let read = scanSpans(source, literals)
  if ('open' in read && read.open.length > 0) {
    const other = scanSpans(source, [])
    if (!('open' in other) || other.open.length === 0) read = other
  }
  if ('code' in read) return read
  const { root, open } = read
  if (source.isFact && open.length > 0) return FAULTS.unclosed
  makeText(root, open)
  const numbers = [...new Set(listNumbers(root))].sort((a, b) => a - b)
  if (source.isFact && numbers.length === 0) return FAULTS.none
  if (source.isFact && numbers.length > MAX_CLOZE_CARDS) return FAULTS.many
  return { parts: root.parts, numbers }
}

function listNumbers({ numbers, parts }: Span): number[] {
  return [...numbers, ...parts.flatMap((part) => (typeof part === 'string' ? [] : listNumbers(part)))]
}

interface ClozeSource {
  readonly text: string
  /** Whether it is of a fact of our own, which is refused for a fault. */
  readonly isFact: boolean
  readonly unmarked: readonly Literal[]
}

/** Scans spans in one pass from sign to sign. Returns those that stay open, too, or the first fault. */
function scanSpans({ text, isFact, unmarked }: ClozeSource, literals: readonly Literal[]) {
  const root = makeSpan('', [])
  const open: Span[] = []
  const [literalAt, unmarkedAt] = [createFinder(literals), createFinder(unmarked)]
  let from = 0
  const inner = () => open.at(-1) ?? root
  const flush = (end: number, next: number) => {
    const { parts, hint } = inner()
    if (end > from) (hint ?? parts).push(text.slice(from, end))
    from = next
  }
  for (const { 0: sign, 1: list, index: at } of text.matchAll(SIGN)) {
    // The second brace of an end.
    if (at < from) continue
    const span = inner()
    const literal = literalAt(at)
    if (list !== undefined) {
      const numbers = [...new Set(list.split(',').map(Number))]
      if (isFact && numbers.some((number) => number < 1 || number > MAX_CLOZE_NUMBER)) return FAULTS.number
      if (isFact && open.length === MAX_CLOZE_DEPTH) return FAULTS.depth
      if (open.length === MAX_NOTE_DEPTH) continue
      flush(at, at + sign.length)
      const next = makeSpan(sign, numbers, literal, unmarkedAt(at) !== undefined)
      const into = span.hint ?? span.parts
      into.push(next)
      open.push(next)
    } else if (literal !== span.literal && literal !== undefined) continue
    else if (sign === '{') span.braces += 1
    else if (sign === '::') {
      if (span === root || span.hint !== null) continue
      flush(at, at + 2)
      span.hint = []
    } else if (span === root || text[at + 1] !== '}' || (span.braces > 0 && text[at + 2] === '}')) {
      if (span.braces > 0) span.braces -= 1
    } else {
      flush(at, at + 2)
      open.pop()
      if (!isFact) endHint(span)
      if (isFact && renderOpen(span.parts).trim() === '') return FAULTS.empty
    }
  }
  flush(text.length, text.length)
  return { root, open }
}

const makeSpan = (sign: string, numbers: readonly number[], literal?: Literal, isLiteral = false): Span => ({
  ...{ sign, numbers, literal, isLiteral },
  ...{ parts: [], hint: null, braces: 0 },
})

/** Ends a hint at the first cloze in it, as Anki does: what begins there belongs to the text. */
function endHint({ parts, hint }: Span): void {
  const at = hint?.findIndex((part) => typeof part !== 'string') ?? -1
  if (at >= 0) for (const part of hint?.splice(at) ?? []) parts.push(part)
}

/** Returns what finds the span that holds a place. Places must ascend. */
function createFinder(spans: readonly Literal[]) {
  let next = 0
  return (at: number): Literal | undefined => {
    while ((spans[next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) next += 1
    const span = spans[next]
    return span && span[0] <= at ? span : undefined
  }
}

/** Makes spans that stay open the text that they were, the innermost first: each is the last part around it. */
function makeText(root: Span, open: Span[]): void {
  for (let span = open.pop(); span; span = open.pop()) {
    const { parts, hint } = open.at(-1) ?? root
    const into = hint ?? parts
    into.pop()
    into.push(span.sign)
    for (const part of span.parts) into.push(part)
    if (span.hint === null) continue
    into.push('::')
    for (const part of span.hint) into.push(part)
  }
}
