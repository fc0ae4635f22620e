import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createArchiveKind, toArchiveParams } from '../../src/archive/archive'
import type { ArchivedType } from '../../src/archive/archived-type'
import type { Database, WorkspaceId } from '../../src/db/database'
import { ApiError } from '../../src/http/api-error'
import type { Line } from '../../src/imports/kind'
import { createTally } from '../../src/imports/lines'
import { readFile } from '../../src/imports/read-file'
import { runPasses } from '../../src/imports/run-work'
import { SideFile } from '../../src/imports/side-file.sqlite'
import type { Run } from '../../src/imports/store'
import { TEMPORARY } from '../support/temporary'

interface Taken {
  readonly lines: readonly (readonly [where: string, line: Line])[]
  readonly run: Run
  /** How long each step held the writer, by `ticks`, while nobody else writes. */
  readonly steps: readonly number[]
}

interface Options {
  readonly db: Database
  readonly workspace: WorkspaceId
  /** Called at the end of each step; true: the process dies there. */
  readonly kill?: () => boolean
  readonly ticks?: () => number
}

/** Reads an archive in its Worker, and takes its steps one after the other. */
export async function takeArchive(
  archivedTypes: readonly ArchivedType[],
  archive: Uint8Array<ArrayBuffer>,
  { db, workspace, kill = () => false, ticks = () => performance.now() }: Options,
): Promise<Taken> {
  const folder = await mkdtemp(join(TEMPORARY, 'satchel-archive-'))
  const path = (name: string) => join(folder, name)
  await Bun.write(path('file'), archive)
  const kind = createArchiveKind(archivedTypes)
  const { signal } = new AbortController()
  const limits = { items: 200_000, bytes: 1e9 }
  const asked = { reader: kind.reader, file: path('file'), side: path('side'), params: toArchiveParams(archivedTypes) }
  await readFile({ ...asked, limits, timeoutMs: 30_000, signal, onProgress: () => {} })
  let run = newRun(workspace)
  const steps: number[] = []
  const target = timed(db, ticks, (took) => steps.push(took))
  for (;;) {
    const side = new SideFile(path('side'))
    side.deleteLinesFrom(run.pass, run.done)
    try {
      run = await runPasses(run, {
        kind,
        side,
        target,
        ticks,
        log: { info() {}, warn() {}, error() {} },
        signal,
        async update(tx, before, changes) {
          if (kill()) throw new Killed()
          const after = { ...before, ...changes }
          tx.afterCommit('the run', () => {
            run = after
          })
          return after
        },
      })
      const lines = side.listLines(0, 100_000).map(({ item, line: { seq, ...line } }) => [item.where, line] as const)
      return { run, lines, steps }
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    } finally {
      side.close()
      if (run.pass === kind.passes.length) await rm(folder, { recursive: true })
    }
  }
}

function timed(db: Database, ticks: () => number, tell: (took: number) => void): Database {
  const transaction: Database['transaction'] = async (work) => {
    const began = ticks()
    const result = await db.transaction(work)
    tell(ticks() - began)
    return result
  }
  return new Proxy(db, {
    get: (_, name) => (name === 'transaction' ? transaction : Reflect.get(db, name).bind(db)),
  })
}

class Killed extends ApiError {
  constructor() {
    // What ends a run, and does not fail an item.
    super('storage_full', 'The process was killed.')
  }
}

function newRun(id: WorkspaceId): Run {
  return {
    id: 'x',
    workspace: { id, kind: 'key' },
    kind: 'workspace',
    params: null,
    dryRun: false,
    state: 'running',
    pass: 0,
    done: 0,
    total: null,
    tally: createTally(),
    facts: null,
    work: null,
    error: null,
    idempotencyKey: null,
    createdAt: 0,
    updatedAt: 0,
  }
}
