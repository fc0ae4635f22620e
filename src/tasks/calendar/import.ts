import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { ImportKind, Line } from '../../imports/kind'
import type { ImportOrder } from '../../imports/service'
import { dateOnClockOf } from '../../lib/ical/dates'
import { type CompletionState, completionBytes } from '../completions/completion'
import { handledOccurrences, insertCompletion } from '../completions/store'
import { hasProject } from '../place-store'
import { computeAround } from '../relation-store'
import type { ImportTasks } from '../schema'
import { getTask, type TaskRow } from '../store'
import { dueOfTask } from '../task'
import { toItemMoment } from '../when'
import {
  type CalendarParams,
  type CalendarPass,
  createItemImport,
  type ItemImportDeps,
  lineOf,
  orFailed,
} from './import-item'
import type { TodoItem } from './read-calendar'
import { createRelating } from './relate'
import type { Settle } from './settle'
import { idsOfUids } from './store'

const KIND = 'tasks'

/**
 * The import of calendar files: tasks, then what was done of their series, then what they are parts of and wait for. A
 * repeat finds tasks by their UIDs; one that was cut short finishes what the first left.
 */
export function calendarImport({
  settle,
  ...deps
}: ItemImportDeps & { readonly settle: Settle }): ImportKind<CalendarParams, TodoItem> {
  const items = createItemImport(deps)
  return {
    name: KIND,
    reader: new URL('./reader.ts', import.meta.url),
    passes: [items.take, createOccurrenceImport(deps), createRelating({ ...deps, items })],
    // What is below a task that the file moved follows it.
    finish: ({ session }) => settle(session, 'elsewhere'),
  }
}

/** @throws ApiError invalid_request */
export async function readCalendarImport({ db, workspace }: Session, query: ImportTasks): Promise<ImportOrder> {
  const { on_conflict = 'skip', project_id = null, dry_run } = query
  if (project_id !== null && !(await hasProject(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project that is not in the trash')
  const params: CalendarParams = { on_conflict, project_id }
  return { kind: KIND, types: ['text/calendar'], params: () => params, dryRun: dry_run === 'true' }
}

/**
 * The second pass of an import, over single dates of series (RECURRENCE-ID). It keeps that one was done, without moving
 * the series: in its file it has moved already, or will.
 */
function createOccurrenceImport({ now, ids, reserve }: ItemImportDeps): CalendarPass {
  async function store(session: Session, item: TodoItem): Promise<Line> {
    const { db, workspace } = session
    const id = (await idsOfUids(db, workspace.id, [item.uid])).get(item.uid)
    if (id === undefined) return passed(null, 'series_missing', 'It is one date of a series that is not here.')
    const task = await getTask(db, workspace.id, id)
    const due = task?.rrule && task.deleted_at === null ? toItemMoment(dueOfTask(task)) : null
    if (!task || !due || !item.recurrence_id)
      return passed(id, 'not_a_series', 'It is one date of a task that does not repeat, or is in the trash.')
    if (item.members.status !== 'done')
      return passed(id, 'occurrence_ignored', 'Of single dates of a series only that they were done is kept.')
    const occurrence = dateOnClockOf(item.recurrence_id, due)
    const known = await handledOccurrences(db, workspace.id, task.key, occurrence, occurrence, 1)
    if (known.length > 0) return { action: 'unchanged', id }
    await keep(session, task, item, occurrence)
    return { action: 'created', id }
  }

  async function keep(session: Session, task: TaskRow, { members }: TodoItem, occurrence: string): Promise<void> {
    const { db, workspace } = session
    const { title, completed_at, updated_at } = members
    const at = completed_at ?? updated_at
    const nothing = JSON.stringify({ members: {}, parts: [], edges: [] } satisfies CompletionState)
    const texts = { before: nothing, after: nothing, missed: '[]', title }
    await insertCompletion(db, workspace.id, {
      ...texts,
      id: ids(),
      task: task.key,
      task_id: task.id,
      kind: 'done',
      occurrence,
      completed_at: at === null ? now() : Math.min(Date.parse(at), now()),
      next_due: null,
      project_id: task.project_id,
      size_bytes: completionBytes(texts),
    })
    await reserve(session, completionBytes(texts))
    await computeAround(db, workspace.id, task.key)
  }

  return async ({ session }, items) => {
    const lines: (Line | null)[] = []
    for (const { type, value } of items) {
      const write = (within: Session) => store(within, value)
      lines.push(type === 'task_completion' ? lineOf(value, await orFailed(session, write)) : null)
    }
    return lines
  }
}

function passed(id: string | null, code: string, detail: string): Line {
  return { action: 'skipped', id, warnings: [{ code, detail }] }
}
