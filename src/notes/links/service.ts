import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { isStorable } from '../../http/body'
import { type Page, readCursor, toPage, writeCursor } from '../../http/cursor'
import { DEFAULT_LIMIT } from '../../http/values'
import { toCodePoints } from '../../lib/text'
import type { SearchEngine } from '../../search/engine'
import { listById } from '../search/store'
import { noteReader } from '../service'
import type { NoteRow } from '../store'
import { cutExcerpt, EXCERPT_CHARS, type Excerpt, findMentions, getWindowStart, listLinks } from './body-links'
import { getNoteIds, getWindows, listBacklinks, listUnresolved } from './list-store'
import { toFolderKey, toNameKey, toTargetKey } from './names'
import { resolveTargets } from './resolve'
import type {
  Backlink,
  ListBacklinksQuery,
  ListLinksQuery,
  ListUnresolvedQuery,
  NoteLink,
  UnresolvedLink,
} from './schema'
import { listLinksFrom, matchTargets } from './store'

/** UTF-16 units of bodies that are searched for one page of mentions, in about 50 ms. */
const MAX_PAGE_UNITS = 2 * 1024 * 1024
const BODIES_PER_READ = 8

export type Links = ReturnType<typeof createLinks>

/** A note in the trash has no links or backlinks. */
export function createLinks({ findAll }: Pick<SearchEngine, 'findAll'>) {
  return {
    /** Lists the wiki links of a note in the order of its body. Throws not_found, invalid_cursor. */
    async listLinks(session: Session, id: string, query: ListLinksQuery): Promise<Page<NoteLink>> {
      const note = await noteReader.load(session, id)
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = `links ${id}`
      const [after] = query.cursor === undefined ? [-1] : readCursor(query.cursor, binding, ['number'])
      const links = note.deleted_at === null ? listLinks(note.body) : []
      const starts = toCodePoints(
        note.body,
        links.map(({ start }) => start),
      )
      const first = starts.findIndex((start) => start > Number(after))
      const rows = first < 0 ? [] : links.slice(first, first + limit + 1)
      const ends = toCodePoints(
        note.body,
        rows.map(({ end }) => end),
      )
      const answers = await resolveLinks(
        session,
        note,
        rows.map(({ target }) => target),
      )
      const items = rows.map(({ target, heading, alias, embed }, i): NoteLink => {
        const { note_id = null, ambiguous = false } = answers[i] ?? {}
        return { target, heading, alias, embed, note_id, ambiguous, start: starts[first + i] ?? 0, end: ends[i] ?? 0 }
      })
      return toPage(
        items,
        limit,
        binding,
        ({ start }) => [start],
        (link) => link,
      )
    },

    /**
     * Lists the notes that link to a note, or with `unlinked` those that mention its title. Throws not_found,
     * invalid_cursor.
     */
    async listBacklinks(session: Session, id: string, query: ListBacklinksQuery): Promise<Page<Backlink>> {
      const note = await noteReader.load(session, id)
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = `${query.unlinked === 'true' ? 'mentions' : 'backlinks'} ${id}`
      const [after] = query.cursor === undefined ? [''] : readCursor(query.cursor, binding, ['string'])
      const page = { after: String(after), limit, binding }
      return query.unlinked === 'true'
        ? listMentioningNotes(session, note, page, findAll)
        : listLinkingNotes(session, note, page)
    },

    /** Lists the targets that no note and no attachment answers to, those with most links first. Throws invalid_cursor. */
    async listUnresolved({ db, workspace }: Session, query: ListUnresolvedQuery): Promise<Page<UnresolvedLink>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const { kind, cursor } = query
      const binding = kind === undefined ? 'unresolved' : `unresolved ${kind}`
      const keys = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string'])
      const after = keys && { count: Number(keys[0]), target_key: String(keys[1]) }
      const isFile = kind === undefined ? null : kind === 'attachment'
      const rows = await listUnresolved(db, workspace.id, after, limit + 1, isFile)
      return toPage(
        rows,
        limit,
        binding,
        ({ count, target_key }) => [count, target_key],
        ({ target, is_file, count, note_ids }) => ({
          target,
          kind: is_file ? 'attachment' : 'note',
          count,
          note_ids: JSON.parse(note_ids),
        }),
      )
    },

    /**
     * Returns the id of the living note at a path: its folder and its name, with or without `.md`. Throws not_found.
     */
    async findByPath({ db, workspace }: Session, path: string): Promise<string> {
      const targets = isStorable(path) ? [{ target: toNameKey(path), folder: '' }] : []
      const [match] = await matchTargets(db, workspace.id, targets)
      const key = match?.by_path ?? match?.in_folder ?? match?.by_title_path
      const id = typeof key !== 'number' ? undefined : (await getNoteIds(db, workspace.id, [key])).get(key)
      if (id === undefined) throw new ApiError('not_found', 'There is no note at this path.')
      return id
    },

    /**
     * Resolves the links of a note's body. Returns ids by target as written, without targets that resolve to no note.
     */
    async resolveBody(session: Session, note: NoteRow): Promise<Map<string, string>> {
      const distinct = [...new Set(listLinks(note.body).map(({ target }) => target))]
      const answers = await resolveLinks(session, note, distinct)
      return new Map(
        distinct.flatMap((target, i): [string, string][] => {
          const id = answers[i]?.note_id ?? null
          return id === null ? [] : [[target, id]]
        }),
      )
    },
  }
}

