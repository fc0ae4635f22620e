import { invalid } from '../http/api-error'
import { createAmbiguousError, createMissingError, detectLineEnd, pickNearest, toPlaceCandidates } from './edit-targets'
import { isBlank, isLineEnd } from './markdown/grammar'
import type { BlockSink, BlockText, HeadingBlock } from './markdown/line-reader'
import { scanBlocks } from './markdown/scan-blocks'
import type { Span } from './markdown/scan-markdown'
import type { BlockTarget, BodyEdit } from './schema'

/**
 * A paragraph, or the first one of a list item, that ends with a block id such as `^plan`; or what is before a line of
 * nothing but an id, as Obsidian has it: a list, a quote, a table or code. `start` and `end` are those of its text,
 * without the marks before it and the id.
 */
export interface NoteBlock extends Span {
  /** Without its caret, in lower case, since Obsidian ignores case. */
  readonly id: string
  /** The end of the id. */
  readonly idEnd: number
  /** Whether the id has a line of its own, with a blank line before it. */
  readonly isApart: boolean
}

/** Characters at the end of a paragraph that are read; Obsidian's own ids have six. */
const MAX_ID_LOOKBACK_UNITS = 200
/** What is before the text of a block on its first line: quote marks, and the marks of list items. */
const CONTAINER_MARKS = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)]))+[ \t]*(?:\[[^\]\r\n]\][ \t]*)?$/
const ITEM_MARK = /(?:[-+*]|\d{1,9}[.)])[ \t]*(?:\[[^\]\r\n]\][ \t]*)?$/
const ID_AT_END = /(?:^|[ \t\r\n]+)\^([A-Za-z0-9-]+)$/

/** Lists the blocks of a body that have an id, in its order. */
export function listBlocks(body: string): readonly NoteBlock[] {
  if (!/\^[A-Za-z0-9-]+[ \t]*$/m.test(body)) return []
  const sink = new BlockIdSink(body)
  scanBlocks(body, sink)
  return sink.blocks
}

class BlockIdSink implements BlockSink {
  readonly done = false
  readonly blocks: NoteBlock[] = []
  /** The last block outside of quotes and list items, or the last quote or list as a whole. */
  private last: Span | null = null
  /** The start of the line on which the open quote or list begins; -1: none is open. */
  private containerStart = -1

  constructor(private readonly body: string) {}

  heading({ depth, lineStart }: HeadingBlock): void {
    this.add(lineStart, lineStart, depth > 0)
    if (depth === 0) this.last = null
  }

  paragraph({ text, from, to, base }: BlockText): void {
    const start = from + base
    const lineStart = findLineStart(this.body, start)
    const isNested = this.isNested(lineStart, start)
    const [tail, idEnd] = [Math.max(from, to - MAX_ID_LOOKBACK_UNITS), to + base]
    const match = ID_AT_END.exec(text.slice(tail, to))
    // What was cut off may begin in the middle of a word.
    if (match && (tail === from || match.index > 0)) {
      const [id, end] = [(match[1] ?? '').toLowerCase(), tail + match.index + base]
      if (end > start) this.blocks.push({ id, start, end, idEnd, isApart: false })
      else if (!isNested && this.last && this.isGap(this.last.end, lineStart))
        this.blocks.push({ id, ...this.last, idEnd, isApart: true })
    }
    this.add(lineStart, idEnd, isNested)
  }

  code(start: number, end: number): void {
    this.add(start, end, this.isNested(findLineStart(this.body, start), start))
  }

  close(depth: number, at: number): void {
    if (depth > 0 || this.containerStart < 0) return
    this.last = { start: this.containerStart, end: backOverBlanks(this.body, this.containerStart, at) }
    this.containerStart = -1
  }

  maths(start: number, end: number): void {
    this.code(start - 2, end + 2)
  }

  comment(): void {}
  checkbox(): void {}
  definition(): void {}
  footnote(): void {}

  private isNested(lineStart: number, at: number): boolean {
    return this.containerStart >= 0 || CONTAINER_MARKS.test(this.body.slice(lineStart, at))
  }

  private add(start: number, end: number, isNested: boolean): void {
    if (!isNested) this.last = { start, end }
    else if (this.containerStart < 0) {
      const lineStart = findLineStart(this.body, start)
      const { last } = this
      // Each item outside of others is closed by itself.
      const mark = this.getListMark(lineStart)
      const isSameList = last && mark && this.isGap(last.end, lineStart) && mark === this.getListMark(last.start)
      this.containerStart = isSameList ? last.start : lineStart
    }
  }

  private isGap(from: number, to: number): boolean {
    return this.body.slice(from, to).trim() === ''
  }

  /** Returns `-`, `+`, `*`, `.` or `)`, which tell two lists apart; undefined for another block. */
  private getListMark(lineStart: number): string | undefined {
    return /^ {0,3}(?:\d{1,9})?([-+*.)])[ \t]/.exec(this.body.slice(lineStart, lineStart + 14))?.[1]
  }
}

function findLineStart(body: string, at: number): number {
  let start = at
  while (start > 0 && !isLineEnd(body.charCodeAt(start - 1))) start -= 1
  return start
}

