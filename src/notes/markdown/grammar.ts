/*
 * The small grammars of CommonMark that block and inline scanning share. Each function takes a text and a position, and
 * returns the offset after the construct that it recognizes there, or -1. None reads past `end` or reads a part twice.
 */

/** Levels of nested parentheses in a link's destination. CommonMark requires three, and each level may cost a pass. */
const MAX_PARENTHESES = 4
const MAX_LABEL_UNITS = 999

const SPACE = 32
const TAB = 9
const LF = 10
const CR = 13
const BACKSLASH = 92
const LESS = 60
const GREATER = 62
const OPEN_PARENTHESIS = 40
const CLOSE_PARENTHESIS = 41
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93

/** Whether a UTF-16 code is one of those that end a line: LF or CR. */
export function isLineEnd(code: number): boolean {
  return code === LF || code === CR
}

export function isBlank(code: number): boolean {
  return isLineEnd(code) || code === SPACE || code === TAB
}

/** Whether a UTF-16 code is ASCII punctuation, which a backslash can escape. */
export function isAsciiPunctuation(code: number): boolean {
  return (code > 32 && code < 48) || (code > 57 && code < 65) || (code > 90 && code < 97) || (code > 122 && code < 127)
}

function isAsciiLetter(code: number): boolean {
  return (code > 64 && code < 91) || (code > 96 && code < 123)
}

/** Returns the offset after spaces, tabs and line ends; never -1. */
function skipBlank(text: string, at: number, end: number): number {
  while (at < end && isBlank(text.charCodeAt(at))) at += 1
  return at
}

export function skipLineSpace(text: string, at: number, end: number): number {
  while (at < end && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at += 1
  return at
}

function endsLine(text: string, at: number, end: number): boolean {
  return at >= end || isLineEnd(text.charCodeAt(at))
}

/** Finds the end of a link's destination: `<…>`, or text without spaces whose parentheses balance. */
function findDestinationEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) === LESS) return findBracketedDestinationEnd(text, at + 1, end)
  const start = at
  let depth = 0
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= SPACE || code === 127) break
    if (code === BACKSLASH && at + 1 < end && isAsciiPunctuation(text.charCodeAt(at + 1))) at += 1
    else if (code === OPEN_PARENTHESIS && ++depth > MAX_PARENTHESES) return -1
    else if (code === CLOSE_PARENTHESIS && --depth < 0) break
  }
  return depth > 0 || (at === start && text.charCodeAt(at) !== CLOSE_PARENTHESIS) ? -1 : at
}

function findBracketedDestinationEnd(text: string, at: number, end: number): number {
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code === LESS || code === LF || code === CR) return -1
    if (code === BACKSLASH && at + 1 < end && isAsciiPunctuation(text.charCodeAt(at + 1))) at += 1
  }
  return -1
}

/**
 * Returns the offsets of the destination that begins at `at` or after blanks, in a link or a definition that was
 * recognized there; the angle brackets of `<…>` are included.
 */
export function findDestination(text: string, at: number, end: number): [from: number, to: number] {
  const from = skipBlank(text, at, end)
  return [from, Math.max(from, findDestinationEnd(text, from, end))]
}

/** Finds the end of a link's title in `"…"`, `'…'` or `(…)`. */
function findTitleEnd(text: string, at: number, end: number): number {
  const open = text.charCodeAt(at)
  if (open !== 34 && open !== 39 && open !== OPEN_PARENTHESIS) return -1
  const close = open === OPEN_PARENTHESIS ? CLOSE_PARENTHESIS : open
  for (at += 1; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code === close) return at + 1
    if (code === OPEN_PARENTHESIS && open === OPEN_PARENTHESIS) return -1
    if (code === BACKSLASH && at + 1 < end) at += 1
  }
  return -1
}

/** Finds the end of `(destination "title")`, which begins at `at`. */
export function findInlineLinkEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== OPEN_PARENTHESIS || at >= end) return -1
  const target = findDestinationEnd(text, skipBlank(text, at + 1, end), end)
  if (target < 0) return -1
  let close = skipBlank(text, target, end)
  if (close > target && close < end && text.charCodeAt(close) !== CLOSE_PARENTHESIS) {
    const title = findTitleEnd(text, close, end)
    if (title < 0) return -1
    close = skipBlank(text, title, end)
  }
  return close < end && text.charCodeAt(close) === CLOSE_PARENTHESIS ? close + 1 : -1
}

