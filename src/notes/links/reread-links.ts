import type { Context } from '../../db/context'
import type { Queries, Session, Workspace, WorkspaceId } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { Job } from '../../jobs/scheduler'
import { getNote, type NoteRow } from '../store'
import { listLinkTargets, mayHaveLinks } from './body-links'
import { toFolderKey } from './names'
import { addLinkingToReread, endReread, listNotesToReread, type NoteToReread } from './reread-store'
import { adjustUnresolved, countLinkingToFiles, getLinkCounts, type LinkTarget, recountUnresolvedToFile } from './store'
import { replaceLinks } from './write-hook'

const MINUTE_MS = 60 * 1000
/** Notes without links whose work ends in one transaction. */
const NOTES_PER_STEP = 50
/** Steps of one run of the job. */
const STEPS_PER_RUN = 500
/** Notes whose links to a file are counted again in one transaction: about 5 ms. */
const MAX_RECOUNTED = 1000

interface Deps extends Pick<Context, 'db'> {
  /** Returns the workspace with this id. */
  readonly findWorkspace: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

/**
 * Counts the unresolved links of the notes that link to a file of this name, after it came or went: of few notes at once,
 * of more by the job.
 */
export async function recountLinksToFile({ db, workspace }: Session, fileKey: string): Promise<void> {
  const isMany = (await countLinkingToFiles(db, workspace.id, [fileKey], MAX_RECOUNTED + 1)) > MAX_RECOUNTED
  await (isMany ? addLinkingToReread : recountUnresolvedToFile)(db, workspace.id, fileKey)
}

/**
 * Creates the job that reads the links of notes again: those that older versions stored, and those to files that came or
 * went and are linked by many notes. Bodies are read and scanned outside
 * of transactions; each note with links is written in one of its own, which is no longer than that of a save.
 */
export function createRereadLinks({ db, findWorkspace }: Deps): Job {
  async function reread(note: NoteRow, targets: readonly LinkTarget[], workspaceId: WorkspaceId): Promise<void> {
    await db.transaction(async (tx) => {
      const now = await getNote(tx, workspaceId, note.id)
      // A note that was saved in the meantime is read again by a later step.
      if (now && now.revision !== note.revision) return
      await endReread(tx, workspaceId, [note.key])
      if (now?.deleted_at !== null) return
      const session = { db: tx, workspace: await findWorkspace(tx, workspaceId) }
      const before = await getLinkCounts(tx, workspaceId, note.key)
      await replaceLinks(session, { key: note.key, folder: toFolderKey(note.folder), targets, isNew: false })
      const after = await getLinkCounts(tx, workspaceId, note.key)
      // The note is shown with other counts, so it needs another ETag.
      if (before?.links_out !== after?.links_out || before?.links_unresolved !== after?.links_unresolved)
        await adjustUnresolved(tx, workspaceId, [note.key], 0, 0)
    })
  }

  async function step(batch: readonly NoteToReread[], signal: AbortSignal): Promise<void> {
    const plain: NoteToReread[] = []
    for (const found of batch) {
      if (signal.aborted) break
      const note = await getNote(db, found.workspace, found.id)
      const targets = note?.deleted_at === null ? readTargets(note) : null
      if (note && targets) await reread(note, targets, found.workspace)
      else plain.push(found)
    }
    await db.transaction(async (tx) => {
      for (const [workspace, notes] of Map.groupBy(plain, (note) => note.workspace))
        await endReread(
          tx,
          workspace,
          notes.map(({ key }) => key),
        )
    })
  }

  return {
    name: 'read the links of older notes again',
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted; left--) {
        const batch = await listNotesToReread(db, NOTES_PER_STEP)
        if (batch.length === 0) return
        await step(batch, signal)
      }
    },
  }
}

/** The targets of a body; null if its links stay as they are: it has none, or more than a note may have by now. */
function readTargets({ body, folder }: NoteRow): LinkTarget[] | null {
  if (!mayHaveLinks(body)) return null
  try {
    return listLinkTargets(body, toFolderKey(folder))
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
