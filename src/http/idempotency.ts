import type { Context, Session } from '../db/database'
import { deleteOldOutcomes, getOutcome, insertOutcome, type StoredOutcome } from '../db/idempotency-store'
import { ApiError, invalid } from './api-error'

export const OUTCOME_KEPT_MS = 24 * 60 * 60 * 1000
const KEY = /^[\x21-\x7e]{1,255}$/

/** The response of a request, before it is sent. `body` is undefined for a status without content. */
export interface Outcome<Body = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

interface Deps extends Pick<Context, 'now'> {
  /** Counts bytes towards the quota of the workspace. @throws ApiError quota_exceeded, storage_full */
  readonly reserve: (session: Session, bytes: number) => Promise<void>
}

/** Does `work` once for each Idempotency-Key of a workspace; see `createRunOnce`. */
export type RunOnce = <Body>(
  request: Request,
  session: Session,
  body: unknown,
  work: (session: Session) => Promise<Outcome<Body>>,
) => Promise<Outcome<Body>>

/**
 * Creates the function that makes POST repeatable (draft-ietf-httpapi-idempotency-key-header). With the header, `work`
 * runs in a transaction that also stores its outcome, so that a crash can neither lose nor repeat the change. A repeat
 * within 24 hours gets the stored outcome with `Idempotency-Replayed: true`. Without the header `work` just runs. A
 * refused request is not stored, so its repeat is processed as a new one.
 */
export function createRunOnce(deps: Deps): RunOnce {
  const { now } = deps
  const storeOutcome = createStoreOutcome(deps)
  return (request, session, body, work) => {
    const idempotencyKey = readIdempotencyKey(request, body)
    if (idempotencyKey === null) return work(session)
    return session.db.transaction(async (db) => {
      const tx = { ...session, db }
      const stored = await getOutcome(db, session.workspace.id, idempotencyKey.key, now() - OUTCOME_KEPT_MS)
      if (stored) return replay(stored, idempotencyKey.fingerprint)
      const outcome = await work(tx)
      await storeOutcome(tx, idempotencyKey, outcome)
      return outcome
    })
  }
}

/** In the transaction of `session`, under a key without an outcome. Throws quota_exceeded, storage_full. */
export function createStoreOutcome({ now, reserve }: Deps) {
  return async (session: Session, { key, fingerprint }: IdempotencyKey, outcome: Outcome): Promise<void> => {
    const { db, workspace } = session
    const record = {
      fingerprint,
      status: outcome.status,
      headers: JSON.stringify(outcome.headers),
      body: JSON.stringify(outcome.body ?? null),
    }
    const freed = await deleteOldOutcomes(db, workspace.id, now() - OUTCOME_KEPT_MS)
    await reserve(session, Buffer.byteLength(record.headers) + Buffer.byteLength(record.body) - freed)
    await insertOutcome(db, workspace.id, key, record, now())
  }
}

export type StoreOutcome = ReturnType<typeof createStoreOutcome>

/**
 * Creates the function that finds the stored outcome of the same request, or returns null: for work of several
 * transactions, which looks here first, and stores its outcome in the last one. The function throws invalid_request for
 * an invalid key, and conflict like requireSameRequest.
 */
export function createFindOutcome({ now }: Pick<Deps, 'now'>) {
  return async <Body>(request: Request, { db, workspace }: Session, body: unknown): Promise<Outcome<Body> | null> => {
    const idempotencyKey = readIdempotencyKey(request, body)
    if (idempotencyKey === null) return null
    const stored = await getOutcome(db, workspace.id, idempotencyKey.key, now() - OUTCOME_KEPT_MS)
    return stored && replay<Body>(stored, idempotencyKey.fingerprint)
  }
}

export type FindOutcome = ReturnType<typeof createFindOutcome>

function replay<Body>(stored: StoredOutcome, fingerprint: string): Outcome<Body> {
  requireSameRequest(stored, fingerprint)
  return {
    status: stored.status,
    headers: { ...JSON.parse(stored.headers), 'Idempotency-Replayed': 'true' },
    body: JSON.parse(stored.body),
  }
}

/** The Idempotency-Key of a request, and the hash of its method, path and body, which a repeat must have as well. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** Null without the header. @throws ApiError invalid_request if it is invalid */
export function readIdempotencyKey(request: Request, body: unknown): IdempotencyKey | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!KEY.test(key))
    throw invalid('/Idempotency-Key', 'invalid_header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  return { key, fingerprint: fingerprintOf(request, body) }
}

/** Checks that a request repeats the stored one. @throws ApiError conflict if the key was used for another request */
export function requireSameRequest(stored: Pick<StoredOutcome, 'fingerprint'>, fingerprint: string): void {
  if (stored.fingerprint !== fingerprint)
    throw new ApiError('conflict', 'This Idempotency-Key was used for another request.')
}

function fingerprintOf(request: Request, body: unknown): string {
  const target = request.url.slice(request.url.indexOf('/', 8))
  return new Bun.CryptoHasher('sha256').update(`${request.method} ${target}\n${JSON.stringify(body)}`).digest('hex')
}
