import type { Block, Item, List, LiteralBlock, MarkdownDocument } from './document.ts'
import { directionOf, readCallout, readSize } from './extensions.ts'
import { createHeadingFinder, readHeadingPath } from './headings.ts'
import { type Inline, type LinkTo, readInlines, textOf, unescapeSigns } from './inlines.ts'
import type { BlockText } from './line-reader.ts'
import { collapseWhitespace, HeadingIds, stripInlineMarkup } from './plain-text.ts'
import type { WikiLink } from './scan-markdown.ts'

/** What is shown of a document, the same for the HTML of the API and for the app: each makes its own of every part. */

export type Attributes = Readonly<Record<string, string | number | true | undefined>>

/** Where a text is shown. Within a link is no other link. */
export interface Place {
  readonly inLink: boolean
}

export interface Picture extends LinkTo {
  /** Its description, without its size. */
  readonly alt: string
  /** In CSS pixels. */
  readonly width?: number
  readonly height?: number
}

export interface TaskBox {
  /** The offset in the body of the sign between the brackets. */
  readonly mark: number
  readonly state: string
  /** The first line of the task. */
  readonly label: string
}

/** Makes what is shown, of one kind: HTML, or elements of the app. */
export interface Face<Out> {
  /** Whether line ends within a paragraph are shown. */
  readonly lineBreaks: boolean
  /** Whether each block says in which direction it is written. */
  readonly directions: boolean
  text(text: string): Out
  /** Shows an entity by its name; one that there is not stays as it is written. */
  entity(written: string): Out
  element(name: string, attributes: Attributes, children: readonly Out[]): Out
  html(source: string, isBlock: boolean): Out
  link(to: LinkTo, content: readonly Out[], place: Place): Out
  picture(picture: Picture, place: Place): Out
  wikiLink(link: WikiLink, place: Place): Out
  /** Draws the note that a link embeds; null if it cannot be drawn there. */
  embed(link: WikiLink): Out | null
  tag(name: string, place: Place): Out
  maths(tex: string, isBlock: boolean): Out
  box(box: TaskBox): Out
  /** Leads to an element of the same text. */
  jump(to: string, label: string, content: readonly Out[], place: Place): Out
}

/** A heading of a note. */
export interface OutlineHeading {
  readonly level: number
  /** Plain text on one line; may be empty. */
  readonly text: string
  /** The id of its element. */
  readonly id: string
}

/** Lists the headings of a document, also those of quotes, lists and footnotes, in its order. */
export function readHeadings(document: MarkdownDocument, ids = new HeadingIds()): Map<Block, OutlineHeading> {
  const headings = new Map<Block, OutlineHeading>()
  const collect = (blocks: readonly Block[]) => {
    for (const block of blocks) {
      if (block.type === 'heading') {
        const text = plainOf(block.text)
        headings.set(block, { level: block.level, text, id: ids.create(text) })
      } else if (block.type === 'quote') collect(block.blocks)
      else if (block.type === 'list') for (const item of block.items) collect(item.blocks)
    }
  }
  collect(document.blocks)
  for (const { blocks } of document.footnotes.values()) collect(blocks)
  return headings
}

/** The text of a heading without its marks, on one line. */
export function plainOf({ text, from, to }: BlockText): string {
  return collapseWhitespace(stripInlineMarkup(text.slice(from, to)))
}

interface Marks {
  readonly number: number
  count: number
}

/** Shows a document, or blocks of it, and the footnotes that they refer to. */
export class Shower<Out> {
  /** The footnotes by their keys, in the order of their first marks. */
  private readonly marks = new Map<string, Marks>()

  /**
   * @param headings those of the document, by their blocks
   * @param prefix what makes the ids of footnotes differ from those of other notes on the page
   */
  constructor(
    private readonly document: MarkdownDocument,
    private readonly face: Face<Out>,
    private readonly headings: ReadonlyMap<Block, OutlineHeading>,
    private readonly prefix = '',
  ) {}

  /** Shows all of the document. */
  showAll(): Out[] {
    return [...this.showBlocks(this.document.blocks), ...this.showFootnotes(true)]
  }

  /** Shows a part of the document, with the footnotes that it has marks of. */
  showPart(blocks: readonly Block[]): Out[] {
    return [...this.showBlocks(blocks), ...this.showFootnotes(false)]
  }

  private showBlocks(blocks: readonly Block[], isTight = false): readonly Out[] {
    return blocks.flatMap((block) => this.showBlock(block, isTight))
  }

  private showBlock(block: Block, isTight: boolean): readonly Out[] {
    const { face } = this
    switch (block.type) {
      case 'paragraph':
        return this.showParagraph(block.text, isTight)
      case 'heading': {
        const { id } = this.headings.get(block) ?? {}
        return [face.element(`h${block.level}`, { id, dir: this.auto }, this.showText(block.text))]
      }
      case 'quote':
        return [this.showQuote(block.blocks)]
      case 'list':
        return [this.showList(block)]
      case 'table':
        return [this.showTable(block)]
      case 'literal':
        return [this.showLiteral(block.literal)]
      case 'rule':
        return [face.element('hr', {}, [])]
    }
  }

