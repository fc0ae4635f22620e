import type { WorkspaceId } from '../../db/database'
import type { Reserve } from '../../db/journal'
import type { Portable, Reading } from '../../db/portable'
import { createShape } from '../../http/shape'
import { LEVELS } from '../place'
import { getTask } from '../store'
import { createKeepImported } from '../transfer/import-item'
import { createRelating, type RelatingDeps } from './relating'
import { PortableTask } from './schema'
import { createSettle, type SettleDeps } from './settle'
import { listEdges, listStanding, listStored, type Standing } from './store'
import { rowOf, told } from './task'

/** Tasks that are read at a time: 4 MiB of notes at most. */
const READ = 64

const toShape = createShape(PortableTask, 'the task')

interface Deps extends RelatingDeps, SettleDeps {
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
