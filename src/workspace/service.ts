import type { Change, ResourceType } from '../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { ApiError } from '../http/api-error'
import type { WorkspaceUsage } from '../http/schema'
import { writeInstant } from '../http/values'
import { beingErased, type Listeners } from './processes'
import type { ChangePage } from './schema'
import {
  addTotals,
  getAddressTotals,
  getWorkspace,
  readFeed,
  type Totals,
  updateLastHour,
  upsertChanges,
} from './store'

/** The limits of a workspace: the number of its resources, and their bytes in total. */
export interface Quota {
  readonly resources: number
  readonly size_bytes: number
}

/** A page of the feed. `forgottenAtStart` is that of the reader's cursor; see FeedCursor. */
export interface FeedPage extends Pick<ChangePage, 'items' | 'latest_seq'> {
  readonly forgottenAtStart: number
  /** The seq after which the next page begins; null: this is the last. */
  readonly nextSeq: number | null
}

type ScratchSpace = Extract<Workspace, { kind: 'scratch' }>

interface WorkspaceDeps extends Pick<Context, 'now'> {
  readonly db: Queries
  readonly quotas: Readonly<Record<Workspace['kind'], Quota>>
  /** Whether the disk is too full for the bytes. If it is not, they count as written; see createDisk. */
  readonly diskIsFull: (bytes: number) => boolean
  readonly listeners: Listeners
}

/** A scratch space is erased this long after its last request. */
const SCRATCH_KEPT_MS = 24 * 60 * 60 * 1000
/**
 * Sites at which one address may have scratch spaces at the same time, by the kind of the site that comes last. Pages of
 * other sites, and names that were made to lead here, leave a place for the server's own site.
 */
const MAX_SITES_OF_ADDRESS = { own: 8, rebindable: 7, foreign: 6 }
/**
 * A stored outcome of at most this size is accepted on a full disk as well: otherwise nothing could be restored there
 * under an Idempotency-Key. They are kept for a day, and a network has at most 5,000 requests an hour, so they take at
 * most 480 MiB.
 */
const MAX_SMALL_OUTCOME_BYTES = 4096

export type Workspaces = ReturnType<typeof createWorkspaces>

