import { readRows } from '../../lib/csv-rows'

// Finds the meaning of the columns of a file: by a header of field names, by Anki's directives, or by their order.

/** The names in a header, in the order of the export. */
export const CSV_COLUMNS = [
  'deck',
  'type',
  'front',
  'back',
  'text',
  'extra',
  'hint',
  'accepted',
  'tags',
  'note_ids',
  'source_system',
  'source_id',
  'source_url',
  'external_modified_at',
] as const
/** The meaning of a column. `guid` is Anki's, `none` is ignored. */
export type CsvColumn = (typeof CSV_COLUMNS)[number] | 'guid' | 'none'

const OTHER_NAMES: Readonly<Record<string, CsvColumn>> = {
  'back extra': 'extra',
  notetype: 'type',
  'note type': 'type',
  guid: 'guid',
}
const SEPARATORS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  space: ' ',
  pipe: '|',
  colon: ':',
}

/** The directives in `#` lines at the beginning of a file: https://docs.ankiweb.net/importing/text-files.html */
export interface Directives {
  separator: string
  html: boolean
  tags: string
  deck: string
  notetype: string
  /** The names of all columns; null if not given. */
  columns: string[] | null
  /** The indexes of single columns, from 0. */
  special: Map<number, CsvColumn>
}

/**
 * Reads the directives; unknown ones are comments. Also returns where the records begin, and their first line.
 * @param separatorFrom the separator of a file that does not name it, whose records begin at a position
 */
export function readDirectives(
  text: string,
  separatorFrom: (start: number) => string,
): { directives: Directives; start: number; line: number } {
  const said: [name: string, value: string][] = []
  const rest = /[^\r\n]*/y
  let start = 0
  let line = 1
  for (; text[start] === '#'; line++) {
    rest.lastIndex = start
    const [whole = ''] = rest.exec(text) ?? []
    const [, name = '', value = ''] = /^#([a-z ]{1,30}):(.*)$/i.exec(whole) ?? []
    said.push([name.toLowerCase().trim(), value])
    start += whole.length
    start += text.startsWith('\r\n', start) ? 2 : 1
  }
  return { directives: directivesOf(said, () => separatorFrom(start)), start, line }
}

function directivesOf(said: readonly (readonly [string, string])[], findSeparator: () => string): Directives {
  const value = (name: string) => said.findLast(([known]) => known === name)?.[1] ?? ''
  const found = separatorOf(value('separator')) ?? findSeparator()
  const columns = value('columns')
  const special = new Map<number, CsvColumn>()
  for (const [name, column] of Object.entries({
    notetype: 'type',
    deck: 'deck',
    tags: 'tags',
    guid: 'guid',
  } as const)) {
    const index = Number(value(`${name} column`)) - 1
    if (Number.isInteger(index) && index >= 0 && index < 1000) special.set(index, column)
  }
  return {
    separator: found,
    html: /^\s*true\s*$/i.test(value('html')),
    tags: value('tags'),
    deck: value('deck'),
    notetype: value('notetype'),
    columns: columns === '' ? null : namesOf(columns, found),
    special,
  }
}

/** Reads a separator: its name or the character itself, as Anki does. */
function separatorOf(said: string): string | null {
  const known = SEPARATORS[said.trim().toLowerCase()]
  if (known !== undefined) return known
  const isCharacter = said.length === 1 && !/["\r\n]/.test(said)
  return isCharacter ? said : null
}

function namesOf(columns: string, separator: string): string[] {
  // An unclosed quote in a name must not refuse the whole file.
  const [row] = readRows(columns.replaceAll('"', ''), separator)
  return [...(row?.cells ?? [])]
}

/** Returns the columns if the first record is a header; null if it is a fact. */
export function headerOf(cells: readonly string[], special: Directives['special']): CsvColumn[] | null {
  const columns = cells.map(columnOf)
  const isHeader = cells.every((cell, index) => cell.trim() === '' || columns[index] !== null)
  if (!isHeader || !columns.some((column) => column === 'front' || column === 'text')) return null
  return columns.map((column, index) => special.get(index) ?? column ?? 'none')
}

/** Returns columns by their names. Unknown ones become front and back, if these are missing, then extra. */
export function namedColumns({ columns, special }: Directives): CsvColumn[] {
  const known = (columns ?? []).map((name, index) => special.get(index) ?? columnOf(name))
  const free = (['front', 'back'] as const).filter((side) => !known.includes(side))
  if (known.includes('text')) free.length = 0
  return known.map((column) => column ?? free.shift() ?? 'extra')
}

/** Returns columns by their order: front, back, tags. If directives name some columns, the other fields are extra. */
export function plainColumns({ special }: Directives, count: number): CsvColumn[] {
  const fields: CsvColumn[] = special.size > 0 ? ['front', 'back'] : ['front', 'back', 'tags']
  const columns: CsvColumn[] = []
  for (let index = 0; index < count; index++) {
    const column = special.get(index) ?? fields.shift() ?? (special.size > 0 ? 'extra' : null)
    if (column === null) break
    columns.push(column)
  }
  return columns
}

function columnOf(name: string): CsvColumn | null {
  const key = name.trim().toLowerCase()
  return (
    CSV_COLUMNS.find((column) => column === key) ?? (Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : null) ?? null
  )
}
