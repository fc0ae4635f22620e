import type { SentSource } from '../../http/values'
import type { ImportWarning } from '../../imports/kind'
import { type Row, readRows, writeRow } from '../../lib/csv-rows'
import { FileFault } from '../../lib/file-fault'
import type { FactContent, GivenFactType } from '../facts/fact-schema'
import { decodeText, type ParsedFact, type ParsedFault } from './parsed'

// Finds the meaning of the columns of a file: by a header of field names, by Anki's directives, or by their order.

/** The names in a header, in the order of the export. */
const CSV_COLUMNS = [
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
type CsvColumn = (typeof CSV_COLUMNS)[number] | 'guid' | 'none'

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
interface Directives {
  separator: string
  html: boolean
  tags: string
  deck: string
  notetype: string
  columns: string[] | null
  /** The indexes of single columns, from 0. */
  special: Map<number, CsvColumn>
}

/**
 * Reads the directives; unknown ones are comments. Also returns where the records begin, and their first line.
 * @param separatorFrom the separator of a file that does not name it, whose records begin at a position
 */
function readDirectives(
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
function headerOf(cells: readonly string[], special: Directives['special']): CsvColumn[] | null {
  const columns = cells.map(columnOf)
  const isHeader = cells.every((cell, index) => cell.trim() === '' || columns[index] !== null)
  if (!isHeader || !columns.some((column) => column === 'front' || column === 'text')) return null
  return columns.map((column, index) => special.get(index) ?? column ?? 'none')
}

/** Returns columns by their names. Unknown ones become front and back, if these are missing, then extra. */
function namedColumns({ columns, special }: Directives): CsvColumn[] {
  const known = (columns ?? []).map((name, index) => special.get(index) ?? columnOf(name))
  const free = (['front', 'back'] as const).filter((side) => !known.includes(side))
  if (known.includes('text')) free.length = 0
  return known.map((column) => column ?? free.shift() ?? 'extra')
}

/** Returns columns by their order: front, back, tags. If directives name some columns, the other fields are extra. */
function plainColumns({ special }: Directives, count: number): CsvColumn[] {
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

// Reads and writes facts as lines of text: RFC 4180 or tabs, with a header, in plain order, or as Anki writes them.

/** Converts the HTML of a cell to Markdown, for files with `#html:true`. Null if it cannot be read. */
type ToMarkdown = (html: string) => string | null

/** Reads the facts of a file. Throws invalid_request, as an ApiError if it is not UTF-8, as a FileFault for an unclosed quote. */
export function* readCsv(
  bytes: Uint8Array,
  format: 'csv' | 'tsv',
  toMarkdown: ToMarkdown,
): Generator<ParsedFact | ParsedFault> {
  const text = decodeText(bytes)
  const { directives, start, line } = readDirectives(text, (from) =>
    format === 'csv' ? findSeparator(text, from) : '\t',
  )
  let columns = directives.columns ? namedColumns(directives) : null
  let isFirst = columns === null
  for (const row of readRows(text, directives.separator, start, line)) {
    if (row.cells.every((cell) => cell.trim() === '')) continue
    const header: CsvColumn[] | null = isFirst ? headerOf(row.cells, directives.special) : null
    isFirst = false
    if (header) columns = header
    else yield rowItem(row, columns ?? plainColumns(directives, row.cells.length), directives, toMarkdown)
  }
}

/** The separators of files named CSV; the first one that fits. Spreadsheets write `;` where a comma is in numbers. */
const SEPARATORS_OF_CSV = [',', ';', '\t']
const SAMPLE_ROWS = 20

/** Finds the separator: one that shows a header, else one in each record, and not before a space; else a comma. */
function findSeparator(text: string, start: number): string {
  const samples = SEPARATORS_OF_CSV.map((separator) => ({ separator, rows: readSample(text, start, separator) }))
  const withHeader = samples.find(({ rows: [first] }) => first && first.length > 1 && headerOf(first, new Map()))
  const fitting = samples.find(
    ({ rows }) =>
      rows.length > 0 &&
      rows.every((cells) => cells.length > 1) &&
      rows.some(([, ...cells]) => cells.some((cell) => !/^\s/.test(cell))),
  )
  return (withHeader ?? fitting)?.separator ?? ','
}

/** Reads the first records that are not blank; none if a quote has no end with this separator. */
function readSample(text: string, start: number, separator: string): (readonly string[])[] {
  const rows: (readonly string[])[] = []
  try {
    for (const { cells } of readRows(text, separator, start)) {
      if (cells.some((cell) => cell.trim() !== '')) rows.push(cells)
      if (rows.length === SAMPLE_ROWS) break
    }
  } catch (error) {
    if (error instanceof FileFault) return []
    throw error
  }
  return rows
}

export function csvHeader(): string {
  return writeRow(CSV_COLUMNS)
}

/** Writes a fact as a line, without schedules and reviews. Reading the line gives the same fact. */
export function csvLine({ source, ...fact }: Omit<FactContent, keyof Lists> & Lists, deck: readonly string[]): string {
  const cells: { [Column in CsvColumn]?: string | null } = {
    ...fact,
    deck: deck.join('::'),
    accepted: fact.accepted.join('\n'),
    tags: fact.tags.join(' '),
    note_ids: fact.note_ids.join(' '),
    source_system: source?.system ?? null,
    source_id: source?.id ?? null,
    source_url: source?.url ?? null,
  }
  return writeRow(CSV_COLUMNS.map((column) => cells[column] ?? ''))
}
interface Lists {
  readonly accepted: readonly string[]
  readonly tags: readonly string[]
  readonly note_ids: readonly string[]
}

type Cells = ReadonlyMap<CsvColumn, string>
const MARKUP: readonly string[] = ['front', 'back', 'text', 'extra', 'hint']

function rowItem(
  row: Row,
  columns: readonly CsvColumn[],
  directives: Directives,
  toMarkdown: ToMarkdown,
): ParsedFact | ParsedFault {
  const where = `line ${row.line}`
  const warnings: ImportWarning[] = []
  const warn = (code: string, detail: string) => warnings.push({ code, detail })
  if (row.cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    warn('extra_cells', `The line has more than ${columns.length} cells: the others are left out.`)
  const cells = cellsOf(row, columns, directives.html ? toMarkdown : (text) => text)
  if (!cells) {
    const detail = 'The HTML of a cell cannot be read: the line is left out.'
    return { kind: 'fault', type: 'fact', where, code: 'invalid_html', detail }
  }
  const modified = cells.get('external_modified_at') ?? ''
  const modifiedAt = modified === '' ? Number.NaN : Date.parse(modified)
  if (modified !== '' && Number.isNaN(modifiedAt))
    warn('invalid_instant', 'external_modified_at is no instant: it is left out.')
  const name = cells.get('type')?.trim() || directives.notetype.trim()
  const type = name === '' ? undefined : typeOf(name)
  if (type === null) warn('unknown_type', 'The type is not known: the fact becomes basic.')
  return {
    kind: 'fact',
    where,
    fact: contentOf(cells, type, directives),
    deck: pathOf(cells.get('deck')?.trim() || directives.deck),
    external_modified_at: Number.isNaN(modifiedAt) ? null : modifiedAt,
    cards: [],
    log: [],
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** Returns the cells by column, with several extras joined; null if the HTML of one cannot be read. */
function cellsOf(row: Row, columns: readonly CsvColumn[], toMarkdown: ToMarkdown): Cells | null {
  const cells = new Map<CsvColumn, string>()
  for (const [index, column] of columns.entries()) {
    const raw = row.cells[index] ?? ''
    const text = MARKUP.includes(column) ? toMarkdown(raw) : raw
    if (text === null) return null
    const before = cells.get(column) ?? ''
    cells.set(
      column,
      joined(column === 'extra' || column === 'tags' ? before : '', text, column === 'tags' ? ' ' : '\n\n'),
    )
  }
  return cells
}

function contentOf(cells: Cells, named: GivenFactType | null | undefined, directives: Directives): FactContent {
  const cell = (column: CsvColumn) => cells.get(column) ?? ''
  const isBlank = (column: CsvColumn) => cell(column).trim() === ''
  const type = named === undefined && isBlank('front') && !isBlank('text') ? 'cloze' : (named ?? 'basic')
  const isMoved = type === 'cloze' && isBlank('text')
  const extra = isMoved ? joined(cell('back'), cell('extra'), '\n\n') : cell('extra')
  const front = isBlank('front') ? cell('text') : cell('front')
  return {
    type,
    ...(type === 'cloze' ? { text: isMoved ? front : cell('text') } : { front, back: cell('back') }),
    extra: extra || null,
    hint: cell('hint') || null,
    accepted: cell('accepted')
      .split(/\r\n|[\r\n]/)
      .filter(Boolean),
    tags: `${cell('tags')} ${directives.tags}`.split(/\s+/).filter(Boolean),
    note_ids: cell('note_ids').split(/\s+/).filter(Boolean),
    source: { ...nameOf(cells), url: cell('source_url').trim() || null },
  }
}

/** Returns the fact type of a name: ours, or the nearest to a notetype of Anki; null for any other name. */
function typeOf(name: string): GivenFactType | null {
  if (/cloze/i.test(name)) return 'cloze'
  if (/revers/i.test(name)) return 'reversed'
  if (/typed|type in/i.test(name)) return 'typed'
  return /basic/i.test(name) ? 'basic' : null
}

/** Returns the id of the fact in another program. It is not trimmed, since white space is part of an id. */
function nameOf(cells: Cells): SentSource {
  const cell = (column: CsvColumn) => (cells.get(column)?.trim() ? (cells.get(column) ?? null) : null)
  const [system, id] = [cell('source_system'), cell('source_id')]
  if (system !== null || id !== null) return { system, id }
  const guid = cell('guid')
  return guid === null ? {} : { system: 'anki', id: guid.trim() }
}

function pathOf(deck: string): string[] {
  return deck
    .split('::')
    .map((name) => name.trim())
    .filter(Boolean)
}

/** Joins two texts with a separator; blank texts are left out. */
function joined(one: string, other: string, between: string): string {
  if (one.trim() === '') return other
  return other.trim() === '' ? one : one + between + other
}
