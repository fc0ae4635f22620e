import { titleKey } from '../../lib/text.ts'
import type { LinkDefinition } from './document.ts'
import { findBareAddress, findMail } from './gfm.ts'
import {
  type EmphasisPair,
  type EmphasisRun,
  findDestination,
  pairEmphasis,
  STAR,
  TILDE,
  UNDERSCORE,
} from './grammar.ts'
import { InlineScanner, InlineSink } from './inline-scanner.ts'
import type { BlockText } from './line-reader.ts'
import { findBlockId } from './plain-text.ts'
import { readWikiLink, type WikiLink } from './scan-markdown.ts'

/** The text of one block as a tree: emphasis, links, code and all that the table of extensions adds. */

export type Inline =
  | string
  /** An entity by its name, as it is written. */
  | { readonly type: 'entity'; readonly written: string }
  | { readonly type: 'marked'; readonly name: MarkName; readonly inlines: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break'; readonly hard: boolean }
  | { readonly type: 'html'; readonly text: string }
  | ({ readonly type: 'link' | 'picture'; readonly inlines: readonly Inline[] } & LinkTo)
  | { readonly type: 'wikiLink'; readonly link: WikiLink }
  | { readonly type: 'tag'; readonly name: string }
  | { readonly type: 'maths'; readonly tex: string; readonly isBlock: boolean }
  | { readonly type: 'footnote'; readonly key: string }

type MarkName = 'strong' | 'em' | 'del' | 'mark'

/** Where a link leads; escapes are taken out, entities are as they are written. */
export interface LinkTo {
  readonly href: string
  readonly title: string
}

/** Levels of emphasis; deeper marks are shown as they are written. */
const MAX_DEPTH = 60

/** Reads the text of a block in linear time. */
export function readInlines(
  { text, from, to }: Pick<BlockText, 'text' | 'from' | 'to'>,
  references: ReadonlyMap<string, LinkDefinition>,
): readonly Inline[] {
  const id = findBlockId(text, from, to)
  const end = id < 0 ? to : id
  const sink = new TreeSink(text, references)
  new InlineScanner(sink).scan(text, from, end)
  return sink.take(from, end, 0)
}

/** A piece of the text, in the order of their starts. */
interface Piece {
  readonly start: number
  readonly end: number
  /** Null for what is not shown. */
  readonly inline: Inline | null
}

class TreeSink extends InlineSink {
  override readonly wants = 'whole'
  private pieces: Piece[] = []
  private runs: EmphasisRun[] = []

  constructor(
    private readonly text: string,
    override readonly references: ReadonlyMap<string, LinkDefinition>,
  ) {
    super()
  }

  /** Makes the tree of what was found from `from` to `to`, which are the last pieces. */
  take(from: number, to: number, depth: number): readonly Inline[] {
    const pieces = takeFrom(this.pieces, from)
    const pairs: EmphasisPair[] = []
    pairEmphasis(takeFrom(this.runs, from), (pair) => pairs.push(pair))
    pairs.sort((a, b) => a.start - b.start)
    return new Builder(this.text, pieces, pairs).build(from, to, depth)
  }

  private add(start: number, end: number, inline: Inline | null): void {
    this.pieces.push({ start, end, inline })
  }

  override code(start: number, end: number, ticks: number): void {
    const text = this.text.slice(start + ticks, end - ticks).replace(/\r\n|[\r\n]/g, ' ')
    const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== ''
    this.add(start, end, { type: 'code', text: isPadded ? text.slice(1, -1) : text })
  }

  override comment(start: number, end: number): void {
    this.add(start, end, null)
  }

  override wikiLink(start: number, end: number, text: string): void {
    this.add(start, end, { type: 'wikiLink', link: readWikiLink(text, start, end, 0) })
  }

  override tag(start: number, end: number, text: string): void {
    this.add(start, end, { type: 'tag', name: text.slice(start + 1, end) })
  }

  override link(start: number, open: number, close: number, end: number, text: string): void {
    const inlines = this.take(open + 1, close, 0)
    this.add(start, end, {
      type: start < open ? 'picture' : 'link',
      ...this.readTarget(open, close, end, text),
      inlines,
    })
  }

  private readTarget(open: number, close: number, end: number, text: string): LinkTo {
    if (text.charCodeAt(close + 1) === 40 && end > close + 1) {
      const [from, to] = findDestination(text, close + 2, end)
      return readTarget(text.slice(from, to), text.slice(to, end - 1).trim())
    }
    const label = end > close + 3 ? text.slice(close + 2, end - 1) : text.slice(open + 1, close)
    const { destination, title } = this.references.get(titleKey(label)) ?? { destination: '', title: '' }
    return readTarget(destination, title)
  }

  override html(start: number, end: number, text: string): void {
    this.add(start, end, { type: 'html', text: text.slice(start, end) })
  }

  override maths(start: number, end: number, text: string): void {
    const marks = text.charCodeAt(start + 1) === 36 ? 2 : 1
    const tex = text.slice(start + marks, end - marks).trim()
    this.add(start, end, { type: 'maths', tex, isBlock: marks === 2 })
  }

  override footnote(start: number, end: number, text: string): void {
    this.add(start, end, { type: 'footnote', key: titleKey(text.slice(start + 2, end - 1)) })
  }

  override autolink(start: number, end: number): void {
    this.addAddress(start, end, this.text.slice(start + 1, end - 1))
  }

  /** What was found in the address before, such as emphasis in the name of a mail box, is part of it. */
  override takeAddress(at: number, from: number, to: number): number {
    const isMail = this.text.charAt(at) === '@'
    const [start, end] = (isMail ? findMail : findBareAddress)(this.text, at, from, to) ?? [0, -1]
    if (end < 0) return -1
    takeFrom(this.pieces, start)
    takeFrom(this.runs, start)
    this.addAddress(start, end, this.text.slice(start, end))
    return end
  }

  private addAddress(start: number, end: number, written: string): void {
    const scheme = /^[a-z][a-z0-9+.-]*:/i.test(written) ? '' : written.startsWith('www.') ? 'http://' : 'mailto:'
    this.add(start, end, { type: 'link', href: scheme + written, title: '', inlines: [written] })
  }

  override escape(at: number): void {
    const next = this.text.charAt(at + 1)
    if (!/[\r\n]/.test(next)) this.add(at, at + 2, next)
    else this.add(at, this.text.startsWith('\r\n', at + 1) ? at + 3 : at + 2, { type: 'break', hard: true })
  }

  override emphasis(code: number, start: number, end: number, canOpen: boolean, canClose: boolean): void {
    this.runs.push({ code, start, end, canOpen, canClose, length: end - start })
  }

  override entity(start: number, end: number, value: string): void {
    this.add(start, end, this.text.startsWith('&nbsp;', start) ? '\u00a0' : value)
  }
}

/** Takes what begins at `from` or later off the end of a list. */
function takeFrom<Part extends { readonly start: number }>(parts: Part[], from: number): Part[] {
  let first = parts.length
  while ((parts[first - 1]?.start ?? -1) >= from) first -= 1
  return parts.splice(first)
}

const NAMED_ENTITY = /(&[a-zA-Z][a-zA-Z0-9]{1,31};)/

class Builder {
  private nextPiece = 0
  private nextPair = 0

  constructor(
    private readonly text: string,
    private readonly pieces: readonly Piece[],
    private readonly pairs: readonly EmphasisPair[],
  ) {}

  build(from: number, to: number, depth: number): Inline[] {
    const inlines: Inline[] = []
    for (let at = from; ; ) {
      const piece = this.pieces[this.nextPiece]
      const pair = this.pairs[this.nextPair]
      const [pieceAt, pairAt] = [piece?.start ?? to, pair?.start ?? to]
      const next = Math.min(pieceAt, pairAt, to)
      addText(inlines, this.text.slice(at, next))
      if (next >= to) return inlines
      if (pair && pairAt < pieceAt) {
        this.nextPair += 1
        at = this.addPair(inlines, pair, depth)
      } else if (piece) {
        this.nextPiece += 1
        if (piece.inline !== null) inlines.push(piece.inline)
        at = piece.end
        if (typeof piece.inline === 'object' && piece.inline?.type === 'break') at = skipSpace(this.text, at, to)
      }
    }
  }

  private addPair(inlines: Inline[], { code, start, from, to, end }: EmphasisPair, depth: number): number {
    if (depth >= MAX_DEPTH) {
      inlines.push(this.text.slice(start, from))
      for (const inline of this.build(from, to, depth)) inlines.push(inline)
      inlines.push(this.text.slice(to, end))
      return end
    }
    inlines.push({ type: 'marked', name: nameOf(code, from - start), inlines: this.build(from, to, depth + 1) })
    return end
  }
}

function nameOf(code: number, length: number): MarkName {
  if (code === TILDE) return 'del'
  if (code !== STAR && code !== UNDERSCORE) return 'mark'
  return length === 2 ? 'strong' : 'em'
}

function skipSpace(text: string, at: number, to: number): number {
  while (at < to && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at += 1
  return at
}

/** Adds plain text, with its line ends and entities. No space is left around a line end. */
function addText(inlines: Inline[], text: string): void {
  if (text === '') return
  const lines = text.split(/\r\n|[\r\n]/)
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? 0 : skipSpace(line, 0, line.length)
    const isLast = index === lines.length - 1
    let to = line.length
    while (!isLast && to > from && (line.charCodeAt(to - 1) === 32 || line.charCodeAt(to - 1) === 9)) to -= 1
    addLine(inlines, line.slice(from, to))
    if (!isLast) inlines.push({ type: 'break', hard: line.endsWith('  ') })
  }
}

function addLine(inlines: Inline[], line: string): void {
  if (!line.includes('&')) {
    if (line !== '') inlines.push(line)
    return
  }
  for (const [index, part] of line.split(NAMED_ENTITY).entries()) {
    if (part !== '') inlines.push(index % 2 === 0 ? part : { type: 'entity', written: part })
  }
}

/** Reads a destination with its `<…>`, and a title with its quotation marks. */
function readTarget(destination: string, title: string): LinkTo {
  const isBracketed = destination.startsWith('<')
  return {
    href: unescapeSigns(isBracketed ? destination.slice(1, -1) : destination),
    title: unescapeSigns(title.slice(1, -1)),
  }
}

/** Takes out the escapes of an address, a title or the name of a language; entities stay. */
export function unescapeSigns(written: string): string {
  return written.replace(/\\([!-/:-@[-`{-~])/g, (_, sign: string) => (sign === '&' ? '&amp;' : sign))
}

/** The text of a tree without its marks, as a picture's description has it. */
export function textOf(inlines: readonly Inline[]): string {
  return inlines.map((inline) => (typeof inline === 'string' ? inline : textOfOne(inline))).join('')
}

function textOfOne(inline: Exclude<Inline, string>): string {
  switch (inline.type) {
    case 'entity':
      return inline.written
    case 'code':
      return inline.text
    case 'marked':
    case 'link':
    case 'picture':
      return textOf(inline.inlines)
    case 'break':
      return '\n'
    case 'wikiLink':
      return labelOf(inline.link)
    case 'tag':
      return `#${inline.name}`
    case 'maths':
      return inline.tex
    case 'html':
    case 'footnote':
      return ''
  }
}

/** What a link to a note shows. */
export function labelOf({ alias, target, heading }: WikiLink): string {
  return alias ?? (heading === null ? target : `${target}#${heading}`)
}
