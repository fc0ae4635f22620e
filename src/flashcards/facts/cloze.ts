import { invalid } from '../../http/api-error'
import { findLiterals, type TextSpan as Literal } from '../../lib/markdown/maths'

/**
 * Cloze text: `{{c1::text::hint}}`, nested, with several numbers as `{{c1,2::…}}`. An incomplete opening is text, and
 * every opened cloze must be closed.
 */

const MAX_CLOZE_NUMBER = 500
const MAX_CLOZE_DEPTH = 8
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
  readonly numbers: readonly number[]
  readonly parts: Part[]
  /** Null until the `::` that begins it. A cloze inside of a hint is part of the hint and makes no card. */
  hint: Part[] | null
  /** Single `{` that are still open: `{{c1::\frac{a}{b}}}` ends with the last two braces. */
  braces: number
  /** Whether it is in code or maths, where stars would not make it bold. */
  readonly isLiteral: boolean
}
type Part = string | Span

interface Cloze {
  readonly parts: readonly Part[]
  /** The numbers, ascending, each once. */
  readonly numbers: readonly number[]
}

interface ReadOptions {
  /** Code and maths of the text, by start. Default: those of Markdown. */
  readonly literals?: readonly Literal[]
  /** Whether any number is read, and clozes that hide nothing. */
  readonly isLenient?: boolean
}

/** Parses a text. Returns its clozes, or its first fault. */
export function readCloze(
  text: string,
  { literals = findLiterals(text), isLenient = false }: ReadOptions = {},
): { cloze: Cloze; fault: null } | { cloze: null; fault: ClozeFault } {
  const read = readSpans(text, literals, isLenient)
  return 'code' in read ? { cloze: null, fault: read } : { cloze: read, fault: null }
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

/** Returns prompt and answer of the card of one number as Anki marks them in HTML, with `[...]` or `[hint]`. */
export function makeHtmlFaces({ parts }: Cloze, number: number): { prompt: string; answer: string } {
  const mark = (tag: string, text: string, { isLiteral }: Span) => (isLiteral ? text : `${tag}${text}</span>`)
  const showOther = (text: string, span: Span) => mark(NOT_ASKED, text, span)
  return {
    prompt: render(parts, number, (span) => mark(ASKED, `[${readHint(span) || '...'}]`, span), showOther),
    answer: render(parts, number, (span) => mark(ASKED, renderOpen(span.parts), span), showOther),
  }
}

function readHint({ hint }: Span): string {
  return hint === null ? '' : renderOpen(hint).trim()
}

/** Returns the texts that one number hides, in order, including nested clozes. */
export function listHiddenTexts({ parts }: Pick<Cloze, 'parts'>, number: number): string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return []
    return part.numbers.includes(number) ? [renderOpen(part.parts)] : listHiddenTexts(part, number)
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

/** Reads spans in one pass from sign to sign. Returns the first fault, if there is any. */
function readSpans(text: string, literals: readonly Literal[], isLenient: boolean): Cloze | ClozeFault {
  const root: Span = { numbers: [], parts: [], hint: null, braces: 0, isLiteral: false }
  const open: Span[] = []
  const found = new Set<number>()
  /** The number of open spans inside of a hint. */
  let hints = 0
  let nextLiteral = 0
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
    if (list !== undefined) {
      const numbers = [...new Set(list.split(',').map(Number))]
      if (!isLenient && numbers.some((number) => number < 1 || number > MAX_CLOZE_NUMBER)) return FAULTS.number
      if (open.length === MAX_CLOZE_DEPTH) return FAULTS.depth
      flush(at, at + sign.length)
      while ((literals[nextLiteral]?.[1] ?? Number.POSITIVE_INFINITY) <= at) nextLiteral += 1
      const isLiteral = (literals[nextLiteral]?.[0] ?? Number.POSITIVE_INFINITY) <= at
      if (span.hint !== null) hints += 1
      if (hints === 0) for (const number of numbers) found.add(number)
      const next: Span = { numbers, parts: [], hint: null, braces: 0, isLiteral }
      const into = span.hint ?? span.parts
      into.push(next)
      open.push(next)
    } else if (sign === '{') span.braces += 1
    else if (sign === '::') {
      if (span === root || span.hint !== null) continue
      flush(at, at + 2)
      span.hint = []
    } else if (span === root || text[at + 1] !== '}' || (span.braces > 0 && text[at + 2] === '}')) {
      if (span.braces > 0) span.braces -= 1
    } else {
      flush(at, at + 2)
      open.pop()
      if (inner().hint !== null) hints -= 1
      if (!isLenient && renderOpen(span.parts).trim() === '') return FAULTS.empty
    }
  }
  flush(text.length, text.length)
  if (open.length > 0) return FAULTS.unclosed
  if (!isLenient && found.size === 0) return FAULTS.none
  if (!isLenient && found.size > MAX_CLOZE_CARDS) return FAULTS.many
  return { parts: root.parts, numbers: [...found].sort((a, b) => a - b) }
}
