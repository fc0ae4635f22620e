import type { Session } from '../db/database'
import { deleteOldOutcomes, getOutcome, insertOutcome, type StoredOutcome } from '../db/idempotency-store'
import { ApiError, invalid } from './api-error'

/** How long a stored outcome is replayed. */
export const OUTCOME_KEPT_MS = 24 * 60 * 60 * 1000
const KEY = /^[\x21-\x7e]{1,255}$/

/** What a POST came to. `body` is undefined where the status leaves nothing to say. */
export interface Outcome<Body = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Counts bytes towards the workspace's quota; throws quota_exceeded. */
  readonly reserve: (session: Session, bytes: number) => Promise<void>
}

/** Runs `work` once for each Idempotency-Key of a workspace; see `createOnce`. */
export type RunOnce = <Body>(
  request: Request,
  session: Session,
  body: unknown,
  work: (session: Session) => Promise<Outcome<Body>>,
) => Promise<Outcome<Body>>

/**
 * Makes POST repeatable (draft-ietf-httpapi-idempotency-key-header). With the header, `work` runs in a transaction
 * that also stores its outcome, so a crash can neither lose nor repeat the change; a repeat within 24 hours gets the
 * stored outcome with `Idempotency-Replayed: true`. Without the header `work` simply runs. A request that was
 * refused changed nothing and is not stored: its repeat is judged again.
 */
export function createRunOnce(deps: Deps): RunOnce {
  const { now } = deps
  const keep = createStoreOutcome(deps)
  return (request, session, body, work) => {
    const repeatable = readIdempotencyKey(request, body)
    if (repeatable === null) return work(session)
    return session.db.transaction(async (tx) => {
      const within = { ...session, db: tx }
      const stored = await getOutcome(tx, session.workspace.id, repeatable.key, now() - OUTCOME_KEPT_MS)
      if (stored) return replay(stored, repeatable.fingerprint)
      const outcome = await work(within)
      await keep(within, repeatable, outcome)
      return outcome
    })
  }
}

/**
 * Stores the outcome of a request in the transaction of `session`, for repeats of the request. Nothing may be stored under its
 * key yet. @throws ApiError quota_exceeded, storage_full
 */
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
 * The stored outcome of a request that came before, or null: for the one POST that is not one transaction. It asks this
 * first, and hands its last step to `once`.
 */
export function createFindOutcome({ now }: Pick<Deps, 'now'>) {
  return async <Body>(request: Request, { db, workspace }: Session, body: unknown): Promise<Outcome<Body> | null> => {
    const key = request.headers.get('idempotency-key')
    const stored = key === null ? null : await getOutcome(db, workspace.id, key, now() - OUTCOME_KEPT_MS)
    return stored && replay<Body>(stored, fingerprintOf(request, body))
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

/** What tells a request under an Idempotency-Key from another one. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** Null without the header. @throws ApiError invalid_request for a key that is none */
export function readIdempotencyKey(request: Request, body: unknown): IdempotencyKey | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!KEY.test(key))
    throw invalid('/Idempotency-Key', 'invalid_header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  return { key, fingerprint: fingerprintOf(request, body) }
}

/** @throws ApiError conflict when the key was used for another request */
export function requireSameRequest(stored: Pick<StoredOutcome, 'fingerprint'>, fingerprint: string): void {
  if (stored.fingerprint !== fingerprint)
    throw new ApiError('conflict', 'This Idempotency-Key was used for another request.')
}

function fingerprintOf(request: Request, body: unknown): string {
  const target = request.url.slice(request.url.indexOf('/', 8))
  return new Bun.CryptoHasher('sha256').update(`${request.method} ${target}\n${JSON.stringify(body)}`).digest('hex')
}
