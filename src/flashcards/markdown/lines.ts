import { withoutCode } from './inline-code'

/** The lines of a Markdown text, as much of its blocks as it takes to tell code from text. */
export interface MarkdownLine {
  /** From 1. */
  readonly number: number
  readonly kind: 'text' | 'blank' | 'code'
  readonly text: string
  /** The same with code spans made illegible; as long as `text`. */
  readonly masked: string
}

interface State {
  /** The ticks or tildes that opened a block of code. */
  fence: string | null
  /** What is indented below an item belongs to it, and is no code. */
  inList: boolean
  before: MarkdownLine['kind']
}

export function readLines(markdown: string): MarkdownLine[] {
  const state: State = { fence: null, inList: false, before: 'blank' }
  return markdown.split(/\r\n|[\r\n]/).map((text, index) => {
    const kind = kindOf(text, state)
    state.before = kind
    return { number: index + 1, kind, text, masked: kind === 'text' ? withoutCode(text) : text }
  })
}

function kindOf(text: string, state: State): MarkdownLine['kind'] {
  if (state.fence !== null) {
    if (closes(text, state.fence)) state.fence = null
    return 'code'
  }
  if (text.trim() === '') return 'blank'
  const item = isItem(text)
  if (!item && indentOf(text) >= 4 && !state.inList && state.before !== 'text') return 'code'
  state.inList = item || (state.inList && (state.before !== 'blank' || indentOf(text) >= 2))
  state.fence = fenceOf(text)
  return state.fence === null ? 'text' : 'code'
}

/** In columns, up to 4. */
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

function fenceOf(text: string): string | null {
  const content = text.slice(prefixLength(text))
  const [, fence = '', sign] = /^((`|~)\2{2,})/.exec(content) ?? []
  if (fence === '' || (sign === '`' && content.includes('`', fence.length))) return null
  return fence
}

function closes(text: string, fence: string): boolean {
  const content = text.replace(/^[ \t>]+/, '').trimEnd()
  return content.length >= fence.length && content === (fence[0] ?? '').repeat(content.length)
}

/** How much of a line is quote signs, a bullet or number with its box, and the white space between. */
export function prefixLength(text: string): number {
  return /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/.exec(text)?.[0].length ?? 0
}

/** Text of a heading (`## What?`), without its signs; null for any other line. */
export function headingOf(text: string): string | null {
  if (!/^ {0,3}#{1,6}(?:[ \t]|$)/.test(text)) return null
  const content = text.trim().replace(/^#+/, '').trim()
  let end = content.length
  while (content[end - 1] === '#') end -= 1
  const isClosed = end === 0 || content[end - 1] === ' ' || content[end - 1] === '\t'
  return isClosed ? content.slice(0, end).trimEnd() : content
}
