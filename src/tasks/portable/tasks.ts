import type { Session, WorkspaceId } from '../../db/database'
import type { RecordChange, Reserve } from '../../db/journal'
import type { Portable, Reading } from '../../db/portable'
import { createShape } from '../../http/shape'
import { createChangeTasks } from '../named/affected'
import { LEVELS, placed, placeLeft } from '../place'
import { namedSections } from '../sections/service'
import { getTask } from '../store'
import { createKeepImported } from '../transfer/import-item'
import { createRelating, type RelatingDeps } from './relating'
import { PortableTask } from './schema'
import { listEdges, listStanding, listStored, listUnsettled, type Standing } from './store'
import { rowOf, told } from './task'

/** Tasks that are read at a time: 4 MiB of notes at most. */
const READ = 64

const toShape = createShape(PortableTask, 'the task')

interface Deps extends RelatingDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
  readonly reserve: Reserve
}

/** Tasks leave and come back with all that is stored of them but what is computed. Wholes come before their parts. */
export function portableTasks({ reserve, ...deps }: Deps): Portable {
  const relating = createRelating(deps)
  const keepImported = createKeepImported(reserve)

  return {
    type: 'task',

    async *items(db, workspace) {
      const ids = inOrder(await listStanding(db, workspace))
      for (let i = 0; i < ids.length; i += READ) yield* toldOf(db, workspace, ids.slice(i, i + READ))
    },

    async merge(session, item) {
      const task = toShape(item)
      const draft = rowOf(task)
      const old = await getTask(session.db, session.workspace.id, task.id)
      if (old && old.revision >= task.revision) {
        const isWhole = old.revision > task.revision || (await relating.isRelated(session, task, draft, old))
        return isWhole ? 'unchanged' : { merged: 'unchanged', left: true }
      }
      const { row, isPartial } = await relating.related(session, task, draft, old)
      const saved = old
        ? await deps.writer.save(session, old, { ...old, ...row, created_at: old.created_at })
        : await deps.writer.insert(session, row)
      const isSince = task.blocked_by.length === 0 || (await relating.since(session, task))
      if (task.imported) await keepImported(session, saved.key, task.imported)
      const merged = old ? 'updated' : 'created'
      return isPartial || !isSince ? { merged, left: true } : merged
    },

    relate: (session, item) => relating.relate(session, toShape(item)),

    finish: createSettle(deps),
  }
}

async function* toldOf(db: Reading, workspace: WorkspaceId, ids: readonly string[]): AsyncGenerator<PortableTask> {
  const rows = new Map((await listStored(db, workspace, ids)).map((row) => [row.id, row]))
  const keys = [...rows.values()].map(({ key }) => key)
  const edges = Map.groupBy(await listEdges(db, workspace, keys), ({ dependent }) => dependent)
  for (const id of ids) {
    const row = rows.get(id)
    if (row) yield told(row, edges.get(row.key) ?? [])
  }
}

/** Ids level by level, in each as they were. */
function inOrder(tasks: readonly Standing[]): string[] {
  const parents = new Map(tasks.map(({ id, parent_id }) => [id, parent_id]))
  const levelOf = ({ parent_id }: Standing) => {
    let level = 0
    for (let above = parent_id; above !== null && level < LEVELS; above = parents.get(above) ?? null) level++
    return level
  }
  const levels = Map.groupBy(tasks, levelOf)
  return Array.from({ length: LEVELS + 1 }, (_, level) => levels.get(level) ?? [])
    .flat()
    .map(({ id }) => id)
}

/** Tasks, or sections, that a step changes. */
const SETTLED_AT_ONCE = 20

/**
 * Brings in order what two workspaces made of each other: here are tasks and sections that the archive knows nothing of,
 * in projects and wholes that it moved or trashed. None is lost: a section goes into the trash with its project, a living
 * task goes where it would go when it came back from the trash, parts follow their wholes. Where an archive told the
 * whole truth there is nothing to do. Does some of it; true while there may be more. `session.db` must be a transaction.
 */
function createSettle({ now, record, writer }: Omit<Deps, 'reserve'>) {
  const changeTasks = createChangeTasks({ now, writer })
  const sections = namedSections({ now, record })

  async function trashSection(session: Session, id: string): Promise<void> {
    const section = await sections.require(session, id)
    await sections.save(session, section, { deleted_at: now(), trashed_with: section.project_id })
  }

  async function followWhole(session: Session, id: string): Promise<void> {
    await changeTasks(session, [id], async ({ parent_id }) => {
      const whole = await getTask(session.db, session.workspace.id, parent_id ?? '')
      return whole ? { project_id: whole.project_id, section_id: whole.section_id } : {}
    })
  }

  const house = (session: Session, id: string) =>
    changeTasks(session, [id], async (task) => placed(session, task, await placeLeft(session, task), true))

  const forgetEntry = (session: Session, id: string) => changeTasks(session, [id], () => ({ trashed_with: null }))

  /** In this order: parts follow a whole, and are what is unsettled next, until none has any. */
  const works = { sections: trashSection, elsewhere: followWhole, homeless: house, astray: forgetEntry } as const

  return async (session: Session): Promise<boolean> => {
    for (const [what, work] of Object.entries(works)) {
      const ids = await listUnsettled(session.db, session.workspace.id, what as keyof typeof works, SETTLED_AT_ONCE)
      for (const id of ids) await work(session, id)
      if (ids.length > 0) return true
    }
    return false
  }
}
