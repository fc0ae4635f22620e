export interface MarkdownLine {
  /** The number of the line, from 1. */
  readonly number: number
  readonly kind: 'text' | 'blank' | 'code'
  readonly text: string
  /** The text with code spans masked; as long as `text`. */
  readonly masked: string
}

interface State {
  /** The backticks or tildes that opened the present block of code, or null. */
  fence: string | null
  /** Whether the line is in a list: text that is indented below an item belongs to it, and is not code. */
  inList: boolean
  before: MarkdownLine['kind']
}

export function readLines(markdown: string): MarkdownLine[] {
  const state: State = { fence: null, inList: false, before: 'blank' }
  return markdown.split(/\r\n|[\r\n]/).map((text, index) => {
    const kind = kindOf(text, state)
    state.before = kind
    return { number: index + 1, kind, text, masked: kind === 'text' ? maskCode(text) : text }
  })
}

function kindOf(text: string, state: State): MarkdownLine['kind'] {
  if (state.fence !== null) {
    if (closesFence(text, state.fence)) state.fence = null
    return 'code'
  }
  if (text.trim() === '') return 'blank'
  const item = isItem(text)
  if (!item && indentOf(text) >= 4 && !state.inList && state.before !== 'text') return 'code'
  state.inList = item || (state.inList && (state.before !== 'blank' || indentOf(text) >= 2))
  state.fence = readFence(text)
  return state.fence === null ? 'text' : 'code'
}

/** Returns the indentation in columns, up to 4. */
function indentOf(text: string): number {
  let columns = 0
  for (const sign of text) {
    if (sign === '\t') return 4
    if (sign !== ' ' || columns === 4) break
    columns += 1
  }
  return columns
}

function isItem(text: string): boolean {
  return indentOf(text) < 4 && /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]/.test(text)
}

function readFence(text: string): string | null {
  const content = text.slice(countPrefix(text))
  const [, fence = '', sign] = /^((`|~)\2{2,})/.exec(content) ?? []
  if (fence === '' || (sign === '`' && content.includes('`', fence.length))) return null
  return fence
}

function closesFence(text: string, fence: string): boolean {
  const content = text.replace(/^[ \t>]+/, '').trimEnd()
  return content.length >= fence.length && content === (fence[0] ?? '').repeat(content.length)
}

/** Counts the UTF-16 units of quote signs, a bullet or number with its checkbox, and the white space between. */
export function countPrefix(text: string): number {
  return /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/.exec(text)?.[0].length ?? 0
}

/** Reads the text of a heading (`## What?`), without its signs; null for any other line. */
export function readHeading(text: string): string | null {
  if (!/^ {0,3}#{1,6}(?:[ \t]|$)/.test(text)) return null
  const content = text.trim().replace(/^#+/, '').trim()
  let end = content.length
  while (content[end - 1] === '#') end -= 1
  const isClosed = end === 0 || content[end - 1] === ' ' || content[end - 1] === '\t'
  return isClosed ? content.slice(0, end).trimEnd() : content
}

/** Replaces each character of code spans, backticks included, by an `x`, so that offsets stay and marks vanish. */
function maskCode(text: string): string {
  let from = 0
  let result = ''
  for (const [start, end] of findCodeSpans(text)) {
    result += text.slice(from, start) + 'x'.repeat(end - start)
    from = end
  }
  return from === 0 ? text : result + text.slice(from)
}

/** Finds each code span, backticks included. A run of backticks ends with the next one of the same length. */
export function findCodeSpans(text: string): [start: number, end: number][] {
  if (!text.includes('`')) return []
  const runs = [...text.matchAll(/`+/g)].map(({ index, 0: ticks }) => ({ start: index, length: ticks.length }))
  const nextOfLength = new Map<number, number>()
  const closing = new Array<number>(runs.length).fill(-1)
  for (let i = runs.length - 1; i >= 0; i--) {
    const length = countOpeningTicks(text, runs[i])
    closing[i] = nextOfLength.get(length) ?? -1
    nextOfLength.set(runs[i]?.length ?? 0, i)
  }
  const spans: [number, number][] = []
  for (let i = 0; i < runs.length; i++) {
    const [open, close] = [runs[i], runs[closing[i] ?? -1]]
    if (!open || !close) continue
    spans.push([open.start + open.length - countOpeningTicks(text, open), close.start + close.length])
    i = closing[i] ?? i
  }
  return spans
}

/**
 * Counts the backticks of an opening run: a backslash before it escapes the first one. Closing runs cannot be escaped.
 */
function countOpeningTicks(text: string, run: { start: number; length: number } | undefined): number {
  if (!run) return 0
  let at = run.start
  while (text[at - 1] === '\\') at -= 1
  return run.length - ((run.start - at) % 2)
}

/** Signs that only maths has between two dollars; and words between spaces, as between two prices. */
const TEX_SIGN = /[\\^_=]/
const PROSE = /\s\p{L}{2,}|\p{L}{2,}\s/u
/** UTF-16 units of maths between single dollars. */
const MAX_INLINE_UNITS = 1000

/**
 * Finds the dollar that ends the maths that begins at `from`, behind a dollar; null if it begins none. On the same line, no
 * space inside the dollars, no digit after them; and prices have words, but no signs of TeX.
 */
export function findDollar(text: string, from: number): number | null {
  if (/\s/.test(text[from] ?? ' ')) return null
  const part = text.slice(from, from + MAX_INLINE_UNITS)
  const inner = /^(?:\\[^\n]|[^\\$\n])+(?=\$)/.exec(part)?.[0] ?? ''
  const isMaths =
    inner !== '' && !/\s$/.test(inner) && (TEX_SIGN.test(inner) || !PROSE.test(inner.replace(/\{\{c\d+::|\}\}/g, ' ')))
  return isMaths && !/\d/.test(text[from + inner.length + 1] ?? '') ? from + inner.length : null
}
