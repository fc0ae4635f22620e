import { Parser } from 'htmlparser2'
import { UnreadableItem } from '../unreadable-item'
import { escapeMarkdown, fenceCode, MarkdownWriter, writeCodeSpan } from './writer'

/**
 * Converts the HTML of other programs to Markdown. A closed list of elements is converted; of others only the text is
 * kept, and scripts and styles are dropped. It works directly on the parser's events: known converters need a tree,
 * take text such as `<b>` for markup, and lose code blocks.
 */

/** Nested elements, far more than any real page has: the parser searches its stack at each closing tag. */
const MAX_ELEMENT_DEPTH = 400
/** Cells of a table. Even an empty one takes three characters. */
const MAX_CELLS = 350_000
const LINK = /^(https?|mailto|tel|ftp|evernote):/i

/** Handles the start of an element; the returned function handles its end. */
export type OpenElement = (writer: HtmlWriter, attributes: Record<string, string>) => (() => void) | undefined

/** The HTML dialect of a program. */
export interface Dialect {
  /** The elements that only this program has, or that have another meaning in its files. */
  readonly elements: Readonly<Record<string, OpenElement>>
  /** Whether `<div/>` is a complete element and CDATA is text, as in XHTML. */
  readonly xhtml: boolean
}

/** Converts HTML to Markdown. Throws UnreadableItem too_deep, too_long. */
export function htmlToMarkdown(html: string, { elements, xhtml }: Dialect): string {
  const writer = new HtmlWriter()
  const ends: ((() => void) | undefined)[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (ends.length >= MAX_ELEMENT_DEPTH) throw new UnreadableItem('too_deep', 'The note nests too deep.')
        const from = Object.hasOwn(elements, name) ? elements : Object.hasOwn(ELEMENTS, name) ? ELEMENTS : {}
        ends.push(from[name]?.(writer, attributes))
      },
      onclosetag: () => ends.pop()?.(),
      ontext: (text) => writer.text(text),
    },
    { recognizeSelfClosing: xhtml, recognizeCDATA: xhtml },
  )
  parser.parseComplete(html)
  return writer.finish()
}

/** The writer for the text of an HTML page. */
export class HtmlWriter extends MarkdownWriter {
  /** The number of open elements whose text is hidden. */
  muted = 0
  /** The text of the open code block, or null. */
  code: string | null = null
  /** The rows of the open table, or null; inside a table, blocks are parts of a cell. */
  rows: string[][] | null = null
  /** The open lists, innermost last: the number of the next item, or null for bullets. */
  readonly lists: { next: number | null; todo: boolean }[] = []
  /** Whether the present block is empty. */
  private blank = true
  private inTodo = false

  text(text: string): void {
    if (this.muted > 0) return
    if (this.code !== null) {
      this.code += text.replaceAll('\u00a0', ' ')
      return
    }
    const joined = text.replace(/[\s\u00a0]+/g, ' ')
    const shown = this.blank ? joined.trimStart() : joined
    if (shown === '') return
    this.add(escapeMarkdown(shown, this.blank))
    this.blank = false
  }

  override takeText(): string {
    this.blank = true
    return super.takeText()
  }

  lineBreak(): void {
    if (this.code !== null) this.code += '\n'
    else if (!this.blank) this.add(this.rows ? ' ' : '  \n')
    this.blank = true
  }

  override endBlock(prefix = ''): void {
    if (this.code !== null) this.code += this.code === '' || this.code.endsWith('\n') ? '' : '\n'
    // A cell is one line, so its blocks are joined by a space.
    else if (this.rows) this.text(' ')
    else {
      super.endBlock(prefix)
      if (!this.inTodo) return
      this.inTodo = false
      this.closeContainer()
    }
  }

  /** Adds a checkbox: to the list item that begins here, else it makes the rest of its block an item. */
  todo(checked: boolean): void {
    const box = `[${checked ? 'x' : ' '}] `
    if (this.rows || this.code !== null) return
    if (this.blank && this.addCheckbox(box)) return
    this.openContainer(`- ${box}`, '  ')
    this.inTodo = true
  }
}

function openBlock(writer: HtmlWriter): () => void {
  writer.endBlock()
  return () => writer.endBlock()
}

/** Opens a `div`. Evernote writes each line as one, and a code block as one with a style. */
function openDivision(writer: HtmlWriter, { style = '' }: Record<string, string>): () => void {
  return /-en-codeblock:\s*true/.test(style) ? openPreformatted(writer) : openBlock(writer)
}

function openPreformatted(writer: HtmlWriter): () => void {
  if (writer.code !== null || writer.rows) return openBlock(writer)
  writer.endBlock()
  writer.code = ''
  return () => {
    const code = writer.code ?? ''
    writer.code = null
    if (code.trim() !== '') writer.writeBlock(fenceCode(code))
  }
}

