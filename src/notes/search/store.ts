import type { Bindings, Reader, Session } from '../../db/database'
import { elementsIn, integersIn } from '../../db/dialect'
import type { Key } from '../../http/cursor'
import { findKeysIn } from '../../search/feed-store'
import type { Leaf, TextLeaf } from '../../search/query'
import {
  buildKeyCondition,
  buildPeriodCondition,
  type FoundItem,
  type SearchSource,
  type Texts,
  toFoundItems,
} from '../../search/source'
import {
  buildFilterConditions,
  buildFolderCondition,
  buildTagCondition,
  isUnfiltered,
  type NoteFilter,
  tagKey,
} from '../filters'
import { listByProperty, type PropertyOrder, type PropertySortRow, toPropertySortKeys } from '../list-store'
import { scanMarkdown } from '../markdown/scan-markdown'
import { getNotesByKey, type NoteRow } from '../store'
import { findKnownProperties, selectKeysWithProperty } from '../tag-and-property-store'

/** With at least this many keys, the newest notes are scanned for them; fewer are looked up one by one. */
const MANY_NOTES = 2000
/** Notes that are scanned for each wanted result before listNewest gives up and looks up all keys. */
const SCANNED_NOTES_PER_RESULT = 100

interface Newest {
  readonly key: number
  readonly id: string
  readonly updated_at: number
}

