/** The table of bench/README.md: everything behind its mark is written by the command, one line for each row. */
import type { Row } from './figures'

const MARK = '<!-- table -->'
const HEAD: Line = ['what', 'target', 'measured: median (least to most)', '', 'when']

/** The cells of a line; the first begins with the name of its row. */
export type Line = readonly string[]

/** The lines that the table has, by the name of their row. Those of rows that are no more are left out. */
export function readTable(readme: string, rows: readonly Row[]): Map<string, Line> {
  const written = readme.slice(readme.indexOf(MARK)).split('\n')
  const lines = written.map((line) => line.split('|').slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()))
  const found = new Map<string, Line>()
  for (const { name } of rows) {
    const line = lines.find(([what]) => what?.startsWith(name))
    if (line) found.set(name, line)
  }
  return found
}

/** The page with these lines for its table, in the order of the rows, its columns set as the formatter sets them. */
export function writeTable(readme: string, heading: string, rows: readonly Row[], lines: ReadonlyMap<string, Line>) {
  const body = rows.map(({ name }) => lines.get(name) ?? []).filter((line) => line.length > 0)
  const widths = HEAD.map((_, at) => Math.max(3, ...[HEAD, ...body].map((line) => Bun.stringWidth(line[at] ?? ''))))
  const rule = widths.map((width) => '-'.repeat(width))
  const table = [HEAD, rule, ...body].map((line) => writeLine(widths.map((width, at) => padded(line[at] ?? '', width))))
  return `${readme.slice(0, readme.indexOf(MARK))}${MARK}\n\n${heading}\n\n${table.join('\n')}\n`
}

const padded = (text: string, width: number) => text + ' '.repeat(width - Bun.stringWidth(text))

export function writeLine(cells: Line): string {
  return `| ${cells.join(' | ')} |`
}
