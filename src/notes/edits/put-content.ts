import type { Span } from '../markdown/scan-markdown'

/** The part of a body that an edit works on: from `start` to `end`, without its heading. */
export interface ContentRegion extends Span {
  /** The start of the heading; 0 for the whole document. */
  readonly from: number
  /** The end of the heading's last line, before its line end; null for the whole document. */
  readonly headingEnd: number | null
}

/** The separation of content from the text around it: a blank line, a line end, or nothing. */
export type ContentJoin = 'block' | 'line' | 'none'

const LINE_ENDS_OF_JOIN = { block: 2, line: 1, none: 0 } as const
const [TAB, LF, CR, SPACE] = [9, 10, 13, 32]

/** Returns the line end that the body uses, else that of the content, else LF. */
export function detectLineEnd(body: string, content = ''): string {
  return /\r\n|[\r\n]/.exec(body)?.[0] ?? /\r\n|[\r\n]/.exec(content)?.[0] ?? '\n'
}

/** Finds the part of a region that an op replaces by its content: whole lines of text, unless `join` is `none`. */
export function findContentSpan(
  op: 'append' | 'prepend' | 'replace',
  body: string,
  region: ContentRegion,
  join: ContentJoin,
): Span {
  const lines = join === 'none' ? region : findTextLines(body, region.start, region.end)
  const { start, end } = lines ?? { start: region.headingEnd ?? 0, end: region.headingEnd ?? 0 }
  if (op === 'append') return { start: end, end }
  if (op === 'prepend') return { start, end: start }
  return { start, end }
}

/**
 * Replaces a part of the body by content. Adds only the line ends that the join needs and that are missing; nothing
 * else of the body changes. Even with `none`, headings stay on separate lines.
 */
export function putContent(
  body: string,
  span: Span,
  region: ContentRegion,
  content: string,
  join: ContentJoin,
): string {
  const lineEnd = detectLineEnd(body, content)
  const text = trimContent(content, join).replace(/\r\n|[\r\n]/g, lineEnd)
  if (text === '') return removeText(body, span, region)
  const atHeading = region.headingEnd === null ? 0 : 1
  const before = join === 'none' && span.start === region.start ? atHeading : LINE_ENDS_OF_JOIN[join]
  const after = join === 'none' && isAtRegionEdge(span, region) ? atHeading : LINE_ENDS_OF_JOIN[join]
  const lead = lineEnd.repeat(Math.max(0, before - countLineEndsBefore(body, span.start)))
  const inText = join === 'none' ? countLineEndsBefore(text, text.length) : 0
  const tail = lineEnd.repeat(Math.max(0, after - inText - countLineEndsAfter(body, span.end)))
  return body.slice(0, span.start) + lead + text + tail + body.slice(span.end)
}

function isAtRegionEdge({ end }: Span, region: ContentRegion): boolean {
  return end === region.end || end === region.from
}

/** Removes blank lines around the content, since the join decides about them; `none` keeps them. */
export function trimContent(content: string, join: ContentJoin): string {
  if (join === 'none') return content
  const lines = findTextLines(content, 0, content.length)
  return lines ? content.slice(lines.start, lines.end) : ''
}

/** Removes lines with the blank lines after them. Returns the body unchanged if the span is empty. */
function removeText(body: string, { start, end }: Span, region: ContentRegion): string {
  return start === end ? body : body.slice(0, start) + body.slice(region.end)
}

/** Finds the range from the first line with text to the end of the last, without its line end; null if all is blank. */
function findTextLines(text: string, from: number, to: number): Span | null {
  let start = from
  let at = from
  for (; at < to && isBlank(text.charCodeAt(at)); at += 1) if (isLineEnd(text.charCodeAt(at))) start = at + 1
  if (at === to) return null
  let end = to
  for (at = to; isBlank(text.charCodeAt(at - 1)); at -= 1) if (isLineEnd(text.charCodeAt(at - 1))) end = at - 1
  return { start, end }
}

/**
 * Counts the line ends directly before `at`, with blanks between them; Infinity if the text has nothing else before.
 */
function countLineEndsBefore(text: string, at: number): number {
  let count = 0
  for (; at > 0 && isBlank(text.charCodeAt(at - 1)); at -= 1) if (isEndOfLine(text, at - 1)) count += 1
  return at === 0 ? Number.POSITIVE_INFINITY : count
}

function countLineEndsAfter(text: string, at: number): number {
  let count = 0
  for (; at < text.length && isBlank(text.charCodeAt(at)); at += 1) if (isEndOfLine(text, at)) count += 1
  return at === text.length ? Number.POSITIVE_INFINITY : count
}

/** Whether a line ends with the character at `at`. The CR of a CRLF does not end a line. */
function isEndOfLine(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)
}

function isLineEnd(code: number): boolean {
  return code === LF || code === CR
}

function isBlank(code: number): boolean {
  return isLineEnd(code) || code === SPACE || code === TAB
}
