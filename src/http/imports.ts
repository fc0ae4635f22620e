import type { Session, WorkspaceId } from '../db/database'
import { rehearse } from '../db/rehearse'
import type { Once, Outcome, Recall } from './idempotency'
import { Refusal } from './problem'
import type { WorkspaceUsage } from './schema'

/** How files are imported, whatever is in them: in steps of their own transactions, tried or done. */

/** Imports that run at the same time, in all workspaces: each holds its file and a thread. */
const MAX_RUNNING = 2

interface Deps {
  readonly once: Once
  readonly recall: Recall
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'resources' | 'size_bytes'>>
  /** Counts bytes and resources towards the quota; throws quota_exceeded. */
  readonly reserve: (session: Session, bytes: number, resources: number) => Promise<void>
  /** @throws Refusal storage_full */
  readonly refuseOnFullDisk: () => void
}

/** A part of an import that is done as a whole or not at all. `within.db` is a transaction. */
export type ImportStep = (within: Session) => Promise<void>

export interface ImportRun<Report> {
  readonly request: Request
  readonly session: Session
  /** What was sent, for whoever repeats the request under its Idempotency-Key. */
  readonly fingerprint: unknown
  /** Takes back what the steps write. */
  readonly dryRun: boolean
  /** Each is asked for before the step in front of it is taken. */
  readonly steps: AsyncIterable<ImportStep>
  /** Asked for once, after the last step, in its transaction. */
  readonly report: () => Report
}

export type ImportRuns = ReturnType<typeof createImportRuns>

/**
 * Runs imports. Other requests come between the steps. A crash leaves whole steps, and a repeat has to find what they
 * wrote; the outcome is stored along with the last one.
 */
export function createImportRuns({ once, recall, usage, reserve, refuseOnFullDisk }: Deps) {
  let running = 0

  /** Takes a step and takes it back. What steps before would have added is counted first, so that the quota holds. */
  async function tried(session: Session, step: ImportStep, added: Added): Promise<void> {
    await rehearse(session.db, async (db) => {
      const within = { ...session, db }
      const before = await usage(within)
      await reserve(within, added.bytes, added.resources)
      await step(within)
      const after = await usage(within)
      added.bytes = after.size_bytes - before.size_bytes
      added.resources = after.resources - before.resources
      return true
    })
  }

  return {
    /**
     * Runs `work`, which receives a file and imports it, unless too many do so already.
     * @throws Refusal unavailable
     */
    async admit<T>(work: () => Promise<T>): Promise<T> {
      if (running >= MAX_RUNNING)
        throw new Refusal(
          'unavailable',
          'Other imports are running. Try again in a moment; nothing was changed.',
          {},
          { 'Retry-After': '5' },
        )
      running++
      try {
        return await work()
      } finally {
        running--
      }
    },

    /**
     * The stored outcome of the same import, or null: then it may run. Ask before its file is read. A dry run is always
     * run.
     * @throws Refusal conflict, storage_full
     */
    async recalled<Report>(
      { request, session, dryRun }: Pick<ImportRun<Report>, 'request' | 'session' | 'dryRun'>,
      fingerprint: unknown,
    ): Promise<Outcome<Report> | null> {
      const stored = dryRun ? null : await recall<Report>(request, session, fingerprint)
      if (!stored) refuseOnFullDisk()
      return stored
    },

    async run<Report>(run: ImportRun<Report>): Promise<Outcome<Report>> {
      const { request, session, fingerprint, dryRun, report } = run
      const added = { bytes: 0, resources: 0 }
      const outcome = () => ({ status: 200, headers: {}, body: report() })
      const steps = run.steps[Symbol.asyncIterator]()
      const next = async (): Promise<ImportStep | null> => {
        const { value, done } = await steps.next()
        return done ? null : value
      }
      for (let step = (await next()) ?? nothing; ; ) {
        const following = await next()
        if (dryRun) await tried(session, step, added)
        else if (following) await session.db.transaction((db) => step({ ...session, db }))
        else {
          const last = step
          return once(request, session, fingerprint, (within) =>
            within.db.transaction(async (db) => {
              await last({ ...within, db })
              return outcome()
            }),
          )
        }
        if (!following) return outcome()
        step = following
      }
    },
  }
}

/**
 * Lets in one import of a workspace at a time, where two would write the same. `work` receives a file and imports it.
 * @throws Refusal busy, and what `admit` throws
 */
export function oneByWorkspace({ admit }: Pick<ImportRuns, 'admit'>) {
  const busy = new Set<WorkspaceId>()
  return async <T>({ workspace }: Session, work: () => Promise<T>): Promise<T> => {
    if (busy.has(workspace.id))
      throw new Refusal('busy', 'Another import of this workspace is running. Wait until it is done.')
    busy.add(workspace.id)
    try {
      return await admit(work)
    } finally {
      busy.delete(workspace.id)
    }
  }
}

interface Added {
  bytes: number
  resources: number
}

const nothing: ImportStep = async () => {}

/** What an import did, counted. */
export function totalsOf(items: readonly { readonly action: ImportAction }[]): Record<ImportAction, number> {
  const totals = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  for (const { action } of items) totals[action]++
  return totals
}

/** What became of one item of a file. */
export type ImportAction = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'

/** What a file is told apart by from another: its bytes. */
export function fingerprintOf(bytes: Uint8Array): { sha256: string } {
  return { sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}
