import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import { readCursor, toPage } from '../../http/cursor'
import type { Outcome } from '../../http/responses'
import { Cursor, closed, Limit, nameSchemas, pageOf } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import { ImportReport } from '../../imports/schema'
import { yieldTurn } from '../../lib/steps'
import { titleKey } from '../../lib/text'
import { type AttachmentContext, countRelinked } from '../attachments/file-links'
import { tagKey } from '../filters'
import { createRewriteError, MAX_NOTES_LEFT, MAX_REWRITTEN_NOTES, runOrConflict } from '../links/rename-steps'
import { countLinkingInto } from '../links/store'
import { toLinksUpdatedHeader, withLinksUpdated } from '../links-updated'
import { checkFolder, normalizeTag } from '../note'
import { getNote } from '../store'
import {
  computeNewFolder,
  createRenameFolderSteps,
  planFileMoves,
  type RenameFolderOrder,
  type RenameFolderState,
  refuseMoveIntoItself,
} from './rename-folder'
import {
  createRenameTagSteps,
  isTagUnder,
  type RenameTagOrder,
  type RenameTagState,
  renameTagInNote,
} from './rename-tag'
import {
  isFolderInUse,
  listFolders,
  listNotesInFolder,
  listNotesWithTag,
  listTags,
  listTagsUnder,
  type NoteInFolder,
} from './store'

const count = Type.Integer({ minimum: 0 })
const ListTagsQuery = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

const TagPage = pageOf(
  t.Object(
    {
      tag: t.String(),
      count: Type.Integer({ minimum: 1, description: 'Notes with exactly this tag.' }),
      count_below: Type.Integer({ minimum: 0, description: 'Notes with a tag nested below it.' }),
      explicit: Type.Integer({ minimum: 0, description: 'The notes of `count` on which a client set the tag.' }),
      inline: Type.Integer({ minimum: 0, description: 'The notes of `count` with `#tag` in the body.' }),
    },
    { examples: [{ tag: 'travel', count: 2, count_below: 1, explicit: 2, inline: 1 }] },
  ),
)

const FolderPage = pageOf(
  t.Object(
    {
      folder: t.String(),
      count: Type.Integer({ minimum: 1, description: 'Notes in the folder itself.' }),
      count_below: Type.Integer({ minimum: 0, description: 'Notes in folders below it.' }),
    },
    { examples: [{ folder: 'Work', count: 1, count_below: 3 }] },
  ),
)

const RenameTag = t.Object(
  {
    from: t.String(),
    to: t.String(),
    inline: t.Optional(t.Boolean({ description: '`false` does not change `#tag` in bodies.' })),
  },
  { ...closed, examples: [{ from: 'travel', to: 'trips' }] },
)

const RenameFolder = t.Object(
  { from: t.String(), to: t.String() },
  { ...closed, examples: [{ from: 'Work/Plans', to: 'Archive/Plans' }] },
)

const RenameResult = t.Object(
  {
    notes_changed: count,
    merged: t.Boolean({ description: 'Whether the new name, or a name below it, was already in use.' }),
    attachments_moved: t.Optional(Type.Integer({ minimum: 1, description: 'For a folder with attachments.' })),
    notes_left: t.Optional(
      t.Array(t.String(), {
        description:
          'The ids of the first 100 notes that could not be changed, or have links that could not be written with the new name, and of attachments that could not be moved. For a rename of at most 200 notes and attachments only the links.',
      }),
    ),
  },
  { examples: [{ notes_changed: 3, merged: false }] },
)

type ListTagsQuery = Static<typeof ListTagsQuery>
type TagPage = Static<typeof TagPage>
type FolderPage = Static<typeof FolderPage>
type RenameTag = Static<typeof RenameTag>
type RenameFolder = Static<typeof RenameFolder>
type RenameResult = Static<typeof RenameResult>

const MAX_AFFECTED_NOTES = 10_000
/** Notes that are checked before other requests get a turn. */
const NOTES_PER_TURN = 50

type FoldersAndTags = ReturnType<typeof createFoldersAndTags>

const TAG_KIND = 'note_tag'
const FOLDER_KIND = 'note_folder'

/**
 * Lists and renames tags and folders. They exist only in notes, so a rename changes every note that has them: few notes
 * in one transaction, more notes in many transactions (see WorkKind), with other requests in between.
 */