function findLineEnd(body: string, at: number): number {
  let end = at
  while (end < body.length && !isLineEnd(body.charCodeAt(end))) end += 1
  return end
}

function backOverBlanks(body: string, from: number, to: number): number {
  let end = to
  while (end > from && isBlank(body.charCodeAt(end - 1))) end -= 1
  return end
}

/**
 * Applies an edit to the block of an id, which it keeps unless the block is deleted. Content is put in as it is, but on
 * further lines behind the indentation and the quote marks of the block. Throws edit_target_missing or
 * edit_target_ambiguous with candidates, and invalid_request for content after which the id would name another block.
 */
export function editBlock(body: string, op: BodyEdit['op'], target: BlockTarget, written: string, at: string): string {
  const block = requireBlock(body, target, at)
  if (op === 'delete') return deleteBlock(body, block)
  const lineStart = findLineStart(body, block.start)
  const content = (op === 'prepend' ? written : withoutId(written.trimEnd(), block.id)).split(/\r\n|[\r\n]/)
  const indent = block.isApart ? '' : toIndent(body.slice(lineStart, block.start))
  const text = content.map((line, i) => (i === 0 ? line : (indent + line).trimEnd())).join(detectLineEnd(body, written))
  const [from, to] = [op === 'append' ? block.end : block.start, op === 'prepend' ? block.start : block.end]
  const edited = body.slice(0, from) + text + body.slice(to)
  const end = block.end + edited.length - body.length
  const isSame = ({ id, start, end: newEnd }: NoteBlock) => id === block.id && start === block.start && newEnd === end
  if (!listBlocks(edited).some(isSame))
    throw invalid(`${at}/content`, 'invalid_value', `the id ^${block.id} would not name this block any more`)
  return edited
}

/** Returns the block that a target names. Throws unless exactly one does; it never guesses. */
function requireBlock(body: string, { block, nth }: BlockTarget, at: string): NoteBlock {
  const all = listBlocks(body)
  const id = block.slice(1).toLowerCase()
  const found = all.filter((one) => one.id === id)
  const isAmbiguous = nth === undefined && found.length > 1
  const only = isAmbiguous ? undefined : found[(nth ?? 1) - 1]
  if (only) return only
  const shown = isAmbiguous ? found : pickNearest(all, id, (one) => one.id)
  const byId = Map.groupBy(all, (one) => one.id)
  const toTarget = (one: NoteBlock) => {
    const same = byId.get(one.id) ?? []
    return { block: `^${one.id}`, ...(same.length > 1 && { nth: same.indexOf(one) + 1 }) }
  }
  const candidates = toPlaceCandidates(body, shown, ({ start }) => start, toTarget)
  throw isAmbiguous ? createAmbiguousError('block', at, candidates) : createMissingError('block', at, candidates)
}

/** Clients may send the whole block, with its id. */
function withoutId(content: string, id: string): string {
  const match = ID_AT_END.exec(content)
  return match?.[1]?.toLowerCase() === id ? content.slice(0, match.index) : content
}

/** Returns what further lines of a block begin with, whose first line begins so. */
function toIndent(lineStart: string): string {
  return lineStart.replace(/\[[^\]\r\n]\][ \t]*$/, '').replace(/[^>\t]/g, ' ')
}

/** Deletes the lines of a block and of its id, a list item with what is in it. Of the gaps around it one is left. */
function deleteBlock(body: string, { start, idEnd, isApart }: NoteBlock): string {
  const from = findLineStart(body, start)
  const mark = isApart ? null : ITEM_MARK.exec(body.slice(from, start))
  let to = findNextLine(body, idEnd)
  if (mark) to = findItemEnd(body, to, countColumns(body.slice(from, from + mark.index)))
  if (isGapBefore(body, from)) while (to < body.length && isBlankLine(body, to)) to = findNextLine(body, to)
  return body.slice(0, from) + body.slice(to)
}

/** Returns the end of the lines from `at` on that are indented deeper than the mark of their list item, at `column`. */
function findItemEnd(body: string, at: number, column: number): number {
  let end = at
  for (let line = at; line < body.length; ) {
    const next = findNextLine(body, line)
    if (!isBlankLine(body, line)) {
      if (countColumns(/^[ \t>]*/.exec(body.slice(line, next))?.[0] ?? '') <= column) break
      end = next
    }
    line = next
  }
  return end
}

/** Counts the columns of marks and blanks, as far as tabs stand first. */
const countColumns = (marks: string): number => marks.replaceAll('\t', '    ').length

function isGapBefore(body: string, lineStart: number): boolean {
  const end = body.startsWith('\r\n', lineStart - 2) ? lineStart - 2 : lineStart - 1
  return lineStart === 0 || isBlankLine(body, findLineStart(body, end))
}

function isBlankLine(body: string, at: number): boolean {
  return body.slice(at, findLineEnd(body, at)).trim() === ''
}

function findNextLine(body: string, at: number): number {
  const end = findLineEnd(body, at)
  return Math.min(body.length, end + (body.startsWith('\r\n', end) ? 2 : 1))
}
