import type { Session } from '../../db/database'
import type { Outcome } from '../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep, totalsOf } from '../../http/imports'
import { invalid, Refusal } from '../../http/problem'
import { checkedFolder } from '../note'
import type { Writer } from '../writer'
import { createGroupImport, type Run } from './import-item'
import type { Upload } from './parse'
import { ArchiveFault, failed, type ParsedItem } from './parsed'
import { openUpload, type Reading } from './parser'
import type { ImportNotes, ImportReport, ReportItem } from './schema'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly writer: Writer
  readonly runs: ImportRuns
}

export type Imports = ReturnType<typeof createImports>

/**
 * Imports a file: it is read in a Worker and written in groups of at most 100 notes, each a transaction, so that other
 * requests come between. A crash leaves whole groups; a repeat finds them by their ids and sources, and finishes.
 */
export function createImports({ now, ids, writer, runs }: Deps) {
  const importGroup = createGroupImport({ now, ids, writer })

  /** A step for each group of items; what becomes of them goes into `reports`. */
  async function* steps(run: Run, reading: Reading, reports: ReportItem[]): AsyncGenerator<ImportStep> {
    let group = await reading.next()
    const rest = restOf(reading)
    while (group.length > 0) {
      const items = group
      yield async (session) => {
        reports.push(...(await importGroup({ ...run, session }, items)))
      }
      group = await rest()
    }
  }

  return {
    admit: runs.admit,

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
      const fingerprint = fingerprintOf(file.bytes)
      const stored = await runs.recalled<ImportReport>({ request, session, dryRun }, fingerprint)
      if (stored) return stored
      const run = { session, onConflict, dryRun, claimed: new Set<string>() }
      try {
        const reading = await openUpload({ ...file, format }, now)
        try {
          const items: ReportItem[] = []
          const report = () => ({ dry_run: dryRun, format: reading.format, totals: totalsOf(items), items })
          const all = steps(run, under(folder, reading), items)
          return await runs.run({ request, session, dryRun, fingerprint, steps: all, report })
        } finally {
          reading.close()
        }
      } catch (error) {
        throw error instanceof ArchiveFault ? new Refusal('archive_refused', error.message) : error
      }
    },
  }
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
