import { findDollar, readLines } from './lines'

/**
 * Maths in Markdown and in HTML: `\(…\)`, `\[…\]`, `$…$`, `$$…$$` and `[latex]…[/latex]`, `[$]…[/$]`, `[$$]…[/$$]` of
 * Anki. Nothing inside of it is markup: it is taken out before a conversion and put back byte for byte.
 */

/** Start and end of a part of a text, in UTF-16 units. */
export type TextSpan = readonly [start: number, end: number]

/** The marks of maths. `text`: LaTeX of a document, which marks its own maths. */
const MARKS: readonly (readonly [open: string, close: string, kind: 'inline' | 'display' | 'text'])[] = [
  ['\\(', '\\)', 'inline'],
  ['\\[', '\\]', 'display'],
  ['$$', '$$', 'display'],
  ['$', '$', 'inline'],
  ['[latex]', '[/latex]', 'text'],
  ['[$$]', '[/$$]', 'display'],
  ['[$]', '[/$]', 'inline'],
]
const ENDS = new Map(MARKS.map(([open, close]) => [open, close]))

/** Reads maths with its marks, as it is found. */
export function readMarks(maths: string) {
  const [open, close, kind] = MARKS.find(([mark]) => maths.toLowerCase().startsWith(mark)) ?? ['', '', 'inline']
  return { tex: maths.slice(open.length, maths.length - close.length), kind }
}

/** Where maths begins in fields of Anki. */
const FIELD_BEGIN = String.raw`\\\(|\\\[|\[latex\]|\[\$\$?\]`
const BEGIN = String.raw`${FIELD_BEGIN}|\$\$?`
/** What cannot begin maths in Markdown: escaped signs, pictures, the addresses of links, and tags. */
const MARKDOWN = new RegExp(
  String.raw`${BEGIN}|\\[\s\S]|\x60+|!\[(?:\\.|[^\]\\]){0,1000}\]\([^()\s]*|\]\([^()\s]*|https?:\/\/[^\s<>)]+|<\/?[a-z][^<>]*>`,
  'gi',
)
const MARKUP = String.raw`\\\\|<!--[\s\S]*?-->|<\/?[a-z](?:"[^"]*"|'[^']*'|[^<>"'])*>`
const HTML = new RegExp(`${BEGIN}|${MARKUP}`, 'gi')
const FIELD = new RegExp(`${FIELD_BEGIN}|${MARKUP}`, 'gi')
/** Elements whose text is shown as it is. */
const CODE_ELEMENT = /^<(code|pre)(?=[\s/>])/i

/**
 * Writes maths as fields of Anki have it, where dollars are none. It stays as it is if it holds the end that it would get.
 */
export function writeFieldMaths(maths: string): string {
  if (!maths.startsWith('$')) return maths
  const { tex, kind } = readMarks(maths)
  const [open, close] = kind === 'display' ? ['\\[', '\\]'] : ['\\(', '\\)']
  return findEnd(tex + close, 0, close) === tex.length ? open + tex + close : maths
}

/** The parts of a text that hold no markup, each by its start. */
export interface Literals {
  readonly maths: readonly TextSpan[]
  readonly code: readonly TextSpan[]
}
const NO_LITERALS: Literals = { maths: [], code: [] }

