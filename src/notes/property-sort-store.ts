import { Bindings, type Reader } from '../db/database'
import type { Key } from '../http/cursor'
import { fold } from '../search/fold'
import type { PropertySort } from './schema'

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
