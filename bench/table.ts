/** The table of bench/README.md: everything behind its mark is written by the command, one line for each row. */
import type { Row } from './figures'

const MARK = '<!-- table -->'
const HEAD = '| what | target | measured: median (least to most) | | when |\n|---|---|---|---|---|'
/** What every line of the table begins with; the name of its row follows. */
export const LINE_START = '| '

/** The lines that the table has, by the name of their row. Those of rows that are no more are left out. */
export function readTable(readme: string, rows: readonly Row[]): Map<string, string> {
  const lines = readme.slice(readme.indexOf(MARK)).split('\n')
  const found = new Map<string, string>()
  for (const { name } of rows) {
    const line = lines.find((one) => one.startsWith(LINE_START + name))
    if (line) found.set(name, line)
  }
  return found
}

/** The page with these lines for its table, in the order of the rows. */
export function writeTable(
  readme: string,
  heading: string,
  rows: readonly Row[],
  lines: ReadonlyMap<string, string>,
): string {
  const body = rows.flatMap(({ name }) => lines.get(name) ?? [])
  return `${readme.slice(0, readme.indexOf(MARK))}${MARK}\n\n${heading}\n\n${[HEAD, ...body].join('\n')}\n`
}