interface Order {
  /** The sort keys of the last note of the page before, see toOrderKeys; null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

type Ordered = { readonly key: number } & (PropertySortRow | Newest)

/** Lists the notes with these keys, after `after`: sorted by a property, or last changed first. */
export function listOrdered(
  session: Session,
  keys: readonly number[],
  order: Order | PropertyOrder,
): Promise<Ordered[]> {
  if (!('name' in order)) return listNewest(session, keys, order)
  return listByProperty<Ordered>(session, order, 'notes.key', (bind) => {
    return `AND notes.key IN ${integersIn(bind.add(JSON.stringify(keys)))}`
  })
}

/** Returns the sort keys of a note, as listOrdered takes them in `after`. */
export function toOrderKeys(note: Ordered): Key[] {
  return 'sort_group' in note ? toPropertySortKeys(note) : [note.updated_at, note.id]
}

async function listNewest(
  { db, workspace }: Session,
  keys: readonly number[],
  { after, limit }: Order,
): Promise<Newest[]> {
  if (keys.length >= MANY_NOTES) {
    const wanted = new Set(keys)
    const rows = await db.all<Newest>(
      `SELECT key, id, updated_at FROM notes
       WHERE workspace = $1 AND deleted_at IS NULL ${buildAfterCondition(after, 3)} ORDER BY updated_at DESC, id DESC LIMIT $2`,
      [workspace.id, limit * SCANNED_NOTES_PER_RESULT, ...(after ?? [])],
    )
    const found = rows.filter(({ key }) => wanted.has(key)).slice(0, limit)
    if (found.length === limit || rows.length < limit * SCANNED_NOTES_PER_RESULT) return found
  }
  return await db.all(
    `SELECT notes.key, notes.id, updated_at FROM ${elementsIn('$2')} AS found
       CROSS JOIN notes ON notes.key = CAST(found.value AS bigint)
     WHERE +notes.workspace = $1 ${buildAfterCondition(after, 4)} ORDER BY updated_at DESC, notes.id DESC LIMIT $3`,
    [workspace.id, JSON.stringify(keys), limit, ...(after ?? [])],
  )
}

function buildAfterCondition(after: readonly Key[] | null, first: number): string {
  return after ? `AND (updated_at, notes.id) < ($${first}, $${first + 1})` : ''
}

/** Lists the notes with these keys by id, after `after`, with their bodies. */
export async function listById(
  { db, workspace }: Session,
  keys: readonly number[],
  after: string,
  limit: number,
): Promise<{ id: string; title: string; body: string }[]> {
  return await db.all(
    `SELECT notes.id, title, body FROM ${elementsIn('$2')} AS found
       CROSS JOIN notes ON notes.key = CAST(found.value AS bigint)
       CROSS JOIN note_bodies ON note_bodies.key = notes.key
     WHERE +notes.workspace = $1 AND notes.id > $3 ORDER BY notes.id LIMIT $4`,
    [workspace.id, JSON.stringify(keys), after, limit],
  )
}

/**
 * The notes as a source of the search index: their title, explicit tags and body, and the conditions that only notes
 * have.
 */
export const noteSource: SearchSource<'note'> = {
  findKeys: findKeysIn('notes'),
  readTexts: getTexts,
  selectKeys,
  listProperties: findKnownProperties,
  readItems: getFoundItems,
}

const FOLDER = "coalesce(folder, '')"

const IS = {
  pinned: 'pinned = 1',
  archived: 'archived_at IS NOT NULL',
  daily: 'daily_date IS NOT NULL',
  // No links to or from the note.
  orphan: '(links_in = 0 AND links_out = 0)',
  untagged: "(tags = '[]' AND inline_tags = '[]')",
} as const

const HAS = {
  link: 'links_out > 0',
  checklist: 'checklist_total > 0',
  todo: 'checklist_total > checklist_done',
} as const

async function getTexts(reader: Reader, keys: readonly number[]): Promise<Map<number, Texts>> {
  const rows = await listLivingNotes(reader, keys)
  return new Map(rows.map((note) => [note.key, { ...toTexts(note), marks: listMarks(note.body) }]))
}

async function getFoundItems(session: Session, keys: readonly number[]): Promise<Map<number, FoundItem<'note'>>> {
  const rows = await listLivingNotes(session, keys)
  return toFoundItems(rows, toTexts, ({ folder, excerpt }) => ({ folder, excerpt }))
}

const FOUND = [
  ...(['key', 'id', 'revision', 'updated_at', 'deleted_at'] as const),
  ...(['title', 'tags', 'folder', 'excerpt', 'body'] as const),
]

async function listLivingNotes(reader: Reader, keys: readonly number[]) {
  return (await getNotesByKey(reader, keys, FOUND)).filter((note) => note.deleted_at === null)
}

function toTexts({ title, tags, body }: Pick<NoteRow, 'title' | 'tags' | 'body'>): Texts {
  return { title, tags: JSON.parse(tags), body }
}

function listMarks(body: string): string[] {
  const { code, headings } = scanMarkdown(body)
  return [...(code.length > 0 ? ['code'] : []), ...(headings.length > 0 ? ['heading'] : [])]
}

function selectKeys(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null {
  if (leaf.kind === 'tag') {
    const tag = tagKey(leaf.text.replace(/^#/, ''))
    const condition =
      leaf.match === 'whole'
        ? buildTagCondition(tag, bind)
        : `workspace = $1 AND ${buildKeyCondition('tag_key', tag, leaf.match, null, bind)}`
    return `SELECT key FROM note_tags WHERE ${condition}`
  }
  if (leaf.kind === 'property') return selectKeysWithProperty(leaf, bind)
  const condition = buildCondition(leaf, bind)
  return condition && `SELECT key FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND ${condition}`
}

function buildCondition(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null {
  switch (leaf.kind) {
    case 'is':
      return IS[leaf.what]
    case 'has':
      return leaf.what in HAS ? HAS[leaf.what as keyof typeof HAS] : null
    case 'folder':
      return leaf.match === 'whole'
        ? buildFolderCondition(leaf.text, bind)
        : buildKeyCondition(FOLDER, leaf.text, leaf.match, null, bind)
    case 'created':
    case 'updated':
      return buildPeriodCondition(leaf, bind)
    default:
      return null
  }
}

/** Builds a SELECT of the keys of the notes that pass a filter; null if all living notes pass. */
export function selectFiltered(filter: NoteFilter): ((bind: Bindings) => string) | null {
  if (isUnfiltered(filter)) return null
  // The plus makes SQLite look up the notes with a tag instead of walking through the whole workspace.
  const workspace = filter.tags.length > 0 ? '+workspace' : 'workspace'
  return (bind) => `SELECT notes.key FROM notes WHERE ${workspace} = $1 ${buildFilterConditions(filter, bind)}`
}