  private showParagraph(text: BlockText, isTight: boolean, before: readonly Out[] = []): readonly Out[] {
    const inlines = this.read(text)
    let name = 'p'
    const shown = inlines.map((inline) => {
      const drawn = isEmbed(inline) ? this.face.embed(inline.link) : null
      if (drawn !== null) name = 'div'
      return drawn ?? this.showInline(inline, { inLink: false })
    })
    // What holds nothing but a comment or a block's name.
    if (shown.length === 0 && before.length === 0) return []
    const content = [...before, ...shown]
    return isTight ? content : [this.face.element(name, { dir: this.auto }, content)]
  }

  private showQuote(blocks: readonly Block[]): Out {
    const { face } = this
    const [first, ...others] = blocks
    const callout = first?.type === 'paragraph' ? readCallout(first.text) : null
    if (!callout) return face.element('blockquote', { dir: this.directionOf(blocks) }, this.showBlocks(blocks))
    const { kind, fold, title, rest } = callout
    const shownTitle = typeof title === 'string' ? [face.text(title)] : this.showText(title)
    const content = [...(rest ? this.showParagraph(rest, false) : []), ...this.showBlocks(others)]
    const attributes = { class: 'callout', 'data-callout': kind, dir: this.directionOf(blocks) }
    if (fold === null) {
      const heading = face.element('p', { class: 'callout-title', dir: this.auto }, shownTitle)
      return face.element('div', attributes, [heading, ...content])
    }
    const summary = face.element('summary', { dir: this.auto }, shownTitle)
    return face.element('details', { ...attributes, open: fold === 'open' ? true : undefined }, [summary, ...content])
  }

  private showList({ start, loose, items }: List): Out {
    const dir = this.directionOf(items[0]?.blocks ?? [])
    const shown = items.map((item) => this.showItem(item, !loose, dir))
    if (start === null) return this.face.element('ul', { dir }, shown)
    return this.face.element('ol', { start: start === 1 ? undefined : start, dir }, shown)
  }

  /** Shows an item. It says its direction if it is not that of the list. */
  private showItem({ blocks, box }: Item, isTight: boolean, listDir: string | undefined): Out {
    const own = this.directionOf(blocks)
    const attributes = { class: box ? 'task' : undefined, dir: own === listDir ? undefined : own }
    if (!box) return this.face.element('li', attributes, this.showBlocks(blocks, isTight))
    const [first, ...others] = blocks
    const text = first?.type === 'paragraph' ? first.text : null
    const label = text ? collapseWhitespace(textOf(this.read(text)).split('\n')[0] ?? '') : ''
    const shownBox = [this.face.box({ ...box, label }), this.face.text(' ')]
    const begun = text ? this.showParagraph(text, isTight, shownBox) : shownBox
    const rest = this.showBlocks(text ? others : blocks, isTight)
    return this.face.element('li', attributes, [...begun, ...rest])
  }

  private showTable({ align, rows }: Extract<Block, { type: 'table' }>): Out {
    const { face } = this
    const [header = [], ...others] = rows.map((cells, row) =>
      cells.map((text, column) =>
        face.element(
          row === 0 ? 'th' : 'td',
          { align: align[column] ?? undefined, dir: this.auto },
          this.showText({ text, from: 0, to: text.length, base: 0 }),
        ),
      ),
    )
    const parts = [face.element('thead', {}, [face.element('tr', {}, header)])]
    const body = others.map((cells) => face.element('tr', {}, cells))
    if (body.length > 0) parts.push(face.element('tbody', {}, body))
    return face.element('table', {}, parts)
  }

  private showLiteral({ kind, text, info }: LiteralBlock): Out {
    const { face } = this
    if (kind === 'html') return face.html(text, true)
    if (kind === 'maths') return face.element('p', {}, [face.maths(text.trim(), true)])
    const language = unescapeSigns(/^\S+/.exec(info)?.[0] ?? '')
    const attributes = { class: language ? `language-${language}` : undefined }
    return face.element('pre', { dir: 'ltr' }, [face.element('code', attributes, [face.text(text)])])
  }

  private showText(text: BlockText): readonly Out[] {
    return this.showInlines(this.read(text), { inLink: false })
  }

  private read(text: BlockText): readonly Inline[] {
    return readInlines(text, this.document.references)
  }

  private showInlines(inlines: readonly Inline[], place: Place): readonly Out[] {
    return inlines.map((inline) => this.showInline(inline, place))
  }

