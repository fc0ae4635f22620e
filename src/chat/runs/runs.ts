import type { Session } from '../../db/database'
import { amendOutcome, dropOutcomes, getOutcome, putOutcome, type StoredOutcome } from '../../db/idempotency-store'
import type { Reserve } from '../../db/journal'
import { KEPT_MS, type Repeatable, requireSame } from '../../http/idempotency'
import { Refusal } from '../../http/problem'
import type { Action, ChatAnswer } from '../schema'

/**
 * Runs under an Idempotency-Key. A run is not one transaction: a model is waited for between its writes. So it is
 * recorded as open with its first write, each write in one transaction with its entry, and as finished at its end. What
 * is recorded as open and does not run in this process has died: no other process holds this data folder.
 */

/** Status of the record of a run that is open: its body lists the actions so far. RFC 2518 calls 102 "Processing". */
const OPEN = 102

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly reserve: Reserve
}

/** What is known of a request that may have come before. */
export type Earlier =
  | { readonly kind: 'finished'; readonly answer: ChatAnswer }
  | { readonly kind: 'died'; readonly actions: readonly Action[] }
  | { readonly kind: 'none' }

/** The record of one run. Without an Idempotency-Key it records nothing. */
export interface RunRecord {
  readonly earlier: Earlier
  /** Adds an entry, in the transaction of what it tells of. */
  add(tx: Session, action: Action): Promise<void>
  /** Stores the answer for repeats. @throws Refusal quota_exceeded */
  finish(answer: ChatAnswer): Promise<void>
  /** The run is over, one way or another. */
  close(): void
}

/** Opens the record of a run. @throws Refusal conflict while the same run is open, or for another request's key */
export type OpenRun = (session: Session, repeatable: Repeatable | null) => Promise<RunRecord>

export function createRuns({ now, reserve }: Deps): OpenRun {
  const open = new Set<string>()

  return async (session, repeatable) => {
    if (!repeatable) return UNRECORDED
    const name = `${session.workspace.id} ${repeatable.key}`
    if (open.has(name)) throw stillOpen()
    open.add(name)
    try {
      const record = new Recorded(session, repeatable, reserve, now)
      const earlier = await record.find()
      return {
        earlier,
        add: (tx, action) => record.add(tx, action),
        finish: (answer) => record.finish(answer),
        close: () => void open.delete(name),
      }
    } catch (error) {
      open.delete(name)
      throw error
    }
  }
}

const UNRECORDED: RunRecord = { earlier: { kind: 'none' }, add: async () => {}, finish: async () => {}, close() {} }

function stillOpen(): Refusal {
  return new Refusal('conflict', 'The request under this Idempotency-Key is still being answered. Ask again later.')
}

class Recorded {
  #entries: readonly Action[] = []
  /** Bytes that the record takes by now; 0 before it is there. */
  #size = 0

  constructor(
    private readonly session: Session,
    private readonly repeatable: Repeatable,
    private readonly reserve: Reserve,
    private readonly now: () => number,
  ) {}

  async find(): Promise<Earlier> {
    const { db, workspace } = this.session
    const stored = await getOutcome(db, workspace.id, this.repeatable.key, this.now() - KEPT_MS)
    if (!stored) return { kind: 'none' }
    requireSame(stored, this.repeatable.fingerprint)
    const body = JSON.parse(stored.body)
    return stored.status === OPEN ? { kind: 'died', actions: body } : { kind: 'finished', answer: body }
  }

  async add(tx: Session, action: Action): Promise<void> {
    const entries = [...this.#entries, { ...action, n: this.#entries.length + 1 }]
    await this.#put(tx, OPEN, entries)
    this.#entries = entries
  }

  finish(answer: ChatAnswer): Promise<void> {
    return this.session.db.transaction((db) => this.#put({ ...this.session, db }, 200, answer))
  }

  async #put(within: Session, status: number, content: unknown): Promise<void> {
    const { db, workspace } = within
    const { key, fingerprint } = this.repeatable
    const outcome: StoredOutcome = { fingerprint, status, headers: '{}', body: JSON.stringify(content) }
    const size = outcome.headers.length + Buffer.byteLength(outcome.body)
    const amended = await amendOutcome(db, workspace.id, key, outcome)
    const freed = amended ? this.#size : await dropOutcomes(db, workspace.id, this.now() - KEPT_MS)
    await this.reserve(within, size - freed)
    if (!amended) await putOutcome(db, workspace.id, key, outcome, this.now())
    this.#size = size
  }
}
