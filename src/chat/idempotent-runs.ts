import type { Reserve } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import {
  deleteOldOutcomes,
  getOutcome,
  insertOutcome,
  type StoredOutcome,
  updateOutcome,
} from '../db/idempotency-store'
import { ApiError } from '../http/api-error'
import { type IdempotencyKey, OUTCOME_KEPT_MS, requireSameRequest } from '../http/responses'
import type { ChatAction } from '../tools/schema'
import type { ChatAnswer } from './schema'

/**
 * Records runs under an Idempotency-Key. A run cannot be one transaction, since it waits for a model between its
 * writes. It is recorded as open with its first write, each write in one transaction with its entry, and as finished at
 * its end. A run that is recorded as open and does not run in this process has died: no other process uses this data
 * folder.
 */

/** The status of an open run, whose body lists the actions so far. RFC 2518 calls 102 "Processing". */
const OPEN_STATUS = 102

interface Deps extends Pick<Context, 'now'> {
  readonly reserve: Reserve
}

/** The state of an earlier request with the same key, if there is one. */
export type EarlierRun =
  | { readonly kind: 'finished'; readonly answer: ChatAnswer }
  | { readonly kind: 'died'; readonly actions: readonly ChatAction[] }
  | { readonly kind: 'none' }

/** The record of one run. Without an Idempotency-Key it records nothing. */
export interface RunRecord {
  readonly earlier: EarlierRun
  /** Adds an entry, in the transaction of the write that it describes. */
  add(tx: Session, action: ChatAction): Promise<void>
  /** Stores the answer for repeats. @throws ApiError quota_exceeded, conflict */
  finish(answer: ChatAnswer): Promise<void>
  /** Ends the record, whatever the outcome of the run. */
  close(): void
}

/**
 * Opens the record of a run.
 * @throws ApiError conflict while the same run is open, or if another request used the key
 */
export type OpenRun = (session: Session, repeatable: IdempotencyKey | null) => Promise<RunRecord>

/** Creates the recorder of runs. */
export function createIdempotentRuns(deps: Deps): OpenRun {
  const open = new Set<string>()

  return async (session, repeatable) => {
    if (!repeatable) return UNRECORDED
    const name = `${session.workspace.id} ${repeatable.key}`
    if (open.has(name)) throw stillOpen()
    open.add(name)
    const close = () => void open.delete(name)
    try {
      return { ...(await openRecord(deps, session, repeatable)), close }
    } catch (error) {
      close()
      throw error
    }
  }
}

const UNRECORDED: RunRecord = { earlier: { kind: 'none' }, add: async () => {}, finish: async () => {}, close() {} }

function stillOpen(): ApiError {
  return new ApiError('conflict', 'The request under this Idempotency-Key is still being answered. Ask again later.')
}

async function openRecord(
  { now, reserve }: Deps,
  session: Session,
  { key, fingerprint }: IdempotencyKey,
): Promise<Omit<RunRecord, 'close'>> {
  /** Returns the stored record. @throws ApiError conflict if another request used the key, even while this one runs */
  async function getStored({ db, workspace }: Session): Promise<StoredOutcome | null> {
    const stored = await getOutcome(db, workspace.id, key, now() - OUTCOME_KEPT_MS)
    if (stored) requireSameRequest(stored, fingerprint)
    return stored
  }

  /**
   * Updates the stored record. It is read each time, since a write may have been rolled back together with its entry.
   */
  async function put(tx: Session, status: number, contentOf: (actions: readonly ChatAction[]) => unknown) {
    const { db, workspace } = tx
    const stored = await getStored(tx)
    const content = contentOf(stored ? JSON.parse(stored.body) : [])
    const outcome = { fingerprint, status, headers: '{}', body: JSON.stringify(content) }
    const freed = stored ? countBytes(stored) : await deleteOldOutcomes(db, workspace.id, now() - OUTCOME_KEPT_MS)
    await reserve(tx, countBytes(outcome) - freed)
    if (stored) await updateOutcome(db, workspace.id, key, outcome)
    else await insertOutcome(db, workspace.id, key, outcome, now())
  }

  return {
    earlier: toEarlierRun(await getStored(session)),
    add: (tx, action) => put(tx, OPEN_STATUS, (actions) => [...actions, { ...action, n: actions.length + 1 }]),
    finish: (answer) => session.db.transaction((db) => put({ ...session, db }, 200, () => answer)),
  }
}

function toEarlierRun(stored: StoredOutcome | null): EarlierRun {
  if (!stored) return { kind: 'none' }
  const body = JSON.parse(stored.body)
  return stored.status === OPEN_STATUS ? { kind: 'died', actions: body } : { kind: 'finished', answer: body }
}

const countBytes = ({ headers, body }: StoredOutcome): number => Buffer.byteLength(headers) + Buffer.byteLength(body)
