/** What the readers of blocks report; offsets are UTF-16. */

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

/** A quote, the item of a list, or a footnote. */
export type Container =
  | { readonly kind: 'quote' }
  /** `mark` is the bullet, or what follows the number. */
  | { readonly kind: 'item'; readonly mark: string; readonly start: number | null }
  | { readonly kind: 'footnote'; readonly label: string }

/** A block whose lines are no Markdown. */
export interface LiteralBlock {
  readonly kind: 'code' | 'html' | 'maths'
  readonly text: string
  /** Behind the fence of code. */
  readonly info: string
}

/** What the reader of a whole document needs beside the blocks of BlockSink. */
export interface DocumentSink {
  /** Tells that a block begins in the innermost container; `afterBlank`: behind a blank line. */
  begin(afterBlank: boolean): void
  open(container: Container, afterBlank: boolean): void
  literal(block: LiteralBlock): void
  rule(): void
}

/** The receiver of the blocks of a body, in body order; a paragraph is reported when it ends. */
export interface BlockSink {
  /** Set where all of the document is wanted: HTML blocks and maths are reported there alone. */
  readonly document?: DocumentSink
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