/** Finds the end of `[label]`, which begins at `at`. The label must not be blank or contain a bracket. */
export function findLabelEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== OPEN_BRACKET) return -1
  const limit = Math.min(end, at + MAX_LABEL_UNITS + 2)
  let empty = true
  for (at += 1; at < limit; at += 1) {
    const code = text.charCodeAt(at)
    if (code === CLOSE_BRACKET) return empty ? -1 : at + 1
    if (code === OPEN_BRACKET) return -1
    if (code === BACKSLASH && at + 1 < limit && isAsciiPunctuation(text.charCodeAt(at + 1))) at += 1
    if (!isBlank(code)) empty = false
  }
  return -1
}

/** Finds the end of `[label]: destination "title"`, its line end included. */
export function findDefinitionEnd(text: string, at: number, end: number): number {
  const label = findLabelEnd(text, at, end)
  if (label < 0 || label >= end || text.charCodeAt(label) !== 58) return -1
  const from = skipBlank(text, label + 1, end)
  const target = from < end ? findDestinationEnd(text, from, end) : -1
  if (target < 0 || target === from) return -1
  const plain = skipLineSpace(text, target, end)
  const from2 = skipBlank(text, target, end)
  if (from2 > target && from2 < end) {
    const title = findTitleEnd(text, from2, end)
    const close = title < 0 ? -1 : skipLineSpace(text, title, end)
    if (close >= 0 && endsLine(text, close, end)) return skipBlank(text, close, end)
  }
  return endsLine(text, plain, end) ? skipBlank(text, plain, end) : -1
}

/** Finds the end of an HTML tag, opening or closing, that begins with `<` at `at`. */
export function findHtmlTagEnd(text: string, at: number, end: number): number {
  const closing = text.charCodeAt(at + 1) === 47
  at += closing ? 2 : 1
  if (at >= end || !isAsciiLetter(text.charCodeAt(at))) return -1
  while (at < end && isTagNameChar(text.charCodeAt(at))) at += 1
  let next = skipBlank(text, at, end)
  while (!closing && next > at && next < end && isAttributeStart(text.charCodeAt(next))) {
    at = findAttributeEnd(text, next, end)
    if (at < 0) return -1
    next = skipBlank(text, at, end)
  }
  if (!closing && next < end && text.charCodeAt(next) === 47) next += 1
  return next < end && text.charCodeAt(next) === GREATER ? next + 1 : -1
}

function isTagNameChar(code: number): boolean {
  return isAsciiLetter(code) || (code > 47 && code < 58) || code === 45
}

function isAttributeStart(code: number): boolean {
  return isAsciiLetter(code) || code === 95 || code === 58
}

function findAttributeEnd(text: string, at: number, end: number): number {
  while (at < end && (isTagNameChar(text.charCodeAt(at)) || '_.:'.includes(text.charAt(at)))) at += 1
  const equals = skipBlank(text, at, end)
  if (equals >= end || text.charCodeAt(equals) !== 61) return at
  const value = skipBlank(text, equals + 1, end)
  const quote = text.charCodeAt(value)
  if (quote !== 34 && quote !== 39) return findBareValueEnd(text, value, end)
  for (let close = value + 1; close < end; close += 1) if (text.charCodeAt(close) === quote) return close + 1
  return -1
}

function findBareValueEnd(text: string, at: number, end: number): number {
  const start = at
  while (at < end && !isBlank(text.charCodeAt(at)) && !'"\'=<>`'.includes(text.charAt(at))) at += 1
  return at > start ? at : -1
}

const AUTOLINK = /<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+)>/y

/** Finds the end of `<https://…>` or `<name@host>`. */
export function findAutolinkEnd(text: string, at: number, end: number): number {
  AUTOLINK.lastIndex = at
  return AUTOLINK.test(text) && AUTOLINK.lastIndex <= end ? AUTOLINK.lastIndex : -1
}

/** The end of an HTML block: the first blank line, or a mark. */
type HtmlBlockEnd = 'blank' | '-->' | '?>' | '>' | ']]>' | RegExp

const RAW_START = /<(?:script|pre|style|textarea)(?:[ \t\r\n>]|$)/iy
const DECLARATION_START = /<![a-z]/iy
const BLOCK_NAMES = `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir
  div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li
  link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead
  title tr track ul`
const BLOCK_TAG_START = new RegExp(`</?(?:${BLOCK_NAMES.split(/\s+/).join('|')})(?:[ \\t\\r\\n]|/?>|$)`, 'iy')

/** The end of a block that RAW_START begins. Global, since LineReader.find sets its lastIndex. */
const RAW_END = /<\/(?:script|pre|textarea|style)>/gi

