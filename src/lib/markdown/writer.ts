import { UnreadableItem } from '../file-fault'

/** Quotes and list items deeper than this are written at this depth, since each lengthens the prefix of every line. */
const MAX_CONTAINERS = 32
/** Nested emphasis and links; further ones are plain text, since open spans are closed and reopened at every block. */
const MAX_SPANS = 16
/** UTF-16 units: twice the longest body. A text between the two is refused later, with the reason. */
const MAX_UNITS = 2 * 1024 * 1024

/** A quote or list item. `first` is the prefix of its first line, `rest` that of all others. */
interface Container {
  first: string | null
  readonly rest: string
}

/** Open emphasis, code or link; `wrap` converts its text to Markdown. */
interface Span {
  readonly wrap: (text: string) => string
  text: string
}

/** Block by block and in linear time. */
export class MarkdownWriter {
  private readonly parts: string[] = []
  private length = 0
  private lastWasItem = false
  /** Grows with each block and each quote or item that is opened. */
  protected position = 0
  private readonly containers: Container[] = []
  /** Open spans beyond MAX_SPANS. */
  private plainSpans = 0
  private readonly spans: Span[] = [{ wrap: (text) => text, text: '' }]

  /** Ends the present block and opens a quote or list item. */
  openContainer(first: string, rest: string): void {
    this.endBlock()
    this.containers.push({ first, rest })
    this.position++
  }

  /** Ends the present block and continues an item that was closed. */
  continueContainer(rest: string): void {
    this.endBlock()
    this.containers.push({ first: null, rest })
  }

  /** Adds a checkbox to the list item that begins here; false if none does. */
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

  add(markdown: string): void {
    const span = this.spans.at(-1)
    if (span) span.text += markdown
  }

  /** Takes the text of the present block, which is then empty. Open spans continue in the next block. */
  takeText(): string {
    let text = ''
    for (const span of this.spans.toReversed()) {
      span.text += text
      text = this.wrapSpan(span)
      span.text = ''
    }
    return text.replace(/^[ \n]+|[ \n]+$/g, '')
  }

  /** Writes the present block, if it is not empty, as a paragraph, or with `prefix` as a heading. */
  endBlock(prefix = ''): void {
    const text = this.takeText()
    if (text !== '') this.writeBlock(prefix === '' ? text : prefix + text.replace(/ *\n/g, ' '))
  }

  /** Writes a block as it is, each line after the prefixes of the quotes and list items around it. */
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
    this.position++
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

  /** Wraps the text of a span. White space at its ends stays outside, since `** a**` is not emphasis. */
  private wrapSpan({ wrap, text }: Span): string {
    const trimmed = text.trim()
    if (trimmed === '') return text
    const at = text.indexOf(trimmed)
    return text.slice(0, at) + wrap(trimmed) + text.slice(at + trimmed.length)
  }
}

/** Escapes plain text for Markdown. `atStart`: whether a block begins with it. */
export function escapeMarkdown(text: string, atStart: boolean): string {
  const escaped = text.replace(/[\\`*[\]<]|~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, '\\$&')
  if (!atStart) return escaped
  return escaped
    .replace(/^(\s*)(#{1,6}(?=\s|$)|>|[-+=](?=[\s=-]|$)|---)/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** Writes code as a fenced block, with a fence longer than any backticks in it. */
export function fenceCode(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code.replace(/\n$/, '')}\n${fence}`
}

/** Writes a code span, with more backticks than any run in it. */
export function writeCodeSpan(code: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return longest > 0 ? `${mark} ${code} ${mark}` : mark + code + mark
}
