const [TAB, LF, SPACE, STAR, MINUS, UNDERSCORE] = [9, 10, 32, 42, 45, 95]

/**
 * Reads a body line by line. Only LF, CR and CRLF end a line; a byte-order mark belongs to no line. Columns count as in
 * CommonMark: a tab advances to the next multiple of 4, so `col` may be inside a tab.
 */
export class LineReader {
  protected pos = 0
  protected eol = 0
  /** The offset after the line end. */
  protected next: number
  /** The number of the line, from 1. */
  protected line = 0
  /** The column up to which the line is consumed. */
  protected col = 0
  /** The offset of the next character that is not white space, and its column. */
  protected at = 0
  protected atCol = 0
  private nextLf = -1
  private nextCr = -1
  private readonly found = new Map<string | RegExp, number>()
  /** The line whose tail was checked for a thematic break, the mark there, and the range where a break may begin. */
  private tailLine = 0
  private tailMark = 0
  private tailFrom = 0
  private tailLast = 0

  constructor(protected readonly body: string) {
    this.next = body.charCodeAt(0) === 0xfeff ? 1 : 0
  }

  protected readLine(): boolean {
    const { body, next } = this
    if (next >= body.length) return false
    if (this.nextLf < next) this.nextLf = findOffset(body, '\n', next)
    if (this.nextCr < next) this.nextCr = findOffset(body, '\r', next)
    this.pos = next
    this.eol = Math.min(this.nextLf, this.nextCr, body.length)
    this.next = this.eol + (this.nextCr + 1 === this.nextLf && this.nextCr === this.eol ? 2 : 1)
    if (this.next > body.length) this.next = body.length
    this.line += 1
    this.col = 0
    this.skipSpace(next, 0)
    return true
  }

  /** Sets `at` after the spaces and tabs from `from`, which is at column `col`. */
  protected skipSpace(from: number, col: number): void {
    const { body, eol } = this
    for (; from < eol; from += 1) {
      const code = body.charCodeAt(from)
      if (code === SPACE) col += 1
      else if (code === TAB) col += 4 - (col & 3)
      else break
    }
    this.at = from
    this.atCol = col
  }

  protected get blank(): boolean {
    return this.at === this.eol
  }

  protected get indent(): number {
    return this.atCol - this.col
  }

  /** Returns the code of the character at `at`, or of a line end if the line ends before. */
  protected codeAt(at: number): number {
    return at < this.eol ? this.body.charCodeAt(at) : LF
  }

  protected isSpaceOrEnd(at: number): boolean {
    const code = this.codeAt(at)
    return code === SPACE || code === TAB || code === LF
  }

  protected findRunEnd(code: number, at: number): number {
    while (at < this.eol && this.body.charCodeAt(at) === code) at += 1
    return at
  }

  protected isRestBlank(at: number): boolean {
    while (at < this.eol && this.isSpaceOrEnd(at)) at += 1
    return at >= this.eol
  }

  /**
   * Finds `needle` (text, or a global expression) at or after `from`; Infinity if there is none. Since `from` only
   * grows, the result is cached until it is passed: a body full of openings without ends is searched only once.
   */
  protected find(needle: string | RegExp, from: number): number {
    const cached = this.found.get(needle)
    if (cached !== undefined && cached >= from) return cached
    const at = findOffset(this.body, needle, from)
    this.found.set(needle, at)
    return at
  }

  /**
   * Whether the rest of the line is a thematic break. The tail is read once for each line: `- - - … x` calls this
   * often.
   */
  protected isThematicBreak(): boolean {
    if (this.tailLine !== this.line) this.readTail()
    const { at } = this
    return this.body.charCodeAt(at) === this.tailMark && at >= this.tailFrom && at <= this.tailLast
  }

  private readTail(): void {
    const { body } = this
    this.tailLine = this.line
    this.tailMark = 0
    this.tailLast = -1
    let marks = 0
    let from = this.eol
    for (; from > this.pos; from -= 1) {
      const code = body.charCodeAt(from - 1)
      if (code === SPACE || code === TAB) continue
      if (marks === 0) this.tailMark = code
      if (code !== this.tailMark) break
      marks += 1
      if (marks === 3) this.tailLast = from - 1
    }
    this.tailFrom = from
    if (![STAR, MINUS, UNDERSCORE].includes(this.tailMark)) this.tailLast = -1
  }
}

function findOffset(text: string, needle: string | RegExp, from: number): number {
  if (typeof needle !== 'string') {
    needle.lastIndex = from
    return needle.exec(text)?.index ?? Number.POSITIVE_INFINITY
  }
  const at = text.indexOf(needle, from)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

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
  /** Receives maths that is a block, without its dollars. */
  maths(start: number, end: number): void
  /** Receives the state of a task: a blank, `x`, or a sign of Obsidian such as `/` and `-`. */
  checkbox(mark: number, state: string): void
  /**
   * Receives a link definition; `start` and `end` are offsets into the body, of all of it but its title, which is as it is
   * written.
   */
  definition(label: string, destination: string, start: number, end: number, title: string): void
  /** Receives the label of a footnote, whose text follows. */
  footnote(label: string): void
  /** Reports that quotes and list items deeper than `depth` have ended before the line that begins at `at`. */
  close(depth: number, at: number): void
}