export function createWorkspaces({ db, now, quotas, diskIsFull, listeners }: WorkspaceDeps) {
  /**
   * Adds to the totals, and checks the quota and the disk. All growth of data goes through here before its commit.
   * @throws ApiError quota_exceeded, storage_full
   */
  async function addToTotals(session: Session, added: Totals): Promise<Totals> {
    if (!session.frees && added.size_bytes > 0) refuseOnFullDisk(added.size_bytes)
    return addWithinQuota(session, added)
  }

  /**
   * Adds to the totals, checks the quota, and notifies listeners of changes after the commit.
   * @throws ApiError quota_exceeded
   */
  async function addWithinQuota({ db, workspace }: Session, added: Totals): Promise<Totals> {
    if (workspace.kind === 'scratch') await requireAddressQuota(db, workspace, added)
    const totals = await addTotals(db, workspace, added, now())
    if (!totals) throw beingErased()
    if (workspace.kind === 'key') requireQuota(quotas.key, added, totals, 'This workspace')
    if (added.seq > 0) db.afterCommit(`changes of ${workspace.id}`, () => listeners.notify(workspace.id))
    return totals
  }

  /** Checks the quota of an address, which its scratch spaces share: another Host must give no new quota. */
  async function requireAddressQuota(db: Queries, space: ScratchSpace, added: Totals): Promise<void> {
    const { address, siteKind = 'foreign' } = space
    const { known, sites, ...totals } = await getAddressTotals(db, address, space.id)
    if (!known && sites >= MAX_SITES_OF_ADDRESS[siteKind])
      throw new ApiError(
        'quota_exceeded',
        siteKind === 'own'
          ? `Your address has scratch spaces at ${sites} sites, the most that it may have. Use one of them, or a key.`
          : `Your address has scratch spaces at ${sites} sites. The rest is kept for other names of this server: use a key.`,
      )
    const after = { resources: totals.resources + added.resources, size_bytes: totals.size_bytes + added.size_bytes }
    requireQuota(quotas.scratch, added, after, 'The scratch spaces of your address, at all sites together,')
  }

  /** @throws ApiError storage_full */
  function refuseOnFullDisk(bytes = 0): void {
    if (diskIsFull(bytes))
      throw new ApiError(
        'storage_full',
        'The disk of this server is nearly full. Reading, deleting and restoring still work; add more later.',
      )
  }

  /** See RecordChanges. */
  async function recordAll(session: Session, changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const sum = (member: 'resources' | 'bytes') => changes.reduce((total, change) => total + change[member], 0)
    const added = { seq: changes.length, resources: sum('resources'), size_bytes: sum('bytes') }
    const { seq } = await addToTotals(session, added)
    await upsertChanges(session.db, session.workspace.id, seq - changes.length + 1, changes)
  }

  return {
    /** Stores the hour (since 1970) of a request without waiting. The next request makes up for a failure. */
    noteScratchRequest(workspace: Workspace, hour: number): void {
      updateLastHour(db, workspace.id, hour).catch(() => {})
    },
    refuseOnFullDisk,

    /** See RecordChange. */
    record: (session: Session, change: Change): Promise<void> => recordAll(session, [change]),
    recordAll,

    /**
     * Counts bytes and resources towards the quota that belong to no change in the feed, or that a dry run would add.
     */
    async reserve(session: Session, bytes: number, resources = 0): Promise<void> {
      await addToTotals(session, { seq: 0, resources, size_bytes: bytes })
    },

    /** Counts the stored outcome of a request towards the quota. @throws ApiError quota_exceeded, storage_full */
    async reserveOutcome(session: Session, bytes: number): Promise<void> {
      const added = { seq: 0, resources: 0, size_bytes: bytes }
      await (bytes > MAX_SMALL_OUTCOME_BYTES ? addToTotals(session, added) : addWithinQuota(session, added))
    },

    /**
     * Returns a workspace, for work outside of any request.
     * @throws Error if it has no row, since nothing was ever stored in it
     */
    async find(db: Queries, id: WorkspaceId): Promise<Workspace> {
      const row = await getWorkspace(db, id)
      if (!row) throw new Error(`there is no workspace ${id}`)
      return row.address === null ? { id, kind: 'key' } : { id, kind: 'scratch', address: row.address }
    },

    /** Whether a workspace holds no resources. For the gate: a key whose workspace is not empty counts as known. */
    async isEmpty(workspace: WorkspaceId): Promise<boolean> {
      return ((await getWorkspace(db, workspace))?.resources ?? 0) === 0
    },

    async usage({ db, workspace }: Session): Promise<WorkspaceUsage> {
      const row = await getWorkspace(db, workspace.id)
      const isScratch = workspace.kind === 'scratch'
      return {
        kind: workspace.kind,
        created_at: row ? writeInstant(row.created_at) : null,
        expires_at: isScratch ? writeInstant(now() + SCRATCH_KEPT_MS) : null,
        resources: row?.resources ?? 0,
        size_bytes: row?.size_bytes ?? 0,
        quotas: quotas[workspace.kind],
      }
    },

    /**
     * Lists the changes after a cursor, oldest first, of `types` alone unless it is null. With types a page may have
     * fewer than `limit`, and even none, before the last; see readFeed.
     * @throws ApiError cursor_expired if deletions since then may be forgotten, or if the feed never reached the
     *   cursor: the workspace was erased, and its feed started again
     */
    async listChanges(
      { db, workspace }: Session,
      cursor: FeedCursor,
      limit: number,
      types: readonly ResourceType[] | null = null,
    ): Promise<FeedPage> {
      const { changes, latest_seq, forgotten_seq, unread_seq } = await readFeed(db, workspace.id, {
        since: cursor.seq,
        limit: limit + 1,
        types,
      })
      const forgottenAtStart = cursor.seq === 0 ? forgotten_seq : cursor.forgottenAtStart
      if (Math.max(cursor.seq, forgottenAtStart) < forgotten_seq || Math.max(cursor.seq, forgottenAtStart) > latest_seq)
        throw new ApiError(
          'cursor_expired',
          'The changes since that seq are no longer known. Read everything again, then continue from `latest_seq`.',
        )
      const items = changes
        .slice(0, limit)
        .map((change) => ({ ...change, changed_at: writeInstant(change.changed_at) }))
      const last = changes.length > limit ? items.at(-1) : undefined
      const nextSeq = last?.seq ?? (unread_seq === null ? null : unread_seq - 1)
      return { items, forgottenAtStart, nextSeq, latest_seq }
    },
  }
}

