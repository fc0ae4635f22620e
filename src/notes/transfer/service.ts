import type { Session } from '../../db/database'
import { rehearse } from '../../db/rehearse'
import type { Once, Outcome, Recall } from '../../http/idempotency'
import { invalid, Refusal } from '../../http/problem'
import type { WorkspaceUsage } from '../../http/schema'
import { checkedFolder } from '../note'
import type { Writer } from '../writer'
import { createItemImport, type Run } from './import-item'
import type { Upload } from './parse'
import { ArchiveFault, type Format, failed, type ParsedItem } from './parsed'
import { openUpload, type Reading } from './parser'
import type { ImportNotes, ImportReport, ReportItem } from './schema'

/** Imports that run at the same time, in all workspaces: each holds its file and a thread. */
const MAX_RUNNING = 2

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly writer: Writer
  readonly once: Once
  readonly recall: Recall
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'resources' | 'size_bytes'>>
  /** Counts bytes and resources towards the quota; throws quota_exceeded. */
  readonly reserve: (session: Session, bytes: number, resources: number) => Promise<void>
}

export type Imports = ReturnType<typeof createImports>

/**
 * Imports a file: it is read in a Worker and written in groups of at most 100 notes, each a transaction, so that other
 * requests come between. A crash leaves whole groups; a repeat finds them by their ids and sources, and finishes.
 */
export function createImports({ now, ids, writer, once, recall, usage, reserve }: Deps) {
  const importItem = createItemImport({ now, ids, writer })
  let running = 0

  /** Writes the items of a group, in a transaction that is open. */
  async function write(run: Run, session: Session, items: readonly ParsedItem[]): Promise<ReportItem[]> {
    const reports: ReportItem[] = []
    for (const item of items) reports.push(await importItem({ ...run, session }, item))
    return reports
  }

  /** As `write`, and takes it back. What groups before would have added is counted first, so that the quota holds. */
  async function tried(run: Run, items: readonly ParsedItem[], added: Added): Promise<ReportItem[]> {
    const { session } = run
    return rehearse(session.db, async (db) => {
      const within = { ...session, db }
      const before = await usage(within)
      await reserve(within, added.bytes, added.resources)
      const reports = await write(run, within, items)
      const after = await usage(within)
      added.bytes = after.size_bytes - before.size_bytes
      added.resources = after.resources - before.resources
      return reports
    })
  }

  async function runAll(
    request: Request,
    run: Run,
    reading: Reading,
    fingerprint: unknown,
  ): Promise<Outcome<ImportReport>> {
    const { session, dryRun } = run
    const reports: ReportItem[] = []
    const added = { bytes: 0, resources: 0 }
    let group = await reading.next()
    const rest = restOf(reading)
    for (;;) {
      const next = await rest()
      if (dryRun) reports.push(...(await tried(run, group, added)))
      else if (next.length > 0)
        reports.push(...(await session.db.transaction((db) => write(run, { ...session, db }, group))))
      else {
        const last = group
        return once(request, session, fingerprint, (within) =>
          within.db.transaction(async (db) => {
            const written = await write(run, { ...within, db }, last)
            return { status: 200, headers: {}, body: reportOf(false, reading.format, [...reports, ...written]) }
          }),
        )
      }
      if (next.length === 0) return { status: 200, headers: {}, body: reportOf(true, reading.format, reports) }
      group = next
    }
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

    /** Throws archive_refused, and then nothing was changed. The bytes of the upload are used up. */
    async import(
      request: Request,
      session: Session,
      query: ImportNotes,
      file: Omit<Upload, 'format'>,
    ): Promise<Outcome<ImportReport>> {
      const { format = 'auto', on_conflict: onConflict = 'skip', dry_run, folder = null } = query
      requireFormat(file.kind, format)
      checkedFolder(folder)
      const dryRun = dry_run === 'true'
      const fingerprint = { sha256: new Bun.CryptoHasher('sha256').update(file.bytes).digest('hex') }
      const stored = dryRun ? null : await recall<ImportReport>(request, session, fingerprint)
      if (stored) return stored
      const run = { session, onConflict, dryRun, claimed: new Set<string>() }
      try {
        const reading = await openUpload({ ...file, format }, now)
        try {
          return await runAll(request, run, under(folder, reading), fingerprint)
        } finally {
          reading.close()
        }
      } catch (error) {
        throw error instanceof ArchiveFault ? new Refusal('archive_refused', error.message) : error
      }
    },
  }
}

interface Added {
  bytes: number
  resources: number
}

/** What is wrong with the rest of a file, once something of it is written, is an item of the report. */
function restOf(reading: Reading): () => Promise<readonly ParsedItem[]> {
  let isOver = false
  return async () => {
    if (isOver) return []
    try {
      return await reading.next()
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error
      isOver = true
      return [failed('', { code: 'archive_refused', detail: error.message })]
    }
  }
}

/** The same items, each put under a folder. */
function under(folder: string | null, reading: Reading): Reading {
  if (folder === null) return reading
  const moved = (item: ParsedItem): ParsedItem => {
    if ('outcome' in item) return item
    const inner = item.draft.folder
    return { ...item, draft: { ...item.draft, folder: inner === null ? folder : `${folder}/${inner}` } }
  }
  return { ...reading, next: async () => (await reading.next()).map(moved) }
}

function requireFormat(kind: Upload['kind'], format: Upload['format']): void {
  const possible = { zip: ['markdown', 'obsidian', 'keep'], enex: ['enex'], markdown: ['markdown', 'obsidian'] }[kind]
  if (format !== 'auto' && !possible.includes(format))
    throw invalid('/format', 'invalid_value', `format of this kind of file must be one of auto, ${possible.join(', ')}`)
}

function reportOf(dry_run: boolean, format: Format, items: ReportItem[]): ImportReport {
  const totals = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  for (const { action } of items) totals[action]++
  return { dry_run, format, totals, items }
}
