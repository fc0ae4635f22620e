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
import { idsBehind, listEdges, listStanding, listStored, listUnsettled, type Standing, type Unsettled } from './store'
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
      if (old && old.revision >= task.revision) return 'unchanged'
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

/** Tasks, or sections, that a step changes, and among how many it looks for them. */
const SETTLED_AT_ONCE = 20
const LOOKED_AT_ONCE = 500

/** Where it goes on: JSON. `found`: something was unsettled so on this way through all. */
interface SettleAt {
  readonly what: Unsettled
  readonly after: string
  readonly found: boolean
}

/**
 * Brings in order what two workspaces made of each other: here are tasks and sections that the archive knows nothing of,
 * in projects and wholes that it moved or trashed. None is lost: a section goes into the trash with its project, a living
 * task goes where it would go when it came back from the trash, parts follow their wholes. Where an archive told the
 * whole truth there is nothing to do. Does some of it, see Portable. `session.db` must be a transaction.
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

  /** In this order, each until all are in order: parts follow a whole, and their parts are unsettled then. */
  const works = { sections: trashSection, elsewhere: followWhole, homeless: house, astray: forgetEntry } as const

  const order = Object.keys(works) as Unsettled[]

  return async (session: Session, from: unknown): Promise<SettleAt | null> => {
    const { what, after, found } = (from ?? { what: order[0], after: '', found: false }) as SettleAt
    const { db, workspace } = session
    const among = await idsBehind(db, workspace.id, what, after, LOOKED_AT_ONCE)
    const last = among.at(-1)
    if (last === undefined) {
      const next = found ? what : order[order.indexOf(what) + 1]
      return next ? { what: next, after: '', found: false } : null
    }
    const ids = await listUnsettled(db, workspace.id, what, among, SETTLED_AT_ONCE)
    for (const id of ids) await works[what](session, id)
    const isDone = ids.length < SETTLED_AT_ONCE
    return { what, after: isDone ? last : after, found: found || ids.length > 0 }
  }
}
