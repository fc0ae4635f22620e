import type { Session, Snapshot, Workspace } from '../../db/database'
import type { Portable } from '../../db/portable'
import type { Outcome } from '../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep, oneByWorkspace } from '../../http/imports'
import { invalid, Refusal } from '../../http/problem'
import { LIMITS } from './archive'
import { mergeAll } from './merge'
import { Report } from './report'
import type { ArchiveReport, ImportWorkspace } from './schema'
import { openWorkspace, type Source } from './source'
import { openArchive } from './zip-source'

/**
 * How long merging may take, in milliseconds: nobody else can write meanwhile. Far more than the largest archives need,
 * but for those that are made to take long.
 */
const MERGE_MS = { key: 30 * 60 * 1000, scratch: 60 * 1000 } as const

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly runs: ImportRuns
  readonly snapshot: () => Promise<Snapshot>
  readonly portables: readonly Portable[]
}

export type WorkspaceImports = ReturnType<typeof createWorkspaceImports>

/** Merges an archive, or another workspace, into a workspace: all that can be merged of it, in one transaction. */
export function createWorkspaceImports({ now, runs, snapshot, portables }: Deps) {
  const types = portables.map(({ type }) => type)

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
    const steps = one((within) => {
      const end = now() + MERGE_MS[session.workspace.kind]
      return mergeAll(within, portables, source, report, () => refuseAfter(end))
    })
    return runs.run({ request, session, fingerprint, dryRun, steps, report: () => report.done(dryRun) })
  }

  function refuseAfter(end: number): void {
    if (now() > end)
      throw new Refusal(
        'archive_refused',
        'Merging the archive takes too long. Nothing was changed; import it in parts.',
      )
  }

  return {
    /**
     * Runs `work`, which receives an archive and imports it, unless another import of the workspace runs, or too many do.
     * @throws Refusal busy, unavailable
     */
    admit: oneByWorkspace(runs),

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

async function* one(step: ImportStep): AsyncGenerator<ImportStep> {
  yield step
}
