import { Elysia } from 'elysia'
import { createSignedAddresses } from '../blobs/signed'
import type { BlobStaging } from '../blobs/staging'
import type { RecordChange } from '../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { type Trash, trashQueries, type Wipe } from '../db/trash'
import type { RequestPlugin } from '../http/api'
import type { RunOnce } from '../http/responses'
import type { Imports } from '../imports/service'
import { createArchivedNotes, createArchivedVersions } from '../notes/archive/archived-notes'
import { exportNoteFiles, NOTE_FILE_PATHS, noteFileRoutes } from '../notes/archive/files'
import { createArchivedAttachments } from '../notes/attachments/archive'
import { createAttachments } from '../notes/attachments/attachments'
import {
  type AttachmentContext,
  createRelinkAttachment,
  createRelinkNotes,
  keepFileLinks,
} from '../notes/attachments/file-links'
import { createShowAttachments, resolveFiles } from '../notes/attachments/nearest'
import { ATTACHMENTS_PATH, attachmentRoutes } from '../notes/attachments/routes'
import { wipeAttachments } from '../notes/attachments/store'
import { createAttachmentWriter } from '../notes/attachments/writer'
import { createNoteBatches, noteBatchRoutes } from '../notes/batch'
import { createDailyNotes, dailyNotesRoutes } from '../notes/daily'
import { createNoteEdits, noteEditsRoutes } from '../notes/edits'
import { createFoldersAndTags, folderAndTagRoutes } from '../notes/folders-and-tags/folders-and-tags'
import { createHtmlRenderer } from '../notes/html/render-in-worker'
import { createNotesImport } from '../notes/import/import-notes'
import { createMarkdownBodies } from '../notes/import/markdown-bodies'
import { linkHook } from '../notes/links/body-links'
import { createLinks, linksRoutes } from '../notes/links/links'
import { createPartsJob } from '../notes/links/parts'
import { createRecountJob, wipeNotesToRecount } from '../notes/links/recount-store'
import { createRenameNote } from '../notes/links/rename-note'
import { createRenameSteps } from '../notes/links/rename-steps'
import { noteNames } from '../notes/names'
import { createNoteWriter, type NoteWriteHook } from '../notes/note'
import { createNoteRepresentations } from '../notes/representations'
import { createThinner, revisionHook } from '../notes/revisions/history'
import { createRevisions, revisionRoutes } from '../notes/revisions/revisions'
import { notesRoutes } from '../notes/routes'
import { createNoteSearch, createRelatedNotes, noteSearchRoutes } from '../notes/search/search'
import { createNotes } from '../notes/service'
import { wipeNotes } from '../notes/store'
import { propertyHook, tagHook } from '../notes/tag-and-property-store'
import type { SearchEngine } from '../search/engine'
import type { SearchEverything } from '../search/service'

export interface NotesFeatureDeps extends Pick<Context, 'now' | 'ids' | 'log' | 'db'> {
  readonly workspaces: {
    readonly record: RecordChange
    /** Counts bytes that belong to no resource towards the quota. @throws ApiError quota_exceeded */
    reserve(session: Session, bytes: number, resources?: number): Promise<void>
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
  }
  readonly api: RequestPlugin
  readonly blobs: BlobStaging
  readonly runOnce: RunOnce
  readonly imports: Pick<
    Imports,
    'register' | 'receive' | 'registerWork' | 'findEarlier' | 'work' | 'begin' | 'waitForOutcome'
  >
  readonly search: Pick<SearchEngine, 'findAll' | 'findRelated'>
  readonly searchEverything: SearchEverything
  /** Makes 32 hexadecimal digits of a text that only this server can make. */
  readonly signAddress: (text: string) => string
  /** Called before a note is erased for good, in the same transaction. */
  readonly noteErased: (session: Session, id: string) => Promise<void>
}

export const SIGNED_ATTACHMENTS_PATH = `${ATTACHMENTS_PATH}/`

/** Time limit for rendering one note as HTML, by its size: 3 s for the largest. */
const HTML_LIMIT_MS = { base: 2000, perMiB: 1000 }
/** Transactions of one run of the job that thins revisions, each of a few milliseconds. */
const MAX_THINNING_STEPS = 1000
const HOUR_MS = 60 * 60 * 1000

