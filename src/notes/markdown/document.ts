import { titleKey } from '../../lib/text.ts'
import { readTable, type Table } from './gfm.ts'
import type { LeafKind } from './leaf-reader.ts'
import type { BlockSink, BlockText, HeadingBlock } from './line-reader.ts'
import { BlockScanner } from './scan-blocks.ts'

/** A body as a tree of blocks, whose text is read when it is shown; see inlines.ts. */

/** Levels of quotes and items; no page shows more of them. */
const MAX_DEPTH = 200
/** The cells of all tables, and short rows are padded to the width of the header: the most that the largest body can spell out. */
const MAX_CELLS = 2 ** 19

/** A block whose lines are no Markdown. */
export interface LiteralBlock {
  readonly kind: 'code' | 'html' | 'maths'
  readonly text: string
  /** Behind the fence of code. */
  readonly info: string
}

/** A quote, the item of a list, or a footnote. */
type Container =
  | { readonly kind: 'quote' }
  /** `mark` is the bullet, or what follows the number. */
  | { readonly kind: 'item'; readonly mark: string; readonly start: number | null }
  | { readonly kind: 'footnote'; readonly label: string }

export type Block =
  | { readonly type: 'paragraph'; readonly text: BlockText }
  | { readonly type: 'heading'; readonly level: number; readonly text: BlockText }
  | ({ readonly type: 'table' } & Table)
  | { readonly type: 'literal'; readonly literal: LiteralBlock }
  | { readonly type: 'rule' }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | List

export interface List {
  readonly type: 'list'
  /** The bullet, or what follows the numbers. */
  readonly mark: string
  /** The first number; null for bullets. */
  readonly start: number | null
  /** Whether blank lines part its items: then their texts are paragraphs. */
  loose: boolean
  readonly items: Item[]
}

export interface Item {
  readonly blocks: readonly Block[]
  /** The offset of the sign between the brackets of a task, and the sign. */
  box: { readonly mark: number; readonly state: string } | null
}

export interface LinkDefinition {
  /** As it is written, with escapes. */
  readonly destination: string
  /** With its quotation marks; may be empty. */
  readonly title: string
}

export interface Footnote {
  readonly label: string
  readonly blocks: readonly Block[]
}

export interface MarkdownDocument {
  readonly blocks: readonly Block[]
  /** By their labels, as titleKey has them; the first of a label counts. */
  readonly footnotes: ReadonlyMap<string, Footnote>
  /** The link definitions by their labels, and `^label` for each footnote. */
  readonly references: ReadonlyMap<string, LinkDefinition>
}

/**
 * Reads a body in linear time.
 * @throws RangeError if quotes and lists nest too deep, or the tables have too many cells
 */
export function readDocument(body: string, maxCells = MAX_CELLS): MarkdownDocument {
  const reader = new DocumentReader(maxCells)
  new DocumentScanner(body, reader).runTo(body.length)
  return reader
}

/** An open container, and the list or the blocks that it adds to. */
interface Open {
  readonly blocks: Block[]
  readonly item: Item | null
  /** The list of the item. */
  readonly list: List | null
  /** The last block, if it is a list that another item may go on with. */
  openList: List | null
}

class DocumentReader implements BlockSink, MarkdownDocument {
  readonly done = false
  readonly blocks: Block[] = []
  readonly footnotes = new Map<string, Footnote>()
  readonly references = new Map<string, LinkDefinition>()
  private readonly stack: Open[] = [{ blocks: this.blocks, item: null, list: null, openList: null }]
  private cells = 0

  constructor(private readonly maxCells: number) {}

  begin(afterBlank: boolean): void {
    const { top } = this
    if (afterBlank && top.list && top.blocks.length > 0) top.list.loose = true
    top.openList = null
  }

  open(container: Container, afterBlank: boolean): void {
    if (this.stack.length > MAX_DEPTH) throw new RangeError('Quotes and lists nest too deep')
    const blocks: Block[] = []
    if (container.kind === 'item') {
      const list = this.openListFor(container, afterBlank)
      const item = { blocks, box: null }
      list.items.push(item)
      this.stack.push({ blocks, item, list, openList: null })
      return
    }
    this.begin(afterBlank)
    if (container.kind === 'quote') this.top.blocks.push({ type: 'quote', blocks })
    else {
      const key = titleKey(container.label)
      if (!this.footnotes.has(key)) this.footnotes.set(key, { label: container.label, blocks })
    }
    this.stack.push({ blocks, item: null, list: null, openList: null })
  }

  private openListFor({ mark, start }: Extract<Container, { kind: 'item' }>, afterBlank: boolean): List {
    const { openList } = this.top
    if (openList && openList.mark === mark && (openList.start === null) === (start === null)) {
      openList.loose ||= afterBlank
      return openList
    }
    this.begin(afterBlank)
    const list: List = { type: 'list', mark, start, loose: false, items: [] }
    this.top.blocks.push(list)
    this.top.openList = list
    return list
  }

