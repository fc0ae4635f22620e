import type { Steps } from '../../lib/steps.ts'
import { isTableRule } from './grammar.ts'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import { BLANK_LINE, LeafReader } from './leaf-reader.ts'
import type { BlockSink } from './line-reader.ts'

const QUOTE = 0
const [SPACE, STAR, PLUS, MINUS, DOT, GREATER, OPEN, CLOSE] = [32, 42, 43, 45, 46, 62, 91, 93]
const CLOSE_PARENTHESIS = 41
/** The beginning of a footnote. Its text may go on in lines that are indented by FOOTNOTE_COLUMNS. */
const FOOTNOTE = /\[\^([^\]\s^]{1,100})\]:/y
const FOOTNOTE_COLUMNS = 4
/** The states of a task that Obsidian knows: its own two, and those of its users' themes. */
const TASK_STATES = new Set(' xX/-<>?!*"lbiSIpcfkwud')

class LoneComment extends InlineSink {
  at = -1
  override loneComment(at: number): void {
    this.at = at
  }
}

/** Scans a body once and reports its blocks to the sink. Open quotes and list items are a stack, not a recursion. */
export function scanBlocks(body: string, sink: BlockSink): void {
  new BlockScanner(body, sink).runTo(body.length)
}

/** Does the same in steps, each of `units` UTF-16 units up to the next line. */
export function* scanBlocksInSteps(body: string, sink: BlockSink, units: number): Steps<void> {
  const scanner = new BlockScanner(body, sink)
  for (let end = units; scanner.runTo(end); end += units) yield
}

export class BlockScanner extends LeafReader {
  /** The innermost list item has no text after its mark; a blank line then ends it. */
  private emptyItem = false
  /** The quotes that continue on this line. */
  private matchedQuotes = 0
  private readonly lone = new LoneComment()
  private readonly comments = new InlineScanner(this.lone)

  /** Scans the lines up to the first that begins at or after `end`. Returns false at the end of the body. */
  runTo(end: number): boolean {
    while (!this.sink.done && this.readLine()) {
      this.takeLine()
      if (this.pos >= end) return true
    }
    this.pos = this.body.length
    this.closeBeyond(0)
    return false
  }

  private takeLine(): void {
    const matched = this.matchContainers()
    const blankFrom = this.blank ? (this.quotes[this.matchedQuotes - 1] ?? -1) + 1 : Number.POSITIVE_INFINITY
    this.emptyItem = false
    if (matched === this.stack.length && this.continueLeaf()) {
      this.blankFrom = this.leaf === 'indented' ? blankFrom : Number.POSITIVE_INFINITY
      return
    }
    if (this.blank) this.closeBeyond(matched)
    else this.openBlocks(matched)
    this.blankFrom = blankFrom
  }

  /** Counts the open containers that continue on this line. */
  private matchContainers(): number {
    const { stack } = this
    let quotes = 0
    this.matchedQuotes = 0
    for (let index = 0; index < stack.length; index += 1) {
      // A blank line continues every list item up to the next quote. A loop would cost the depth for each blank line.
      if (this.blank) return this.quotes[quotes] ?? stack.length - (this.emptyItem ? 1 : 0)
      const width = stack[index] ?? 0
      if (width === QUOTE) {
        if (this.indent > 3 || this.codeAt(this.at) !== GREATER) return index
        this.consumeQuoteMark()
        quotes += 1
        this.matchedQuotes = quotes
      } else if (this.indent >= width) this.col += width
      else return index
    }
    return stack.length
  }

  private consumeQuoteMark(): void {
    const col = this.atCol + 1
    this.skipSpace(this.at + 1, col)
    this.col = this.atCol > col ? col + 1 : col
  }

  private openBlocks(matched: number): void {
    for (let depth = matched; !this.blank; depth = this.stack.length) {
      const code = this.indent > 3 ? SPACE : this.codeAt(this.at)
      if (code === GREATER) this.openQuote(depth)
      else if (code === OPEN && depth === 0 && this.openFootnote()) continue
      else if (this.openLeaf(code, depth)) return
      else if (!this.openItem(code, depth)) {
        if (code === SPACE && this.leaf !== 'paragraph') this.openIndented(depth)
        else this.takeText(depth)
        return
      } else if (this.takeCheckbox()) return
    }
  }

  private openQuote(depth: number): void {
    this.closeBeyond(depth)
    this.enter('quote', 1)
    this.quotes.push(this.stack.push(QUOTE) - 1)
    this.consumeQuoteMark()
  }

