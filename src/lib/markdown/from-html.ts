import { Parser } from 'htmlparser2'
import { UnreadableItem } from '../file-fault'
import { HtmlWriter } from './html-writer'
import { escapeMarkdown, writeCodeSpan } from './writer'

/**
 * Converts the HTML of other programs to Markdown. A closed list of elements is converted; of others only the text is
 * kept, and scripts and styles are dropped. It works directly on the parser's events: known converters need a tree,
 * take text such as `<b>` for markup, and lose code blocks.
 */

/** Nested elements, far more than any real page has: the parser searches its stack at each closing tag. */
const MAX_ELEMENT_DEPTH = 400
/** Cells of a table. Even an empty one takes three characters. */
const MAX_CELLS = 350_000
export const LINK = /^(https?|mailto|tel|ftp|evernote):/i

/** Handles the start of an element; the returned function handles its end. */
type OpenElement = (writer: HtmlWriter, attributes: Record<string, string>) => (() => void) | undefined

export interface Dialect {
  /** The elements that only this program has, or that have another meaning in its files. */
  readonly elements: Readonly<Record<string, OpenElement>>
  /** Whether `<div/>` is a complete element and CDATA is text, as in XHTML. */
  readonly xhtml: boolean
  /** Handles the attributes of every element, inside of its own handler. */
  readonly attributes?: (
    writer: HtmlWriter,
    name: string,
    attributes: Record<string, string>,
  ) => (() => void) | undefined
  /** Adds what comes after the end of the text. */
  readonly end?: (writer: HtmlWriter) => void
  /** Whether `$…$` with signs of TeX stays as it is. */
  readonly math?: boolean
}

/** Throws UnreadableItem too_deep, too_long. */
export function htmlToMarkdown(
  html: string,
  { elements, xhtml, attributes: open, end, math = false }: Dialect,
): string {
  const writer = new HtmlWriter(math)
  const ends: ((() => void) | undefined)[] = []
  // The parser gives a text in several parts, at each entity: "&amp;lt;" must be escaped as a whole.
  let text = ''
  const writeText = () => {
    if (text !== '') writer.text(text)
    text = ''
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        writeText()
        if (ends.length >= MAX_ELEMENT_DEPTH) throw new UnreadableItem('too_deep', 'The note nests too deep.')
        const from = Object.hasOwn(elements, name) ? elements : Object.hasOwn(ELEMENTS, name) ? ELEMENTS : {}
        const close = from[name]?.(writer, attributes)
        const closeInner = open?.(writer, name, attributes)
        ends.push(() => {
          closeInner?.()
          close?.()
        })
      },
      onclosetag() {
        writeText()
        ends.pop()?.()
      },
      ontext(part) {
        text += part
      },
    },
    { recognizeSelfClosing: xhtml, recognizeCDATA: xhtml },
  )
  parser.parseComplete(html)
  writeText()
  end?.(writer)
  return writer.finish()
}

export function openBlock(writer: HtmlWriter): () => void {
  writer.endBlock()
  return () => writer.endBlock()
}

/** Opens a `div`. Evernote writes each line as one, and a code block as one with a style. */
export function openDivision(writer: HtmlWriter, { style = '' }: Record<string, string>): () => void {
  return /-en-codeblock:\s*true/.test(style) ? openPreformatted(writer) : openBlock(writer)
}

function openPreformatted(writer: HtmlWriter): () => void {
  if (writer.code !== null || writer.rows) return openBlock(writer)
  writer.endBlock()
  writer.code = ''
  return () => writer.writeCode()
}

const openHeading =
  (level: number): OpenElement =>
  (writer) => {
    writer.endBlock()
    return () => writer.endBlock(`${'#'.repeat(level)} `)
  }

const openSpanOf =
  (mark: string, end = mark): OpenElement =>
  (writer) =>
    writer.openMark(mark, end)

/** Opens bold text. Google Docs puts whole pages into a `b` that is not bold. */
const openBold: OpenElement = (writer, { style = '' }) =>
  /font-weight:\s*(?:normal|[1-4]00)/.test(style) ? undefined : writer.openMark('**')

/** Opens a list. Within a list but not in an item, it belongs to the item before it: so Evernote writes it. */
const openList =
  (isOrdered: boolean): OpenElement =>
  (writer, { style = '', start }) => {
    const around = writer.lists.at(-1)
    const isPlain = writer.rows !== null || writer.code !== null
    const indentation = around && !around.inItem && !isPlain ? around.indentation : null
    if (indentation === null) writer.endBlock()
    else writer.continueContainer(indentation)
    const next = isOrdered ? (readNumber(start) ?? 1) : null
    const todo = /--en-todo:\s*true/.test(style)
    writer.lists.push({ next, delimiter: null, todo, indentation: null, inItem: false })
    return () => {
      if (indentation === null) writer.endBlock()
      else writer.closeContainer()
      writer.endList()
    }
  }

/** Reads the number of an item: Markdown has up to nine digits. */
function readNumber(text = ''): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

