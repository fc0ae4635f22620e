/** A heading as the block pass sees it. Offsets are UTF-16 into the body. */
export interface HeadingBlock {
  readonly level: number
  /** Of its first line, from 1. */
  readonly line: number
  /** Quotes and list items it stands in. */
  readonly depth: number
  readonly lineStart: number
  /** Behind the marks of quotes and list items on that line. */
  readonly start: number
  /** Of its last line, before the line end. */
  readonly end: number
  /** Behind that line end. */
  readonly bodyStart: number
}

/** Text of one block: an offset between `from` and `to` into `text`, plus `base`, is the offset into the body. */
export interface BlockText {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly base: number
}

/** What the block pass finds, in body order, save that a paragraph is told of when it ends. */
export interface BlockSink {
  /** Ends the pass early. */
  readonly done: boolean
  heading(block: HeadingBlock, content: BlockText): void
  /** A paragraph, or an HTML block, whose text is Markdown to wiki links and tags all the same. */
  paragraph(content: BlockText): void
  code(start: number, end: number, fenced: boolean): void
  comment(start: number, end: number): void
  checkbox(mark: number, checked: boolean): void
  definition(label: string): void
  /** Quotes and list items deeper than `depth` have ended before the line that begins at `at`. */
  close(depth: number, at: number): void
}
