import type { Change } from '../db/change-feed'
import type { Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { ApiError } from '../http/api-error'
import type { WorkspaceUsage } from '../http/schema'
import { writeInstant } from '../http/values'
import type { Listeners } from './listeners'
import type { ChangePage } from './schema'
import {
  addTotals,
  getAddressTotals,
  getWorkspace,
  readFeed,
  type Totals,
  updateLastHour,
  upsertChange,
  upsertChanges,
} from './store'

/** What a workspace may hold: a number of resources, and bytes in all. */
export interface Quota {
  readonly resources: number
  readonly size_bytes: number
}

/** A part of the feed, for a reader that `forgottenAtStart`; see FeedCursor. */
export interface FeedPage extends Pick<ChangePage, 'items' | 'latest_seq'> {
  readonly forgottenAtStart: number
  readonly hasMore: boolean
}

interface WorkspaceDeps {
  readonly db: Queries
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly quotas: Readonly<Record<Workspace['kind'], Quota>>
  /** Whether the disk takes no more. If not, the bytes count as written; see createDisk. */
  readonly diskIsFull: (bytes: number) => boolean
  /** Notified of each change, once it can be read. */
  readonly listeners: Listeners
}

/** A scratch space is erased this long after its last request. */
const SCRATCH_KEPT_MS = 24 * 60 * 60 * 1000
/** Sites at which one address may have a scratch space at a time. */
const SITES_OF_ADDRESS = 8
/**
 * An outcome of at most so many bytes is stored on a full disk as well, or nothing could be restored there under an
 * Idempotency-Key. For a day they are kept, and all keys of a network together have 5,000 requests an hour: 480 MiB.
 */
const SMALL_OUTCOME_BYTES = 4096

export type Workspaces = ReturnType<typeof createWorkspaces>

export function createWorkspaces({ db, now, quotas, diskIsFull, listeners }: WorkspaceDeps) {
  /** The one place where data grows: all that a request stores is counted here before its commit, and no resource has 0 bytes. */
  async function add(session: Session, added: Totals): Promise<Totals> {
    if (!session.frees && added.size_bytes > 0) refuseOnFullDisk(added.size_bytes)
    return count(session, added)
  }

  async function count({ db, workspace }: Session, added: Totals): Promise<Totals> {
    const totals = await addTotals(db, workspace, added, now())
    if (workspace.kind === 'key') refuseOverQuota(quotas.key, added, totals, 'This workspace')
    else await refuseOverAddress(db, workspace.address, added)
    if (added.seq > 0) db.afterCommit(`changes of ${workspace.id}`, () => listeners.tell(workspace.id))
    return totals
  }

  /** The address answers for its spaces at all sites together: another Host name must not make room. */
  async function refuseOverAddress(db: Queries, address: string, added: Totals): Promise<void> {
    const totals = await getAddressTotals(db, address)
    if (totals.sites > SITES_OF_ADDRESS)
      throw new ApiError(
        'quota_exceeded',
        `Your address has scratch spaces at ${SITES_OF_ADDRESS} sites, as many as it may. Go to one of them, or use a key.`,
      )
    refuseOverQuota(quotas.scratch, added, totals, 'The scratch spaces of your address, at all sites together,')
  }

  /** @throws ApiError storage_full */
  function refuseOnFullDisk(bytes = 0): void {
    if (diskIsFull(bytes))
      throw new ApiError(
        'storage_full',
        'The disk of this server is nearly full. Reading, deleting and restoring still work; add more later.',
      )
  }

  return {
    /** Notes a request for a scratch space, by the hour since 1970. Nobody waits; what fails is done at the next one. */
    noteScratchRequest(workspace: Workspace, hour: number): void {
      updateLastHour(db, workspace.id, hour).catch(() => {})
    },
    refuseOnFullDisk,

    /** See RecordChange. */
    async record(session: Session, change: Change): Promise<void> {
      const totals = await add(session, { seq: 1, resources: change.resources, size_bytes: change.bytes })
      await upsertChange(session.db, session.workspace.id, totals.seq, change)
    },

    /** See RecordChanges. */
    async recordAll(session: Session, changes: readonly Change[]): Promise<void> {
      if (changes.length === 0) return
      const sum = (member: 'resources' | 'bytes') => changes.reduce((total, change) => total + change[member], 0)
      const added = { seq: changes.length, resources: sum('resources'), size_bytes: sum('bytes') }
      const { seq } = await add(session, added)
      await upsertChanges(session.db, session.workspace.id, seq - changes.length + 1, changes)
    },

    /** Counts towards the quota what belongs to no change in the feed, and what a dry run would add. */
    async reserve(session: Session, bytes: number, resources = 0): Promise<void> {
      await add(session, { seq: 0, resources, size_bytes: bytes })
    },

    /** Counts the stored outcome of a request towards the quota. @throws ApiError quota_exceeded, storage_full */
    async reserveOutcome(session: Session, bytes: number): Promise<void> {
      const added = { seq: 0, resources: 0, size_bytes: bytes }
      await (bytes > SMALL_OUTCOME_BYTES ? add(session, added) : count(session, added))
    },

    /** The workspace with this id, for what is done to it outside of any request. It must have held something. */
    async find(db: Queries, id: WorkspaceId): Promise<Workspace> {
      const row = await getWorkspace(db, id)
      if (!row) throw new Error(`there is no workspace ${id}`)
      return row.address === null ? { id, kind: 'key' } : { id, kind: 'scratch', address: row.address }
    },

    /** Whether a workspace holds nothing. The gate asks: a key whose workspace holds something is a known key. */
    async isEmpty(workspace: WorkspaceId): Promise<boolean> {
      return ((await getWorkspace(db, workspace))?.resources ?? 0) === 0
    },

    async usage({ db, workspace }: Session): Promise<WorkspaceUsage> {
      const row = await getWorkspace(db, workspace.id)
      const scratch = workspace.kind === 'scratch'
      return {
        kind: workspace.kind,
        created_at: row ? writeInstant(row.created_at) : null,
        expires_at: scratch ? writeInstant(now() + SCRATCH_KEPT_MS) : null,
        resources: row?.resources ?? 0,
        size_bytes: row?.size_bytes ?? 0,
        quotas: quotas[workspace.kind],
      }
    },

    /**
     * The feed after a place, oldest first. Throws cursor_expired if deletions since then may be forgotten, or if the
     * workspace never came that far: it was erased, and began again.
     */
    async changes({ db, workspace }: Session, place: FeedCursor, limit: number): Promise<FeedPage> {
      const { changes, latest_seq, forgotten_seq } = await readFeed(db, workspace.id, place.seq, limit + 1)
      const forgottenAtStart = place.seq === 0 ? forgotten_seq : place.forgottenAtStart
      if (Math.max(place.seq, forgottenAtStart) < forgotten_seq || Math.max(place.seq, forgottenAtStart) > latest_seq)
        throw new ApiError(
          'cursor_expired',
          'What happened since that seq is not known any more. Read everything again, then go on from `latest_seq`.',
        )
      const items = changes
        .slice(0, limit)
        .map((change) => ({ ...change, changed_at: writeInstant(change.changed_at) }))
      return { items, forgottenAtStart, hasMore: changes.length > limit, latest_seq }
    },
  }
}

/** A page of the feed as its route tells it. */
export function toChangePage({ items, forgottenAtStart, hasMore, latest_seq }: FeedPage): ChangePage {
  const last = items.at(-1)
  return {
    items,
    next_cursor: last && hasMore ? writeFeedCursor({ seq: last.seq, forgottenAtStart }) : null,
    latest_seq,
  }
}

/** Only what grows is refused: a workspace over the quota (a lowered setting) can still shrink. */
function refuseOverQuota(quota: Quota, added: Totals, totals: Omit<Totals, 'seq'>, holder: string): void {
  if (added.resources > 0 && totals.resources > quota.resources)
    throw new ApiError(
      'quota_exceeded',
      `${holder} may hold ${quota.resources} resources. Delete some for good, or use a key.`,
    )
  if (added.size_bytes > 0 && totals.size_bytes > quota.size_bytes)
    throw new ApiError(
      'quota_exceeded',
      `${holder} may hold ${quota.size_bytes} bytes. Delete something for good, or use a key.`,
    )
}

/** How far a reader of the feed has come. */
export interface FeedCursor {
  /** The seq of the last change that it knows; 0: it knows nothing. */
  readonly seq: number
  /**
   * What the feed had forgotten up to here when the reader knew nothing yet: of that it never knew anything that a
   * deletion would have to take back.
   */
  readonly forgottenAtStart: number
}

/** Reads what `writePlace` wrote, or the seq of a change. */
export function readFeedCursor(text: string): FeedCursor {
  const [seq = 0, forgottenAtStart = 0] = text.split('-').map(Number)
  return { seq, forgottenAtStart }
}

/** The seq, and what else has to be known to go on from there: nothing, once the reader is past all that was forgotten. */
export function writeFeedCursor({ seq, forgottenAtStart }: FeedCursor): string {
  return seq < forgottenAtStart ? `${seq}-${forgottenAtStart}` : String(seq)
}
