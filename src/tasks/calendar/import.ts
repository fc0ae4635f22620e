import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { ImportKind, Line } from '../../imports/kind'
import type { ImportOrder } from '../../imports/receive-import'
import { nameItemOccurrence } from '../../lib/ical/dates'
import { type CompletionState, countCompletionBytes } from '../completions/completion'
import { insertCompletion, listHandledOccurrences } from '../completions/store'
import { hasProject } from '../place-store'
import { updateComputedAround } from '../relation-store'
import type { ImportTasks } from '../schema'
import { getTask, type TaskRow } from '../store'
import { getDueDate } from '../task'
import { toItemMoment } from '../task-date'
import { isTimed } from '../task-recurrence'
import {
  type CalendarParams,
  type CalendarPass,
  createItemImport,
  type ItemImportDeps,
  runOrFail,
  toReportLine,
} from './import-item'
import type { TodoItem } from './read-calendar'
import { createRelationPass } from './relate'
import type { RepairPlaces } from './repair-places'
import { getIdsByUids } from './store'

const KIND = 'tasks'

/**
 * The import of calendar files: tasks, then completions of single dates, then parents and blockers. Importing a file
 * again finds tasks by their UIDs, and finishes an import that ended early.
 */
export function calendarImport({
  settle,
  ...deps
}: ItemImportDeps & { readonly settle: RepairPlaces }): ImportKind<CalendarParams, TodoItem> {
  const items = createItemImport(deps)
  return {
    name: KIND,
    reader: new URL('./read-worker.ts', import.meta.url),
    passes: [items.importItems, createOccurrenceImport(deps), createRelationPass({ ...deps, items })],
    // Parts of a task that the file moved follow it.
    finish: ({ session }) => settle(session, 'partsOutsideParentPlace'),
  }
}

/** Reads the query of an import. @throws ApiError invalid_request */
export async function readCalendarImport({ db, workspace }: Session, query: ImportTasks): Promise<ImportOrder> {
  const { on_conflict = 'skip', project_id = null, dry_run } = query
  if (project_id !== null && !(await hasProject(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project that is not in the trash')
  const params: CalendarParams = { on_conflict, project_id }
  return { kind: KIND, types: ['text/calendar'], params: () => params, dryRun: dry_run === 'true' }
}

/**
 * Creates the second pass of an import, for single dates of series (RECURRENCE-ID). It records completed dates without
 * moving the series, since the file has the series itself at its current date.
 */
function createOccurrenceImport({ now, ids, reserve }: ItemImportDeps): CalendarPass {
  async function importOccurrence(session: Session, item: TodoItem): Promise<Line> {
    const { db, workspace } = session
    const id = (await getIdsByUids(db, workspace.id, [item.uid])).get(item.uid)
    if (id === undefined)
      return createSkippedLine(null, 'series_missing', 'It is one date of a series that does not exist here.')
    const task = await getTask(db, workspace.id, id)
    const due = task?.rrule && task.deleted_at === null ? toItemMoment(getDueDate(task)) : null
    if (!task || !due || !item.recurrence_id)
      return createSkippedLine(id, 'not_a_series', 'It is one date of a task that does not repeat, or is in the trash.')
    if (item.members.status !== 'done')
      return createSkippedLine(
        id,
        'occurrence_ignored',
        'Of the single dates of a series, only completed ones are imported.',
      )
    const occurrence = nameItemOccurrence(item.recurrence_id, due, isTimed(task.rrule ?? ''))
    const handled = await listHandledOccurrences(db, workspace.id, task.key, occurrence, occurrence, 1)
    if (handled.length > 0) return { action: 'unchanged', id }
    await recordCompletion(session, task, item, occurrence)
    return { action: 'created', id }
  }

  async function recordCompletion(
    session: Session,
    task: TaskRow,
    { members }: TodoItem,
    occurrence: string,
  ): Promise<void> {
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
      size_bytes: countCompletionBytes(texts),
    })
    await reserve(session, countCompletionBytes(texts))
    await updateComputedAround(db, workspace.id, task.key)
  }

  return async ({ session }, items) => {
    const lines: (Line | null)[] = []
    for (const { type, value } of items) {
      const write = (inside: Session) => importOccurrence(inside, value)
      lines.push(type === 'task_completion' ? toReportLine(value, await runOrFail(session, write)) : null)
    }
    return lines
  }
}

function createSkippedLine(id: string | null, code: string, detail: string): Line {
  return { action: 'skipped', id, warnings: [{ code, detail }] }
}
