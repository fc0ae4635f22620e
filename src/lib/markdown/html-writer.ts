import { findMathsInHtml } from './maths'
import { escapeMarkdown, fenceCode, MarkdownWriter } from './writer'

/** Markdown reads numbered lists that touch as one, unless another mark follows the numbers of each. */
type Delimiter = '.' | ')'

interface OpenList {
  /** The number of the next item, or null for bullets. */
  next: number | null
  /** What follows the numbers; null before the first item, and for bullets. */
  delimiter: Delimiter | null
  readonly todo: boolean
  /** The indentation of the text in the item before, or null before the first one. */
  indentation: string | null
  inItem: boolean
}

/** The last numbered list that ended, and where. */
interface EndedList {
  /** The number of the item that would go on with it. */
  readonly next: number
  readonly delimiter: Delimiter
  readonly at: number
}

export class HtmlWriter extends MarkdownWriter {
  /** The number of open elements whose text is hidden. */
  muted = 0
  /** The text of the open code block, or null. */
  code: string | null = null
  /** The rows of the open table, or null; inside a table, blocks are parts of a cell. */
  rows: string[][] | null = null
  /** Text of the open table outside of its cells, such as its caption. */
  besideCells: string[] = []
  readonly lists: OpenList[] = []
  private blank = true
  private inTodo = false
  private endedList: EndedList | null = null
  /** Whether the next text of a cell begins another line. */
  private breaksCell = false
  private readonly openMarks = new Set<string>()

  constructor(private readonly math = false) {
    super()
  }

  text(text: string): void {
    if (this.muted > 0) return
    if (this.code !== null) {
      this.code += text.replaceAll('\u00a0', ' ')
      return
    }
    const joined = text.replace(/[\s\u00a0]+/g, ' ')
    const shown = this.blank ? joined.trimStart() : joined
    if (shown === '') return
    this.breakCell()
    this.add(this.math ? escapeAroundMaths(shown, this.blank) : escapeMarkdown(shown, this.blank))
  }

  /** Adds Markdown to the present block. The space of the text behind it stays, also behind a picture or a sound. */
  override add(markdown: string): void {
    super.add(markdown)
    if (markdown.trim() !== '') this.blank = false
  }

  /** Opens a span between two marks; undefined in code, and within a span of the same marks. */
  openMark(mark: string, end = mark): (() => void) | undefined {
    if (this.code !== null || this.openMarks.has(mark)) return undefined
    this.openMarks.add(mark)
    this.openSpan((text) => mark + text + end)
    return () => {
      this.openMarks.delete(mark)
      this.closeSpan()
    }
  }

  override takeText(): string {
    this.blank = true
    this.breaksCell = false
    return super.takeText()
  }

  lineBreak(): void {
    if (this.code !== null) this.code += '\n'
    else if (this.rows) this.breaksCell ||= !this.blank
    else if (!this.blank) this.add('  \n')
    this.blank = true
  }

  /** Writes the open code block, unless it is blank, and closes it. */
  writeCode(): void {
    const code = this.code ?? ''
    this.code = null
    if (code.trim() !== '') this.writeBlock(fenceCode(code))
  }

  /** Adds the mark of an item or a checkbox where only text can be: in a cell or in code. */
  addPlainMark(mark: string): void {
    if (this.code !== null) this.code += mark
    else {
      const { blank } = this
      this.breakCell()
      this.add(mark)
      this.blank = blank
    }
  }

  private breakCell(): void {
    if (this.breaksCell) this.add('<br>')
    this.breaksCell = false
  }

  override endBlock(prefix = ''): void {
    if (this.code !== null) this.code += this.code === '' || this.code.endsWith('\n') ? '' : '\n'
    else if (this.rows) this.lineBreak()
    else {
      super.endBlock(prefix)
      if (!this.inTodo) return
      this.inTodo = false
      this.closeContainer()
    }
  }

  /** Returns the mark of the next item of a list: a bullet, or a number that differs from those of a list that it touches. */
  takeMark(list: OpenList | undefined): string {
    if (list?.next == null) return '- '
    const { endedList } = this
    const touches = endedList?.at === this.position && endedList.next !== list.next
    list.delimiter ??= touches && endedList.delimiter === '.' ? ')' : '.'
    return `${list.next++}${list.delimiter} `
  }

  endList(): void {
    const list = this.lists.pop()
    // Without an item it leaves nothing.
    if (!list || list.indentation === null) return
    const { next, delimiter } = list
    this.endedList = next === null || delimiter === null ? null : { next, delimiter, at: this.position }
  }

  /** Adds a checkbox: to the list item that begins here, else it makes the rest of its block an item. */
  todo(checked: boolean): void {
    const box = `[${checked ? 'x' : ' '}] `
    if (this.rows || this.code !== null) this.addPlainMark(box)
    else if (!this.blank || !this.addCheckbox(box)) {
      this.openContainer(`- ${box}`, '  ')
      this.inTodo = true
    }
  }
}

/** Escapes text, except for maths, which needs no escapes where programs show it as such. */
function escapeAroundMaths(text: string, atStart: boolean): string {
  let at = 0
  const parts = findMathsInHtml(text).flatMap(([start, end]) => {
    const before = escapeMarkdown(text.slice(at, start), atStart && at === 0)
    at = end
    return [before, text.slice(start, end)]
  })
  return parts.join('') + escapeMarkdown(text.slice(at), atStart && at === 0)
}