  private showInline(inline: Inline, place: Place): Out {
    const { face } = this
    if (typeof inline === 'string') return face.text(inline)
    switch (inline.type) {
      case 'entity':
        return face.entity(inline.written)
      case 'marked':
        return face.element(inline.name, {}, this.showInlines(inline.inlines, place))
      case 'code':
        return face.element('code', { dir: face.directions ? 'ltr' : undefined }, [face.text(inline.text)])
      case 'break':
        return inline.hard || face.lineBreaks ? face.element('br', {}, []) : face.text('\n')
      case 'html':
        return face.html(inline.text, false)
      case 'link':
        return face.link(inline, this.showInlines(inline.inlines, { inLink: true }), place)
      case 'picture':
        return face.picture({ href: inline.href, title: inline.title, ...readSize(textOf(inline.inlines)) }, place)
      case 'wikiLink':
        return face.wikiLink(inline.link, place)
      case 'tag':
        return face.tag(inline.name, place)
      case 'maths':
        return face.maths(inline.tex, inline.isBlock)
      case 'footnote':
        return this.showMark(inline.key, place)
    }
  }

  private showMark(key: string, place: Place): Out {
    const { face, marks } = this
    const mark = marks.get(key) ?? { number: marks.size + 1, count: 0 }
    marks.set(key, mark)
    mark.count += 1
    const number = String(mark.number)
    const jump = face.jump(this.idOf(mark.number), `Footnote ${number}`, [face.text(number)], place)
    return face.element('sup', { id: this.idOf(mark.number, mark.count) }, [jump])
  }

  private idOf(number: number, mark?: number): string {
    return mark === undefined ? `footnote-${this.prefix}${number}` : `footnote-${this.prefix}mark-${number}-${mark}`
  }

  /** Shows the footnotes that were marked, each with a way back to its first mark; of a whole document also the others. */
  private showFootnotes(isWhole: boolean): readonly Out[] {
    const { face, marks, document } = this
    const items: Out[] = []
    const show = (key: string, number: number, isMarked: boolean) => {
      const blocks = document.footnotes.get(key)?.blocks ?? []
      const label = `Back to the mark of footnote ${number}`
      const back = face.jump(this.idOf(number, 1), label, [face.text('↩')], { inLink: false })
      const content = [...this.showBlocks(blocks), ...(isMarked ? [back] : [])]
      items.push(face.element('li', { id: this.idOf(number) }, content))
    }
    // The text of one may have the first mark of another.
    for (const [key, { number }] of marks) show(key, number, true)
    if (isWhole) for (const key of document.footnotes.keys()) if (!marks.has(key)) show(key, items.length + 1, false)
    if (items.length === 0) return []
    return [face.element('section', { class: 'footnotes', 'aria-label': 'Footnotes' }, [face.element('ol', {}, items)])]
  }

  private get auto(): string | undefined {
    return this.face.directions ? 'auto' : undefined
  }

  /** The direction of what has bullets or a line at its side, where `auto` looks into neither. */
  private directionOf(blocks: readonly Block[]): string | undefined {
    return this.face.directions ? directionOf(blocks) : undefined
  }
}

function isEmbed(inline: Inline): inline is Extract<Inline, { type: 'wikiLink' }> {
  return typeof inline === 'object' && inline.type === 'wikiLink' && inline.link.embed
}

/** Finds the part of a document that a link names behind `#`: a section by its heading, or a block by its `^name`. */
export function findPart(document: MarkdownDocument, name: string): readonly Block[] | null {
  if (name.startsWith('^')) return findNamed(document.blocks, name.toLowerCase())
  const { blocks } = document
  const headings = [...blocks.entries()].flatMap(([at, block]) => (block.type === 'heading' ? [{ at, ...block }] : []))
  const find = createHeadingFinder(headings.map(({ level, text }) => [level, plainOf(text)]))
  const heading = headings[find(readHeadingPath(name) ?? [])?.at(-1) ?? -1]
  if (!heading) return null
  const { at } = heading
  const length = blocks.slice(at + 1).findIndex((block) => block.type === 'heading' && block.level <= heading.level)
  return blocks.slice(at, length < 0 ? blocks.length : at + 1 + length)
}

function findNamed(blocks: readonly Block[], name: string): readonly Block[] | null {
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'paragraph') {
      const { text, from, to } = block.text
      const words = text.slice(from, to).trimEnd().toLowerCase()
      // Alone it is the name of the block before it, such as a table.
      if (words === name) return blocks.slice(Math.max(index - 1, 0), index)
      if (words.endsWith(` ${name}`)) return [block]
    } else if (block.type === 'quote') {
      const found = findNamed(block.blocks, name)
      if (found) return found
    } else if (block.type === 'list')
      for (const item of block.items) {
        const found = findNamed(item.blocks, name)
        if (found) return found[0] === item.blocks[0] ? [{ ...block, items: [item] }] : found
      }
  }
  return null
}
