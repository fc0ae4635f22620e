import { setImmediate } from 'node:timers/promises'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import type { BlockSink } from './leaf-reader.ts'
import { LeafReader } from './leaf-reader.ts'

const QUOTE = 0
const [SPACE, STAR, PLUS, MINUS, DOT, GREATER, OPEN, CLOSE] = [32, 42, 43, 45, 46, 62, 91, 93]
const CLOSE_PARENTHESIS = 41
const BLANK_LINE = /(?:\r\n|\n|\r(?!\n))[ \t>]*[\r\n]/

class LoneComment extends InlineSink {
  at = -1
  override loneComment(at: number): void {
    this.at = at
  }
}

/** Passes once over a body and reports its blocks to the sink. Open quotes and list items are a stack, not a recursion. */
export function scanBlocks(body: string, sink: BlockSink): void {
  new BlockScanner(body, sink).runTo(body.length)
}

/** The same, with a turn of the event loop for others after each so many UTF-16 units, or after a longer block. */
export async function scanBlocksInTurns(body: string, sink: BlockSink, units: number): Promise<void> {
  const scanner = new BlockScanner(body, sink)
  for (let end = units; scanner.runTo(end); end += units) await setImmediate()
}

class BlockScanner extends LeafReader {
  /** The innermost item has nothing behind its mark; a blank line then ends it. */
  private emptyItem = false
  private readonly lone = new LoneComment()
  private readonly comments = new InlineScanner(this.lone)

  /** Goes on with the lines that begin before `end`. False: that was all. */
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
    this.emptyItem = false
    if (matched === this.stack.length && this.continueLeaf()) return
    if (this.blank) this.closeBeyond(matched)
    else this.openBlocks(matched)
  }

  /** How many of the open containers go on in this line. */
  private matchContainers(): number {
    const { stack } = this
    let quotes = 0
    for (let index = 0; index < stack.length; index += 1) {
      // A blank line goes on in every item up to the next quote: walking them would make blank lines cost their depth.
      if (this.blank) return this.quotes[quotes] ?? stack.length - (this.emptyItem ? 1 : 0)
      const width = stack[index] ?? 0
      if (width === QUOTE) {
        if (this.indent > 3 || this.codeAt(this.at) !== GREATER) return index
        this.consumeQuoteMark()
        quotes += 1
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
    this.quotes.push(this.stack.push(QUOTE) - 1)
    this.consumeQuoteMark()
  }

  private openIndented(depth: number): void {
    this.closeBeyond(depth)
    this.openRange('indented')
  }

  private openItem(code: number, depth: number): boolean {
    const width = this.itemMarkWidth(code)
    const after = this.at + width
    if (width === 0 || !this.isSpaceOrEnd(after)) return false
    if (this.leaf === 'paragraph' && depth === this.stack.length) {
      const first = width === 1 || (width === 2 && code === 49)
      if (!first || this.restIsBlank(after)) return false
    }
    this.closeBeyond(depth)
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

  /** Width of `-`, `+`, `*`, `1.` or `1)` at the position, or 0. */
  private itemMarkWidth(code: number): number {
    if (code === MINUS || code === PLUS || code === STAR) return 1
    if (code < 48 || code > 57) return 0
    let end = this.at
    while (end - this.at < 10 && this.codeAt(end) > 47 && this.codeAt(end) < 58) end += 1
    if (end - this.at > 9) return 0
    return this.codeAt(end) === DOT || this.codeAt(end) === CLOSE_PARENTHESIS ? end + 1 - this.at : 0
  }

  /** A box right behind a list item's mark. What follows it is text, whatever it looks like. */
  private takeCheckbox(): boolean {
    const { at } = this
    if (this.codeAt(at) !== OPEN || this.codeAt(at + 2) !== CLOSE || this.indent > 3) return false
    const mark = this.codeAt(at + 1)
    if ((mark !== SPACE && mark !== 120 && mark !== 88) || !this.isSpaceOrEnd(at + 3)) return false
    this.sink.checkbox(at + 1, mark !== SPACE)
    this.skipSpace(at + 3, this.atCol + 3)
    this.col = this.atCol
    if (!this.blank) this.takeText(this.stack.length)
    return true
  }

  /** Adds the rest of the line to the open paragraph, even when its containers do not go on, or begins one. */
  private takeText(matched: number): void {
    let depth = matched
    while (this.find('%%', this.at) < this.eol) {
      const open = this.openComment()
      if (open < 0) break
      this.skipComment(open, depth)
      if (this.blank) return
      depth = this.stack.length
    }
    this.addText(this.at, this.eol, depth)
  }

  /**
   * Where a `%%` on this line begins a comment that reaches over lines, or -1. At the line's start or end it may reach
   * over any block; amid the text only within the paragraph, so that `100%% sure` does not hide what follows.
   */
  private openComment(): number {
    const { lone } = this
    lone.at = -1
    this.comments.scan(this.body, this.at, this.eol)
    if (lone.at < 0) return -1
    const close = this.find('%%', lone.at + 2)
    if (close > this.body.length) return -1
    const atEdge = lone.at === this.at || this.restIsBlank(lone.at + 2)
    return atEdge || !BLANK_LINE.test(this.body.slice(lone.at, close)) ? lone.at : -1
  }

  /** Moves behind the comment; text before and behind it on its lines are paragraphs of their own. */
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
