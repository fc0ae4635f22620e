import {
  findDefinitionEnd,
  findDestination,
  findLabelEnd,
  getHtmlBlockEnd,
  isLineEnd,
  skipLineSpace,
} from './grammar.ts'
import { LineReader } from './line-reader.ts'

export interface HeadingBlock {
  readonly level: number
  readonly line: number
  /** The number of quotes and list items around it. */
  readonly depth: number
  /** The start of its first line. */
  readonly lineStart: number
  /** The offset after the marks of quotes and list items on that line. */
  readonly start: number
  /** The end of its last line, before the line end. */
  readonly end: number
  /** The offset after that line end. */
  readonly bodyStart: number
}

/**
 * The text of one block, from `from` to `to` in `text`. An offset into `text` plus `base` is the offset into the body.
 */
export interface BlockText {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly base: number
}

/** The receiver of the blocks of a body, in body order; a paragraph is reported when it ends. */
export interface BlockSink {
  /** Ends the pass early. */
  readonly done: boolean
  heading(block: HeadingBlock, content: BlockText): void
  /** Receives a paragraph or an HTML block. Wiki links and tags also work in an HTML block. */
  paragraph(content: BlockText): void
  code(start: number, end: number, fenced: boolean): void
  comment(start: number, end: number): void
  checkbox(mark: number, checked: boolean): void
  /** Receives a link definition; `start` and `end` are offsets into the body, of all of it but its title. */
  definition(label: string, destination: string, start: number, end: number): void
  /** Reports that quotes and list items deeper than `depth` have ended before the line that begins at `at`. */
  close(depth: number, at: number): void
}

type Leaf = 'none' | 'paragraph' | 'html' | 'raw' | 'fenced' | 'indented'

const [TAB, SPACE, HASH, STAR, MINUS] = [9, 32, 35, 42, 45]
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

  protected leaf: Leaf = 'none'
  private leafStart = 0
  private leafEnd = 0
  private leafLine = 0
  /** Pairs of offsets in the open text with a line end and quote marks between them. */
  private gaps: number[] = []
  private fenceMark = 0
  private fenceLength = 0
  /** The offset after the mark that ends a raw HTML block, or Infinity. */
  private rawEnd = 0
  private rawIsComment = false

  constructor(
    body: string,
    protected readonly sink: BlockSink,
  ) {
    super(body)
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
        return true
      case 'raw':
        this.leafEnd = this.eol
        if (this.rawEnd <= this.eol) this.closeLeaf()
        return true
      case 'indented':
        if (this.blank) return true
        if (this.indent < 4) return false
        this.leafEnd = this.eol
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

  private openHtml(depth: number): boolean {
    const kind = getHtmlBlockEnd(this.body, this.at, this.eol, this.leaf === 'paragraph')
    if (!kind) return false
    this.closeBeyond(depth)
    if (kind === 'blank') {
      this.openText('html')
      return true
    }
    this.openRange('raw')
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

  protected openRange(leaf: Leaf): void {
    this.leaf = leaf
    this.leafStart = this.at
    this.leafEnd = this.eol
    this.leafLine = this.line
  }

  /** Adds a part of this line to the open text, or begins a paragraph with it. */
  protected addText(from: number, to: number, depth: number): void {
    if (this.leaf !== 'paragraph' && this.leaf !== 'html') {
      this.closeBeyond(depth)
      this.openText('paragraph')
    } else if (this.quotes.length > 0) this.gaps.push(this.leafEnd, from)
    this.leafEnd = to
  }

  private openText(leaf: Leaf): void {
    this.openRange(leaf)
    this.gaps = []
  }

  private closeLeaf(): void {
    const { leaf } = this
    this.leaf = 'none'
    if (leaf === 'raw') this.closeRaw()
    else if (leaf === 'fenced' || leaf === 'indented') this.sink.code(this.leafStart, this.leafEnd, leaf === 'fenced')
    else if (leaf !== 'none') this.closeText(leaf === 'paragraph')
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
  private getLeafText(): BlockText {
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
    for (let at = content.from; at < to; at = findDefinitionEnd(content.text, at, content.to)) {
      const { text, base } = content
      const label = findLabelEnd(text, at, content.to)
      const [start, end] = findDestination(text, label + 1, content.to)
      this.sink.definition(text.slice(at + 1, label - 1), text.slice(start, end), at + base, end + base)
    }
  }
}

function sliceText(content: BlockText, from: number): BlockText {
  const { text, to, base } = content
  return from === content.from ? content : { text, from, to, base }
}

function countLineEnds(text: string, from: number, to: number): number {
  return from === to ? 0 : text.slice(from, to).split(/\r\n|[\r\n]/).length - 1
}
