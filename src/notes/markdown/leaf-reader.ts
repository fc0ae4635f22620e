import {
  findDefinitionEnd,
  findDestination,
  findLabelEnd,
  getHtmlBlockEnd,
  isLineEnd,
  skipLineSpace,
} from './grammar.ts'
import type { BlockSink, BlockText, HeadingBlock } from './line-reader.ts'
import { LineReader } from './line-reader.ts'

export type LeafKind = 'none' | 'paragraph' | 'html' | 'raw' | 'fenced' | 'indented' | 'maths'

const [TAB, SPACE, HASH, DOLLAR, STAR, MINUS] = [9, 32, 35, 36, 42, 45]
/** Maths does not go over a blank line. */
export const BLANK_LINE = /(?:\r\n|\n|\r(?!\n))[ \t>]*[\r\n]/
const [LESS, EQUALS, OPEN, UNDERSCORE, TICK, TILDE] = [60, 61, 91, 95, 96, 126]

/**
 * Reads leaf blocks, which contain text and no other blocks: opens them, takes their lines, and reports them at their
 * end.
 */
export class LeafReader extends LineReader {
  /** The open containers: QUOTE, or the indentation of a list item's content in columns. */
  protected readonly stack: number[] = []
  /** The indexes of quotes in the stack. */
  protected readonly quotes: number[] = []

  protected leaf: LeafKind = 'none'
  protected leafStart = 0
  protected leafEnd = 0
  private leafLine = 0
  /** Pairs of offsets in the open text with a line end and quote marks between them. */
  private gaps: number[] = []
  private fenceMark = 0
  private fenceLength = 0
  /** The offset after the mark that ends a raw HTML block, or Infinity. */
  private rawEnd = 0
  private rawIsComment = false
  /** The offset after the dollars that end the open maths. */
  protected mathsEnd = 0
  /** The line before this one was blank for containers of this depth and deeper; Infinity: for none. */
  protected blankFrom = Number.POSITIVE_INFINITY

  constructor(
    body: string,
    protected readonly sink: BlockSink,
  ) {
    super(body)
  }

  /** Whether a block in the innermost container comes behind a blank line. */
  protected get afterBlank(): boolean {
    return this.blankFrom <= this.stack.length
  }

  /** Called where a block begins in the innermost container. */
  protected begin(): void {}

  /** Called for each line of a block that holds no Markdown. */
  protected keepLine(): void {}

  /** Called for a thematic break. */
  protected takeRule(): void {}

  /** Takes the block that has ended; false: it is read here. */
  protected takeLeaf(_leaf: LeafKind): boolean {
    return false
  }

  protected closeBeyond(depth: number): void {
    this.closeLeaf()
    if (depth === this.stack.length) return
    this.stack.length = depth
    while ((this.quotes.at(-1) ?? -1) >= depth) this.quotes.pop()
    this.sink.close(depth, this.pos)
  }

  /** Adds the line to an open block that takes whole lines. Returns false if no such block is open or it ends here. */
  protected continueLeaf(): boolean {
    switch (this.leaf) {
      case 'fenced':
        this.leafEnd = this.eol
        if (this.isClosingFence()) this.closeLeaf()
        else this.keepLine()
        return true
      case 'raw':
        this.leafEnd = this.eol
        this.keepLine()
        if (this.rawEnd <= this.eol) this.closeLeaf()
        return true
      case 'maths':
        this.leafEnd = this.eol
        this.keepLine()
        if (this.mathsEnd <= this.eol) this.closeLeaf()
        return true
      case 'indented':
        if (this.indent < 4 && !this.blank) return false
        this.keepLine()
        if (!this.blank) this.leafEnd = this.eol
        return true
      case 'html':
        if (this.blank) return false
        this.addText(this.at, this.eol, this.stack.length)
        return true
      default:
        return false
    }
  }

  private isClosingFence(): boolean {
    if (this.indent > 3 || this.codeAt(this.at) !== this.fenceMark) return false
    const end = this.findRunEnd(this.fenceMark, this.at)
    return end - this.at >= this.fenceLength && this.isRestBlank(end)
  }

  /** Opens the block that begins with this character. Returns false if none does. */
  protected openLeaf(code: number, depth: number): boolean {
    switch (code) {
      case HASH:
        return this.openHeading(depth)
      case TICK:
      case TILDE:
        return this.openFence(code, depth)
      case LESS:
        return this.openHtml(depth)
      case DOLLAR:
        return this.openMaths(depth)
      case EQUALS:
        return this.closeSetext(code, depth)
      case MINUS:
        return this.closeSetext(code, depth) || this.takeThematicBreak(depth)
      case STAR:
      case UNDERSCORE:
        return this.takeThematicBreak(depth)
      default:
        return false
    }
  }

