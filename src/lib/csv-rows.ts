import { FileFault } from './file-fault'

// Reads and writes the records of RFC 4180, with any separator and any line end.

/** Cells of a record: far more than any program writes. */
const MAX_CELLS = 10_000

export interface Row {
  /** The line where it begins, from 1. Quoted cells may contain line ends. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Reads the records from a position of the text. An empty line is a record of one empty cell. A quote inside of a cell
 * that did not begin with one is an ordinary character. Throws FileFault invalid_request for an unclosed quote, or
 * for more than MAX_CELLS cells.
 * @param separator one character
 */
export function* readRows(text: string, separator: string, start = 0, line = 1): Generator<Row> {
  const scan = new RowScan(text, separator, start, line)
  while (!scan.done) yield scan.row()
}

export function writeRow(cells: readonly string[]): string {
  const written = cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  return `${written.join(',')}\r\n`
}

class RowScan {
  private readonly plain: RegExp

  constructor(
    private readonly text: string,
    private readonly separator: string,
    private at: number,
    private line: number,
  ) {
    this.plain = new RegExp(`[^\\r\\n${separator.replace(/[\\\]^-]/, '\\$&')}]*`, 'y')
  }

  get done(): boolean {
    return this.at >= this.text.length
  }

  row(): Row {
    const { line } = this
    const cells = [this.cell()]
    while (this.text[this.at] === this.separator) {
      this.at += 1
      cells.push(this.cell())
      if (cells.length > MAX_CELLS)
        throw new FileFault('invalid_request', `Line ${line} has more than ${MAX_CELLS} cells.`)
    }
    this.at += this.text.startsWith('\r\n', this.at) ? 2 : 1
    this.line += 1
    return { line, cells }
  }

  private cell(): string {
    return this.text[this.at] === '"' ? this.quoted() + this.unquoted() : this.unquoted()
  }

  private unquoted(): string {
    this.plain.lastIndex = this.at
    const [cell = ''] = this.plain.exec(this.text) ?? []
    this.at += cell.length
    return cell
  }

  private quoted(): string {
    const start = this.at + 1
    let end = this.text.indexOf('"', start)
    let doubled = false
    while (end >= 0 && this.text[end + 1] === '"') {
      doubled = true
      end = this.text.indexOf('"', end + 2)
    }
    if (end < 0) throw new FileFault('invalid_request', `The quote of line ${this.line} never ends.`)
    const cell = this.text.slice(start, end)
    this.line += cell.match(/\r\n|[\r\n]/g)?.length ?? 0
    this.at = end + 1
    return doubled ? cell.replaceAll('""', '"') : cell
  }
}