/** Finds code and maths of a Markdown text, each by its start. In linear time. */
export function findLiterals(markdown: string): Literals {
  if (!/[`~\t]| {4}|<(?:code|pre)/i.test(markdown) && !mayHoldMaths(markdown)) return NO_LITERALS
  const { maths, code } = scan(markdown, MARKDOWN, findCodeBlocks(markdown))
  return { maths, code: code.toSorted(([a], [b]) => a - b) }
}

/** Finds code and maths of a field of Anki, which has other maths than Markdown: a dollar begins none. */
export function findFieldLiterals(html: string): Literals {
  return mayHoldMaths(html) || /<(?:code|pre)/i.test(html) ? scan(html, FIELD, []) : NO_LITERALS
}

/** Finds the maths of a Markdown text, its marks included, by their start. Code holds none. In linear time. */
export function findMaths(markdown: string): readonly TextSpan[] {
  return mayHoldMaths(markdown) ? scan(markdown, MARKDOWN, findCodeBlocks(markdown)).maths : []
}

/** Finds the maths of HTML that is none of Anki, its marks included, by its start. */
export function findMathsInHtml(html: string): readonly TextSpan[] {
  return mayHoldMaths(html) ? scan(html, HTML, []).maths : []
}

function findCodeBlocks(markdown: string): TextSpan[] {
  if (!/`{3}|~{3}|\t| {4}/.test(markdown)) return []
  const blocks: TextSpan[] = []
  let at = 0
  for (const { kind, text } of readLines(markdown.replaceAll('\r', ' '))) {
    if (kind === 'code') blocks.push([at, at + text.length])
    at += text.length + 1
  }
  return blocks
}

function mayHoldMaths(text: string): boolean {
  return /\\[([]|\$|\[latex\]/.test(text)
}

/** Finds maths and code from the left, so that neither begins inside of the other; `blocks` are code already. */
function scan(text: string, tokens: RegExp, blocks: readonly TextSpan[]): Literals {
  const maths: TextSpan[] = []
  const code = [...blocks]
  /** Ends that do not come any more: without this, many beginnings would take time by their square. */
  const missing = new Set<string>()
  const scanner = new RegExp(tokens)
  let nextBlock = 0
  for (let match = scanner.exec(text); match; match = scanner.exec(text)) {
    const { index, 0: token } = match
    while ((blocks[nextBlock]?.[1] ?? Number.POSITIVE_INFINITY) <= index) nextBlock += 1
    const [start, beyond] = blocks[nextBlock] ?? [Number.POSITIVE_INFINITY, 0]
    if (start <= index) {
      scanner.lastIndex = beyond
      continue
    }
    const element = CODE_ELEMENT.exec(token)?.[1]
    const isCode = token.startsWith('`') || element !== undefined
    const close = element !== undefined ? `</${element}` : isCode ? token : ENDS.get(token)
    if (close === undefined || missing.has(close)) continue
    const inner = index + token.length
    const end = token === '$' ? findDollar(text, inner) : findEnd(text, inner, close)
    if (end === null && token !== '$') missing.add(close)
    if (end === null || end === NONE || text.slice(inner, end).trim() === '') continue
    const found = isCode ? code : maths
    found.push([index, end + close.length])
    scanner.lastIndex = end + close.length
  }
  return { maths, code }
}

/** No end: before it comes another `\[`, so this one is the escaped bracket of a text, as in `\[1] \[x\]`. */
const NONE = -1

/** Finds the end of code or maths. An escaped sign (`\\` before a bracket) is part of maths. */
function findEnd(text: string, from: number, close: string): number | null {
  if (close.startsWith('`')) return findTicks(text, from, close)
  if (!close.startsWith('\\')) {
    const end = text.indexOf(close, from)
    return end < 0 ? null : end
  }
  for (let at = text.indexOf('\\', from); at >= 0; at = text.indexOf('\\', at + 2)) {
    if (text.startsWith(close, at)) return at
    if (close === '\\]' && text.startsWith('\\[', at)) return NONE
  }
  return null
}

function findTicks(text: string, from: number, ticks: string): number | null {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0] === ticks) return run.index
  return null
}

interface WithoutMaths {
  readonly text: string
  /** Puts the maths back where its places still are, each as `write` returns it. */
  readonly restore: (converted: string, write: (maths: string) => string) => string
}

/** Takes maths out of Markdown. In a block quote, the quote signs before the lines of maths are no part of it. */
export function takeMathsOut(markdown: string): WithoutMaths {
  return replaceSpans(markdown, findMaths(markdown), ([start, end]) => {
    const line = markdown.slice(markdown.lastIndexOf('\n', start) + 1, start)
    const maths = markdown.slice(start, end)
    const isQuoted = /^\s*>/.test(line) && maths.split('\n').every((part, index) => index === 0 || /^\s*>/.test(part))
    return isQuoted ? maths.replace(/\n[ \t]*(?:>[ \t]?)+/g, '\n') : maths
  })
}

/**
 * Takes maths out of a field of Anki. Within it, `<br>` and blocks are line breaks, other tags are left out, and entities
 * are decoded once. Around pictures and code there is none.
 * @param decode decodes the entities of a text
 */
export function takeMathsOutOfField(html: string, decode: (text: string) => string): WithoutMaths {
  if (!mayHoldMaths(html)) return { text: html, restore: (converted) => converted }
  const spans = findFieldLiterals(html).maths.filter(([start, end]) => !FOREIGN_TAG.test(html.slice(start, end)))
  return replaceSpans(html, spans, ([start, end]) =>
    decode(
      html
        .slice(start, end)
        .replace(/<!--[\s\S]*?-->/g, '')
        .replace(/\r?\n?<(?:br\s*\/?|div|p)>\r?\n?/gi, '\n')
        .replace(/<\/?[a-z][^<>]*>/gi, ''),
    ).replaceAll('\u00a0', ' '),
  )
}
const FOREIGN_TAG = /<\/?(?:img|pre|code|table|tr|td|th|ul|ol|li|script|style|anki-sound)\b/i

/** The first and last character that mark a place: private ones, of which one is chosen that the text does not hold. */
const FIRST_MARK = 0xe000
const LAST_MARK = 0xf8ff

/** Replaces spans by places. Per cent signs around them keep the meaning of emphasis beside them: maths ends in a sign. */
function replaceSpans(text: string, spans: readonly TextSpan[], read: (span: TextSpan) => string): WithoutMaths {
  let code = FIRST_MARK
  while (code < LAST_MARK && text.includes(String.fromCharCode(code))) code += 1
  const mark = String.fromCharCode(code)
  if (spans.length === 0 || text.includes(mark)) return { text, restore: (converted) => converted }
  const taken = spans.map(read)
  let from = 0
  let bare = ''
  for (const [index, [start, end]] of spans.entries()) {
    bare += `${text.slice(from, start)}%${mark}${index}${mark}%`
    from = end
  }
  const places = new RegExp(`%${mark}(\\d+)${mark}%`, 'g')
  return {
    text: bare + text.slice(from),
    restore: (converted, write) => converted.replace(places, (_, index: string) => write(taken[Number(index)] ?? '')),
  }
}

/** Runs of escapes: each takes away dollars that may have paired with later ones. */
const MAX_ESCAPE_RUNS = 8
/** UTF-16 units before a bracket in which the beginning of its link is looked for. */
const LINK_UNITS = 1000

/**
 * Escapes what converted Markdown would show as maths though it was none: dollars get a backslash, and of `\[…\]` the
 * last bracket loses its own, which it needs only within a link.
 */
export function escapeFalseMaths(markdown: string): string {
  let escaped = markdown
  for (let run = 0; run < MAX_ESCAPE_RUNS; run += 1) {
    const spans = findMaths(escaped)
    if (spans.length === 0) break
    escaped = escapeSpans(escaped, spans)
  }
  return escaped
}

function escapeSpans(markdown: string, spans: readonly TextSpan[]): string {
  let from = 0
  let escaped = ''
  for (const [start, end] of spans) {
    const maths = markdown.slice(start, end)
    const before = markdown.slice(Math.max(start - LINK_UNITS, 0), start)
    const open = before.lastIndexOf('[')
    const isInLink = open > before.lastIndexOf(']') && before[open - 1] !== '\\'
    const safe = maths.startsWith('\\[')
      ? maths.replace(/\\\]$/, isInLink ? '&#93;' : ']')
      : maths.replace(/^(?:\$\$?|\[)/, (sign) => sign.replace(/[$[]/g, '\\$&'))
    escaped += markdown.slice(from, start) + safe
    from = end
  }
  return escaped + markdown.slice(from)
}