const openItem: OpenElement = (writer, { style = '', value }) => {
  const around = writer.lists.at(-1)
  const isPlain = writer.rows !== null || writer.code !== null
  // An item without a bullet only holds a list.
  const isContinued = /list-style(?:-type)?:\s*none/.test(style) && around != null && around.indentation !== null
  if (isContinued && !isPlain) {
    writer.continueContainer(around.indentation ?? '')
    around.inItem = true
    return () => {
      writer.closeContainer()
      around.inItem = false
    }
  }
  if (around?.next != null) around.next = readNumber(value) ?? around.next
  const mark = writer.takeMark(around)
  const box = around?.todo ? `[${/--en-checked:\s*true/.test(style) ? 'x' : ' '}] ` : ''
  if (isPlain) {
    const end = openBlock(writer)
    writer.addPlainMark(mark + box)
    return end
  }
  writer.openContainer(mark + box, ' '.repeat(mark.length))
  if (around) Object.assign(around, { inItem: true, indentation: ' '.repeat(mark.length) })
  return () => {
    writer.closeContainer()
    if (around) around.inItem = false
  }
}

const openTable: OpenElement = (writer) => {
  if (writer.rows || writer.code !== null) return openBlock(writer)
  writer.endBlock()
  const rows: string[][] = []
  writer.rows = rows
  writer.besideCells = []
  return () => {
    const beside = [...writer.besideCells, writer.takeText()].filter((text) => text !== '')
    writer.rows = null
    for (const text of beside) writer.writeBlock(text)
    const width = Math.max(0, ...rows.map((row) => row.length))
    if (width === 0) return
    if (width * rows.length > MAX_CELLS)
      throw new UnreadableItem('too_long', 'The note holds a table larger than a note can be.')
    const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, i) => row[i] ?? '').join(' | ')} |`)
    writer.writeBlock([lines[0], `|${' --- |'.repeat(width)}`, ...lines.slice(1)].join('\n'))
  }
}

const openCell: OpenElement = (writer) => {
  const { rows } = writer
  if (!rows) return openBlock(writer)
  writer.besideCells.push(writer.takeText())
  if (rows.length === 0) rows.push([])
  return () => rows.at(-1)?.push(writer.takeText().replaceAll('|', '\\|'))
}

/** Opens the caption of a table, which is a line before it. */
const openCaption: OpenElement = (writer) => {
  if (!writer.rows) return openBlock(writer)
  writer.besideCells.push(writer.takeText())
  return () => {
    writer.besideCells.push(writer.takeText())
  }
}

export const openLink: OpenElement = (writer, { href = '' }) => {
  if (writer.code !== null || !LINK.test(href)) return undefined
  writer.openSpan((text) => `[${text}](${escapeAddress(href)})`)
  return () => writer.closeSpan()
}

export const openImage: OpenElement = (writer, { src = '', alt = '' }) => {
  if (writer.code === null && /^https?:/i.test(src))
    writer.add(`![${escapeMarkdown(alt, false)}](${escapeAddress(src)})`)
  return undefined
}

export const HIGHLIGHT = /-evernote-highlight:\s*true|--en-highlight:/

const STYLE_MARKS: readonly [RegExp, string, string][] = [
  [/font-weight:\s*(?:bold|[6-9]00)/, '**', '**'],
  [/font-style:\s*(?:italic|oblique)/, '*', '*'],
  [/text-decoration(?:-line)?:[^;]*line-through/, '~~', '~~'],
  [/text-decoration(?:-line)?:[^;]*underline/, '<u>', '</u>'],
  [/vertical-align:\s*sub\b/, '<sub>', '</sub>'],
  [/vertical-align:\s*super\b/, '<sup>', '</sup>'],
  [HIGHLIGHT, '<mark>', '</mark>'],
]

/** Opens the marks that a style means. Headings are bold and links underlined by themselves. */
export function openStyle(writer: HtmlWriter, name: string, style: string): () => void {
  const isImplied = (mark: string) => (mark === '**' && /^h[1-6]$|^th$/.test(name)) || (mark === '<u>' && name === 'a')
  const closers = STYLE_MARKS.flatMap(([pattern, mark, end]) =>
    pattern.test(style) && !isImplied(mark) ? (writer.openMark(mark, end) ?? []) : [],
  )
  return () => {
    for (const close of closers.toReversed()) close()
  }
}

const muteElement: OpenElement = (writer) => {
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
  figure: openBlock,
  figcaption: openBlock,
  b: openBold,
  strong: openBold,
  i: openSpanOf('*'),
  em: openSpanOf('*'),
  s: openSpanOf('~~'),
  del: openSpanOf('~~'),
  strike: openSpanOf('~~'),
  u: openSpanOf('<u>', '</u>'),
  ins: openSpanOf('<u>', '</u>'),
  mark: openSpanOf('<mark>', '</mark>'),
  sub: openSpanOf('<sub>', '</sub>'),
  sup: openSpanOf('<sup>', '</sup>'),
  a: openLink,
  img: openImage,
  pre: openPreformatted,
  ul: openList(false),
  ol: openList(true),
  li: openItem,
  table: openTable,
  caption: openCaption,
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
