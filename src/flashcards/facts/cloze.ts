import { invalid } from '../../http/api-error'
import { findLiterals, type TextSpan as Literal } from '../../lib/markdown/maths'

/**
 * Cloze text: `{{c1::text::hint}}`, nested, with several numbers as `{{c1,2::…}}`. It is read in one pass, character by
 * character. An incomplete opening is text, and every opened cloze must be closed.
 */

const MAX_CLOZE_NUMBER = 500
const MAX_CLOZE_DEPTH = 8
export const MAX_CLOZE_CARDS = 50

interface ClozeFault {
  readonly code: 'no_cloze' | 'cloze_number' | 'cloze_depth' | 'cloze_unclosed' | 'cloze_empty' | 'too_many_clozes'
  readonly detail: string
}

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
  const scan = new Scan(text, literals, isLenient)
  const fault = scan.run() ?? scan.faultOfWhole()
  if (fault) return { cloze: null, fault }
  return { cloze: { parts: scan.root.parts, numbers: scan.sorted() }, fault: null }
}

/**
 * Returns the numbers of a cloze text, ascending. Throws invalid_request at /text if it is faulty, or has no or too
 * many clozes.
 */
export function readClozeNumbers(text: string): readonly number[] {
  return requireCloze(text).numbers
}

/** Parses a text. Throws invalid_request at /text. */
export function requireCloze(text: string): Cloze {
  const { cloze, fault } = readCloze(text)
  if (fault) throw invalid('/text', fault.code, fault.detail)
  return cloze
}

/**
 * Returns prompt, with `[…]` or `[hint]`, and answer, with the text in bold but for code and maths, of the card of one
 * number.
 */
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

class Scan {
  readonly root: Span = { numbers: [], parts: [], hint: null, braces: 0, isLiteral: false }
  private nextLiteral = 0
  private readonly open: Span[] = []
  private readonly found = new Set<number>()
  /** The number of open spans inside of a hint. */
  private hints = 0
  private from = 0
  private at = 0

  constructor(
    private readonly text: string,
    private readonly literals: readonly Literal[],
    private readonly isLenient: boolean,
  ) {}

  run(): ClozeFault | null {
    const { text } = this
    while (this.at < text.length) {
      const code = text.charCodeAt(this.at)
      const fault = code === 123 ? this.brace() : null
      if (fault) return fault
      if (code === 125) {
        const empty = this.close()
        if (empty) return empty
      } else if (code === 58) this.colon()
      else if (code !== 123) this.at += 1
    }
    this.flush(this.at)
    return null
  }

  faultOfWhole(): ClozeFault | null {
    if (this.open.length > 0) return { code: 'cloze_unclosed', detail: 'A cloze of text lacks its }}' }
    if (this.isLenient) return null
    if (this.found.size === 0) return { code: 'no_cloze', detail: 'text must hold a cloze such as {{c1::hidden}}' }
    if (this.found.size > MAX_CLOZE_CARDS)
      return { code: 'too_many_clozes', detail: `text must hold at most ${MAX_CLOZE_CARDS} different numbers` }
    return null
  }

  sorted(): number[] {
    return [...this.found].sort((a, b) => a - b)
  }

  private get inner(): Span {
    return this.open.at(-1) ?? this.root
  }

  private brace(): ClozeFault | null {
    const opening = readOpening(this.text, this.at)
    if (!opening) {
      this.inner.braces += 1
      this.at += 1
      return null
    }
    if (!this.isLenient && opening.numbers.some((number) => number < 1 || number > MAX_CLOZE_NUMBER))
      return { code: 'cloze_number', detail: `The number of a cloze must be 1 to ${MAX_CLOZE_NUMBER}` }
    if (this.open.length === MAX_CLOZE_DEPTH)
      return { code: 'cloze_depth', detail: `Clozes must be nested at most ${MAX_CLOZE_DEPTH} deep` }
    this.enter(opening.numbers, opening.end)
    return null
  }

  private enter(numbers: readonly number[], end: number): void {
    this.flush(this.at)
    while ((this.literals[this.nextLiteral]?.[1] ?? Number.POSITIVE_INFINITY) <= this.at) this.nextLiteral += 1
    const isLiteral = (this.literals[this.nextLiteral]?.[0] ?? Number.POSITIVE_INFINITY) <= this.at
    const span: Span = { numbers, parts: [], hint: null, braces: 0, isLiteral }
    const { inner } = this
    if (inner.hint !== null) this.hints += 1
    if (this.hints === 0) for (const number of numbers) this.found.add(number)
    const into = inner.hint ?? inner.parts
    into.push(span)
    this.open.push(span)
    this.at = this.from = end
  }

  private close(): ClozeFault | null {
    const { text, at, inner } = this
    const isEnd = this.open.length > 0 && text.charCodeAt(at + 1) === 125
    if (!isEnd || (inner.braces > 0 && text.charCodeAt(at + 2) === 125)) {
      if (inner.braces > 0) inner.braces -= 1
      this.at += 1
      return null
    }
    this.flush(at)
    this.open.pop()
    if (this.inner.hint !== null) this.hints -= 1
    this.at = this.from = at + 2
    if (this.isLenient || renderOpen(inner.parts).trim() !== '') return null
    return { code: 'cloze_empty', detail: 'A cloze must hide something' }
  }

  private colon(): void {
    const { inner, at } = this
    if (inner === this.root || inner.hint !== null || this.text.charCodeAt(at + 1) !== 58) {
      this.at += 1
      return
    }
    this.flush(at)
    inner.hint = []
    this.at = this.from = at + 2
  }

  private flush(end: number): void {
    const { inner } = this
    if (end > this.from) (inner.hint ?? inner.parts).push(this.text.slice(this.from, end))
    this.from = end
  }
}

/** Reads `{{c1,2::` at a position of the text; null if there is none. */
function readOpening(text: string, start: number): { numbers: number[]; end: number } | null {
  if (!text.startsWith('{{c', start)) return null
  const numbers: number[] = []
  let at = start + 3
  for (;;) {
    const from = at
    while (isDigit(text.charCodeAt(at))) at += 1
    if (at === from) return null
    numbers.push(Number(text.slice(from, at)))
    if (text.charCodeAt(at) !== 44) break
    at += 1
  }
  return text.startsWith('::', at) ? { numbers: [...new Set(numbers)], end: at + 2 } : null
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
