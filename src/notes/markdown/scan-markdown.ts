import { titleKey } from '../../lib/text.ts'
import { scanBlocks, scanBlocksInTurns } from './scan-blocks.ts'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import type { BlockSink, BlockText, HeadingBlock } from './leaf-reader.ts'
import { collapseWhitespace, stripInlineMarkup } from './plain-text.ts'

/** A half-open stretch of the body. All offsets are UTF-16; code-points.ts converts them. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Heading extends Span {
  readonly level: number
  /** Plain text on one line; may be empty. */
  readonly text: string
  /** Number of its first line, from 1. */
  readonly line: number
  /** Stands in a quote or list item; its section ends with that, and it ends no section outside of it. */
  readonly nested: boolean
  /** Start of the line behind the heading; `end` is before the line end, `start` behind quote and list marks. */
  readonly bodyStart: number
  /** Start of the line of the next heading of any level, nested ones apart. */
  readonly ownEnd: number
  /** Start of the line of the next heading of the same or a higher level. */
  readonly sectionEnd: number
}

export interface CodeRange extends Span {
  readonly kind: 'span' | 'fenced' | 'indented'
}

/** `[[target#heading|alias]]`, with `!` ahead when it is an embed. */
export interface WikiLink extends Span {
  /** As written, trimmed; empty for a heading of the note itself. `note:ID` is a target like any other. */
  readonly target: string
  readonly heading: string | null
  readonly alias: string | null
  readonly embed: boolean
  /** Where the target is, for code that replaces it. */
  readonly targetStart: number
  readonly targetEnd: number
}

/** `#name`, `start` being the `#`. */
export interface InlineTag extends Span {
  readonly name: string
}

export interface Checkbox {
  /** Offset of the blank or `x` between the brackets. */
  readonly mark: number
  readonly checked: boolean
}

/** What a body is made of; each list in body order. Code, comments, links and tags never overlap. */
export interface MarkdownStructure {
  readonly headings: readonly Heading[]
  readonly code: readonly CodeRange[]
  /** HTML's and Obsidian's `%%…%%`. */
  readonly comments: readonly Span[]
  readonly links: readonly WikiLink[]
  readonly tags: readonly InlineTag[]
  readonly checkboxes: readonly Checkbox[]
  /** Labels of link definitions, as titleKey makes them. */
  readonly references: ReadonlySet<string>
}

/** The structure of a Markdown body, in one pass whose time is linear in the body's length, whatever it holds. */
export function scanMarkdown(body: string): MarkdownStructure {
  return getCached(body) ?? cache(body, scanWhole(body))
}

/** UTF-16 units of a body that are scanned in one turn: some milliseconds. */
const UNITS_PER_TURN = 32 * 1024

/** Scans a body in turns, others in between; who calls scanMarkdown in the same turn as this ends has it at once. */
export async function scanInTurns(body: string): Promise<void> {
  if (getCached(body)) return
  const sink = new StructureSink()
  await scanBlocksInTurns(body, sink, UNITS_PER_TURN)
  cache(body, sink.finish(body.length))
}

/** Only the headings: a tenth of the work, since no text but theirs is looked into. */
export function scanHeadings(body: string): readonly Heading[] {
  const structure = getCached(body)
  if (structure) return structure.headings
  const sink = new HeadingSink()
  scanBlocks(body, sink)
  return sink.finish(body.length).headings
}

function scanWhole(body: string): MarkdownStructure {
  const sink = new StructureSink()
  scanBlocks(body, sink)
  return sink.finish(body.length)
}

/** UTF-16 units up to which a body is small. */
const MAX_SMALL_BODY_UNITS = 64 * 1024

/**
 * What was scanned last: all who follow the write of a note ask for the structure of the same body. A large one has turns
 * of others between, whose small bodies must not take its place.
 */
const lastScanned: Record<'small' | 'large', { readonly body: string; readonly structure: MarkdownStructure } | null> =
  {
    small: null,
    large: null,
  }

const getSizeClass = (body: string) => (body.length > MAX_SMALL_BODY_UNITS ? 'large' : 'small')

function getCached(body: string): MarkdownStructure | null {
  const one = lastScanned[getSizeClass(body)]
  return one?.body === body ? one.structure : null
}

function cache(body: string, structure: MarkdownStructure): MarkdownStructure {
  lastScanned[getSizeClass(body)] = { body, structure }
  return structure
}

type OpenHeading = { -readonly [Key in keyof Heading]: Heading[Key] }

