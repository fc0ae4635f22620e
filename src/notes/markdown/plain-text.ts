import { getCharClass, SPACE } from '../../lib/text.ts'
import { readCallout, readEmbedSize } from './extensions.ts'
import { type EmphasisRun, isTableRule, pairEmphasis } from './grammar.ts'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import type { BlockSink, BlockText, HeadingBlock } from './line-reader.ts'

const NO_REFERENCES: ReadonlySet<string> = new Set()
const MARKUP = /[\\`*_~<&%[\]=$^]/
/** Text that needs no collapsing. The test is fast, and most headings pass it. */
const SINGLE_SPACED = /^[!-~]+(?: [!-~]+)*$/
const LINE_END = /\r\n|[\r\n]/
/** The name by which Obsidian links to a block; it ends its text. */
const BLOCK_ID = /(?:^|[ \t\r\n])\^([A-Za-z0-9-]{1,100})[ \t]*$/
/** Longer than any name of a block, by the space around it. */
const BLOCK_ID_UNITS = 120
/** The tags that separate words. */
const BREAKING_TAG = /^<\/?(?:br|p|div|t[dhr]|li|h[1-6])\b/i

/** Finds the name that ends the text of a block, with the space before it, which is not shown; -1 without one. */
export function findBlockId(text: string, from: number, to: number): number {
  const start = Math.max(from, to - BLOCK_ID_UNITS)
  const found = BLOCK_ID.exec(text.slice(start, to))
  // What is cut off may begin amid a word.
  return found && (found.index > 0 || start === from || /\s/.test(text.charAt(start))) ? start + found.index : -1
}

/** Removes the inline markup of one heading or paragraph; line ends stay. */
export function stripInlineMarkup(source: string, references: ReadonlySet<string> = NO_REFERENCES): string {
  if (!MARKUP.test(source)) return source
  const sink = new PlainSink(source, references)
  new InlineScanner(sink).scan(source, 0, source.length)
  return sink.result()
}

/** Replaces runs of white space and control characters by single spaces, and trims the text. */
export function collapseWhitespace(text: string): string {
  if (text.length < 200 && SINGLE_SPACED.test(text)) return text
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Collects the plain text of each block, in body order, up to a limit; line ends stay. */
export class PlainBlocks implements BlockSink {
  readonly texts: { heading: boolean; text: string }[] = []
  private length = 0
  private hasHeading = false

  /**
   * @param limit UTF-16 units of plain text, without the first heading. Of a longer block only a beginning of that
   * length is read.
   */
  constructor(
    private readonly body: string,
    private readonly references: ReadonlySet<string>,
    private readonly limit: number,
  ) {}

  get done(): boolean {
    return this.length >= this.limit
  }

  heading(_block: HeadingBlock, { text, from, to }: BlockText): void {
    this.add(true, stripInlineMarkup(text.slice(from, to), this.references), this.hasHeading)
    this.hasHeading = true
  }

  paragraph(block: BlockText): void {
    const { text, from, to, base } = block
    const isQuoted = text.startsWith('[!', from) && this.body.slice(base + from - 2, base + from).includes('>')
    const callout = isQuoted ? readCallout(block) : null
    if (!callout) {
      this.add(false, stripTable(this.takeBeginning(text, from, to)))
      return
    }
    const { title, rest } = callout
    if (typeof title === 'string') this.add(false, title)
    else this.paragraph(title)
    if (rest) this.paragraph(rest)
  }

  code(start: number, end: number, fenced: boolean): void {
    const lines = this.body.slice(start, Math.min(end, start + 4 * this.limit)).split(LINE_END)
    if (fenced) lines.shift()
    if (fenced && /^[ \t>]*(?:`{3,}|~{3,})[ \t]*$/.test(lines.at(-1) ?? '')) lines.pop()
    this.add(false, lines.map((line) => line.replace(/^[ \t>]+/, '')).join('\n'))
  }

  maths(start: number, end: number): void {
    this.add(false, this.body.slice(start, Math.min(end, start + 4 * this.limit)).replace(/^[ \t>]+/gm, ''))
  }

  comment(): void {}
  checkbox(): void {}
  definition(): void {}
  footnote(): void {}
  close(): void {}

  private add(heading: boolean, text: string, isCounted = true): void {
    this.texts.push({ heading, text })
    if (isCounted) this.length += collapseWhitespace(text).length
  }

  /**
   * Returns the plain text of the block's beginning, reading only as much source as the limit needs. A piece ends with
   * a whole word, so that no URL of an image is cut and taken for text.
   */
  private takeBeginning(text: string, from: number, to: number): string {
    for (let length = 8 * this.limit; from + length < to; length *= 4) {
      const plain = stripInlineMarkup(text.slice(from, findWordStart(text, from, from + length)), this.references)
      if (collapseWhitespace(plain).length >= this.limit) return plain
    }
    return stripInlineMarkup(text.slice(from, to), this.references)
  }
}

