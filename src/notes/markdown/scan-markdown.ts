import { runInTurns, yieldTurn } from '../../lib/steps.ts'
import { countWords, cutCodePoints, stripByteOrderMark, titleKey } from '../../lib/text.ts'
import { findDestination } from './grammar.ts'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import type { BlockSink, BlockText, HeadingBlock } from './line-reader.ts'
import { collapseWhitespace, PlainBlocks, stripInlineMarkup } from './plain-text.ts'
import { scanBlocks, scanBlocksInSteps } from './scan-blocks.ts'

/** A half-open range of the body. All offsets are UTF-16; toCodePoints in lib/text.ts converts them. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A heading; `start` is after the marks of quotes and list items, `end` before its line end. */
export interface Heading extends Span {
  readonly level: number
  /** Plain text on one line; may be empty. */
  readonly text: string
  /** The number of its first line, from 1. */
  readonly line: number
  /** Whether it is in a quote or list item. Its section ends with that, and it ends no section outside of it. */
  readonly nested: boolean
  /** The start of the line after the heading. */
  readonly bodyStart: number
  /** The start of the line of the next heading of any level, not counting nested headings. */
  readonly ownEnd: number
  /** The start of the line of the next heading of the same or a higher level. */
  readonly sectionEnd: number
}

export interface CodeRange extends Span {
  readonly kind: 'span' | 'fenced' | 'indented'
}

/** A wiki link `[[target#heading|alias]]`, or an embed with `!` before it. */
export interface WikiLink extends Span {
  /** The target as written, trimmed; empty for a heading of the note itself. It may be `note:ID`. */
  readonly target: string
  readonly heading: string | null
  readonly alias: string | null
  readonly embed: boolean
  /** The position of the target, for code that replaces it. */
  readonly targetStart: number
  readonly targetEnd: number
}

/** A Markdown link `[text](destination)`, an image, or a link definition `[label]: destination`. */
export interface MarkdownLink extends Span {
  /** The destination as written; angle brackets are included. */
  readonly destination: string
  /** The position of the destination. */
  readonly from: number
  /** The text between the brackets; null for a definition. */
  readonly text: string | null
  readonly image: boolean
}

/** A tag `#name`; `start` is the offset of `#`. */
export interface InlineTag extends Span {
  readonly name: string
}

export interface Checkbox {
  /** The offset of the blank or `x` between the brackets. */
  readonly mark: number
  readonly checked: boolean
}

/** The structure of a body. Each list is in body order; code, comments, links and tags never overlap. */
export interface MarkdownStructure {
  readonly headings: readonly Heading[]
  readonly code: readonly CodeRange[]
  /** HTML comments, and Obsidian's `%%…%%`. */
  readonly comments: readonly Span[]
  readonly links: readonly WikiLink[]
  /** Markdown links with a destination. Wiki links and others of these may stand in the text of one. */
  readonly markdownLinks: readonly MarkdownLink[]
  readonly tags: readonly InlineTag[]
  readonly checkboxes: readonly Checkbox[]
  /** The labels of link definitions, folded by titleKey. */
  readonly references: ReadonlySet<string>
}

/** Returns the structure of a Markdown body. It takes one pass, and linear time whatever the body contains. */
export function scanMarkdown(body: string): MarkdownStructure {
  return getCached(body) ?? cache(body, scanWhole(body))
}

/** UTF-16 units of a body that are scanned in one turn of the event loop, which takes a few milliseconds. */
const UNITS_PER_TURN = 32 * 1024

/**
 * Scans a body in turns, so that other requests run in between, and caches the result. A scanMarkdown call in the turn
 * in which this ends hits the cache; a later one does unless another body has replaced this one.
 */
export async function scanInTurns(body: string): Promise<void> {
  if (getCached(body)) return
  const sink = new StructureSink()
  await runInTurns(scanBlocksInSteps(body, sink, UNITS_PER_TURN))
  cache(body, sink.finish(body.length))
}

/** Returns only the headings. It takes a tenth of the time, since it scans no other text for inline elements. */
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

/** A body of more UTF-16 units is large. */
const MAX_SMALL_BODY_UNITS = 64 * 1024

function isLarge(body: string): boolean {
  return body.length > MAX_SMALL_BODY_UNITS
}

/** Yields to other requests if the text is large: each pass over it takes milliseconds. Call it between passes. */
export async function yieldIfLarge(text: string): Promise<void> {
  if (isLarge(text)) await yieldTurn()
}

/**
 * Scans a large body in turns and caches the result for scanMarkdown. Call it before anything that needs the structure
 * of the body, and outside of a transaction, since it lets other requests run.
 */
export async function warmScanCache(body: string | undefined): Promise<void> {
  if (body !== undefined && isLarge(body)) await scanInTurns(stripByteOrderMark(body))
}

/**
 * The last scanned body of each size class, with its structure: all hooks of a note's write need the structure of the
 * same body. Other requests run while a large body is scanned in turns, and their small bodies must not evict it.
 */
const lastScanned: Record<'small' | 'large', { readonly body: string; readonly structure: MarkdownStructure } | null> =
  {
    small: null,
    large: null,
  }

const getSizeClass = (body: string) => (isLarge(body) ? 'large' : 'small')

function getCached(body: string): MarkdownStructure | null {
  const entry = lastScanned[getSizeClass(body)]
  return entry?.body === body ? entry.structure : null
}

function cache(body: string, structure: MarkdownStructure): MarkdownStructure {
  lastScanned[getSizeClass(body)] = { body, structure }
  return structure
}

const OPEN_PARENTHESIS = 40

