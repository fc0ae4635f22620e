import { Parser } from 'htmlparser2'
import { UnreadableItem } from '../unreadable-item'
import { codeSpan, escapeMarkdown, fenced, MarkdownWriter } from './writer'

/**
 * The HTML of other programs as Markdown. A closed list of elements has a form; of all others the text is kept, and of
 * scripts and styles nothing. Written straight from the parser's events: the known converters want a tree, take text
 * such as `<b>` for markup, and lose code blocks.
 */

/** Far above any real page; the parser looks through its stack at each closing tag. */
const MAX_DEPTH = 400
/** Each cell takes three characters at least, if it is empty. */
const MAX_CELLS = 350_000
const LINK = /^(https?|mailto|tel|ftp|evernote):/i

/** What an element does; what it returns is done when the element ends. */
export type Opens = (writer: HtmlWriter, attributes: Record<string, string>) => (() => void) | undefined

export interface Dialect {
  /** Elements that only this program has, or that mean something else in its files. */
  readonly elements: Readonly<Record<string, Opens>>
  /** Whether `<div/>` is whole and CDATA is text, as in XHTML. */
  readonly xhtml: boolean
}

/** Throws ItemFault: too_deep, too_long. */
export function htmlToMarkdown(html: string, { elements, xhtml }: Dialect): string {
  const writer = new HtmlWriter()
  const ends: ((() => void) | undefined)[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (ends.length >= MAX_DEPTH) throw new UnreadableItem('too_deep', 'The note nests too deep.')
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

/** Where the text of a file is written to. */
export class HtmlWriter extends MarkdownWriter {
  /** Depth of elements whose text is not shown. */
  muted = 0
  /** Text of the code block that is open, or null. */
  code: string | null = null
  /** Rows of the table that is open, or null; while one is, blocks are parts of a cell. */
  rows: string[][] | null = null
  /** The lists around, innermost last: the number of the next item, null for bullets. */
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

  override take(): string {
    this.blank = true
    return super.take()
  }

  lineBreak(): void {
    if (this.code !== null) this.code += '\n'
    else if (!this.blank) this.add(this.rows ? ' ' : '  \n')
    this.blank = true
  }

  override endBlock(prefix = ''): void {
    if (this.code !== null) this.code += this.code === '' || this.code.endsWith('\n') ? '' : '\n'
    // A cell is one line: its blocks stand side by side.
    else if (this.rows) this.text(' ')
    else {
      super.endBlock(prefix)
      if (!this.inTodo) return
      this.inTodo = false
      this.leave()
    }
  }

  /** A box to tick: it makes an item of the rest of its block, unless it is at the beginning of one. */
  todo(checked: boolean): void {
    const box = `[${checked ? 'x' : ' '}] `
    if (this.rows || this.code !== null) return
    if (this.blank && this.tick(box)) return
    this.enter(`- ${box}`, '  ')
    this.inTodo = true
  }
}

function block(writer: HtmlWriter): () => void {
  writer.endBlock()
  return () => writer.endBlock()
}

/** Evernote writes each line as a `div`, and a code block as one with a style. */
function division(writer: HtmlWriter, { style = '' }: Record<string, string>): () => void {
  return /-en-codeblock:\s*true/.test(style) ? preformatted(writer) : block(writer)
}

function preformatted(writer: HtmlWriter): () => void {
  if (writer.code !== null || writer.rows) return block(writer)
  writer.endBlock()
  writer.code = ''
  return () => {
    const code = writer.code ?? ''
    writer.code = null
    if (code.trim() !== '') writer.writeBlock(fenced(code))
  }
}

const heading =
  (level: number): Opens =>
  (writer) => {
    writer.endBlock()
    return () => writer.endBlock(`${'#'.repeat(level)} `)
  }

/** Text between two marks. */
export const span =
  (mark: string, end = mark): Opens =>
  (writer) => {
    if (writer.code !== null) return undefined
    writer.openSpan((text) => mark + text + end)
    return () => writer.closeSpan()
  }

const list =
  (start: number | null): Opens =>
  (writer, { style = '' }) => {
    writer.endBlock()
    writer.lists.push({ next: start, todo: /--en-todo:\s*true/.test(style) })
    return () => {
      writer.endBlock()
      writer.lists.pop()
    }
  }

const item: Opens = (writer, { style = '' }) => {
  if (writer.rows || writer.code !== null) return block(writer)
  const around = writer.lists.at(-1)
  const mark = around?.next == null ? '- ' : `${around.next++}. `
  const box = around?.todo ? `[${/--en-checked:\s*true/.test(style) ? 'x' : ' '}] ` : ''
  writer.enter(mark + box, ' '.repeat(mark.length))
  return () => writer.leave()
}

const table: Opens = (writer) => {
  if (writer.rows || writer.code !== null) return block(writer)
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

const cell: Opens = (writer) => {
  if (!writer.rows) return block(writer)
  writer.take()
  return () => writer.rows?.at(-1)?.push(writer.take().replaceAll('|', '\\|'))
}

const link: Opens = (writer, { href = '' }) => {
  if (writer.code !== null || !LINK.test(href)) return undefined
  writer.openSpan((text) => `[${text}](${address(href)})`)
  return () => writer.closeSpan()
}

const image: Opens = (writer, { src = '', alt = '' }) => {
  if (writer.code === null && /^https?:/i.test(src)) writer.add(`![${escapeMarkdown(alt, false)}](${address(src)})`)
  return undefined
}

export const mute: Opens = (writer) => {
  writer.muted++
  return () => {
    writer.muted--
  }
}

/** An address that ends nothing around it. */
export function address(href: string): string {
  return href.replace(/[\s()<>\\]/g, (char) => encodeURIComponent(char).replace('(', '%28').replace(')', '%29'))
}

const ELEMENTS: Readonly<Record<string, Opens>> = {
  div: division,
  p: block,
  section: block,
  article: block,
  center: block,
  dl: block,
  dt: block,
  dd: block,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  b: span('**'),
  strong: span('**'),
  i: span('*'),
  em: span('*'),
  s: span('~~'),
  del: span('~~'),
  strike: span('~~'),
  a: link,
  img: image,
  pre: preformatted,
  ul: list(null),
  ol: list(1),
  li: item,
  table,
  td: cell,
  th: cell,
  script: mute,
  style: mute,
  head: mute,
  title: mute,
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
    if (writer.rows || writer.code !== null) return block(writer)
    writer.enter('> ', '> ')
    return () => writer.leave()
  },
  code: (writer) => {
    if (writer.code !== null) return undefined
    writer.openSpan((text) => codeSpan(text.replace(/\\([!-/:-@[-`{-~])/g, '$1')))
    return () => writer.closeSpan()
  },
}
