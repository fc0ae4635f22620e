import type { Session } from '../../db/database'
import type { Reserve } from '../../db/journal'
import type { Line } from '../../imports/kind'
import { bytesOf, type State } from '../completions/completion'
import { handledOccurrences, insertCompletion } from '../completions/store'
import { dayOn } from '../ical/read-dates'
import { computeAround } from '../relation-store'
import { getTask, type TaskRow } from '../store'
import { dueOf } from '../task'
import { type CalendarPass, orRefused, told } from './import-item'
import type { TodoItem } from './read-calendar'
import { idsOfUids } from './store'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly reserve: Reserve
}

/**
 * The second pass of an import, over single dates of series (RECURRENCE-ID). It keeps that one was done, without moving
 * the series: in its file it has moved already, or will.
 */
export function createOccurrenceImport({ now, ids, reserve }: Deps): CalendarPass {
  async function store(session: Session, item: TodoItem): Promise<Line> {
    const { db, workspace } = session
    const id = (await idsOfUids(db, workspace.id, [item.uid])).get(item.uid)
    if (id === undefined) return passed(null, 'series_missing', 'It is one date of a series that is not here.')
    const task = await getTask(db, workspace.id, id)
    const due = task?.rrule && task.deleted_at === null ? dueOf(task) : null
    if (!task || !due || !item.recurrence_id)
      return passed(id, 'not_a_series', 'It is one date of a task that does not repeat, or is in the trash.')
    if (item.members.status !== 'done')
      return passed(id, 'occurrence_ignored', 'Of single dates of a series only that they were done is kept.')
    const occurrence = dayOn(item.recurrence_id, due)
    const known = await handledOccurrences(db, workspace.id, task.key, occurrence, occurrence, 1)
    if (known.length > 0) return { action: 'unchanged', id }
    await keep(session, task, item, occurrence)
    return { action: 'created', id }
  }

  async function keep(session: Session, task: TaskRow, { members }: TodoItem, occurrence: string): Promise<void> {
    const { db, workspace } = session
    const { title, completed_at, updated_at } = members
    const at = completed_at ?? updated_at
    const nothing = JSON.stringify({ members: {}, parts: [], edges: [] } satisfies State)
    const said = { before: nothing, after: nothing, missed: '[]', title }
    await insertCompletion(db, workspace.id, {
      ...said,
      id: ids(),
      task: task.key,
      task_id: task.id,
      kind: 'done',
      occurrence,
      completed_at: at === null ? now() : Math.min(Date.parse(at), now()),
      next_due: null,
      project_id: task.project_id,
      size_bytes: bytesOf(said),
    })
    await reserve(session, bytesOf(said))
    await computeAround(db, workspace.id, task.key)
  }

  return async ({ session }, items) => {
    const lines: (Line | null)[] = []
    for (const { type, value } of items) {
      const write = () => session.db.transaction((db) => store({ ...session, db }, value))
      lines.push(type === 'task_completion' ? told(value, await orRefused(write)) : null)
    }
    return lines
  }
}

function passed(id: string | null, code: string, detail: string): Line {
  return { action: 'skipped', id, warnings: [{ code, detail }] }
}
