import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import { type Page, readCursor, toPage, writeCursor } from '../../http/cursor'
import { isStorable } from '../../http/request'
import { Cursor, closed, Flag, Id, Limit, nameSchemas, nullable, pageOf } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { isFileTarget } from '../../lib/file-target'
import { cutCodePoints, toCodePoints } from '../../lib/text'
import type { SearchEngine } from '../../search/engine'
import { NoteParams } from '../schema'
import { listById } from '../search/store'
import { noteReader } from '../service'
import { getNotesByKey, type NoteRow } from '../store'
import {
  cutExcerpt,
  EXCERPT_CHARS,
  type Excerpt,
  findMentions,
  getWindowStart,
  listLinks,
  listLinksWithFiles,
} from './body-links'
import { getWindows, listBacklinks, listUnresolved } from './list-store'
import { resolveTargets, toFolderKey, toNameKey, toTargetKey } from './names'
import { createMissingFinder } from './parts'
import { listLinksFrom, matchTargets } from './store'

const offset = Type.Integer({ minimum: 0 })

const link = {
  target: 'Trip',
  heading: 'Costs',
  alias: null,
  embed: false,
  note_id: null,
  attachment_id: null,
  ambiguous: false,
  missing: 'note' as const,
  start: 4,
  end: 18,
}

const kinds = [t.Literal('note'), t.Literal('attachment'), t.Literal('heading'), t.Literal('block')] as const

const NoteLink = t.Object(
  {
    target: t.String({
      description: 'The target as written, decoded in a Markdown link; empty for a heading of the note itself.',
    }),
    heading: nullable(t.String({ description: 'What follows the first `#`.' })),
    alias: nullable(t.String({ description: 'The text that is shown instead of the target.' })),
    embed: t.Boolean({ description: 'Whether it begins with `!`.' }),
    note_id: nullable(Id),
    attachment_id: nullable({ ...Id, description: 'The attachment that the name of a file leads to.' }),
    ambiguous: t.Boolean({ description: 'Whether other notes match the target, too.' }),
    missing: t.Union([...kinds, t.Null()], {
      description:
        'What is not there: the note or the attachment, or in the note the heading or the block. Null: nothing.',
    }),
    start: offset,
    end: offset,
  },
  { description: 'A link to a note or a file. `start` and `end` are code points of the body.', examples: [link] },
)
const NoteLinkPage = pageOf(NoteLink)

const backlink = {
  note_id: '01980000-0000-7000-8000-000000000001',
  title: 'Plans',
  text: 'see [[Trip]]',
  ranges: [[4, 12]],
}

export const Backlink = t.Object(
  {
    note_id: Id,
    title: t.String(),
    text: t.String({ description: 'The line around the first link, at most 240 characters of the body.' }),
    ranges: t.Array(t.Array(offset, { minItems: 2, maxItems: 2 }), {
      description: 'The links in `text`, each as [start, end) in code points.',
    }),
  },
  { examples: [backlink] },
)
const BacklinkPage = pageOf(Backlink)

const wanted = {
  target: 'Packing list',
  kind: 'note' as const,
  heading: null,
  count: 1,
  note_ids: ['01980000-0000-7000-8000-000000000001'],
}

const UnresolvedLink = t.Object(
  {
    target: t.String({
      description: 'The target as the oldest link spells it; empty for the linking notes themselves.',
    }),
    kind: t.Union([...kinds], {
      description:
        'What is missing: `attachment` for the name of a file, such as `map.png`; `heading` or `block` in a note that is there.',
    }),
    heading: nullable(
      t.String({
        description:
          'The missing heading, or block such as `^plan`, as the oldest link spells it; null for a note or an attachment.',
      }),
    ),
    count: Type.Integer({ minimum: 1, description: 'The number of notes that link to it.' }),
    note_ids: t.Array(Id, { maxItems: 5, description: 'The first of these notes.' }),
  },
  { examples: [wanted] },
)

const UnresolvedLinkPage = pageOf(UnresolvedLink)

const paging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor) }

const ListLinksQuery = t.Object(paging, closed)
const ListBacklinksQuery = t.Object({ ...paging, unlinked: t.Optional(Flag) }, closed)
/** The query of the list of unresolved links. Its cursor contains a target, which can be as long as a path. */
const ListUnresolvedQuery = t.Object(
  {
    kind: t.Optional(t.Union([...kinds], { error: 'must be note, attachment, heading or block' })),
    limit: t.Optional(Limit),
    cursor: t.Optional(t.String({ description: '`next_cursor` of the page before.', maxLength: 16_384 })),
  },
  closed,
)

