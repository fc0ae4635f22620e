import type { Session, WorkspaceId } from '../../../src/db/database'
import { migrate } from '../../../src/db/open'
import { SqliteDatabase } from '../../../src/db/sqlite'
import { openSqlite } from '../../../src/db/sqlite-file'
import { toDay } from '../../../src/lib/civil/day'
import { instantOf } from '../../../src/lib/civil/zone'
import { titleKey } from '../../../src/lib/text'
import { createSearchFiles } from '../../../src/search/files'
import { createFind } from '../../../src/search/find'
import { toSortKey } from '../../../src/search/fold'
import { createFindKeys } from '../../../src/search/service'
import type { FindByText } from '../../../src/tasks/filter/service'
import type { Status } from '../../../src/tasks/schema'
import { NO_FORMER_PLACE, type TaskDraft, taskSource, taskTable } from '../../../src/tasks/store'
import { withSize } from '../../../src/tasks/task'
import { isClosed, prefixDateColumns, toDateColumns } from '../../../src/tasks/task-date'
import { addTotals } from '../../../src/workspace/store'
import { makeFolder } from '../../support/folder'

/** A workspace with tasks that are written straight into the tables, and nothing but tables. */
export function openTables() {
  const folder = makeFolder()
  const path = `${folder}/tasks.db`
  const sqlite = openSqlite(path)
  migrate(sqlite, 0)
  sqlite.close()
  const db = new SqliteDatabase(path)
  const session = (id: string): Session => ({ db, workspace: { id: id as WorkspaceId, kind: 'key' } })
  const sources = { note: taskSource, task: taskSource, fact: taskSource }
  const files = createSearchFiles({
    db,
    folder: `${folder}/search`,
    sources,
    now: () => 0,
    ticks: () => performance.now(),
  })
  const findKeys = createFindKeys(createFind({ files, sources }))

  /** Tells the feed of the tasks that it lacks, and of all if `isAnew`: they were written straight into the tables. */
  async function feed(workspace: string, isAnew: boolean): Promise<void> {
    await db.transaction(async (tx) => {
      if (isAnew) await tx.run('DELETE FROM changes WHERE workspace = $1', [workspace])
      const known = await tx.get<{ seq: number }>('SELECT seq FROM workspaces WHERE id = $1', [workspace])
      const added = await tx.run(
        `INSERT INTO changes (workspace, type, id, seq, op, revision, changed_at)
         SELECT workspace, 'task', id, $2 + row_number() OVER (ORDER BY key),
           CASE WHEN deleted_at IS NULL THEN 'upsert' ELSE 'delete' END, revision, 0 FROM tasks
         WHERE workspace = $1 AND id NOT IN (SELECT id FROM changes WHERE workspace = $1)`,
        [workspace, known?.seq ?? 0],
      )
      const totals = { seq: added, resources: 0, size_bytes: 0 }
      await addTotals(tx, { id: workspace as WorkspaceId, kind: 'key' }, totals, 0)
    })
  }

  return {
    path,
    db,
    session,
    /** Tells the feed first of what was written straight into the tables. */
    findByText: (async (mine, query, pointer) => {
      await feed(mine.workspace.id, false)
      return await findKeys(mine, 'task', query, pointer)
    }) satisfies FindByText as FindByText,
    async index() {
      const rows = await db.all<{ workspace: string }>('SELECT DISTINCT workspace FROM tasks')
      for (const { workspace } of rows) await feed(workspace, true)
    },
  }
}

export const idOf = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

export interface Plain {
  readonly n: number
  readonly title: string
  readonly notes: string
  readonly status: Status
  readonly priority: number
  readonly due: { date: string; time: string | null; time_zone: string | null } | null
  readonly start: { date: string; time: string | null; time_zone: string | null } | null
  readonly duration: number | null
  readonly created: number
  readonly updated: number
  readonly completed: number | null
  readonly recurring: boolean
  readonly reminder: boolean
  readonly note: boolean
  readonly labels: readonly string[]
  readonly project: string | null
  readonly section: string | null
  readonly parent: boolean
  readonly blocked: boolean
  readonly blocking: boolean
  readonly trashed: boolean
}

export const PLAIN: Plain = {
  n: 1,
  title: 'Plain',
  notes: '',
  status: 'open',
  priority: 0,
  due: null,
  start: null,
  duration: null,
  created: 0,
  updated: 0,
  completed: null,
  recurring: false,
  reminder: false,
  note: false,
  labels: [],
  project: null,
  section: null,
  parent: false,
  blocked: false,
  blocking: false,
  trashed: false,
}

/** The instant of a time in a zone, else null. */
export function instant(when: Plain['due']): number | null {
  if (!when?.time || !when.time_zone) return null
  const [hours, minutes] = when.time.split(':').map(Number)
  return instantOf(toDay(when.date), (hours ?? 0) * 60 + (minutes ?? 0), when.time_zone)
}

