import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { readCursor, toPage } from '../../http/cursor'
import type { Outcome } from '../../http/idempotency'
import { DEFAULT_LIMIT } from '../../http/values'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import type { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { titleKey } from '../../lib/text'
import { countRelinked } from '../attachments/relink-notes'
import { tagKey } from '../filters'
import {
  createRewriteError,
  MAX_NOTES_LEFT,
  MAX_REWRITTEN_NOTES,
  type RenameSteps,
  runOrConflict,
} from '../links/rename-steps'
import { countLinkingInto } from '../links/store'
import { checkFolder, normalizeTag } from '../note'
import { toLinksUpdatedHeader, withLinksUpdated } from '../rename-port'
import { getNote } from '../store'
import type { NoteWriter } from '../writer'
import { type FileMover, planFileMoves } from './move-files'
import {
  computeNewFolder,
  createRenameFolderSteps,
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
import type { FolderPage, ListTagsQuery, RenameFolder, RenameResult, RenameTag, TagPage } from './schema'
import {
  isFolderInUse,
  listFolders,
  listNotesInFolder,
  listNotesWithTag,
  listTags,
  listTagsUnder,
  type NoteInFolder,
} from './store'

export const MAX_AFFECTED_NOTES = 10_000
/** Notes that are checked before other requests get a turn. */
const NOTES_PER_TURN = 50

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: NoteWriter
  readonly renaming: RenameSteps
  readonly files: FileMover
  readonly imports: Pick<Imports, 'registerWork' | 'findEarlier' | 'work'>
}

export type FoldersAndTags = ReturnType<typeof createFoldersAndTags>

const TAG_KIND = 'note_tag'
const FOLDER_KIND = 'note_folder'

/**
 * Lists and renames tags and folders. They exist only in notes, so a rename changes every note that has them: few notes
 * in one transaction, more notes in many transactions (see WorkKind), with other requests in between.
 */
export function createFoldersAndTags({ writer, renaming, files: mover, now, ids, imports }: Deps) {
  const tagSteps = (lenient: boolean) => createRenameTagSteps({ writer, now, lenient })
  const folderSteps = (lenient: boolean) => createRenameFolderSteps(renaming, mover, now, lenient)
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
    const { db, workspace } = session
    const notes = await listNotesInFolder(db, workspace.id, from, 0, MAX_AFFECTED_NOTES + 1)
    const files = await planFileMoves(session, { from, to }, MAX_AFFECTED_NOTES + 1 - notes.length)
    const total = notes.length + files.keys.length
    if (total === 0) throw new ApiError('not_found', 'No note or attachment is in this folder.')
    refuseTooMany(total)
    for (const note of notes) runOrConflict(note, (old) => computeNewFolder(old, from, to))
    const linking = await countLinkingInto(db, workspace.id, titleKey(from), MAX_REWRITTEN_NOTES + notes.length + 1)
    if (linking > MAX_REWRITTEN_NOTES + notes.length)
      throw createRewriteError(
        `More than ${MAX_REWRITTEN_NOTES} notes link into the folder; a rename rewrites no more.`,
      )
    const relinked = await countRelinked(session, files.names, notes.length)
    const merged = from !== to && (await isFolderInUse(db, workspace.id, to, from))
    const order: RenameFolderOrder = { from, to, files, merged, rename: ids(), total }
    return { order, size: total + linking + relinked }
  }

  /** @throws ApiError invalid_request, not_found, too_many_affected */
  async function planTagRename({ db, workspace }: Session, { from, to, inline = true }: RenameTag) {
    const [fromTag, toTag] = [normalizeTag(from, '/from'), normalizeTag(to, '/to')]
    const notes = await listNotesWithTag(db, workspace.id, tagKey(fromTag), 0, MAX_AFFECTED_NOTES + 1)
    if (notes.length === 0) throw new ApiError('not_found', 'No note has this tag.')
    refuseTooMany(notes.length)
    const below = await listTagsUnder(db, workspace.id, tagKey(toTag))
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
      if (index % NOTES_PER_TURN === NOTES_PER_TURN - 1) await setImmediate()
      const note = await getNote(session.db, session.workspace.id, id)
      if (note) await renameTagInNote(session, order, note, now())
    }
  }

  return {
    /** Lists one page of the tags in use. Throws invalid_cursor. */
    async listTags({ db, workspace }: Session, { limit: size, cursor }: ListTagsQuery): Promise<TagPage> {
      const limit = Number(size ?? DEFAULT_LIMIT)
      const rows = await listTags(db, workspace.id, readCursorText(cursor, 'tags'), limit + 1)
      return toPage(
        rows,
        limit,
        'tags',
        ({ tag_key }) => [tag_key],
        ({ tag_key: _, ...shown }) => shown,
      )
    },

    /** Lists one page of the folders that contain a living note. Throws invalid_cursor. */
    async listFolders({ db, workspace }: Session, { limit: size, cursor }: ListTagsQuery): Promise<FolderPage> {
      const limit = Number(size ?? DEFAULT_LIMIT)
      const rows = await listFolders(db, workspace.id, readCursorText(cursor, 'folders'), limit + 1)
      return toPage(
        rows,
        limit,
        'folders',
        ({ folder }) => [folder],
        (row) => row,
      )
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