/**
 * Returns the end to look for if an HTML block of CommonMark begins with `<` at `at`, else null. A tag whose name is
 * not in BLOCK_NAMES must be alone on its line and cannot interrupt a paragraph.
 */
export function getHtmlBlockEnd(body: string, at: number, eol: number, inParagraph: boolean): HtmlBlockEnd | null {
  if (matchesAt(RAW_START, body, at)) return RAW_END
  if (body.startsWith('<!--', at)) return '-->'
  if (body.startsWith('<?', at)) return '?>'
  if (body.startsWith('<![CDATA[', at)) return ']]>'
  if (matchesAt(DECLARATION_START, body, at)) return '>'
  if (matchesAt(BLOCK_TAG_START, body, at)) return 'blank'
  if (inParagraph) return null
  const end = findHtmlTagEnd(body, at, eol)
  return end >= 0 && /^[ \t]*$/.test(body.slice(end, eol)) ? 'blank' : null
}

function matchesAt(pattern: RegExp, body: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(body)
}

/** The marks that may begin or end emphasis; `==` and `~~` of one length pair alone. */
export const [STAR, EQUALS, UNDERSCORE, TILDE] = [42, 61, 95, 126]

/** A run of one mark that may begin or end emphasis. Offsets are UTF-16. */
export interface EmphasisRun {
  readonly code: number
  start: number
  end: number
  readonly canOpen: boolean
  readonly canClose: boolean
  /** The length before any mark was paired. */
  readonly length: number
}

/** Emphasis: the text from `from` to `to`, with its marks from `start` to `end`. */
export interface EmphasisPair {
  readonly code: number
  readonly start: number
  readonly from: number
  readonly to: number
  readonly end: number
}

/**
 * Pairs the runs as CommonMark's `process emphasis` does, and calls `found` with every pair, which are never crossed.
 * For each kind of closer the stack is never searched twice below the same position, so the time is linear.
 */
export function pairEmphasis(runs: readonly EmphasisRun[], found: (pair: EmphasisPair) => void): void {
  const openers: EmphasisRun[] = []
  const bottoms = new Map<number, number>()
  for (const run of runs) {
    while (run.canClose && run.start < run.end) {
      const opener = findOpener(openers, run, bottoms)
      if (opener < 0) break
      takePair(openers, opener, run, found)
      for (const [kind, bottom] of bottoms) if (bottom > openers.length) bottoms.set(kind, openers.length)
    }
    if (run.canOpen && run.start < run.end) openers.push(run)
  }
}

/**
 * Returns a number that is equal for closers that pair with the same openers: by mark, rule of three, and tilde count.
 */
function getCloserKind(run: EmphasisRun): number {
  const detail = pairsByLength(run) ? Math.min(run.length, 3) : run.length % 3
  return run.code * 8 + detail * 2 + (run.canOpen ? 1 : 0)
}

function findOpener(openers: readonly EmphasisRun[], closer: EmphasisRun, bottoms: Map<number, number>): number {
  const kind = getCloserKind(closer)
  const bottom = bottoms.get(kind) ?? 0
  for (let index = openers.length - 1; index >= bottom; index -= 1) {
    const opener = openers[index]
    if (opener && canPair(opener, closer)) return index
  }
  bottoms.set(kind, openers.length)
  return -1
}

function pairsByLength({ code }: EmphasisRun): boolean {
  return code === TILDE || code === EQUALS
}

function canPair(opener: EmphasisRun, closer: EmphasisRun): boolean {
  if (opener.code !== closer.code) return false
  if (pairsByLength(closer)) return opener.length === closer.length && closer.length < 3
  const both = opener.canClose || closer.canOpen
  return !both || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}

function takePair(
  openers: EmphasisRun[],
  index: number,
  closer: EmphasisRun,
  found: (pair: EmphasisPair) => void,
): void {
  const opener = openers[index]
  if (!opener) return
  const count = Math.min(2, opener.end - opener.start, closer.end - closer.start)
  const [from, to] = [opener.end, closer.start]
  found({ code: closer.code, start: from - count, from, to, end: to + count })
  opener.end -= count
  closer.start += count
  openers.length = opener.end > opener.start ? index + 1 : index
}

const TABLE_RULE = /^[ \t|:-]+$/

/** Whether a line may be the second row of a table, which says how the columns are aligned. */
export function isTableRule(line: string): boolean {
  return TABLE_RULE.test(line) && line.includes('|') && line.includes('-')
}