  private openHeading(depth: number): boolean {
    const marks = this.findRunEnd(HASH, this.at)
    const level = marks - this.at
    if (level > 6 || !this.isSpaceOrEnd(marks)) return false
    this.closeBeyond(depth)
    this.begin()
    const start = depth === 0 ? this.pos : this.at
    const from = skipLineSpace(this.body, marks, this.eol)
    const { line, pos: lineStart, eol: end, next: bodyStart } = this
    const content = { text: this.body, from, to: this.findHeadingTextEnd(from), base: 0 }
    this.sink.heading({ level, line, depth: this.stack.length, lineStart, start, end, bodyStart }, content)
    return true
  }

  /** Returns the end of a heading's text: before a closing run of `#` that follows a space. */
  private findHeadingTextEnd(from: number): number {
    const end = this.backOverSpace(from, this.eol)
    let marks = end
    while (marks > from && this.body.charCodeAt(marks - 1) === HASH) marks -= 1
    return marks === from || this.isSpaceOrEnd(marks - 1) ? this.backOverSpace(from, marks) : end
  }

  protected backOverSpace(from: number, to: number): number {
    while (to > from && (this.body.charCodeAt(to - 1) === SPACE || this.body.charCodeAt(to - 1) === TAB)) to -= 1
    return to
  }

  private openFence(code: number, depth: number): boolean {
    const end = this.findRunEnd(code, this.at)
    if (end - this.at < 3) return false
    if (code === TICK && this.find('`', end) < this.eol) return false
    this.closeBeyond(depth)
    this.fenceMark = code
    this.fenceLength = end - this.at
    this.openRange('fenced')
    return true
  }

  /** Opens maths between dollars, which begin and end its lines. */
  private openMaths(depth: number): boolean {
    if (this.codeAt(this.at + 1) !== DOLLAR) return false
    const close = this.find('$$', this.at + 2)
    const end = close + 2
    if (close > this.body.length || !endsLine(this.body, end)) return false
    const source = this.body.slice(this.at + 2, close)
    if (source.trim() === '' || BLANK_LINE.test(source)) return false
    this.closeBeyond(depth)
    this.openRange('maths')
    this.keepLine()
    this.mathsEnd = end
    if (end <= this.eol) this.closeLeaf()
    return true
  }

  private openHtml(depth: number): boolean {
    const kind = getHtmlBlockEnd(this.body, this.at, this.eol, this.leaf === 'paragraph')
    if (!kind) return false
    this.closeBeyond(depth)
    if (kind === 'blank') {
      this.openText('html')
      return true
    }
    this.openRange('raw')
    this.keepLine()
    this.rawIsComment = kind === '-->'
    this.rawEnd = this.findEnd(kind, this.at + (this.rawIsComment ? 2 : 1))
    if (this.rawEnd <= this.eol) this.closeLeaf()
    return true
  }

  private findEnd(mark: string | RegExp, from: number): number {
    return this.find(mark, from) + (typeof mark === 'string' ? mark.length : 1)
  }

  private takeThematicBreak(depth: number): boolean {
    if (!this.isThematicBreak()) return false
    this.closeBeyond(depth)
    this.begin()
    this.takeRule()
    return true
  }

  /** Makes a heading of the paragraph above a line of `=` or `-`, unless it consists of link definitions only. */
  private closeSetext(code: number, depth: number): boolean {
    if (this.leaf !== 'paragraph' || depth < this.stack.length) return false
    if (!this.isRestBlank(this.findRunEnd(code, this.at))) return false
    const content = this.getLeafText()
    const from = this.skipDefinitions(content)
    if (from >= content.to) return false
    this.leaf = 'none'
    this.sendDefinitions(content, from)
    this.sink.heading(this.toSetextBlock(code === EQUALS ? 1 : 2, content, from), sliceText(content, from))
    return true
  }

  private toSetextBlock(level: number, content: BlockText, from: number): HeadingBlock {
    const offset = from + content.base
    let lineStart = offset
    while (lineStart > 0 && !isLineEnd(this.body.charCodeAt(lineStart - 1))) lineStart -= 1
    if (this.body.charCodeAt(lineStart) === 0xfeff) lineStart += 1
    const depth = this.stack.length
    const start = depth === 0 ? this.backOverSpace(lineStart, offset) : offset
    const line = this.leafLine + countLineEnds(content.text, content.from, from)
    return { level, line, depth, lineStart, start, end: this.eol, bodyStart: this.next }
  }

