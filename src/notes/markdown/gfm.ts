import { isTableRule } from './grammar.ts'

/** What GFM has beyond CommonMark: tables, and addresses that are in a text as they are. */

export type Align = 'left' | 'center' | 'right' | null

/** The parts of a row: escapes and links to notes, whose bars end no cell, and the bars themselves. */
const ROW_PARTS = /\\[\s\S]|\[\[[^[\]]*\]\]|\|/g
const CELL_RULE = /^:?-+:?$/

export interface Table {
  /** How many lines of the text come before it. */
  readonly from: number
  readonly align: readonly Align[]
  /** The first is the header. */
  readonly rows: readonly (readonly string[])[]
}

/** Finds the table in the lines of a paragraph, which goes to its end; null if there is none. */
export function readTable(lines: readonly string[]): Table | null {
  for (let at = 1; at < lines.length; at += 1) {
    const align = isTableRule(lines[at] ?? '') ? readAlign(lines[at] ?? '') : null
    const header = align && splitRow(lines[at - 1] ?? '')
    if (!align || header?.length !== align.length) continue
    const rows = lines.slice(at + 1).map((line) => {
      const cells = splitRow(line)
      return align.map((_, column) => cells[column] ?? '')
    })
    return { from: at - 1, align, rows: [header, ...rows] }
  }
  return null
}

function readAlign(line: string): Align[] | null {
  const cells = splitRow(line)
  if (!cells.every((cell) => CELL_RULE.test(cell))) return null
  return cells.map((cell) => {
    const [left, right] = [cell.startsWith(':'), cell.endsWith(':')]
    return left && right ? 'center' : right ? 'right' : left ? 'left' : null
  })
}

function splitRow(line: string): string[] {
  const row = line.trim()
  const bars = [...row.matchAll(ROW_PARTS)].filter(([part]) => part === '|').map(({ index }) => index)
  if (bars[0] === 0) bars.shift()
  const last = bars.at(-1) === row.length - 1 ? bars.pop() : row.length
  const starts = [row.startsWith('|') ? 1 : 0, ...bars.map((bar) => bar + 1)]
  return starts.map((start, index) =>
    row
      .slice(start, bars[index] ?? last)
      .trim()
      .replaceAll('\\|', '|'),
  )
}

const SCHEME = /(?<![\p{L}\p{N}])(?:https?|ftp)$/iu
/** Longer than any scheme of SCHEME, by the letter before it. */
const SCHEME_UNITS = 8
const HOST = /[a-z0-9-]+(?:\.[a-z0-9-]+)*/iy
/** What ends an address: white space, a tag, or a link to a note. */
const END = /[\s<]|\[\[/g
const LOCAL_PART = /[A-Za-z0-9._+-]+$/
/** Of the longest local part, as RFC 5321 has it. */
const LOCAL_UNITS = 64
const DOMAIN = /[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*[A-Za-z0-9])+(?![\w-])/y
const ENTITY_END = /&[a-zA-Z0-9]+;$/

/** Finds the address whose `://` begins at `at`, or whose first dot is there, behind `www`; null if there is none. */
export function findBareAddress(
  text: string,
  at: number,
  from: number,
  to: number,
): [start: number, end: number] | null {
  const before = text.slice(Math.max(from, at - SCHEME_UNITS), at)
  const isWeb = text.charCodeAt(at) === 46
  const scheme = isWeb ? /(?<![\p{L}\p{N}])www$/iu.exec(before) : text.startsWith('//', at + 1) && SCHEME.exec(before)
  if (!scheme) return null
  const host = at + (isWeb ? 1 : 3)
  HOST.lastIndex = host
  if (!HOST.test(text) || HOST.lastIndex > to) return null
  END.lastIndex = HOST.lastIndex
  const end = trimEnd(text, host, Math.min(END.exec(text)?.index ?? to, to))
  return end > host ? [at - scheme[0].length, end] : null
}

/** Leaves out what ends the sentence rather than the address. */
function trimEnd(text: string, from: number, to: number): number {
  let open = 0
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 40) open += 1
    else if (code === 41) open -= 1
  }
  for (let end = to; end > from; ) {
    const last = text.charAt(end - 1)
    if (last === ')' && open < 0) open += 1
    else if (last === ';') {
      const entity = ENTITY_END.exec(text.slice(Math.max(from, end - 40), end))
      end -= entity ? entity[0].length - 1 : 0
    } else if (!/[?!.,:*_~'"]/.test(last)) return end
    end -= 1
  }
  return from
}

/** Finds the address of mail around the `@` at `at`; null if there is none. */
export function findMail(text: string, at: number, from: number, to: number): [start: number, end: number] | null {
  const local = LOCAL_PART.exec(text.slice(Math.max(from, at - LOCAL_UNITS), at))?.[0]
  if (!local) return null
  DOMAIN.lastIndex = at + 1
  return DOMAIN.test(text) && DOMAIN.lastIndex <= to ? [at - local.length, DOMAIN.lastIndex] : null
}
