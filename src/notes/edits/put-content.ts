import type { Span } from '../markdown/scan-markdown'

/** Where content goes: the part from `start` to `end` of the body, with its heading, if it has one, beginning at `from`. */
export interface ContentRegion extends Span {
  readonly from: number
  /** End of the heading's last line, before its line end; null for the whole document. */
  readonly headingEnd: number | null
}

export type ContentJoin = 'block' | 'line' | 'none'

/** Line ends between the content and what is around it. */
const LINE_ENDS_OF_JOIN = { block: 2, line: 1, none: 0 } as const
const [TAB, LF, CR, SPACE] = [9, 10, 13, 32]

/** The line ending of the body, else that of the content, for what is joined to it. */
export function detectLineEnd(body: string, content = ''): string {
  return /\r\n|[\r\n]/.exec(body)?.[0] ?? /\r\n|[\r\n]/.exec(content)?.[0] ?? '\n'
}

/** Where of a region an op puts its content, and what it takes away: whole lines of text, unless it joins as it is. */
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
 * The body with the content in the place of a stretch of it. Nothing else of the body changes: as many line ends are
 * added as the join asks for and are not there. Content that joins as it is still leaves headings on lines of their own.
 */
export function putContent(
  body: string,
  place: Span,
  region: ContentRegion,
  content: string,
  join: ContentJoin,
): string {
  const lineEnd = detectLineEnd(body, content)
  const text = trimContent(content, join).replace(/\r\n|[\r\n]/g, lineEnd)
  if (text === '') return removeText(body, place, region)
  const atHeading = region.headingEnd === null ? 0 : 1
  const before = join === 'none' && place.start === region.start ? atHeading : LINE_ENDS_OF_JOIN[join]
  const after = join === 'none' && isAtRegionEdge(place, region) ? atHeading : LINE_ENDS_OF_JOIN[join]
  const lead = lineEnd.repeat(Math.max(0, before - countLineEndsBefore(body, place.start)))
  const own = join === 'none' ? countLineEndsBefore(text, text.length) : 0
  const tail = lineEnd.repeat(Math.max(0, after - own - countLineEndsAfter(body, place.end)))
  return body.slice(0, place.start) + lead + text + tail + body.slice(place.end)
}

function isAtRegionEdge({ end }: Span, region: ContentRegion): boolean {
  return end === region.end || end === region.from
}

/** Content as it is joined: blank lines around it are left to the join. */
export function trimContent(content: string, join: ContentJoin): string {
  if (join === 'none') return content
  const lines = findTextLines(content, 0, content.length)
  return lines ? content.slice(lines.start, lines.end) : ''
}

/** Takes lines away with the blank ones behind them; where there are none to take, the body stays. */
function removeText(body: string, { start, end }: Span, region: ContentRegion): string {
  return start === end ? body : body.slice(0, start) + body.slice(region.end)
}

/** From the first line with text to the end of the last, without its line end; null where all is blank. */
function findTextLines(text: string, from: number, to: number): Span | null {
  let start = from
  let at = from
  for (; at < to && isBlank(text.charCodeAt(at)); at += 1) if (isLineEnd(text.charCodeAt(at))) start = at + 1
  if (at === to) return null
  let end = to
  for (at = to; isBlank(text.charCodeAt(at - 1)); at -= 1) if (isLineEnd(text.charCodeAt(at - 1))) end = at - 1
  return { start, end }
}

/** Line ends, and blanks between them, right before `at`; Infinity if there is nothing else. */
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

/** Whether a line ends with the character at `at`: a CR before a LF ends none by itself. */
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
