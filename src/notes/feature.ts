import { Elysia } from 'elysia'
import type { Queries, Session, Workspace, WorkspaceId } from '../db/database'
import type { RecordChange } from '../db/journal'
import type { Once } from '../http/idempotency'
import { noteBatchRoutes } from './batch/routes'
import { createNoteBatches } from './batch/service'
import { dailyNotesRoutes } from './daily/routes'
import { createDailyNotes } from './daily/service'
import { noteEditsRoutes } from './edits/routes'
import { createNoteEdits } from './edits/service'
import { createNoteForms } from './forms'
import { createHtmlRenderer } from './html-renderer'
import { indexFollower } from './index-follower'
import { linkFollower } from './links/follower'
import { createRename } from './links/rename'
import { linksRoutes } from './links/routes'
import { createLinks } from './links/service'
import { notePlacesRoutes } from './places/routes'
import { createNotePlaces } from './places/service'
import { revisionFollower } from './revisions/follower'
import { revisionRoutes } from './revisions/routes'
import { createRevisions } from './revisions/service'
import { createThinner } from './revisions/thinner'
import { notesRoutes } from './routes'
import { searchFollower } from './search/follower'
import { searchRoutes } from './search/routes'
import { createSearch } from './search/service'
import { createNotes } from './service'
import { tagFollower } from './tag-follower'
import { createWriter } from './writer'

export interface NotesFeatureDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly log: { warn(fields: object, message: string): void }
  readonly db: Queries
  readonly workspaces: {
    readonly record: RecordChange
    /** Counts bytes that are no resource towards the quota; throws quota_exceeded. */
    reserve(session: Session, bytes: number): Promise<void>
    /** The workspace with this id, for what is done to it outside of any request. */
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
  }
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

/** How long the HTML of one note may take, in milliseconds. */
const HTML_DEADLINE_MS = 2000
/** Transactions of one run of thinning, each of a few milliseconds. */
const THINNING_STEPS = 1000
const HOUR_MS = 60 * 60 * 1000

/** Notes and all that belongs to them: what follows each write, in its order; the routes; the jobs. */
export function notesFeature({ now, ids, log, db, workspaces, once, session, requestId }: NotesFeatureDeps) {
  const { record, reserve } = workspaces
  const followers = [tagFollower, indexFollower, searchFollower, linkFollower, revisionFollower(reserve)]
  const writer = createWriter({ now, record, followers })
  const renderer = createHtmlRenderer({ deadlineMs: HTML_DEADLINE_MS, log })
  const links = createLinks()
  const notes = createNotes({ now, ids, writer, rename: createRename({ now, writer }) })
  const forms = createNoteForms({ notes, resolveTargets: links.resolveTargets, renderer })
  const edits = createNoteEdits({ notes, now })
  const daily = createDailyNotes({ notes, edits, writer, now, ids })
  const places = createNotePlaces({ writer, now })
  const batches = createNoteBatches({ notes, edits })
  const revisions = createRevisions({ now, writer, reserve })
  const thin = createThinner(workspaces)

  const routes = new Elysia({ name: 'notes' })
    .use(notesRoutes({ notes, forms, once, session }))
    .use(searchRoutes({ search: createSearch({ now }), session }))
    .use(noteEditsRoutes({ edits, once, session }))
    .use(linksRoutes({ links, session }))
    .use(revisionRoutes({ revisions, once, session }))
    .use(dailyNotesRoutes({ daily, once, session }))
    .use(notePlacesRoutes({ places, once, session }))
    .use(noteBatchRoutes({ batches, once, session, requestId }))
  const jobs = [
    {
      name: 'thin the revisions of notes',
      every_ms: HOUR_MS,
      run: (signal: AbortSignal) => thin(db, now(), THINNING_STEPS, signal),
    },
  ]
  return {
    routes,
    jobs,
    findByStems: notes.findByStems,
    countByStems: notes.countByStems,
    close: () => renderer.close(),
  }
}