export function createFoldersAndTags(context: AttachmentContext) {
  const { renaming, now, ids, imports } = context
  const tagSteps = (lenient: boolean) => createRenameTagSteps(context, lenient)
  const folderSteps = (lenient: boolean) => createRenameFolderSteps(context, lenient)
  imports.registerWork({ name: TAG_KIND, ...tagSteps(true), result: toTagResult })
  imports.registerWork<RenameFolderOrder, RenameFolderState, RenameResult>({
    name: FOLDER_KIND,
    ...folderSteps(true),
    result: toFolderResult,
    responseHead: (state) => ({ status: 200, headers: toLinksUpdatedHeader(countRewritten(state)) }),
    abandon: (session, { rename }, size) => renaming.deleteFormerNameBatch(session, { id: rename }, size),
  })

  /**
   * Checks and prepares the rename of a folder.
   * @throws ApiError not_found, too_many_affected, conflict, rewrite_impossible
   */
  async function planFolderRename(session: Session, { from, to }: RenameFolder) {
    const notes = await listNotesInFolder(session, from, 0, MAX_AFFECTED_NOTES + 1)
    const files = await planFileMoves(session, { from, to }, MAX_AFFECTED_NOTES + 1 - notes.length)
    const total = notes.length + files.keys.length
    if (total === 0) throw new ApiError('not_found', 'No note or attachment is in this folder.')
    refuseTooMany(total)
    for (const note of notes) runOrConflict(note, (old) => computeNewFolder(old, from, to))
    const linking = await countLinkingInto(session, titleKey(from), MAX_REWRITTEN_NOTES + notes.length + 1)
    if (linking > MAX_REWRITTEN_NOTES + notes.length)
      throw createRewriteError(
        `More than ${MAX_REWRITTEN_NOTES} notes link into the folder; a rename rewrites no more.`,
      )
    const relinked = await countRelinked(session, files.names, notes.length)
    const merged = from !== to && (await isFolderInUse(session, to, from))
    const order: RenameFolderOrder = { from, to, files, merged, rename: ids(), total }
    return { order, size: total + linking + relinked }
  }

  /** @throws ApiError invalid_request, not_found, too_many_affected */
  async function planTagRename(session: Session, { from, to, inline = true }: RenameTag) {
    const [fromTag, toTag] = [normalizeTag(from, '/from'), normalizeTag(to, '/to')]
    const notes = await listNotesWithTag(session, tagKey(fromTag), 0, MAX_AFFECTED_NOTES + 1)
    if (notes.length === 0) throw new ApiError('not_found', 'No note has this tag.')
    refuseTooMany(notes.length)
    const below = await listTagsUnder(session, tagKey(toTag))
    const merged = tagKey(fromTag) !== tagKey(toTag) && below.some((key) => !isTagUnder(key, tagKey(fromTag)))
    const order: RenameTagOrder = { from: fromTag, to: toTag, inline, merged, total: notes.length }
    return { order, notes }
  }

  /** @throws ApiError conflict for a note that cannot have the new tag */
  async function requireRenamable(
    session: Session,
    order: RenameTagOrder,
    notes: readonly NoteInFolder[],
  ): Promise<void> {
    for (const [index, { id }] of notes.entries()) {
      if (index % NOTES_PER_TURN === NOTES_PER_TURN - 1) await yieldTurn()
      const note = await getNote(session, id)
      if (note) await renameTagInNote(session, order, note, now())
    }
  }

  return {
    /** Lists one page of the tags in use. Throws invalid_cursor. */
    async listTags(session: Session, { limit: size, cursor }: ListTagsQuery): Promise<TagPage> {
      const limit = Number(size ?? DEFAULT_LIMIT)
      const rows = await listTags(session, readCursorText(cursor, 'tags'), limit + 1)
      return toPage(
        rows,
        limit,
        'tags',
        ({ tag_key }) => [tag_key],
        ({ tag_key: _, ...shown }) => shown,
      )
    },

    /** Lists one page of the folders that contain a living note. Throws invalid_cursor. */
    async listFolders(session: Session, { limit: size, cursor }: ListTagsQuery): Promise<FolderPage> {
      const limit = Number(size ?? DEFAULT_LIMIT)
      const rows = await listFolders(session, readCursorText(cursor, 'folders'), limit + 1)
      return toPage(rows, limit, 'folders', ({ folder }) => [folder])
    },

    /**
     * Renames a tag and the tags nested below it.
     * @throws ApiError not_found, too_many_affected; conflict for a note that cannot have the new tag; errors of
     * Imports.work
     */
    async renameTag(
      request: Request,
      session: Session,
      body: RenameTag,
    ): Promise<Outcome<RenameResult | ImportReport>> {
      const before = await imports.findEarlier<RenameResult>(request, session, body)
      if (before) return before
      const { order, notes } = await planTagRename(session, body)
      const isLong = notes.length > MAX_ROWS_INLINE
      if (isLong) await requireRenamable(session, order, notes)
      return imports.work<RenameResult>(request, session, {
        kind: TAG_KIND,
        body,
        async begin(inside) {
          if (isLong) return { params: order }
          const { order: current } = await planTagRename(inside, body)
          return toOutcome(toTagResult(await runWorkInline(tagSteps(false), inside, current)))
        },
      })
    },

    /**
     * Moves the notes and attachments in a folder and below it, and rewrites the links to them.
     * @throws ApiError not_found, too_many_affected, conflict, rewrite_impossible; errors of Imports.work
     */
    async renameFolder(
      request: Request,
      session: Session,
      body: RenameFolder,
    ): Promise<Outcome<RenameResult | ImportReport>> {
      const before = await imports.findEarlier<RenameResult>(request, session, body)
      if (before) return before
      checkFolder(body.from, '/from')
      checkFolder(body.to, '/to')
      refuseMoveIntoItself(body.from, body.to)
      const { order, size } = await planFolderRename(session, body)
      return imports.work<RenameResult>(request, session, {
        kind: FOLDER_KIND,
        body,
        async begin(inside) {
          if (body.from === body.to) return withLinksUpdated(toOutcome({ notes_changed: 0, merged: false }), 0)
          if (size > MAX_ROWS_INLINE) return { params: order }
          const { order: current } = await planFolderRename(inside, body)
          const state = await runWorkInline(folderSteps(false), inside, current)
          return withLinksUpdated(toOutcome(toFolderResult(state)), countRewritten(state))
        },
      })
    },
  }
}

