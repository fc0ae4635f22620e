import { UnreadableItem } from '../unreadable-item'

/**
 * Builds Markdown block by block, in time linear to what it writes: the formatted text of other programs, as Markdown.
 */

/** Quotes and list items deeper than this are written at this depth: each adds to the head of every line. */
const MAX_CONTAINERS = 32
/** Emphasis and links within each other beyond this many are plain text: each is looked at again with every block. */
const MAX_SPANS = 16
/** Twice the longest body: what is longer is refused later with the reason, and not built any further here. */
const MAX_UNITS = 2 * 1024 * 1024

/** A quote or list item. `first` goes before its first line once, `rest` before all others. */
interface Container {
  first: string | null
  readonly rest: string
}

/** Emphasis, code or a link that is open; `wrap` makes Markdown of its text. */
interface Span {
  readonly wrap: (text: string) => string
  text: string
}

export class MarkdownWriter {
  private readonly parts: string[] = []
  private length = 0
  private lastWasItem = false
  private readonly containers: Container[] = []
  /** Open spans beyond MAX_SPANS. */
  private plainSpans = 0
  private readonly spans: Span[] = [{ wrap: (text) => text, text: '' }]

  /** Opens a quote or list item, in the place of nothing: text before it is ended. */
  openContainer(first: string, rest: string): void {
    this.endBlock()
    this.containers.push({ first, rest })
  }

  /** Adds a box to the item that begins here; false if none does. */
  addCheckbox(box: string): boolean {
    const item = this.containers.at(-1)
    if (!item || item.first === null || item.rest.startsWith('>')) return false
    item.first += box
    return true
  }

  closeContainer(): void {
    this.endBlock()
    this.containers.pop()
  }

  openSpan(wrap: (text: string) => string): void {
    if (this.spans.length > MAX_SPANS) this.plainSpans++
    else this.spans.push({ wrap, text: '' })
  }

  closeSpan(): void {
    const span = this.plainSpans > 0 || this.spans.length === 1 ? undefined : this.spans.pop()
    if (span) this.add(this.wrapSpan(span))
    else this.plainSpans--
  }

  /** Adds Markdown to the present block. */
  add(markdown: string): void {
    const span = this.spans.at(-1)
    if (span) span.text += markdown
  }

  /** The text of the present block, which is then empty. Open spans go on in the next block. */
  takeText(): string {
    let text = ''
    for (const span of this.spans.toReversed()) {
      span.text += text
      text = this.wrapSpan(span)
      span.text = ''
    }
    return text.replace(/^[ \n]+|[ \n]+$/g, '')
  }

  /** Writes the present block, if it holds anything, as a paragraph or with `prefix` as a heading. */
  endBlock(prefix = ''): void {
    const text = this.takeText()
    if (text !== '') this.writeBlock(prefix === '' ? text : prefix + text.replace(/ *\n/g, ' '))
  }

  /** Writes a block as it is, line by line behind the marks of the quotes and list items around it. */
  writeBlock(text: string): void {
    const containers = this.containers.slice(0, MAX_CONTAINERS)
    const isItem = containers.some(({ first, rest }) => first !== null && !rest.startsWith('>'))
    const rest = containers.map((container) => container.rest).join('')
    const blank = containers
      .map((container) => (container.first === null ? container.rest : ''))
      .join('')
      .trimEnd()
    if (this.parts.length > 0) this.push(isItem && this.lastWasItem ? '\n' : `\n${blank}\n`)
    this.push(containers.map(({ first, rest }) => first ?? rest).join(''))
    this.push(
      text.replace(/\n(?=(.?))/g, (_, next: string) => `\n${next === '' || next === '\n' ? rest.trimEnd() : rest}`),
    )
    for (const container of this.containers) container.first = null
    this.lastWasItem = containers.length > 0 && !containers.at(-1)?.rest.startsWith('>')
  }

  finish(): string {
    this.endBlock()
    return this.parts.length === 0 ? '' : `${this.parts.join('')}\n`
  }

  private push(part: string): void {
    this.length += part.length
    if (this.length > MAX_UNITS) throw new UnreadableItem('too_long', 'The note is longer than a note can be.')
    this.parts.push(part)
  }

  /** White space at the edges stays outside: `** a**` is no emphasis. */
  private wrapSpan({ wrap, text }: Span): string {
    const trimmed = text.trim()
    if (trimmed === '') return text
    const at = text.indexOf(trimmed)
    return text.slice(0, at) + wrap(trimmed) + text.slice(at + trimmed.length)
  }
}

/** Plain text as Markdown that shows it: whatever would be markup is escaped. `atStart`: a block begins with it. */
export function escapeMarkdown(text: string, atStart: boolean): string {
  const escaped = text.replace(/[\\`*[\]<]|~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, '\\$&')
  if (!atStart) return escaped
  return escaped
    .replace(/^(\s*)(#{1,6}(?=\s|$)|>|[-+=](?=[\s=-]|$)|---)/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** Code as a fenced block, whatever backticks it holds. */
export function fenceCode(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code.replace(/\n$/, '')}\n${fence}`
}

/** Code within a line. */
export function writeCodeSpan(code: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return longest > 0 ? `${mark} ${code} ${mark}` : mark + code + mark
}
