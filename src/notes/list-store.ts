import { Bindings, type Reader } from '../db/database'
import { integersIn } from '../db/dialect'
import { keysOf, readInSteps, type Walk } from '../db/table'
import type { Key } from '../http/cursor'
import { fold } from '../search/fold'
import { buildFilterConditions, getIndexedParts, type IndexedPart, type NoteFilter } from './filters'
import type { PropertySort, Sort } from './schema'
import { SUMMARY_COLUMNS, type SummaryRow } from './store'

interface NoteListing {
  readonly filter: NoteFilter
  readonly sort: Sort
  /** The sort keys of the last note shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

const SORT_COLUMNS = {
  updated: 'updated_at',
  created: 'created_at',
  title: 'title_key',
  folder: "coalesce(folder, '')",
} as const

/** Returns the sort keys of a note, as listNotes takes them in `after`. */
export function toSortKeys(sort: Sort, note: SummaryRow | (SummaryRow & PropertySortRow)): Key[] {
  if ('sort_group' in note) return toPropertySortKeys(note)
  const name = sort.replace('-', '') as keyof typeof SORT_COLUMNS
  const first = { updated: note.updated_at, created: note.created_at, title: note.title_key, folder: note.folder ?? '' }
  return [first[name], note.id]
}

/** Returns the types of the sort keys, to check the keys of a cursor. */
export function getSortKeyKinds(sort: Sort): readonly ('string' | 'number')[] {
  if (isPropertySort(sort)) return PROPERTY_SORT_KEY_KINDS
  return [/title|folder/.test(sort) ? 'string' : 'number', 'string']
}

/**
 * Notes that an index finds for a filter, at most, which are then sorted: of 5000 in 10 ms. More of them are met often on
 * the way through all notes in the order of the list.
 */
const MAX_SORTED = 5000

/** Finds the part of a filter that few notes have. */
async function findRarePart({ db, workspace }: Reader, parts: readonly IndexedPart[]): Promise<IndexedPart | null> {
  for (const part of parts) {
    const bind = new Bindings(workspace.id)
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${part.entries(bind)} LIMIT ${bind.add(MAX_SORTED + 1)}) AS found`
    if (((await db.get<{ n: number }>(sql, bind.values))?.n ?? 0) <= MAX_SORTED) return part
  }
  return null
}

/** Steps on the way through all notes, over 5000 of them, before it is asked which notes have all parts of a filter. */
const TRIED_STEPS = 4

/**
 * Finds the notes that have several parts of a filter, of each of which there are many: by a tag, whose index has them in
 * the order of their rows. Returns their keys as JSON; null if there are more than MAX_SORTED, or no tag is wanted.
 */
async function findCommon({ db, workspace }: Reader, parts: readonly IndexedPart[]): Promise<string | null> {
  const lead = parts.find(({ walk }) => walk)
  if (!lead?.walk || parts.length === 1) return null
  const [tags, members] = [true, false].map((isTag) =>
    parts.filter((part) => part !== lead && (part.walk !== undefined) === isTag),
  )
  const add = async (found: readonly number[], within: Walk['from']) => {
    const bind = new Bindings(workspace.id)
    const where = [within(bind), ...(tags ?? []).map((part) => part.compare(bind, 'note_tags.key'))]
    if (members?.length) {
      const row = ['notes.key = note_tags.key', ...members.map((part) => part.compare(bind))].join(' AND ')
      where.push(`EXISTS (SELECT 1 FROM notes WHERE ${row})`)
    }
    const sql = `SELECT note_tags.key FROM ${where.join(' AND ')} LIMIT ${bind.add(MAX_SORTED + 1 - found.length)}`
    return [...found, ...keysOf(await db.all<{ key: number }>(sql, bind.values))]
  }
  const isDone = ({ length }: readonly number[]) => length > MAX_SORTED
  const keys = await readInSteps<number>({ db, workspace }, lead.walk, lead.walk.first, add, isDone)
  return isDone(keys) ? null : JSON.stringify(keys)
}

/** Lists one page of notes without reading their bodies. */
export async function listNotes({ db, workspace }: Reader, listing: NoteListing): Promise<SummaryRow[]> {
  const { filter, after, limit } = listing
  const parts = getIndexedParts(filter)
  const property = readPropertySort(listing.sort)
  if (property) {
    const rare = await findRarePart({ db, workspace }, parts)
    const others = parts.filter((part) => part !== rare)
    return listByProperty({ db, workspace }, { ...listing, ...property }, SUMMARY_COLUMNS, (bind) =>
      buildFilterConditions(filter, bind, parts, others),
    )
  }
  const descends = listing.sort.startsWith('-')
  const name = listing.sort.replace('-', '') as keyof typeof SORT_COLUMNS
  const isNamed = filter.ids !== null || filter.titleKey !== null
  const ofSort = parts.filter(({ sort }) => sort === name)
  const counted = isNamed || filter.trashed ? [] : parts.filter((part) => !ofSort.includes(part))
  const rare = await findRarePart({ db, workspace }, counted)
  const isSorted = isNamed || filter.trashed || rare !== null
  // Sorted notes are few, or a step. The plus makes SQLite sort them instead of walking all notes in the order of the list.
  const column = isSorted ? `+${SORT_COLUMNS[name]}` : SORT_COLUMNS[name]
  const others = (isNamed || filter.trashed ? parts : counted).filter((part) => part !== rare)
  const order = descends ? 'DESC' : 'ASC'
  const columns = [SORT_COLUMNS[name], 'id']
  const select = <Row = SummaryRow>(
    selected: string,
    from: Walk['from'],
    { by = column as string, rest = after, compared = others, count = limit } = {},
  ) => {
    const bind = new Bindings(workspace.id)
    const conditions = `${from(bind)} ${buildFilterConditions(filter, bind, parts, compared)}`
    const beyond = rest
      ? `AND (${by}, id) ${descends ? '<' : '>'} (${rest.map((key) => bind.add(key)).join(', ')})`
      : ''
    const sql = `SELECT ${selected} FROM ${conditions} ${beyond} ORDER BY ${by} ${order}, id ${order} LIMIT ${bind.add(count)}`
    return db.all<Row>(sql, bind.values)
  }
  const selectSorted = (keys: string) => {
    const held = (bind: Bindings) => `notes WHERE +workspace = $1 AND key IN ${integersIn(bind.add(keys))}`
    return select(SUMMARY_COLUMNS, held, { by: `+${SORT_COLUMNS[name]}` })
  }
  const all = () => 'notes WHERE workspace = $1'
  if (filter.trashed && !isNamed) {
    const trash = { from: () => `${all()} AND deleted_at IS NOT NULL`, columns: ['deleted_at', 'id'] }
    const add = async (found: readonly number[], within: Walk['from']) => [
      ...found,
      ...keysOf(await select<{ key: number }>('key', within)),
    ]
    return selectSorted(JSON.stringify(await readInSteps<number>({ db, workspace }, trash, null, add, () => false)))
  }
  if (isSorted || (parts.length === 0 && filter.pinned === null && !filter.archived))
    return select(SUMMARY_COLUMNS, rare ? () => rare.from : all)
  // The keys of a step are the only bounds, also in place of those of the page before: of two, SQLite takes one.
  const bounded = ofSort.find((part) => part.first !== undefined)
  const [low, high] = [bounded?.first ?? null, bounded?.end ?? null]
  const walk: Walk = {
    from: (bind) =>
      [all(), 'deleted_at IS NULL', ...ofSort.map((part) => (part === bounded ? part.compare : part.find)(bind))].join(
        ' AND ',
      ),
    columns,
    descends,
    end: descends ? low : high,
  }
  const compared = parts.filter((part) => part === bounded || !ofSort.includes(part))
  let steps = 0
  let common: string | null = null
  const add = async (found: readonly SummaryRow[], within: Walk['from']) => {
    if (steps++ === TRIED_STEPS) common = await findCommon({ db, workspace }, parts)
    if (common !== null) return found
    const step = { rest: null, compared, count: limit - found.length }
    return [...found, ...(await select(SUMMARY_COLUMNS, within, step))]
  }
  const isDone = ({ length }: readonly SummaryRow[]) => length === limit || common !== null
  const first = after ?? (descends ? high : low)
  const rows = await readInSteps<SummaryRow>({ db, workspace }, walk, first, add, isDone)
  return common === null ? [...rows] : selectSorted(common)
}

export interface PropertyOrder {
  readonly name: string
  readonly descends: boolean
  /** The sort keys of the last note of the page before, see toPropertySortKeys; null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** The sort keys of a note. `sort_group` is 0 for a number, 1 for text, 2 for a note without the property. */
export interface PropertySortRow {
  readonly id: string
  readonly sort_group: number
  readonly sort_number: number
  readonly sort_text: string
}

/** The types of the keys in a cursor of such a list. */
export const PROPERTY_SORT_KEY_KINDS = ['number', 'number', 'string', 'string'] as const

const GROUP_WITHOUT_VALUE = 2
/** The sort keys in SQL: numbers first, equal however they are written, then text. */
const SORT_KEYS = [
  '(own.number IS NULL)',
  'coalesce(own.number, 0)',
  "CASE WHEN own.number IS NULL THEN own.value ELSE '' END",
]

export function readPropertySort(sort: string): Pick<PropertyOrder, 'name' | 'descends'> | null {
  const [, minus, name] = /^(-?)property\.(.+)$/su.exec(sort) ?? []
  return name === undefined ? null : { name: fold(name), descends: minus === '-' }
}

export function isPropertySort(sort: string): sort is PropertySort {
  return readPropertySort(sort) !== null
}

/** Returns the sort keys of a note, as listByProperty takes them in `after`. */
export function toPropertySortKeys({ sort_group, sort_number, sort_text, id }: PropertySortRow): Key[] {
  return [sort_group, sort_number, sort_text, id]
}

/**
 * Lists living notes by the least value of the property, then by id. Notes without the property come last in both
 * directions, by id.
 * @param columns columns of `notes`, in SQL
 * @param where further conditions on `notes`, each beginning with AND; `$1` is the workspace
 */
export async function listByProperty<Row>(
  { db, workspace }: Reader,
  order: PropertyOrder,
  columns: string,
  where: (bind: Bindings) => string,
): Promise<(Row & PropertySortRow)[]> {
  const run = (build: typeof buildValuedStatement, page: PropertyOrder) => {
    const bind = new Bindings(workspace.id)
    return db.all<Row & PropertySortRow>(build(page, columns, where(bind), bind), bind.values)
  }
  const isPastValues = order.after?.[0] === GROUP_WITHOUT_VALUE
  const valued = isPastValues ? [] : await run(buildValuedStatement, order)
  const limit = order.limit - valued.length
  if (limit === 0) return valued
  return [
    ...valued,
    ...(await run(buildUnvaluedStatement, { ...order, after: isPastValues ? order.after : null, limit })),
  ]
}

/** Builds the statement for notes with the property. It reads only the values of this property in this workspace. */
function buildValuedStatement(order: PropertyOrder, columns: string, where: string, bind: Bindings): string {
  const [than, by] = toSqlDirection(order)
  const [group, number, text] = SORT_KEYS
  const after = order.after?.map((key) => bind.add(key)).join(', ')
  return `SELECT ${columns}, notes.id, ${group} AS sort_group, ${number} AS sort_number, ${text} AS sort_text
    FROM note_properties AS own CROSS JOIN notes ON notes.key = own.key
    WHERE own.workspace = $1 AND own.name = ${bind.add(order.name)} AND +notes.workspace = $1 AND notes.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM note_properties AS other
        WHERE other.key = own.key AND other.workspace = $1 AND other.name = own.name
          AND (other.number IS NULL, coalesce(other.number, 0), other.value) < (${group}, ${number}, own.value))
      ${where} ${after ? `AND (${SORT_KEYS.join(', ')}, notes.id) ${than} (${after})` : ''}
    ORDER BY ${[...SORT_KEYS, 'notes.id'].map((key) => `${key} ${by}`).join(', ')} LIMIT ${bind.add(order.limit)}`
}

function buildUnvaluedStatement(order: PropertyOrder, columns: string, where: string, bind: Bindings): string {
  const [than, by] = toSqlDirection(order)
  const after = order.after && `AND notes.id ${than} ${bind.add(order.after.at(-1) ?? '')}`
  return `SELECT ${columns}, notes.id, ${GROUP_WITHOUT_VALUE} AS sort_group, 0 AS sort_number, '' AS sort_text
    FROM notes WHERE notes.workspace = $1 AND notes.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM note_properties AS own
        WHERE own.key = notes.key AND own.workspace = $1 AND own.name = ${bind.add(order.name)})
      ${where} ${after ?? ''} ORDER BY notes.id ${by} LIMIT ${bind.add(order.limit)}`
}

function toSqlDirection({ descends }: PropertyOrder): ['<', 'DESC'] | ['>', 'ASC'] {
  return descends ? ['<', 'DESC'] : ['>', 'ASC']
}