  close(depth: number): void {
    this.stack.length = Math.min(this.stack.length, depth + 1)
  }

  heading({ level }: HeadingBlock, text: BlockText): void {
    this.top.blocks.push({ type: 'heading', level, text })
  }

  paragraph(text: BlockText): void {
    const table = text.text.slice(text.from, text.to).includes('|') ? this.takeTable(text) : null
    if (!table) this.top.blocks.push({ type: 'paragraph', text })
  }

  private takeTable({ text, from, to, base }: BlockText): Table | null {
    const source = text.slice(from, to)
    const lines = source.split(/\r\n|[\r\n]/)
    const table = readTable(lines)
    if (!table) return null
    this.cells += table.align.length * table.rows.length
    if (this.cells > this.maxCells) throw new RangeError('The tables have too many cells')
    if (table.from > 0) {
      const before = lines.slice(0, table.from).join('\n')
      this.top.blocks.push({ type: 'paragraph', text: { text: before, from: 0, to: before.length, base: base + from } })
    }
    this.top.blocks.push({ type: 'table', ...table })
    return table
  }

  literal(literal: LiteralBlock): void {
    this.top.blocks.push({ type: 'literal', literal })
  }

  rule(): void {
    this.top.blocks.push({ type: 'rule' })
  }

  checkbox(mark: number, state: string): void {
    const { item } = this.top
    if (item) item.box = { mark, state }
  }

  definition(label: string, destination: string, _start: number, _end: number, title: string): void {
    const key = titleKey(label)
    if (!this.references.has(key)) this.references.set(key, { destination, title })
  }

  footnote(label: string): void {
    this.references.set(`^${titleKey(label)}`, { destination: '', title: '' })
  }

  code(): void {}
  maths(): void {}
  comment(): void {}

  private get top(): Open {
    return this.stack.at(-1) as Open
  }
}

/** Keeps what the structure of a note does not need: the lines of code and HTML, and where blocks begin. */
class DocumentScanner extends BlockScanner {
  private lines: string[] = []
  /** The columns that each line of fenced code may be indented by. */
  private fenceIndent = 0

  constructor(
    body: string,
    private readonly reader: DocumentReader,
  ) {
    super(body, reader)
  }

  protected override begin(): void {
    this.lines = []
    this.fenceIndent = this.indent
    this.reader.begin(this.afterBlank)
  }

  protected override takeRule(): void {
    this.reader.rule()
  }

  protected override enter(kind: Container['kind'], width: number): void {
    const written = this.body.slice(this.at, this.at + width)
    this.reader.open(readContainer(kind, written), this.afterBlank)
  }

  /** Keeps the line, without the columns of its containers and the indentation that the block has. */
  protected override keepLine(): void {
    const indent = this.leaf === 'fenced' ? this.fenceIndent : this.leaf === 'indented' ? 4 : 0
    this.lines.push(this.textFrom(this.col + Math.min(indent, this.indent)))
  }

  /** Returns the line from column `col` on; a tab across that column is spaces from there. */
  private textFrom(col: number): string {
    let [offset, at] = [this.pos, 0]
    while (offset < this.eol && at < col) {
      at += this.body.charCodeAt(offset) === 9 ? 4 - (at & 3) : 1
      offset += 1
    }
    return ' '.repeat(Math.max(0, at - col)) + this.body.slice(offset, this.eol)
  }

  protected override takeLeaf(leaf: LeafKind): boolean {
    const { lines, body, leafStart, leafEnd } = this
    const send = (kind: LiteralBlock['kind'], text: string, info = '') => this.reader.literal({ kind, text, info })
    const text = lines.join('\n')
    if (leaf === 'raw') send('html', text)
    else if (leaf === 'html') {
      const { text: source, from, to } = this.getLeafText()
      send('html', source.slice(from, to))
    } else if (leaf === 'indented') {
      while (lines.at(-1)?.trim() === '') lines.pop()
      send('code', `${lines.join('\n')}\n`)
    } else if (leaf === 'fenced') {
      const [, info = ''] = /^(?:`+|~+)([^\r\n]*)/.exec(body.slice(leafStart, leafEnd)) ?? []
      send('code', lines.length === 0 ? '' : `${text}\n`, info.trim())
    } else if (leaf === 'maths' && this.mathsEnd <= leafEnd) send('maths', text.replace(/^\s*\$\$|\$\$\s*$/g, ''))
    else return false
    return true
  }
}

function readContainer(kind: Container['kind'], written: string): Container {
  if (kind === 'quote') return { kind }
  if (kind === 'footnote') return { kind, label: written.slice(2, -2) }
  return { kind, mark: written.slice(-1), start: written.length === 1 ? null : Number.parseInt(written, 10) }
}
