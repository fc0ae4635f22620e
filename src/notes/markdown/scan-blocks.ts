import type { Steps } from '../../lib/steps.ts'
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

/** Scans a body once and reports its blocks to the sink. Open quotes and list items are a stack, not a recursion. */
export function scanBlocks(body: string, sink: BlockSink): void {
  new BlockScanner(body, sink).runTo(body.length)
}

/** Does the same in steps, each of `units` UTF-16 units up to the next line. */
export function* scanBlocksInSteps(body: string, sink: BlockSink, units: number): Steps<void> {
  const scanner = new BlockScanner(body, sink)
  for (let end = units; scanner.runTo(end); end += units) yield
}

class BlockScanner extends LeafReader {
  /** The innermost list item has no text after its mark; a blank line then ends it. */
  private emptyItem = false
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
    this.emptyItem = false
    if (matched === this.stack.length && this.continueLeaf()) return
    if (this.blank) this.closeBeyond(matched)
    else this.openBlocks(matched)
  }

  /** Counts the open containers that continue on this line. */
  private matchContainers(): number {
    const { stack } = this
    let quotes = 0
    for (let index = 0; index < stack.length; index += 1) {
      // A blank line continues every list item up to the next quote. A loop would cost the depth for each blank line.
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
    const width = this.getItemMarkWidth(code)
    const after = this.at + width
    if (width === 0 || !this.isSpaceOrEnd(after)) return false
    if (this.leaf === 'paragraph' && depth === this.stack.length) {
      const first = width === 1 || (width === 2 && code === 49)
      if (!first || this.isRestBlank(after)) return false
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
    const mark = this.codeAt(at + 1)
    if ((mark !== SPACE && mark !== 120 && mark !== 88) || !this.isSpaceOrEnd(at + 3)) return false
    this.sink.checkbox(at + 1, mark !== SPACE)
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