  private openFootnote(): boolean {
    FOOTNOTE.lastIndex = this.at
    const label = FOOTNOTE.exec(this.body)?.[1]
    const after = FOOTNOTE.lastIndex
    if (label === undefined || after > this.eol) return false
    this.closeBeyond(0)
    this.sink.footnote(label)
    this.enter('footnote', after - this.at)
    this.skipSpace(after, this.atCol + after - this.at)
    this.col = this.atCol
    this.stack.push(FOOTNOTE_COLUMNS)
    return true
  }

  private openItem(code: number, depth: number): boolean {
    const width = this.getItemMarkWidth(code)
    const after = this.at + width
    if (width === 0 || !this.isSpaceOrEnd(after)) return false
    if (this.leaf === 'paragraph' && depth === this.stack.length) {
      const first = width === 1 || (width === 2 && code === 49)
      if (!first || this.isRestBlank(after) || isTableRule(this.body.slice(this.at, this.eol))) return false
    }
    this.closeBeyond(depth)
    this.enter('item', width)
    const outer = this.indent
    const col = this.atCol + width
    this.skipSpace(after, col)
    this.emptyItem = this.blank
    const space = this.atCol - col
    const padding = this.blank || space > 4 ? 1 : space
    this.col = col + padding
    this.stack.push(outer + width + padding)
    return true
  }

  /** Called where a quote, item or footnote begins; its mark is `width` long. */
  protected enter(_kind: 'quote' | 'item' | 'footnote', _width: number): void {}

  /** Returns the width of `-`, `+`, `*`, `1.` or `1)` at the position, or 0. */
  private getItemMarkWidth(code: number): number {
    if (code === MINUS || code === PLUS || code === STAR) return 1
    if (code < 48 || code > 57) return 0
    let end = this.at
    while (end - this.at < 10 && this.codeAt(end) > 47 && this.codeAt(end) < 58) end += 1
    if (end - this.at > 9) return 0
    return this.codeAt(end) === DOT || this.codeAt(end) === CLOSE_PARENTHESIS ? end + 1 - this.at : 0
  }

  /**
   * Takes a checkbox directly after a list item's mark. The rest of the line is text, even if it looks like a block.
   */
  private takeCheckbox(): boolean {
    const { at } = this
    if (this.codeAt(at) !== OPEN || this.codeAt(at + 2) !== CLOSE || this.indent > 3) return false
    const state = this.body.charAt(at + 1)
    if (!TASK_STATES.has(state) || !this.isSpaceOrEnd(at + 3)) return false
    this.sink.checkbox(at + 1, state)
    this.skipSpace(at + 3, this.atCol + 3)
    this.col = this.atCol
    if (!this.blank) this.takeText(this.stack.length)
    return true
  }

  /** Adds the rest of the line to the open paragraph, even if its containers end here, or begins a paragraph. */
  private takeText(matched: number): void {
    let depth = matched
    while (this.find('%%', this.at) < this.eol) {
      const open = this.findCommentStart()
      if (open < 0) break
      this.skipComment(open, depth)
      if (this.blank) return
      depth = this.stack.length
    }
    this.addText(this.at, this.eol, depth)
  }

  /**
   * Finds a `%%` on this line that begins a comment of several lines, or returns -1. At the start or end of the line
   * the comment may span any blocks; amid text it must end in the same paragraph, so that `100%% sure` hides nothing.
   */
  private findCommentStart(): number {
    const { lone } = this
    lone.at = -1
    this.comments.scan(this.body, this.at, this.eol)
    if (lone.at < 0) return -1
    const close = this.find('%%', lone.at + 2)
    if (close > this.body.length) return -1
    const atEdge = lone.at === this.at || this.isRestBlank(lone.at + 2)
    return atEdge || !BLANK_LINE.test(this.body.slice(lone.at, close)) ? lone.at : -1
  }

  /** Moves past the comment. Text before and after it on its lines becomes separate paragraphs. */
  private skipComment(open: number, depth: number): void {
    const end = this.find('%%', open + 2) + 2
    if (open > this.at) this.addText(this.at, this.backOverSpace(this.at, open), depth)
    this.closeBeyond(this.leaf === 'paragraph' ? this.stack.length : depth)
    this.sink.comment(open, end)
    while (this.eol < end) this.readLine()
    this.skipSpace(end, 0)
    this.col = this.atCol
  }
}
