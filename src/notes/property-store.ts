import { Bindings, type Queries, type WorkspaceId } from '../db/database'
import { elementsIn } from '../db/dialect'
import type { Key } from '../http/cursor'
import { fold } from '../search/fold'
import type { PropertyLeaf } from '../search/query'
import { buildKeyCondition } from '../search/source'
import type { PropertySort } from './schema'
import type { NoteRow } from './store'
import type { NoteWriteHook } from './writer'

/** Indexed values of one note. */
const MAX_VALUES = 1000
/** Indexed code points of one value. */
const MAX_VALUE_CHARS = 200
const NUMBER = /^[-+]?\d+(?:\.\d+)?$/
const DATE = /^\d{4}-\d\d/

interface Value {
  readonly name: string
  readonly value: string
  readonly number: number | null
}

/** Keeps the table of properties, which has rows of living notes only. */
export const propertyHook: NoteWriteHook = {
  async afterWrite({ db, workspace }, old, note) {
    const had = old !== null && old.deleted_at === null ? old.properties : '{}'
    const has = note.deleted_at === null ? note.properties : '{}'
    if (had !== has) {
      if (had !== '{}') await deleteProperties(db, workspace.id, note.key)
      if (has !== '{}') await addProperties(db, workspace.id, note)
    }
    return { note, bytes: 0 }
  },
  // A foreign key deletes the rows with the note.
  async beforeErase() {
    return 0
  },
}

async function addProperties(db: Queries, workspace: WorkspaceId, { key, properties }: NoteRow): Promise<void> {
  await db.run(
    `INSERT INTO note_properties (workspace, name, value, key, number)
     SELECT $1, value ->> 'name', value ->> 'value', $2, CAST(value ->> 'number' AS double precision)
     FROM ${elementsIn('$3')} WHERE true ON CONFLICT DO NOTHING`,
    [workspace, key, JSON.stringify(listValues(properties))],
  )
}

async function deleteProperties(db: Queries, workspace: WorkspaceId, key: number): Promise<void> {
  await db.run('DELETE FROM note_properties WHERE +workspace = $1 AND key = $2', [workspace, key])
}

/** Lists the values to index. An object is indexed only as present, and null not at all. */
function listValues(properties: string): Value[] {
  return Object.entries(JSON.parse(properties) as Record<string, unknown>)
    .flatMap(([name, property]) =>
      [property].flat().flatMap((item): Value[] => (item === null ? [] : [toValue(fold(name), item)])),
    )
    .slice(0, MAX_VALUES)
}

function toValue(name: string, item: unknown): Value {
  const value = typeof item === 'object' ? '' : toComparedText(String(item))
  return { name, value, number: typeof item === 'number' ? item : parseNumber(value) }
}

function toComparedText(text: string): string {
  return Array.from(fold(text).trim()).slice(0, MAX_VALUE_CHARS).join('')
}

function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null
}

export async function findKnownProperties(
  db: Queries,
  workspace: WorkspaceId,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (names.size === 0) return names
  const rows = await db.all<{ name: string }>(
    `SELECT value AS name FROM ${elementsIn('$2')} AS asked
     WHERE EXISTS (SELECT 1 FROM note_properties WHERE workspace = $1 AND name = asked.value)`,
    [workspace, JSON.stringify([...names])],
  )
  return new Set(rows.map(({ name }) => name))
}

/**
 * Builds a SELECT of the keys of living notes with a property; its `$1` is the workspace. Numbers are compared as
 * numbers, and dates with values that begin like a date: `due<=2026-05` includes all of May. A list matches by any of
 * its items. A match of a part of a value, such as `status:do*`, compares numbers as text.
 */
export function selectKeysWithProperty({ name, comparison, value, match }: PropertyLeaf, bind: Bindings): string {
  const text = toComparedText(value)
  const named = `workspace = $1 AND name = ${bind.add(name)}`
  const matches =
    match === 'whole' ? buildCondition(comparison, text, bind) : buildKeyCondition('value', text, match, null, bind)
  return `SELECT key FROM note_properties WHERE ${named} AND ${matches}`
}

function buildCondition(comparison: PropertyLeaf['comparison'], text: string, bind: Bindings): string {
  const number = parseNumber(text)
  if (comparison === 'exists') return 'TRUE'
  if (comparison === '=') {
    const same = `value = ${bind.add(text)}`
    return number === null ? same : `(${same} OR number = ${bind.add(number)})`
  }
  if (number !== null) return `number ${comparison} ${bind.add(number)}`
  // A value that begins with the date is part of it: `2026-05-31` is in `2026-05`.
  const bound = comparison === '<=' || comparison === '>' ? `${text}\u{10ffff}` : text
  const likeDate = DATE.test(text) ? " AND glob('[0-9][0-9][0-9][0-9]-[0-9][0-9]*', value)" : ''
  return `value ${comparison} ${bind.add(bound)}${likeDate}`
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
  db: Queries,
  workspace: WorkspaceId,
  order: PropertyOrder,
  columns: string,
  where: (bind: Bindings) => string,
): Promise<(Row & PropertySortRow)[]> {
  const run = (build: typeof buildValuedStatement, page: PropertyOrder) => {
    const bind = new Bindings(workspace)
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
export function buildValuedStatement(order: PropertyOrder, columns: string, where: string, bind: Bindings): string {
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
