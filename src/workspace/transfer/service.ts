import { setImmediate } from 'node:timers/promises'
import type { Session, Snapshot, Workspace, WorkspaceId } from '../../db/database'
import type { Merging, Portable } from '../../db/portable'
import type { Outcome } from '../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep } from '../../http/imports'
import { invalid, Refusal } from '../../http/problem'
import { LIMITS } from './archive'
import { faultOf, Report } from './report'
import type { ArchiveReport, ImportWorkspace } from './schema'
import { type Line, openWorkspace, type Source } from './source'
import { openArchive } from './zip-source'

/** Resources that are merged before readers have their turn. */
const MERGED_PER_TURN = 8

interface Deps {
  readonly runs: ImportRuns
  readonly snapshot: () => Promise<Snapshot>
  readonly portables: readonly Portable[]
}

/** What a resource left for later, and where it was told. */
interface Later {
  readonly where: string
  readonly work: Parameters<Merging['later']>[0]
}

export type WorkspaceImports = ReturnType<typeof createWorkspaceImports>

/** Merges an archive, or another workspace, into a workspace: all that can be merged of it, in one transaction. */
export function createWorkspaceImports({ runs, snapshot, portables }: Deps) {
  const busy = new Set<WorkspaceId>()
  const types = portables.map(({ type }) => type)

  async function write(session: Session, source: Source, report: Report): Promise<void> {
    const waiting: Later[] = []
    for (const name of source.unknown)
      report.tell(name, { code: 'unknown_type', detail: 'Nothing of this type is known here.' })
    const turn = createTurns()
    for (const portable of portables)
      for await (const line of source.lines(portable.type)) {
        await mergeLine(session, portable, line, { source, report, waiting })
        await turn()
      }
    for (const { where, work } of waiting) {
      await attempt(session, work, (refusal) => report.tell(where, faultOf(refusal)))
      await turn()
    }
    for (const portable of portables) await portable.finish?.(session)
  }

  async function mergeLine(
    session: Session,
    portable: Portable,
    line: Line,
    { source, report, waiting }: { source: Source; report: Report; waiting: Later[] },
  ): Promise<void> {
    const { where } = line
    if ('fault' in line) {
      report.tell(where, line.fault)
      return report.count(portable.type, 'refused')
    }
    const later: Later[] = []
    const merging = { later: (work: Later['work']) => void later.push({ where, work }), file: source.file }
    const merged = await attempt(
      session,
      (within) => portable.merge(within, line.item, merging),
      (refusal) => report.tell(where, faultOf(refusal)),
    )
    report.count(portable.type, merged ?? 'refused')
    if (merged) waiting.push(...later)
  }

  /** Unless it is a dry run, of one request the outcome is stored, and a repeat gets that. */
  async function run(
    request: Request,
    session: Session,
    fingerprint: unknown,
    dryRun: boolean,
    open: () => Promise<Source>,
  ): Promise<Outcome<ArchiveReport>> {
    const stored = await runs.recalled<ArchiveReport>({ request, session, dryRun }, fingerprint)
    if (stored) return stored
    const source = await open()
    const report = new Report(types)
    const steps = one((within) => write(within, source, report))
    return runs.run({ request, session, fingerprint, dryRun, steps, report: () => report.done(dryRun) })
  }

  return {
    /**
     * Runs `work`, which receives an archive and imports it, unless another import of the workspace runs, or too many do.
     * @throws Refusal busy, unavailable
     */
    async admit<T>({ workspace }: Session, work: () => Promise<T>): Promise<T> {
      if (busy.has(workspace.id))
        throw new Refusal('busy', 'Another import of this workspace is running. Wait until it is done.')
      busy.add(workspace.id)
      try {
        return await runs.admit(work)
      } finally {
        busy.delete(workspace.id)
      }
    },

    /** Throws archive_refused and quota_exceeded, and then nothing was changed. */
    import(
      request: Request,
      session: Session,
      { dry_run }: ImportWorkspace,
      bytes: Uint8Array,
    ): Promise<Outcome<ArchiveReport>> {
      const open = () => openArchive(bytes, LIMITS[session.workspace.kind], types)
      return run(request, session, fingerprintOf(bytes), dry_run === 'true', open)
    },

    /** Merges the scratch space `from` into the workspace of a key. Throws invalid_request, quota_exceeded. */
    async adopt(
      request: Request,
      session: Session,
      { dry_run }: ImportWorkspace,
      from: Workspace,
    ): Promise<Outcome<ArchiveReport>> {
      if (session.workspace.kind !== 'key')
        throw invalid(
          '/X-API-Key',
          'required',
          'Send the key whose workspace is to adopt the scratch space of your address.',
        )
      const read = await snapshot()
      try {
        const open = () => openWorkspace(read, { workspace: from }, portables)
        return await run(request, session, null, dry_run === 'true', open)
      } finally {
        read.close()
      }
    },
  }
}

/**
 * Does a part of an import as a whole or not at all. What it is refused for is told, and null comes back; but for a quota
 * that is used up: then nothing is imported.
 */
async function attempt<T>(
  session: Session,
  work: (within: Session) => Promise<T>,
  tell: (refusal: Refusal) => void,
): Promise<T | null> {
  try {
    return await session.db.transaction((db) => work({ ...session, db }))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'quota_exceeded') throw error
    tell(error)
    return null
  }
}

/** Gives others their turn, every so often that it is called. */
function createTurns(): () => Promise<void> {
  let count = 0
  return async () => {
    if (++count % MERGED_PER_TURN === 0) await setImmediate()
  }
}

async function* one(step: ImportStep): AsyncGenerator<ImportStep> {
  yield step
}
