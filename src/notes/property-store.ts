import type { Bindings, Reader, Session } from '../db/database'
import { elementsIn } from '../db/dialect'
import { fold } from '../search/fold'
import type { PropertyLeaf } from '../search/query'
import { buildKeyCondition } from '../search/source'
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

/** Keeps the table of properties, which has rows of living notes only. A foreign key deletes those of an erased note. */
export const propertyHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    const had = old !== null && old.deleted_at === null ? old.properties : '{}'
    const has = note.deleted_at === null ? note.properties : '{}'
    if (had !== has) {
      if (had !== '{}') await deleteProperties(session, note.key)
      if (has !== '{}') await addProperties(session, note)
    }
    return {}
  },
}

async function addProperties({ db, workspace }: Session, { key, properties }: NoteRow): Promise<void> {
  await db.run(
    `INSERT INTO note_properties (workspace, name, value, key, number)
     SELECT $1, value ->> 'name', value ->> 'value', $2, CAST(value ->> 'number' AS double precision)
     FROM ${elementsIn('$3')} WHERE true ON CONFLICT DO NOTHING`,
    [workspace.id, key, JSON.stringify(listValues(properties))],
  )
}

async function deleteProperties({ db, workspace }: Session, key: number): Promise<void> {
  await db.run('DELETE FROM note_properties WHERE +workspace = $1 AND key = $2', [workspace.id, key])
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
  { db, workspace }: Reader,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (names.size === 0) return names
  const rows = await db.all<{ name: string }>(
    `SELECT value AS name FROM ${elementsIn('$2')} AS asked
     WHERE EXISTS (SELECT 1 FROM note_properties WHERE workspace = $1 AND name = asked.value)`,
    [workspace.id, JSON.stringify([...names])],
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