const openHeading =
  (level: number): OpenElement =>
  (writer) => {
    writer.endBlock()
    return () => writer.endBlock(`${'#'.repeat(level)} `)
  }

/** Creates a handler that puts text between two marks. */
export const openSpanOf =
  (mark: string, end = mark): OpenElement =>
  (writer) => {
    if (writer.code !== null) return undefined
    writer.openSpan((text) => mark + text + end)
    return () => writer.closeSpan()
  }

const openList =
  (start: number | null): OpenElement =>
  (writer, { style = '' }) => {
    writer.endBlock()
    writer.lists.push({ next: start, todo: /--en-todo:\s*true/.test(style) })
    return () => {
      writer.endBlock()
      writer.lists.pop()
    }
  }

const openItem: OpenElement = (writer, { style = '' }) => {
  if (writer.rows || writer.code !== null) return openBlock(writer)
  const around = writer.lists.at(-1)
  const mark = around?.next == null ? '- ' : `${around.next++}. `
  const box = around?.todo ? `[${/--en-checked:\s*true/.test(style) ? 'x' : ' '}] ` : ''
  writer.openContainer(mark + box, ' '.repeat(mark.length))
  return () => writer.closeContainer()
}

const openTable: OpenElement = (writer) => {
  if (writer.rows || writer.code !== null) return openBlock(writer)
  writer.endBlock()
  const rows: string[][] = []
  writer.rows = rows
  return () => {
    writer.rows = null
    const width = Math.max(0, ...rows.map((row) => row.length))
    if (width === 0) return
    if (width * rows.length > MAX_CELLS)
      throw new UnreadableItem('too_long', 'The note holds a table larger than a note can be.')
    const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, i) => row[i] ?? '').join(' | ')} |`)
    writer.writeBlock([lines[0], `|${' --- |'.repeat(width)}`, ...lines.slice(1)].join('\n'))
  }
}

const openCell: OpenElement = (writer) => {
  if (!writer.rows) return openBlock(writer)
  writer.takeText()
  return () => writer.rows?.at(-1)?.push(writer.takeText().replaceAll('|', '\\|'))
}

const openLink: OpenElement = (writer, { href = '' }) => {
  if (writer.code !== null || !LINK.test(href)) return undefined
  writer.openSpan((text) => `[${text}](${escapeAddress(href)})`)
  return () => writer.closeSpan()
}

const openImage: OpenElement = (writer, { src = '', alt = '' }) => {
  if (writer.code === null && /^https?:/i.test(src))
    writer.add(`![${escapeMarkdown(alt, false)}](${escapeAddress(src)})`)
  return undefined
}

export const muteElement: OpenElement = (writer) => {
  writer.muted++
  return () => {
    writer.muted--
  }
}

/** Escapes an address, so that it cannot end the link around it. */
export function escapeAddress(href: string): string {
  return href.replace(/[\s()<>\\]/g, (char) => encodeURIComponent(char).replace('(', '%28').replace(')', '%29'))
}

const ELEMENTS: Readonly<Record<string, OpenElement>> = {
  div: openDivision,
  p: openBlock,
  section: openBlock,
  article: openBlock,
  center: openBlock,
  dl: openBlock,
  dt: openBlock,
  dd: openBlock,
  h1: openHeading(1),
  h2: openHeading(2),
  h3: openHeading(3),
  h4: openHeading(4),
  h5: openHeading(5),
  h6: openHeading(6),
  b: openSpanOf('**'),
  strong: openSpanOf('**'),
  i: openSpanOf('*'),
  em: openSpanOf('*'),
  s: openSpanOf('~~'),
  del: openSpanOf('~~'),
  strike: openSpanOf('~~'),
  a: openLink,
  img: openImage,
  pre: openPreformatted,
  ul: openList(null),
  ol: openList(1),
  li: openItem,
  table: openTable,
  td: openCell,
  th: openCell,
  script: muteElement,
  style: muteElement,
  head: muteElement,
  title: muteElement,
  tr: (writer) => {
    writer.rows?.push([])
    return undefined
  },
  br: (writer) => {
    writer.lineBreak()
    return undefined
  },
  hr: (writer) => {
    writer.endBlock()
    if (!writer.rows && writer.code === null) writer.writeBlock('---')
    return undefined
  },
  blockquote: (writer) => {
    if (writer.rows || writer.code !== null) return openBlock(writer)
    writer.openContainer('> ', '> ')
    return () => writer.closeContainer()
  },
  code: (writer) => {
    if (writer.code !== null) return undefined
    writer.openSpan((text) => writeCodeSpan(text.replace(/\\([!-/:-@[-`{-~])/g, '$1')))
    return () => writer.closeSpan()
  },
}