class StructureSink implements BlockSink {
  readonly done = false
  private readonly spans = new SpanSink()
  private readonly scanner = new InlineScanner(this.spans)
  private readonly headings: OpenHeading[] = []
  private readonly sources: string[] = []
  /** Headings whose section goes on, outermost first, and the depth of each. */
  private readonly open: { heading: OpenHeading; depth: number }[] = []
  private readonly checkboxes: Checkbox[] = []
  private readonly references = new Set<string>()

  finish(length: number): MarkdownStructure {
    this.endSections(-1, 0, length)
    for (const [index, heading] of this.headings.entries()) {
      heading.text = collapseWhitespace(stripInlineMarkup(this.sources[index] ?? '', this.references))
    }
    const { headings, checkboxes, references } = this
    const { ranges: code, comments, links, tags } = this.spans
    comments.sort((a, b) => a.start - b.start)
    return { headings, code, comments, links, tags, checkboxes, references }
  }

  heading(block: HeadingBlock, content: BlockText): void {
    const { level, line, depth, start, end, bodyStart, lineStart } = block
    this.endSections(depth, level, lineStart)
    const parent = this.open.at(-1)
    if (parent?.depth === depth && parent.heading.ownEnd < 0) parent.heading.ownEnd = lineStart
    const nested = depth > 0
    const heading = { level, text: '', line, nested, start, end, bodyStart, ownEnd: -1, sectionEnd: -1 }
    this.headings.push(heading)
    this.sources.push(content.text.slice(content.from, content.to))
    this.open.push({ heading, depth })
    this.paragraph(content)
  }

  paragraph({ text, from, to, base }: BlockText): void {
    this.spans.base = base
    this.scanner.scan(text, from, to)
  }

  code(start: number, end: number, fenced: boolean): void {
    this.spans.ranges.push({ start, end, kind: fenced ? 'fenced' : 'indented' })
  }

  comment(start: number, end: number): void {
    this.spans.comments.push({ start, end })
  }

  checkbox(mark: number, checked: boolean): void {
    this.checkboxes.push({ mark, checked })
  }

  definition(label: string): void {
    this.references.add(titleKey(label))
  }

  close(depth: number, at: number): void {
    this.endSections(depth, 7, at)
  }

  /** Ends the sections of headings deeper than `depth`, and at `depth` those of `level` and below, at `at`. */
  private endSections(depth: number, level: number, at: number): void {
    for (let last = this.open.at(-1); last; last = this.open.at(-1)) {
      if (last.depth < depth || (last.depth === depth && last.heading.level < level)) return
      last.heading.sectionEnd = at
      if (last.heading.ownEnd < 0) last.heading.ownEnd = at
      this.open.pop()
    }
  }
}

class HeadingSink extends StructureSink {
  override paragraph(): void {}
}

class SpanSink extends InlineSink {
  /** Where the text being scanned begins in the body. */
  base = 0
  readonly ranges: CodeRange[] = []
  readonly comments: Span[] = []
  readonly links: WikiLink[] = []
  readonly tags: InlineTag[] = []

  override code(start: number, end: number): void {
    this.ranges.push({ start: start + this.base, end: end + this.base, kind: 'span' })
  }

  override comment(start: number, end: number): void {
    this.comments.push({ start: start + this.base, end: end + this.base })
  }

  override wikiLink(start: number, end: number, text: string): void {
    this.links.push(readWikiLink(text, start, end, this.base))
  }

  override tag(start: number, end: number, text: string): void {
    this.tags.push({ start: start + this.base, end: end + this.base, name: text.slice(start + 1, end) })
  }

  /** A tag in a link's text is none. */
  override link(start: number): void {
    while ((this.tags.at(-1)?.start ?? -1) > start + this.base) this.tags.pop()
  }
}

function readWikiLink(text: string, start: number, end: number, base: number): WikiLink {
  const embed = text.charCodeAt(start) === 33
  const from = start + (embed ? 3 : 2)
  const inner = text.slice(from, end - 2)
  const pipe = inner.indexOf('|')
  // In a table the bar is written `\|`.
  const name = pipe < 0 ? inner : inner.slice(0, inner.charAt(pipe - 1) === '\\' ? pipe - 1 : pipe)
  const hash = name.indexOf('#')
  const raw = hash < 0 ? name : name.slice(0, hash)
  const target = raw.trim()
  const targetStart = from + base + raw.length - raw.trimStart().length
  return {
    start: start + base,
    end: end + base,
    target,
    heading: hash < 0 ? null : name.slice(hash + 1).trim() || null,
    alias: pipe < 0 ? null : inner.slice(pipe + 1).trim() || null,
    embed,
    targetStart,
    targetEnd: targetStart + target.length,
  }
}
