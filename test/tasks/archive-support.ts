import type { ArchivedType, MergeAction } from '../../src/archive/archived-type'
import type { Session } from '../../src/db/database'
import { tasksFeature } from '../../src/features/tasks'
import { requestPlugin } from '../../src/http/api'
import { ApiError } from '../../src/http/api-error'
import { makeWorkspaces } from '../support/workspaces'
import type { As } from '../support/world'
import { makeTasksWorld, type Shown, sessionOf } from './support'

/** Lines of an archive, by type. */
export type Lines = Readonly<Record<string, readonly Shown[]>>

/** The app, and beside it what its tasks' feature hands over for archives, on the same database. */
export async function makeTaskArchiveWorld() {
  const world = await makeTasksWorld()
  const { db, clock, make, remove, stranger, call } = world
  const archivedTypes = portablesOf(world)

  async function lines(session: Session): Promise<Record<string, Shown[]>> {
    const read = await db.snapshot()
    try {
      const all: Record<string, Shown[]> = {}
      for (const { type, items } of archivedTypes)
        all[type] = (await Array.fromAsync(items({ ...session, db: read }))).map((item) =>
          JSON.parse(JSON.stringify(item)),
        )
      return all
    } finally {
      read.close()
    }
  }

  return {
    ...world,
    clock,
    archivedTypes,
    lines,
    types: archivedTypes.map(({ type }) => type),

    /** A caller with an empty workspace, and what services need to know of it. */
    async newcomer(): Promise<{ as: As; session: Session }> {
      const as = stranger()
      const { id } = await make(as)
      const session = await sessionOf(world, id)
      await remove(as, id, '?permanent=true')
      return { as, session }
    },

    /** What the workspace is said to hold, and how many changes there were. */
    async state({ workspace }: Session) {
      return db.get<{ resources: number; size_bytes: number; seq: number }>(
        'SELECT resources, size_bytes, seq FROM workspaces WHERE id = $1',
        [workspace.id],
      )
    },

    /** Asks, and takes a refusal for an answer. */
    async asked(as: As, method: string, path: string, body?: unknown): Promise<Shown> {
      const answer = await call(as, method, path, body)
      if (answer.status >= 500) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.status < 300 ? answer.body : null
    },

    /** Merges lines as an import does: each by itself, what was put off when all are in, all in one transaction. */
    merge: (session: Session, all: Lines) =>
      session.db.transaction((db) => merge({ ...session, db }, archivedTypes, all)),
  }
}

export type TaskArchiveWorld = Awaited<ReturnType<typeof makeTaskArchiveWorld>>

export interface Report {
  readonly counts: Record<MergeAction, number>
  /** What was refused or left out: `<type> <pointer or code>`. */
  readonly told: string[]
  /** The ids of lines that were refused whole, as where another label has the name by now. */
  readonly refused: string[]
}

async function merge(session: Session, archivedTypes: readonly ArchivedType[], all: Lines): Promise<Report> {
  const report: Report = { counts: { created: 0, updated: 0, unchanged: 0 }, told: [], refused: [] }
  const waiting: { type: string; relate: (session: Session) => Promise<readonly ApiError[]> }[] = []
  const tell = (type: string, { code, extra }: ApiError) => {
    const [fault] = (extra.errors ?? []) as { pointer: string }[]
    report.told.push(`${type} ${fault?.pointer ?? code}`)
  }
  const attempt = async <T>(type: string, work: (within: Session) => Promise<T>): Promise<T | null> => {
    try {
      return await session.db.transaction((db) => work({ ...session, db }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      tell(type, error)
      return null
    }
  }
  for (const archivedType of archivedTypes)
    for (const item of all[archivedType.type] ?? []) {
      const merged = await attempt(archivedType.type, (within) => archivedType.merge(within, item, null))
      if (merged === null) {
        report.refused.push(item?.id)
        continue
      }
      report.counts[typeof merged === 'string' ? merged : merged.action]++
      if (typeof merged === 'string') continue
      waiting.push({
        type: archivedType.type,
        async relate(then) {
          for (let { pending: left } = merged; ; ) {
            const told = (await archivedType.relate?.(then, item, JSON.parse(JSON.stringify(left)))) ?? []
            if (!('pending' in told)) return told
            left = told.pending
          }
        },
      })
    }
  for (const { type, relate } of waiting) for (const refused of (await attempt(type, relate)) ?? []) tell(type, refused)
  for (const archivedType of archivedTypes) while (await archivedType.finish?.(session));
  return report
}

function portablesOf({ db, clock }: Awaited<ReturnType<typeof makeTasksWorld>>): readonly ArchivedType[] {
  const now = () => clock.now
  let count = 0
  const unused = () => {
    throw new Error('archives need no such thing')
  }
  return tasksFeature({
    now,
    ids: () => `01910000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`,
    random: unused,
    db,
    workspaces: makeWorkspaces({ db, now }),
    api: requestPlugin({ sessionOf: unused, runOnce: unused, requestIdOf: unused }),
    imports: { register: () => {}, registerWork: () => {}, receive: unused, work: unused },
    findByText: unused,
    async missingNotes({ db, workspace }, ids) {
      const rows = await db.all<{ id: string }>('SELECT id FROM notes WHERE workspace = $1', [workspace.id])
      const there = new Set(rows.map(({ id }) => id))
      return ids.filter((id) => !there.has(id))
    },
  }).archivedTypes
}