/** Creates notes with their routes, imports, exports and jobs. */
export function notesFeature(deps: NotesFeatureDeps) {
  const { now, log, db, workspaces, imports, api, blobs, runOnce } = deps
  const context = createContext(deps)
  const renderer = createHtmlRenderer({ limitMs: HTML_LIMIT_MS, log })
  const links = createLinks({ ...deps.search, resolveFiles })
  const notes = createNotes(context)
  const addresses = createSignedAddresses({
    ...{ now, db, path: SIGNED_ATTACHMENTS_PATH, sign: deps.signAddress },
    findWorkspace: workspaces.find,
  })
  const representations = createNoteRepresentations({
    resolveBody: links.resolveBody,
    renderer,
    showAttachments: createShowAttachments({ addresses }),
  })
  const edits = createNoteEdits({ ...context, notes })
  const search = createNoteSearch(deps.searchEverything)
  const daily = createDailyNotes({ ...context, notes, edits })
  const foldersAndTags = createFoldersAndTags(context)
  const batches = createNoteBatches({ notes, edits })
  const revisions = createRevisions(context)
  const thin = createThinner(workspaces)
  const { textBodies, texts } = createMarkdownBodies({ now })
  imports.register(createNotesImport(context))
  const attachments = createAttachments(context)

  const routes = new Elysia({ name: 'notes' })
    .use(notesRoutes({ notes, findByPath: links.findByPath, representations, imports, texts, api }))
    .use(noteSearchRoutes({ search, related: createRelatedNotes(deps.search), api }))
    .use(noteEditsRoutes({ edits, api }))
    .use(linksRoutes({ links, api }))
    .use(revisionRoutes({ revisions, api }))
    .use(dailyNotesRoutes({ daily, api }))
    .use(folderAndTagRoutes({ foldersAndTags, api }))
    .use(noteFileRoutes({ now, snapshot: () => db.snapshot(), imports, api }))
    .use(noteBatchRoutes({ batches, api }))
    .use(attachmentRoutes({ attachments, addresses, blobs, imports, runOnce, api }))
  const jobs = [
    {
      name: 'thin the revisions of notes',
      every_ms: HOUR_MS,
      run: (signal: AbortSignal) => thin(db, now(), MAX_THINNING_STEPS, signal),
    },
    createRecountJob({ db }),
    createPartsJob({ db }),
  ]
  return {
    routes,
    services: { notes, names: noteNames, edits, revisions, search },
    filePaths: [...NOTE_FILE_PATHS, ATTACHMENTS_PATH],
    textBodies,
    jobs,
    findFileOwner: addresses.findOwner,
    missing: notes.listMissing,
    readers: { note: notes.get, attachment: attachments.get },
    archivedTypes: [createArchivedNotes(context), createArchivedVersions(context), createArchivedAttachments(context)],
    filesForPeople: exportNoteFiles,
    trash: [
      { type: 'note', ...trashQueries('notes'), erase: (session, id) => notes.erase(session, id) },
    ] satisfies Trash[],
    wipe: async (...where: Parameters<Wipe>) =>
      (await wipeNotesToRecount(...where)) || (await wipeNotes(...where)) || wipeAttachments(...where),
    text: notes.getText,
    close: () => renderer.close(),
  }
}

function createContext(deps: NotesFeatureDeps): AttachmentContext {
  const { now, ids, imports, blobs } = deps
  const { record, reserve } = deps.workspaces
  const otherFeatures: NoteWriteHook = {
    async beforeErase(session, note) {
      await deps.noteErased(session, note.id)
      return 0
    },
  }
  // In the order in which they run.
  const writer = createNoteWriter({
    now,
    record,
    hooks: [tagHook, propertyHook, linkHook, revisionHook, otherFeatures],
  })
  const renaming = createRenameSteps({ now, writer, keepFileLinks })
  const relinkNotes = createRelinkNotes({ now, writer })
  return {
    ...{ now, ids, reserve, blobs, imports, writer, renaming, relinkNotes },
    attachmentWriter: createAttachmentWriter({ now, record }),
    rename: createRenameNote({ ids, writer, renaming, imports }),
    relink: createRelinkAttachment({ relink: relinkNotes, imports }),
  }
}