/** Names of this workspace's projects, sections (in projects) and labels, with what they have for an id. */
export interface Shelf {
  readonly projects: ReadonlyMap<string, string>
  readonly sections: ReadonlyMap<string, string>
  readonly labels: ReadonlyMap<string, number>
}

export function writeTask(session: Session, task: Plain, shelf: Shelf): Promise<void> {
  const { workspace } = session
  return session.db.transaction(async (db) => {
    const key = (await taskTable.insert({ db, workspace }, draftOf(task, shelf)))?.key ?? null
    if (key === null) throw new Error('the id is taken')
    for (const label of task.labels)
      await db.run('INSERT INTO task_label_uses (workspace, label, task) VALUES ($1, $2, $3)', [
        workspace.id,
        shelf.labels.get(label) ?? null,
        key,
      ])
    if (task.note)
      await db.run('INSERT INTO task_note_uses (workspace, note_id, task) VALUES ($1, $2, $3)', [
        workspace.id,
        idOf(7),
        key,
      ])
    const computed = [Number(task.blocked), Number(task.blocking), key]
    await db.run('UPDATE tasks SET blockers = $1, held_up = $2 WHERE key = $3', computed)
  })
}

function draftOf(task: Plain, { projects, sections }: Shelf): TaskDraft {
  return withSize({
    id: idOf(task.n),
    revision: 1,
    created_at: task.created,
    updated_at: task.updated,
    deleted_at: task.trashed ? task.updated : null,
    trashed_with: null,
    title: task.title,
    title_sort: toSortKey(task.title),
    notes: task.notes,
    status: task.status,
    closed: Number(isClosed(task.status)),
    priority: task.priority,
    urgency: task.priority === 0 ? 5 : task.priority,
    ...prefixDateColumns('due', toDateColumns(task.due)),
    ...prefixDateColumns('start', toDateColumns(task.start)),
    duration_minutes: task.duration,
    rrule: task.recurring ? 'FREQ=DAILY' : null,
    recurrence_mode: task.recurring ? 'schedule' : null,
    recurrence_skip: task.recurring ? 'backward' : null,
    anchor: task.recurring ? '2026-03-02' : null,
    exdates: '[]',
    rdates: '[]',
    moved: '[]',
    reminders: task.reminder
      ? JSON.stringify([{ at: '2026-03-02T08:00:00.000Z', offset_minutes: null, from: null }])
      : '[]',
    labels: JSON.stringify(task.labels),
    note_ids: task.note ? JSON.stringify([idOf(7)]) : '[]',
    blocked_by: '[]',
    parent_id: task.parent ? idOf(1) : null,
    project_id: task.project === null ? null : (projects.get(task.project) ?? null),
    section_id: task.section === null ? null : (sections.get(`${task.project}/${task.section}`) ?? null),
    place: '',
    position: `a${task.n % 97}`,
    ...NO_FORMER_PLACE,
    completed_at: task.completed,
    cancelled_at: null,
    source_system: null,
    source_id: null,
    source_url: null,
    size_bytes: 0,
  })
}

/** Makes projects, sections (`project/section`) and labels. */
export async function writeShelf(
  { db, workspace }: Session,
  names: { projects: readonly string[]; sections: readonly string[]; labels: readonly string[] },
  { deleted = null as number | null, from = 1000 } = {},
): Promise<Shelf> {
  const [projects, sections, labels] = [new Map<string, string>(), new Map<string, string>(), new Map<string, number>()]
  let n = from
  const common = () => [workspace.id, idOf(++n), deleted]
  for (const name of names.projects) {
    projects.set(name, idOf(n + 1))
    await db.run(
      `INSERT INTO task_projects (workspace, id, deleted_at, revision, created_at, updated_at, name, name_key, notes, position, size_bytes)
       VALUES ($1, $2, $3, 1, 0, 0, $4, $5, '', '', 0)`,
      [...common(), name, titleKey(name)],
    )
  }
  for (const path of names.sections) {
    const [project = '', name = ''] = path.split('/')
    sections.set(path, idOf(n + 1))
    await db.run(
      `INSERT INTO task_sections (workspace, id, deleted_at, revision, created_at, updated_at, project_id, name, name_key, position, size_bytes)
       VALUES ($1, $2, $3, 1, 0, 0, $4, $5, $6, '', 0)`,
      [...common(), projects.get(project) ?? '', name, titleKey(name)],
    )
  }
  for (const name of names.labels) {
    await db.run(
      `INSERT INTO task_labels (workspace, id, deleted_at, revision, created_at, updated_at, name, name_key, size_bytes)
       VALUES ($1, $2, $3, 1, 0, 0, $4, $5, 0)`,
      [...common(), name, titleKey(name)],
    )
    const row = await db.get<{ key: number }>('SELECT key FROM task_labels WHERE workspace = $1 AND id = $2', [
      workspace.id,
      idOf(n),
    ])
    labels.set(name, row?.key ?? 0)
  }
  return { projects, sections, labels }
}