function findWordStart(text: string, from: number, at: number): number {
  while (at > from && !(getCharClass(text.charCodeAt(at - 1)) & SPACE)) at -= 1
  return at
}

/** Removes the delimiter row and the bars of a table; other text stays as it is. */
function stripTable(text: string): string {
  if (!text.includes('|')) return text
  const lines = text.split(LINE_END)
  if (!isTableRule(lines[1] ?? '')) return text
  return [lines[0], ...lines.slice(2)].join('\n').replaceAll('|', ' ')
}

/** Marks the parts of the source to remove or replace, and removes them all at the end, so they need no sorting. */
class PlainSink extends InlineSink {
  override readonly wants = 'plain'
  private readonly removed: Uint8Array
  private readonly values = new Map<number, string>()
  private readonly runs: EmphasisRun[] = []

  constructor(
    private readonly source: string,
    override readonly references: ReadonlySet<string>,
  ) {
    super()
    this.removed = new Uint8Array(source.length + 1)
  }

  result(): string {
    const { source, removed, values } = this
    pairEmphasis(this.runs, ({ start, from, to, end }) => {
      this.cut(start, from)
      this.cut(to, end)
    })
    const id = findBlockId(source, 0, source.length)
    if (id >= 0) this.cut(id, source.length)
    const parts: string[] = []
    for (let at = 0; at < source.length; ) {
      const cut = removed.indexOf(1, at)
      const start = cut < 0 ? source.length : cut
      if (start > at) parts.push(source.slice(at, start))
      for (at = start; removed[at] === 1; at += 1) {
        const value = values.size > 0 ? values.get(at) : undefined
        if (value !== undefined) parts.push(value)
      }
    }
    return parts.join('')
  }

  private cut(start: number, end: number, value = ''): void {
    this.removed.fill(1, start, end)
    if (value !== '') this.values.set(start, value)
  }

  override code(start: number, end: number, ticks: number): void {
    this.cut(start, start + ticks)
    this.cut(end - ticks, end)
  }

  override comment(start: number, end: number): void {
    this.cut(start, end)
  }

  override wikiLink(start: number, end: number, text: string): void {
    const [, open = '', alias = ''] = /^(!?\[\[)[^|]*\|?([\s\S]*)\]\]$/.exec(text.slice(start, end)) ?? []
    const isSize = open.startsWith('!') && readEmbedSize(alias.trim()) !== null
    this.cut(start, alias.trim() && !isSize ? end - 2 - alias.length : start + open.length)
    this.cut(isSize ? end - 3 - alias.length : end - 2, end)
  }

  override maths(start: number, end: number, text: string): void {
    const marks = text.charCodeAt(start + 1) === 36 ? 2 : 1
    this.cut(start, start + marks)
    this.cut(end - marks, end)
  }

  override footnote(start: number, end: number): void {
    this.cut(start, end)
  }

  override link(start: number, open: number, close: number, end: number): void {
    this.cut(start, open + 1)
    this.cut(close, end)
  }

  override html(start: number, end: number, text: string): void {
    this.cut(start, end, BREAKING_TAG.test(text.slice(start, start + 5)) ? ' ' : '')
  }

  override autolink(start: number, end: number): void {
    this.cut(start, start + 1)
    this.cut(end - 1, end)
  }

  override escape(at: number): void {
    this.cut(at, at + 1)
  }

  override emphasis(code: number, start: number, end: number, canOpen: boolean, canClose: boolean): void {
    this.runs.push({ code, start, end, canOpen, canClose, length: end - start })
  }

  override entity(start: number, end: number, value: string): void {
    this.cut(start, end, value)
  }
}

/**
 * Makes the ids of headings: `h-` and the letters, digits, `_` and `-` in lower case. Repeated ids are numbered from 1.
 */
export class HeadingIds {
  private readonly counts = new Map<string, number>()

  /** @param text the heading without its markup, see stripInlineMarkup */
  create(text: string): string {
    const words = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\s_-]+/gu, '')
    const slug = `h-${words.trim().replace(/\s+/g, '-')}`
    let id = slug
    for (let count = this.counts.get(slug) ?? 0; this.counts.has(id); count += 1) {
      this.counts.set(slug, count + 1)
      id = `${slug}-${count + 1}`
    }
    this.counts.set(id, this.counts.get(id) ?? 0)
    return id
  }
}