export function toChangePage({ items, forgottenAtStart, nextSeq, latest_seq }: FeedPage): ChangePage {
  return {
    items,
    next_cursor: nextSeq === null ? null : writeFeedCursor({ seq: nextSeq, forgottenAtStart }),
    latest_seq,
  }
}

/**
 * Refuses growth over the quota. A workspace that is over a lowered quota can still shrink.
 * @throws ApiError quota_exceeded
 */
function requireQuota(quota: Quota, added: Totals, totals: Omit<Totals, 'seq'>, holder: string): void {
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

export interface FeedCursor {
  /** The seq of the last change that the reader knows; 0: none. */
  readonly seq: number
  /** Up to where deletions were forgotten when the reader began at 0, who never had those resources. */
  readonly forgottenAtStart: number
}

/** Parses the text of writeFeedCursor, or the seq of a change. */
export function readFeedCursor(text: string): FeedCursor {
  const [seq = 0, forgottenAtStart = 0] = text.split('-').map(Number)
  return { seq, forgottenAtStart }
}

/** Writes a cursor: the seq and, until the reader has passed it, `forgottenAtStart`. */
export function writeFeedCursor({ seq, forgottenAtStart }: FeedCursor): string {
  return seq < forgottenAtStart ? `${seq}-${forgottenAtStart}` : String(seq)
}

/**
 * Keeps a part of the disk free that no request may fill, so that deleting, counting requests and logging still work.
 */

export interface DiskSpace {
  /** Bytes that this process may still write. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
}

interface Deps extends Pick<Context, 'now'> {
  /** Reads the space of the disk that holds the data folder. Throws if it cannot be read. */
  readonly diskSpace: () => DiskSpace
  /**
   * Bytes that must stay free; 0: no check; null: DEFAULT_FLOOR_BYTES, or DEFAULT_SHARE of the disk if that is less.
   */
  readonly minFreeBytes: number | null
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
}

const DEFAULT_FLOOR_BYTES = 512 * 1024 * 1024
const DEFAULT_SHARE = 0.05
/** Time for which a measurement is reused, so that not every request makes a system call. */
const SPACE_CACHED_MS = 1000
/** A stored byte takes about this many bytes on the disk: in the write-ahead log, the table and the indexes. */
const DISK_BYTES_PER_BYTE = 4

/** The states of the disk, and the line that is logged when each begins. `unknown` counts as `enough`. */
const STATES = {
  enough: ['info', 'the disk has enough free space again: nothing is refused for it'],
  full: ['warn', 'the free space of the disk is below MIN_FREE_BYTES: what would add to the data is refused with 507'],
  unknown: ['error', 'the free space of the disk cannot be read: nothing is refused for it'],
} as const

export function createDisk({ diskSpace, minFreeBytes, now, log }: Deps) {
  let state: keyof typeof STATES = 'enough'
  let measuredAt = Number.NEGATIVE_INFINITY
  let space: (DiskSpace & { readonly floor: number }) | null = null
  /** Bytes that were written since the last measurement, which does not include them. */
  let added = 0

  function setState(next: typeof state, fields: object): void {
    if (next === state) return
    state = next
    const [level, message] = STATES[next]
    log[level](fields, message)
  }

  function measure(): void {
    // `abs`: a clock that was set back must not make an old measurement valid for longer.
    if (Math.abs(now() - measuredAt) < SPACE_CACHED_MS) return
    measuredAt = now()
    added = 0
    try {
      const { free, size } = diskSpace()
      const floor = minFreeBytes ?? Math.min(DEFAULT_FLOOR_BYTES, Math.floor(size * DEFAULT_SHARE))
      space = { free, size, floor }
      setState(free < floor ? 'full' : 'enough', { free_bytes: free, floor_bytes: floor })
    } catch (err) {
      space = null
      setState('unknown', { err })
    }
  }

  return {
    /** Whether the free space is below the floor. If it is not, `bytes` count as written from now on. */
    isFull(bytes: number): boolean {
      if (minFreeBytes === 0) return false
      measure()
      if (space && space.free - added < space.floor) return true
      added += bytes * DISK_BYTES_PER_BYTE
      return false
    },

    /** Returns the free bytes, at most a second old, and the floor; null if they cannot be read. */
    space(): { readonly free: number; readonly floor: number } | null {
      measure()
      return space
    },
  }
}