  protected openRange(leaf: LeafKind): void {
    this.leaf = leaf
    this.leafStart = this.at
    this.leafEnd = this.eol
    this.leafLine = this.line
    this.begin()
  }

  /** Opens indented code. */
  protected openIndented(depth: number): void {
    this.closeBeyond(depth)
    this.openRange('indented')
    this.keepLine()
  }

  /** Adds a part of this line to the open text, or begins a paragraph with it. */
  protected addText(from: number, to: number, depth: number): void {
    if (this.leaf !== 'paragraph' && this.leaf !== 'html') {
      this.closeBeyond(depth)
      this.openText('paragraph')
    } else if (this.quotes.length > 0) this.gaps.push(this.leafEnd, from)
    this.leafEnd = to
  }

  private openText(leaf: LeafKind): void {
    this.openRange(leaf)
    this.gaps = []
  }

  private closeLeaf(): void {
    const { leaf } = this
    this.leaf = 'none'
    if (leaf === 'none' || this.takeLeaf(leaf)) return
    if (leaf === 'raw') this.closeRaw()
    else if (leaf === 'fenced' || leaf === 'indented') this.sink.code(this.leafStart, this.leafEnd, leaf === 'fenced')
    else if (leaf === 'maths') this.closeMaths()
    else this.closeText(leaf === 'paragraph')
  }

  /** Reports maths; if its quote or item has ended before it, it was none. */
  private closeMaths(): void {
    const { body, leafStart: from, leafEnd: to, mathsEnd } = this
    if (mathsEnd > to) this.sink.paragraph({ text: body, from, to, base: 0 })
    else this.sink.maths(from + 2, mathsEnd - 2)
  }

  private closeText(mayDefine: boolean): void {
    const content = this.getLeafText()
    const from = mayDefine ? this.skipDefinitions(content) : content.from
    this.sendDefinitions(content, from)
    if (from < content.to) this.sink.paragraph(sliceText(content, from))
  }

  /** Reports a comment, and the text after it on its last line. Other raw HTML is not reported. */
  private closeRaw(): void {
    if (!this.rawIsComment) return
    const end = Math.min(this.rawEnd, this.leafEnd)
    this.sink.comment(this.leafStart, end)
    const from = skipLineSpace(this.body, end, this.leafEnd)
    if (from < this.leafEnd) this.sink.paragraph({ text: this.body, from, to: this.leafEnd, base: 0 })
  }

  /** Returns the open text: a part of the body, or a copy with blanks for the quote marks between its lines. */
  protected getLeafText(): BlockText {
    const { body, leafStart, leafEnd, gaps } = this
    const to = this.backOverSpace(leafStart, leafEnd)
    if (gaps.length === 0) return { text: body, from: leafStart, to, base: 0 }
    const parts: string[] = []
    let at = leafStart
    for (let index = 0; index < gaps.length; index += 2) {
      const [from = 0, next = 0] = [gaps[index], gaps[index + 1]]
      parts.push(body.slice(at, from), '\n'.padEnd(next - from))
      at = next
    }
    parts.push(body.slice(at, to))
    return { text: parts.join(''), from: 0, to: to - leafStart, base: leafStart }
  }

  private skipDefinitions(content: BlockText): number {
    let at = content.from
    while (at < content.to && content.text.charCodeAt(at) === OPEN) {
      const end = findDefinitionEnd(content.text, at, content.to)
      if (end < 0) break
      at = end
    }
    return at
  }

  private sendDefinitions(content: BlockText, to: number): void {
    const { text, base } = content
    for (let at = content.from; at < to; ) {
      const next = findDefinitionEnd(text, at, content.to)
      const label = findLabelEnd(text, at, content.to)
      const [start, end] = findDestination(text, label + 1, content.to)
      const title = text.slice(end, next).trim()
      this.sink.definition(text.slice(at + 1, label - 1), text.slice(start, end), at + base, end + base, title)
      at = next
    }
  }
}

function sliceText(content: BlockText, from: number): BlockText {
  const { text, to, base } = content
  return from === content.from ? content : { text, from, to, base }
}

/** Whether nothing but spaces and tabs comes before the end of the line. */
function endsLine(body: string, at: number): boolean {
  const end = skipLineSpace(body, at, body.length)
  return end === body.length || isLineEnd(body.charCodeAt(end))
}

function countLineEnds(text: string, from: number, to: number): number {
  return from === to ? 0 : text.slice(from, to).split(/\r\n|[\r\n]/).length - 1
}