interface BacklinkPageQuery {
  /** The id of the last note of the page before; empty for the first page. */
  readonly after: string
  readonly limit: number
  readonly binding: string
}

/** Resolves targets of links in a note, in their order. An empty target is the note itself. */
async function resolveLinks(
  { db, workspace }: Session,
  note: NoteRow,
  targets: readonly string[],
): Promise<{ note_id: string | null; ambiguous: boolean }[]> {
  const folder = toFolderKey(note.folder)
  const wanted = targets.map((target) => ({ target: toTargetKey(target, folder), folder }))
  const hits = await resolveTargets({ db, workspace }, wanted)
  const secondMatches = await matchTargets(db, workspace.id, wanted, 'second')
  // A link that a rename has still to rewrite keeps its note, whatever its target resolves to now.
  const stored = new Map(
    (await listLinksFrom(db, workspace.id, note.key)).map((link) => [link.target_key, link.resolved]),
  )
  const keys = wanted.map(({ target }, i) => stored.get(target) ?? hits[i]?.key ?? null)
  const ids = await getNoteIds(
    db,
    workspace.id,
    [...new Set(keys)].filter((key) => key !== null),
  )
  return keys.map((key, i) => {
    if (targets[i] === '') return { note_id: note.id, ambiguous: false }
    const hit = hits[i]
    const isAmbiguous = hit?.key === key && hit !== null && typeof secondMatches[i]?.[hit.step] === 'number'
    return { note_id: key === null ? null : (ids.get(key) ?? null), ambiguous: isAmbiguous }
  })
}

async function listLinkingNotes(
  { db, workspace }: Session,
  note: NoteRow,
  { after, limit, binding }: BacklinkPageQuery,
): Promise<Page<Backlink>> {
  const rows = (await listBacklinks(db, workspace.id, note.key, after, limit + 1)).map(({ places, ...row }) => ({
    ...row,
    places: mergePlaces(JSON.parse(places)),
  }))
  const windows = rows.map(({ key, places }) => [key, getWindowStart(places[0] ?? 0)] as const)
  const texts = await getWindows(db, workspace.id, windows, EXCERPT_CHARS)
  const items = rows.map(({ id, title, places }, i) => {
    const from = windows[i]?.[1] ?? 0
    return { note_id: id, title, ...cutExcerpt(texts[i]?.window ?? '', from, places) }
  })
  return toPage(
    items,
    limit,
    binding,
    ({ note_id }) => [note_id],
    (item) => item,
  )
}

/** Merges the places of several targets of the same note, in ascending order. They do not overlap. */
function mergePlaces(lists: readonly (readonly number[])[]): number[] {
  return lists.flat().sort((a, b) => a - b)
}

/**
 * Lists notes that mention a title. The search index finds notes with its words; their bodies are then searched for the
 * title.
 */
async function listMentioningNotes(
  session: Session,
  note: NoteRow,
  { after, limit, binding }: BacklinkPageQuery,
  findAll: SearchEngine['findAll'],
): Promise<Page<Backlink>> {
  const query = { kind: 'text', field: 'body', text: note.title, match: 'substring' } as const
  const { docs } = await findAll(session, { query, types: ['note'], limit: 1 })
  const items: Backlink[] = []
  let last = after
  let chars = 0
  for (;;) {
    const candidates = await listById(session.db, session.workspace.id, docs, last, BODIES_PER_READ)
    for (const { id, title, body } of candidates) {
      if (items.length === limit || chars > MAX_PAGE_UNITS) return { items, next_cursor: writeCursor(binding, [last]) }
      const excerpt = id === note.id ? null : cutMention(body, note.title)
      if (excerpt) items.push({ note_id: id, title, ...excerpt })
      chars += body.length
      last = id
    }
    if (candidates.length < BODIES_PER_READ) return { items, next_cursor: null }
  }
}

function cutMention(body: string, title: string): Excerpt | null {
  const places = findMentions(body, title)
  if (places.length === 0) return null
  const from = getWindowStart(places[0] ?? 0)
  let window = ''
  let at = 0
  for (const char of body) {
    if (at >= from) window += char
    if (++at === from + EXCERPT_CHARS) break
  }
  return cutExcerpt(window, from, places)
}
