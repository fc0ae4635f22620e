import type { Bindings, Reader, Session } from '../db/database'
import { elementsIn } from '../db/dialect'
import { fold } from '../search/fold'
import type { PropertyLeaf } from '../search/query'
import { buildKeyCondition } from '../search/source'
import { tagKey } from './filters'
import type { NoteWriteHook } from './note'
import type { NoteRow } from './store'

/** A tag of one note: set by the client (`explicit`), written in its body (`inline`), or both. */
interface NoteTag {
  readonly tag_key: string
  readonly tag: string
  readonly explicit: boolean
  readonly inline: boolean
}

async function addTags({ db, workspace }: Session, key: number, tags: readonly NoteTag[]): Promise<void> {
  for (const { tag_key, tag, explicit, inline } of tags) {
    await db.run(
      'INSERT INTO note_tags (workspace, tag_key, key, tag, explicit, inline) VALUES ($1, $2, $3, $4, $5, $6)',
      [workspace.id, tag_key, key, tag, Number(explicit), Number(inline)],
    )
  }
}

/** Stores the folded tags of a note in the trash. It is found by them, but not counted. */
async function setTrashedTags({ db, workspace }: Session, key: number, tagKeys: readonly string[]): Promise<void> {
  await deleteTags({ db, workspace }, key)
  await db.run(
    `INSERT INTO note_trashed_tags (workspace, tag_key, key) SELECT $1, value, $2 FROM ${elementsIn('$3')}`,
    [workspace.id, key, JSON.stringify(tagKeys)],
  )
}

async function deleteTags({ db, workspace }: Session, key: number): Promise<void> {
  await db.run('DELETE FROM note_tags WHERE workspace = $1 AND key = $2', [workspace.id, key])
  await db.run('DELETE FROM note_trashed_tags WHERE workspace = $1 AND key = $2', [workspace.id, key])
}

/**
 * Returns the workspace's spelling of each tag, by folded tag: the spelling of the oldest note on which a client set
 * it. Tags that no client has set are left out.
 */
export async function getTagSpellings(
  { db, workspace }: Session,
  keys: readonly string[],
): Promise<Map<string, string>> {
  // A subquery for each tag reads one row in the order of the table's key; a join would read every note with the tag.
  const rows = await db.all<{ tag_key: string; tag: string | null }>(
    `SELECT value AS tag_key, (SELECT tag FROM note_tags WHERE workspace = $1 AND tag_key = value AND explicit = 1
       ORDER BY key LIMIT 1) AS tag
     FROM ${elementsIn('$2')}`,
    [workspace.id, JSON.stringify(keys)],
  )
  return new Map(rows.flatMap(({ tag_key, tag }) => (tag === null ? [] : [[tag_key, tag]])))
}

/** Keeps the two tables of tags: one of living notes, so that counts need not skip the trash, and one of the trash. */
export const tagHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    if (note.deleted_at !== null) await setTrashedTags(session, note.key, listTagKeys(note))
    else if (!old || old.deleted_at !== null || old.tags !== note.tags || old.inline_tags !== note.inline_tags) {
      if (old) await deleteTags(session, note.key)
      await addTags(session, note.key, listNoteTags(note))
    }
    return {}
  },
  async beforeErase(session, note) {
    await deleteTags(session, note.key)
    return 0
  },
}

function listTagKeys(note: NoteRow): string[] {
  return listNoteTags(note).map(({ tag_key }) => tag_key)
}

function listNoteTags(note: NoteRow): NoteTag[] {
  const tags = new Map<string, NoteTag>()
  for (const tag of JSON.parse(note.tags) as string[])
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag, explicit: true, inline: false })
  for (const tag of JSON.parse(note.inline_tags) as string[]) {
    const known = tags.get(tagKey(tag))
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag: known?.tag ?? tag, explicit: known !== undefined, inline: true })
  }
  return [...tags.values()]
}

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