type OpenHeading = { -readonly [Key in keyof Heading]: Heading[Key] }

class StructureSink implements BlockSink {
  readonly done = false
  private readonly spans = new SpanSink()
  private readonly scanner = new InlineScanner(this.spans)
  private readonly headings: OpenHeading[] = []
  private readonly sources: string[] = []
  /** The headings whose sections are still open, outermost first, and the depth of each. */
  private readonly open: { heading: OpenHeading; depth: number }[] = []
  private readonly checkboxes: Checkbox[] = []
  private readonly references = new Set<string>()

  finish(length: number): MarkdownStructure {
    this.endSections(-1, 0, length)
    for (const [index, heading] of this.headings.entries()) {
      heading.text = collapseWhitespace(stripInlineMarkup(this.sources[index] ?? '', this.references))
    }
    const { headings, checkboxes, references } = this
    const { ranges: code, comments, links, markdownLinks, tags } = this.spans
    comments.sort((a, b) => a.start - b.start)
    markdownLinks.sort((a, b) => a.start - b.start)
    return { headings, code, comments, links, markdownLinks, tags, checkboxes, references }
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

  maths(): void {}

  /** Other states than the two of GFM are shown, and count as no checkbox. */
  checkbox(mark: number, state: string): void {
    if (/[ x]/i.test(state)) this.checkboxes.push({ mark, checked: state !== ' ' })
  }

  footnote(label: string): void {
    this.references.add(`^${titleKey(label)}`)
  }

  definition(label: string, destination: string, start: number, end: number): void {
    this.references.add(titleKey(label))
    const from = end - destination.length
    this.spans.markdownLinks.push({ start, end, destination, from, text: null, image: false })
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
  /** The offset in the body of the text being scanned. */
  base = 0
  readonly ranges: CodeRange[] = []
  readonly comments: Span[] = []
  readonly links: WikiLink[] = []
  readonly markdownLinks: MarkdownLink[] = []
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

  /** Keeps a link with a destination. Removes the tags in its text: they are not tags. */
  override link(start: number, open: number, close: number, end: number, text: string): void {
    while ((this.tags.at(-1)?.start ?? -1) > start + this.base) this.tags.pop()
    if (text.charCodeAt(close + 1) !== OPEN_PARENTHESIS || end === close + 1) return
    const [from, to] = findDestination(text, close + 2, end)
    this.markdownLinks.push({
      start: start + this.base,
      end: end + this.base,
      destination: text.slice(from, to),
      from: from + this.base,
      text: text.slice(open + 1, close),
      image: start < open,
    })
  }
}

/** Reads the link to a note from `start` to `end` of a text; `base` is the offset of the text in the body. */
export function readWikiLink(text: string, start: number, end: number, base: number): WikiLink {
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

/** Limit of a derived title and of an excerpt, in code points. */
const MAX_DERIVED_CHARS = 200
const MAX_INLINE_TAGS = 1000

export interface DerivedMembers {
  readonly title: string
  readonly excerpt: string
  readonly word_count: number
  /** Distinct without regard to case, each in its first spelling and in NFC; at most 1,000. */
  readonly inline_tags: readonly string[]
  readonly checklist: { readonly total: number; readonly done: number }
}

/**
 * Derives members of a note from its body. A given title is kept. A null title becomes the first level-1 heading, else
 * the first line that has text, else `Untitled`. Pass the structure if the body has been scanned already.
 */
export function deriveMembers(body: string, title: string | null, structure = scanMarkdown(body)): DerivedMembers {
  // A code point is at most two UTF-16 units, and the excerpt may leave out the first heading.
  const beginning = new PlainBlocks(body, structure.references, 2 * MAX_DERIVED_CHARS)
  scanBlocks(body, beginning)
  const finalTitle = title ?? deriveTitle(structure, beginning)
  return {
    title: finalTitle,
    excerpt: deriveExcerpt(finalTitle, beginning),
    word_count: countWords(body),
    inline_tags: listDistinct(structure.tags.map(({ name }) => name.normalize('NFC'))),
    checklist: {
      total: structure.checkboxes.length,
      done: structure.checkboxes.filter(({ checked }) => checked).length,
    },
  }
}

function deriveTitle({ headings }: MarkdownStructure, { texts }: PlainBlocks): string {
  const heading = headings.find(({ level, text }) => level === 1 && text !== '')
  return shorten(heading?.text ?? findFirstLine(texts)) || 'Untitled'
}

function findFirstLine(texts: PlainBlocks['texts']): string {
  for (const { text } of texts) {
    const line = text.split(/[\r\n]/).find((candidate) => collapseWhitespace(candidate) !== '')
    if (line !== undefined) return collapseWhitespace(line)
  }
  return ''
}

function deriveExcerpt(title: string, { texts }: PlainBlocks): string {
  const first = texts.findIndex(({ heading }) => heading)
  const repeats = titleKey(shorten(collapseWhitespace(texts[first]?.text ?? ''))) === titleKey(title)
  const kept = texts.filter((_, index) => index !== first || !repeats)
  return shorten(collapseWhitespace(kept.map(({ text }) => text).join('\n')))
}

function shorten(text: string): string {
  return cutCodePoints(text, MAX_DERIVED_CHARS).trimEnd()
}

/** Lists the first distinct names, compared by titleKey. */
function listDistinct(names: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const spelling of new Set(names)) {
    const key = titleKey(spelling)
    if (!seen.has(key)) seen.set(key, spelling)
    if (seen.size >= MAX_INLINE_TAGS) break
  }
  return [...seen.values()]
}