function toOutcome(body: RenameResult): Outcome<RenameResult> {
  return { status: 200, headers: {}, body }
}

function toTagResult({ changed, merged, left }: RenameTagState): RenameResult {
  return { notes_changed: changed, merged, ...(left.length > 0 ? { notes_left: [...left] } : {}) }
}

function toFolderResult({ moved, files, ...state }: RenameFolderState): RenameResult {
  const left = [...new Set([...files.left, ...files.links.left, ...state.left])].slice(0, MAX_NOTES_LEFT)
  const result = toTagResult({ ...state, changed: moved, left })
  return files.moved === 0 ? result : { ...result, attachments_moved: files.moved }
}

function countRewritten({ rewritten, files }: RenameFolderState): number {
  return rewritten + files.links.rewritten
}

/** @param count notes, or notes and attachments */
function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED_NOTES)
    throw new ApiError('too_many_affected', `More than ${MAX_AFFECTED_NOTES} notes would change. Nothing was changed.`)
}

function readCursorText(cursor: string | undefined, binding: string): string {
  return cursor === undefined ? '' : String(readCursor(cursor, binding, ['string'])[0])
}

const MANY_NOTES_TEXT =
  'Up to 200 notes are changed together, all or none. More notes are changed in the background: if that takes more than 20 seconds, `GET /api/imports/{id}` shows the progress. The work continues after a crash. It can be stopped; notes that are already changed then stay changed.'

nameSchemas({ FolderPage, TagPage, RenameResult })

export function folderAndTagRoutes({ foldersAndTags, api }: { foldersAndTags: FoldersAndTags; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Folders and tags'] })
    .use(api)
    .get('/tags', ({ session, query }) => foldersAndTags.listTags(session, query), {
      query: ListTagsQuery,
      response: { 200: TagPage },
      detail: {
        operationId: 'listTags',
        ...refuses('invalid_cursor'),
        summary: 'List tags',
        description: 'Lists the tags in use, set by clients or written in bodies. Notes in the trash do not count.',
      },
    })
    .get('/folders', ({ session, query }) => foldersAndTags.listFolders(session, query), {
      query: ListTagsQuery,
      response: { 200: FolderPage },
      detail: {
        operationId: 'listFolders',
        ...refuses('invalid_cursor'),
        summary: 'List folders',
        description: 'Lists the folders that contain a note. Notes in the trash do not count.',
      },
    })
    .post(
      '/tags/rename',
      async ({ request, body, session, reply }) => reply.send(await foldersAndTags.renameTag(request, session, body)),
      {
        body: RenameTag,
        response: { 200: RenameResult, 202: ImportReport },
        detail: {
          operationId: 'renameTag',
          ...refuses('not_found', 'too_many_affected'),
          summary: 'Rename a tag',
          description: `Also renames the tags nested below it. An existing tag of the new name is merged with it. ${MANY_NOTES_TEXT}`,
        },
      },
    )
    .post(
      '/folders/rename',
      async ({ request, body, session, reply }) =>
        reply.send(await foldersAndTags.renameFolder(request, session, body)),
      {
        body: RenameFolder,
        response: { 200: RenameResult, 202: ImportReport },
        detail: {
          operationId: 'renameFolder',
          ...refuses('not_found', 'rewrite_impossible', 'too_many_affected'),
          summary: 'Rename a folder',
          description: `Moves its notes and attachments and those in folders below it. An existing folder of the new name is merged with it. If it has an attachment of the same path, nothing is changed (409). Links with the old path are rewritten; the header \`X-Links-Updated\` counts the rewritten notes. ${MANY_NOTES_TEXT}`,
        },
      },
    )
}
