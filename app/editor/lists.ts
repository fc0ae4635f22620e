/** What Tab, Shift-Tab and the buttons of phones do to lists and fenced code, and where Enter ends a quote. */
import { type Change, caretAt, type TextRange } from './markdown'

/** The signs of the quotes around a line. */
const QUOTE = /^(?: {0,3}> ?)*/
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})([.)]))[ \t]+(\[[ xX]\](?:[ \t]+|$))?/
const FENCE = /^ {0,3}(?:`{3}|~{3})/
/** Columns of a tab, as CommonMark has them. */
const TAB = 4
const CODE_INDENT = '  '

/** Whether a line begins within fenced code: after an odd number of fences. */
export function isInFence(text: string, lineStart: number): boolean {
  return (text.slice(0, lineStart).match(new RegExp(FENCE, 'gm')) ?? []).length % 2 === 1
}

/** Makes the change of the Enter key in an empty line of a quote, which it ends. Null elsewhere: CodeMirror goes on with those. */
export function endQuote(text: string, { from, to }: TextRange): Change | null {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const [line = ''] = /^.*/.exec(text.slice(start)) ?? []
  const [quote = ''] = QUOTE.exec(line) ?? []
  if (from !== to || quote === '' || quote !== line || isInFence(text, start)) return null
  const insert = quote.replace(/> ?$/, '').replace(/^ +$/, '')
  return { edit: { from: start, to: start + line.length, insert }, selection: caretAt(start + insert.length) }
}

interface Line {
  readonly quote: string
  readonly indent: string
  /** Where the text of the line begins, in columns after the quote. */
  readonly column: number
  /** Where the text of its item begins; null: it begins no item. */
  readonly content: number | null
  readonly number: number | null
  /** What follows the indentation and the number. */
  readonly rest: string
}

function readLine(text: string): Line {
  const [quote = ''] = QUOTE.exec(text) ?? []
  const inner = text.slice(quote.length)
  const [indent = ''] = /^[ \t]*/.exec(inner) ?? []
  const column = countColumns(indent)
  const item = ITEM.exec(inner)
  const number = item?.[2] === undefined ? null : Number(item[2])
  const box = item?.[4]?.length ?? 0
  const content = item ? column + item[0].length - indent.length - box : null
  return { quote, indent, column, content, number, rest: inner.slice(indent.length + (item?.[2]?.length ?? 0)) }
}

const countColumns = (indent: string) =>
  [...indent].reduce((column, char) => (char === '\t' ? column + TAB - (column % TAB) : column + 1), 0)

/**
 * Makes the change of Tab (`by` 1) or Shift-Tab (-1) in lists and in fenced code. The selected items move with all
 * below them, at most one level, and numbers follow. An item that cannot move stays, so that Tab never does two
 * things in one list. Returns null outside of both.
 */
export function indentBlock(text: string, range: TextRange, by: 1 | -1): Change | null {
  const make = isInFence(text, text.lastIndexOf('\n', range.from - 1) + 1) ? indentCode : indentItems
  return changeLines(text, range, (lines, first, last) => make(lines, first, last, by))
}

/** What a button makes of the selected lines. */
export type LineMark = 'list' | 'box' | 'heading'

/** Makes lines items, check boxes or headings, or what comes next: a box is checked, a heading is one level lower. */
export const markLines = (text: string, range: TextRange, mark: LineMark): Change | null =>
  changeLines(text, range, (lines, first, last) => lines.slice(first, last + 1).map((line) => markLine(line, mark)))

const NEXT_HEADING: Readonly<Record<string, string>> = { '': '# ', '# ': '## ', '## ': '### ' }

function markLine(line: string, mark: LineMark): string {
  const [lead = ''] = /^(?: {0,3}> ?)*[ \t]*/.exec(line) ?? []
  const rest = line.slice(lead.length)
  const [all = '', heading = '', bullet = '', box = ''] =
    /^(#{1,6} )?((?:[-*+]|\d{1,9}[.)])[ \t]+)?(\[[ xX]\][ \t]+)?/.exec(rest) ?? []
  const text = rest.slice(all.length)
  if (mark === 'heading') return `${lead}${NEXT_HEADING[heading] ?? ''}${rest.slice(heading.length)}`
  if (mark === 'list') return lead + (bullet && !box ? '' : bullet || '- ') + text
  return `${lead}${bullet || '- '}${box.startsWith('[ ]') ? '[x] ' : '[ ] '}${text}`
}

/** @param make returns lines that replace the first selected one and those after it; null: no change */
function changeLines(
  text: string,
  { from, to }: TextRange,
  make: (lines: readonly string[], first: number, last: number) => string[] | null,
): Change | null {
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index)
  const first = starts.findLastIndex((start) => start <= from)
  // A selection up to the beginning of a line has nothing of it.
  const last = Math.max(first, to > from ? starts.findLastIndex((start) => start < to) : first)
  const lines = text.split('\n')
  const made = make(lines, first, last)
  if (!made) return null
  const begin = starts[first] ?? 0
  const end = (starts[first + made.length] ?? text.length + 1) - 1
  /** Where an offset is now: it keeps its distance from the end of its line, unless it was in the indentation. */
  const move = (offset: number) => {
    const line = starts.findLastIndex((start) => start <= offset) - first
    const [was = '', is = ''] = [lines[first + line], made[line]]
    const before = made.slice(0, line).reduce((sum, { length }) => sum + length + 1, begin)
    const within = offset - (starts[first + line] ?? 0)
    return line < made.length ? before + Math.max(0, within + is.length - was.length) : offset
  }
  return { edit: { from: begin, to: end, insert: made.join('\n') }, selection: { from: move(from), to: move(to) } }
}

function indentCode(lines: readonly string[], first: number, last: number, by: 1 | -1): string[] | null {
  const selected = lines.slice(first, last + 1)
  if (selected.some((line) => FENCE.test(line))) return null
  const indent = (line: string) => (line === '' && first < last ? line : CODE_INDENT + line)
  return selected.map(by === 1 ? indent : (line) => line.replace(/^(?: {1,2}|\t)/, ''))
}

/** Returns the lines from the first selected one to the end of its list; null if no item is selected. */
function indentItems(all: readonly string[], first: number, last: number, by: 1 | -1): string[] | null {
  const lines = all.map(readLine)
  const top = lines.findIndex(({ content }, place) => place >= first && place <= last && content !== null)
  const moved = lines[top]
  if (!moved) return null
  const around = ({ content, column }: Line) => content !== null && column <= moved.column - (by === 1 ? 0 : 1)
  const begin = findEnd(lines, top, -1)
  const before = lines.slice(begin, top).findLast(around)
  const usesTabs = lines.some(({ content, indent }) => content !== null && indent.startsWith('\t'))
  const inner = before?.content ?? moved.column
  const target = by === 1 ? (usesTabs ? Math.ceil(inner / TAB) * TAB : inner) : (before?.column ?? 0)
  const delta = by === 1 ? Math.max(0, target - moved.column) : target - moved.column
  let end = last + 1
  for (let at = end; at < lines.length; at++) {
    const { rest, column } = lines[at] ?? moved
    if (rest !== '' && column <= moved.column) break
    if (rest !== '') end = at + 1
  }
  const shifted = lines.map((line, place) => {
    if (place < top || place >= end || line.rest === '') return line
    const column = Math.max(0, line.column + delta)
    const indent = usesTabs ? '\t'.repeat(column / TAB) + ' '.repeat(column % TAB) : ' '.repeat(column)
    return { ...line, indent, column, content: line.content === null ? null : line.content + column - line.column }
  })
  const finish = findEnd(lines, last, 1) + 1
  if (delta === 0) return all.slice(first, finish)
  renumber(shifted, begin, top, end, finish)
  return shifted.slice(first, finish).map(({ quote, indent, number, rest }) => quote + indent + (number ?? '') + rest)
}

/** A list ends at a line without a marker and not indented, and with the quote around it. */
const isOutside = (line: Line | undefined, of: Line | undefined) =>
  !line || line.quote.length !== of?.quote.length || (line.content === null && line.column === 0 && line.rest !== '')

/** The last line of a list before or after one of its lines. */
function findEnd(lines: readonly Line[], at: number, step: 1 | -1): number {
  let end = at
  while (!isOutside(lines[end + step], lines[at])) end += step
  return end
}

/** Numbers the items again from the first one that moved: each continues its list, and one that begins a list gets 1. */
function renumber(lines: Line[], begin: number, top: number, end: number, finish: number): void {
  const open: Line[] = []
  for (let place = begin; place < finish; place++) {
    const line = lines[place]
    if (!line || line.content === null) continue
    while ((open.at(-1)?.column ?? -1) > line.column) open.pop()
    const before = open.at(-1)
    const isNext = before !== undefined && line.column < (before.content ?? 0)
    if (isNext) open.pop()
    let { number } = line
    if (number !== null && place >= top) {
      if (isNext && before.number !== null) number = before.number + 1
      else if (place < end) number = 1
    }
    const counted = { ...line, number }
    lines[place] = counted
    open.push(counted)
  }
}