type NoteLink = Static<typeof NoteLink>
export type Backlink = { note_id: string; title: string; text: string; ranges: [number, number][] }
type UnresolvedLink = Static<typeof UnresolvedLink>
type ListUnresolvedQuery = Static<typeof ListUnresolvedQuery>
type ListLinksQuery = Static<typeof ListLinksQuery>
type ListBacklinksQuery = Static<typeof ListBacklinksQuery>

/** UTF-16 units of bodies that are searched for one page of mentions, in about 50 ms. */
const MAX_PAGE_UNITS = 2 * 1024 * 1024
const BODIES_PER_READ = 8

export type Links = ReturnType<typeof createLinks>

interface Deps extends Pick<SearchEngine, 'findAll'> {
  /** Finds the attachments that targets in a note of a folder lead to. */
  readonly resolveFiles: (
    session: Session,
    folder: string | null,
    targets: readonly string[],
  ) => Promise<ReadonlyMap<string, { readonly id: string }>>
}

/** A note in the trash has no links or backlinks. */
export function createLinks({ findAll, resolveFiles }: Deps) {
  return {
    /** Lists the links of a note to notes and files, in the order of its body. Throws not_found, invalid_cursor. */
    async listLinks(session: Session, id: string, query: ListLinksQuery): Promise<Page<NoteLink>> {
      const note = await noteReader.load(session, id)
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = `links ${id}`
      const [after] = query.cursor === undefined ? [-1] : readCursor(query.cursor, binding, ['number'])
      const links = note.deleted_at === null ? listLinksWithFiles(note.body) : []
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
      const targets = rows.map(({ target }) => target)
      const answers = await resolveLinks(session, note, targets)
      const named = targets.filter(isFileTarget)
      const files =
        named.length > 0 ? await resolveFiles(session, note.folder, named) : new Map<string, { id: string }>()
      const findMissing = await createMissingFinder(session, note)
      const items = rows.map(({ target, heading, alias, embed }, i): NoteLink => {
        const { note_id = null, ambiguous = false } = answers[i] ?? {}
        const attachment_id = files.get(target)?.id ?? null
        const [start = 0, end = 0] = [starts[first + i], ends[i]]
        const link = { target, heading, alias, embed, note_id, attachment_id, ambiguous }
        return { ...link, missing: findMissing(link), start, end }
      })
      return toPage(items, limit, binding, ({ start }) => [start])
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
    async listUnresolved(session: Session, query: ListUnresolvedQuery): Promise<Page<UnresolvedLink>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const { kind, cursor } = query
      const binding = kind === undefined ? 'unresolved' : `unresolved ${kind}`
      const keys = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string', 'string'])
      const after = keys && { count: Number(keys[0]), target_key: String(keys[1]), part_key: String(keys[2]) }
      const rows = await listUnresolved(session, after, limit + 1, kind)
      return toPage(
        rows,
        limit,
        binding,
        ({ count, target_key, part_key }) => [count, target_key, part_key],
        ({ target, kind, part, count, note_ids }) => ({
          target,
          kind,
          heading: part,
          count,
          note_ids: JSON.parse(note_ids),
        }),
      )
    },

    /**
     * Returns the id of the living note at a path: its folder and its name, with or without `.md`. Throws not_found.
     */
    async findByPath(session: Session, path: string): Promise<string> {
      const targets = isStorable(path) ? [{ target: toNameKey(path), folder: '' }] : []
      const [match] = await matchTargets(session, targets)
      const key = match?.by_path ?? match?.in_folder ?? match?.by_title_path
      const [note] = typeof key !== 'number' ? [] : await getNotesByKey(session, [key], ['id'])
      if (!note) throw new ApiError('not_found', 'There is no note at this path.')
      return note.id
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
  session: Session,
  note: NoteRow,
  targets: readonly string[],
): Promise<{ note_id: string | null; ambiguous: boolean }[]> {
  const folder = toFolderKey(note.folder)
  const wanted = targets.map((target) => ({ target: toTargetKey(target, folder), folder }))
  const hits = await resolveTargets(session, wanted)
  const secondMatches = await matchTargets(session, wanted, 'second')
  // A link that a rename has still to rewrite keeps its note, whatever its target resolves to now.
  const stored = new Map((await listLinksFrom(session, note.key)).map((link) => [link.target_key, link.resolved]))
  const keys = wanted.map(({ target }, i) => stored.get(target) ?? hits[i]?.key ?? null)
  const found = [...new Set(keys)].filter((key) => key !== null)
  const ids = new Map((await getNotesByKey(session, found, ['key', 'id'])).map(({ key, id }) => [key, id]))
  return keys.map((key, i) => {
    if (targets[i] === '') return { note_id: note.id, ambiguous: false }
    const hit = hits[i]
    const isAmbiguous = hit?.key === key && hit !== null && typeof secondMatches[i]?.[hit.step] === 'number'
    return { note_id: key === null ? null : (ids.get(key) ?? null), ambiguous: isAmbiguous }
  })
}

async function listLinkingNotes(
  session: Session,
  note: NoteRow,
  { after, limit, binding }: BacklinkPageQuery,
): Promise<Page<Backlink>> {
  const rows = (await listBacklinks(session, note.key, after, limit + 1)).map(({ places, ...row }) => ({
    ...row,
    // Those of several targets of the same note, which do not overlap.
    places: (JSON.parse(places) as number[][]).flat().sort((a, b) => a - b),
  }))
  const windows = rows.map(({ key, places }) => [key, getWindowStart(places[0] ?? 0)] as const)
  const texts = await getWindows(session, windows, EXCERPT_CHARS)
  const items = rows.map(({ id, title, places }, i) => {
    const from = windows[i]?.[1] ?? 0
    return { note_id: id, title, ...cutExcerpt(texts[i]?.window ?? '', from, places) }
  })
  return toPage(items, limit, binding, ({ note_id }) => [note_id])
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
  const { keys } = await findAll(session, { query, types: ['note'], limit: 1 })
  const items: Backlink[] = []
  let last = after
  let chars = 0
  for (;;) {
    const candidates = await listById(session, keys, last, BODIES_PER_READ)
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
  const window = cutCodePoints(body.slice(cutCodePoints(body, from).length), EXCERPT_CHARS)
  return cutExcerpt(window, from, places)
}

nameSchemas({ Backlink, BacklinkPage, NoteLink, NoteLinkPage, UnresolvedLink, UnresolvedLinkPage })

export function linksRoutes({ links, api }: { links: Links; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Links'] })
    .use(api)
    .get('/unresolved', ({ session, query }) => links.listUnresolved(session, query), {
      query: ListUnresolvedQuery,
      response: { 200: UnresolvedLinkPage },
      detail: {
        operationId: 'listUnresolvedLinks',
        ...refuses('invalid_cursor'),
        summary: 'List unresolved links',
        description:
          'Targets of links and pictures that match no note and no attachment, and headings and blocks that the note does not have, those with most links first. Creating a note with that title, or adding a file of that name, resolves them. `kind` keeps them apart. Where more than 200 links wait to be looked at, their headings and blocks are listed a minute later.',
      },
    })
    .get('/:id/links', ({ session, params, query }) => links.listLinks(session, params.id, query), {
      params: NoteParams,
      query: ListLinksQuery,
      response: { 200: NoteLinkPage },
      detail: {
        operationId: 'listNoteLinks',
        ...refuses('invalid_cursor'),
        summary: "List a note's links",
        description:
          'Lists its links in the order of the body, with the notes and attachments that they point to: wiki links, and Markdown links and pictures whose address is the path of a file, such as `[x](../Money/Budget%202.md)`. A target is looked up as an id, a full path, a name in the same folder, a path below that folder, a name, a title, then an alias, where the name is the file name if there is one, else the title; `.md` at its end may be left out. A target that begins with `/`, `./` or `../` is a full path. Of several matches, the note in the shortest folder path, then the oldest, is taken, and the link is `ambiguous`. A target that ends like the name of a file is also looked up among the attachments: by its path from the folder of the note, its path from the root, the end of a path, then its name, the nearest first. A note in the trash has no links.',
      },
    })
    .get('/:id/backlinks', ({ session, params, query }) => links.listBacklinks(session, params.id, query), {
      params: NoteParams,
      query: ListBacklinksQuery,
      response: { 200: BacklinkPage },
      detail: {
        operationId: 'listNoteBacklinks',
        ...refuses('invalid_cursor'),
        summary: "List a note's backlinks",
        description:
          'Lists the notes that link to it, in the order of their ids, each with the line around its first link. `unlinked=true` lists instead the notes that mention its title in plain text; such a page may have fewer items than `limit` and still have a `next_cursor`.',
      },
    })
}
