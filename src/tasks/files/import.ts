import type { Context, Session } from '../../db/database'
import { keysOf } from '../../db/table'
import { ApiError, type Fault } from '../../http/api-error'
import { revise } from '../../http/resource'
import { writeInstant } from '../../http/values'
import type { ImportKind, ImportWarning, Line } from '../../imports/kind'
import type { ImportOrder } from '../../imports/receive-import'
import { fromDay, toDay } from '../../lib/civil/day'
import { isAtOtherTime, nameItemOccurrence } from '../../lib/ical/dates'
import type { ItemMoment } from '../../lib/ical/item'
import { catchApiError, type TaskWriter } from '../change-tasks'
import { advanceTask } from '../completions/advance'
import { diffMembers, recordCompletion } from '../completions/completion'
import { listHandledAfterDue, listHandledOccurrences } from '../completions/store'
import { readTimeContext, type WithDates } from '../date-words'
import { placeTask, requireProject } from '../place'
import { filterDependents } from '../relation-store'
import type { ImportTasks, Recurrence, TaskDate, UpdateTask } from '../schema'
import { getTask, getTasks, type TaskRow } from '../store'
import { applyTaskPatch } from '../task'
import { fromItemMoment, getDueDate, parseOccurrence, toItemMoment } from '../task-date'
import { getDueOccurrence, isTimed, toRecurrence } from '../task-recurrence'
import { hashTask } from './draft'
import {
  type CalendarParams,
  type CalendarPass,
  createItemImport,
  createKeepImported,
  type ItemImport,
  type ItemImportDeps,
  runOrFail,
  toReportLine,
  withinFile,
} from './import-item'
import type { TaskFileFormat, TodoItem } from './item'
import type { RepairPlaces } from './places'
import { findUnrelated, getIdsByUids, getImportedItem } from './store'

const KIND = 'tasks'

const FORMATS: Readonly<Record<string, TaskFileFormat>> = {
  'text/calendar': 'ical',
  'text/csv': 'todoist',
  'text/plain': 'todo.txt',
}

/**
 * The import of files of tasks: tasks, then completions of single dates, then parents and blockers. Importing a file
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
    passes: [items.importItems, createOccurrenceImport(deps), createRelationPass({ ...deps, items })].map(withinFile),
    // Parts of a task that the file moved follow it.
    finish: ({ session }) => settle(session, 'partsOutsideParentPlace'),
  }
}

/**
 * Reads the query of an import.
 * @param now milliseconds since 1970
 * @throws ApiError invalid_request
 */
export async function readCalendarImport(session: Session, query: ImportTasks, now: number): Promise<ImportOrder> {
  const { on_conflict = 'skip', project_id = null, file_name = null, dry_run } = query
  if (project_id !== null) await requireProject(session, project_id)
  const { time_zone, preferred = 'en' } = await readTimeContext(session, {}, now)
  const words = { now, time_zone, language: preferred }
  const params = (type: string): CalendarParams => ({
    ...words,
    on_conflict,
    project_id,
    file_name,
    format: FORMATS[type] ?? 'ical',
  })
  return { kind: KIND, types: Object.keys(FORMATS), params, dryRun: dry_run === 'true' }
}

/**
 * Creates the second pass of an import, for single dates of series (RECURRENCE-ID). It records completed dates, and moves
 * a series that is due on one to its first open date.
 */
function createOccurrenceImport(deps: ItemImportDeps): CalendarPass {
  const recordOccurrence = createRecordOccurrence(deps)
  const moveOn = createMoveOn(deps)

  /** Moves an occurrence, or cancels it (null). @param start where the current one then starts; null: as before */
  async function changeOccurrence(
    session: Session,
    task: TaskRow,
    { occurrence, target, start }: { occurrence: string; target: string | null; start: TaskDate | null },
  ): Promise<Line> {
    const current = getDueOccurrence(task) ?? ''
    const recurrence = toRecurrence(task)
    if (!recurrence || task.closed === 1 || occurrence < current) return { action: 'unchanged', id: task.id }
    const isKnown =
      target === null
        ? recurrence.exdates.includes(occurrence)
        : recurrence.moved.some((entry) => entry.occurrence === occurrence && entry.moved_to === target)
    if (isKnown) return { action: 'unchanged', id: task.id }
    try {
      if (target === null && occurrence === current) {
        const step = { kind: 'skip', at: deps.now(), time_zone: 'UTC' } as const
        const { after } = advanceTask(task, step, await listHandledAfterDue(session, task))
        await moveOn(session, task, after)
      } else
        await moveOn(session, task, applyTaskPatch(task, toPatch(recurrence, current, { occurrence, target, start })))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return createSkippedLine(task.id, 'occurrence_ignored', error.detail)
    }
    return { action: 'updated', id: task.id }
  }

  /** @param series the item of the whole series, if the file has it */
  async function importOccurrence(session: Session, item: TodoItem, series: TodoItem | undefined): Promise<Line> {
    const id = (await getIdsByUids(session, item.system, [item.uid])).get(item.uid)
    if (id === undefined)
      return createSkippedLine(null, 'series_missing', 'It is one date of a series that does not exist here.')
    const task = await getTask(session, id)
    const due = task?.rrule && task.deleted_at === null ? toItemMoment(getDueDate(task)) : null
    if (!task || !due || !item.recurrence_id)
      return createSkippedLine(id, 'not_a_series', 'It is one date of a task that does not repeat, or is in the trash.')
    const timed = isTimed(task.rrule ?? '')
    const occurrence = shiftName(nameItemOccurrence(item.recurrence_id, due, timed), countDaysToDue(series))
    const { status } = item.members
    const target = item.members.due && nameItemOccurrence(item.members.due, due, timed)
    if (status === 'cancelled') return changeOccurrence(session, task, { occurrence, target: null, start: null })
    const warnings = timed ? [] : warnOtherTime(item.members.due, due)
    if (status !== 'done' && target !== null && target !== occurrence) {
      const start = task.start_date === null ? null : fromItemMoment(item.members.start)
      const line = await changeOccurrence(session, task, { occurrence, target, start })
      return { ...line, warnings: [...warnings, ...(line.warnings ?? [])] }
    }
    if (status !== 'done' && warnings.length > 0) return { action: 'skipped', id, warnings }
    if (status !== 'done')
      return createSkippedLine(
        id,
        'occurrence_ignored',
        'Of the single dates of a series, only completed, moved and cancelled ones are imported.',
      )
    return { action: await recordOccurrence(session, task, item, occurrence), id }
  }

  return async ({ session, itemsOfKey }, items) => {
    const lines: (Line | null)[] = []
    for (const { type, key, value } of items) {
      const [series] = type === 'task_completion' ? itemsOfKey<TodoItem>(key ?? '', 'task') : []
      const write = (inside: Session) => importOccurrence(inside, value, series?.value)
      lines.push(type === 'task_completion' ? toReportLine(value, await runOrFail(session, write)) : null)
    }
    return lines
  }
}

/** Returns the days from the start of a series to its due date: other programs name its occurrences by their starts. */
function countDaysToDue(series: TodoItem | undefined): number {
  const { due = null, start = null } = series?.members ?? {}
  return due && start && series?.revision === null ? toDay(due.date) - toDay(start.date) : 0
}

function shiftName(occurrence: string, days: number): string {
  return days === 0 ? occurrence : fromDay(toDay(occurrence) + days) + occurrence.slice(10)
}

function warnOtherTime(moment: ItemMoment | null, due: ItemMoment): ImportWarning[] {
  if (moment === null || moment.time === null || (due.time !== null && !isAtOtherTime(moment, due))) return []
  const own = due.time === null ? 'all day, as its series' : `at ${due.time}, the time of its series`
  return [{ code: 'occurrence_time_dropped', detail: `The date is at ${moment.time} in the file: it is due ${own}.` }]
}

function createSkippedLine(id: string | null, code: string, detail: string): Line {
  return { action: 'skipped', id, warnings: [{ code, detail }] }
}

/** Returns the patch that moves an occurrence, or cancels it (null). */
function toPatch(
  recurrence: Recurrence,
  current: string,
  { occurrence, target, start }: { occurrence: string; target: string | null; start: TaskDate | null },
): WithDates<UpdateTask> {
  if (target === null) return { recurrence: { exdates: [...recurrence.exdates, occurrence] } }
  if (occurrence === current) {
    const { date, time } = parseOccurrence(target)
    return { due: time === null ? { date } : { date, time }, ...(start && { start }) }
  }
  const others = recurrence.moved.filter((entry) => entry.occurrence !== occurrence)
  return { recurrence: { moved: [...others, { occurrence, moved_to: target }] } }
}

/** Creates the function that changes a series. What the last import knows of the task stays true: the file says this too. */
function createMoveOn({ now, reserve, writer }: ItemImportDeps) {
  const keepImported = createKeepImported(reserve)
  return async (session: Session, task: TaskRow, change: Partial<TaskRow>): Promise<void> => {
    const imported = await getImportedItem(session, task.key)
    const moved = await writer.replace(session, task, revise(task, change, now()))
    if (imported?.task_hash === hashTask(task))
      await keepImported(session, task.key, { ...imported, task_hash: hashTask(moved) })
  }
}

/** Creates the function that records a completed date of a series, unless it is recorded already. */
function createRecordOccurrence(deps: ItemImportDeps) {
  const { now, ids, reserve } = deps
  const moveOn = createMoveOn(deps)

  return async (session: Session, task: TaskRow, { members }: TodoItem, occurrence: string) => {
    const { title, completed_at, updated_at } = members
    const at = Math.min(Date.parse(completed_at ?? updated_at ?? writeInstant(now())), now())
    const isCurrent = task.closed === 0 && task.recurrence_mode === 'schedule' && occurrence === getDueOccurrence(task)
    const advance = isCurrent
      ? advanceTask(task, { kind: 'skip', at, time_zone: 'UTC' }, await listHandledAfterDue(session, task))
      : { after: {}, next_due: null }
    const { before, after } = diffMembers(task, advance.after)
    const known = await listHandledOccurrences(session, task.key, occurrence, occurrence, 1)
    if (isCurrent) await moveOn(session, task, advance.after)
    if (known.length > 0) return 'unchanged'
    const { id: task_id, key, project_id } = task
    const completion = {
      ...{ id: ids(), task: key, task_id, kind: 'done' as const, occurrence, title, project_id },
      ...{ completed_at: at, next_due: advance.next_due, missed: '[]' },
    }
    await recordCompletion(session, reserve, completion, {
      before: { members: before, parts: [], edges: [] },
      after: { members: after, parts: [], edges: [] },
    })
    return 'created'
  }
}

interface Deps extends Pick<Context, 'now'> {
  readonly writer: TaskWriter
  readonly items: Pick<ItemImport, 'remember'>
}

/** A task with the relations of the file that are possible, and warnings about the others. */
interface RelatedRow {
  readonly row: TaskRow
  readonly warnings: readonly ImportWarning[]
}

/**
 * Creates the last pass of an import: parents and blockers, now that all tasks exist. Tasks are handled in order; a
 * relation that would close a cycle, or make a ninth level or a part too many, is dropped.
 */
export function createRelationPass({ now, writer, items }: Deps): CalendarPass {
  /** @param named ids of the tasks that the file names, by their UIDs */
  async function relate(session: Session, line: Line, item: TodoItem, named: IdsByUid): Promise<Line> {
    const old = await getTask(session, line.id ?? '')
    if (old?.deleted_at !== null) return { action: 'unchanged', id: line.id }
    const placing = await withParent(session, old, item, named)
    const waiting = await withBlockers(session, placing.row, item, named)
    const warnings = [...warnUnknownRelations(item, named), ...placing.warnings, ...waiting.warnings]
    const { row } = waiting
    const changed = row !== old
    const updated_at = line.action === 'unchanged' ? now() : old.updated_at
    const task = changed ? await writer.replace(session, old, { ...row, revision: old.revision + 1, updated_at }) : old
    await items.remember(session, task, item, true)
    return { action: changed ? 'updated' : 'unchanged', id: old.id, warnings }
  }

  return async (step, group) => {
    const { session } = step
    const imported = group.flatMap(({ seq, type, value }) => {
      const line = type === 'task' ? step.line(seq) : null
      return line && line.id !== null && line.action !== 'skipped' ? [{ seq, value, line, id: line.id }] : []
    })
    const waiting = await findUnrelated(
      session,
      imported.map(({ id }) => id),
    )
    const items = imported.filter(({ id }) => waiting.has(id))
    const uids = items.flatMap(({ value: { parent_uid, blocked_by_uids } }) => [parent_uid ?? '', ...blocked_by_uids])
    const named = await getIdsByUids(session, step.params.format, uids)
    const lines = new Map<number, Line>()
    for (const { seq, value, line } of items) {
      const { warnings = [], action } = await runOrFail(session, (inside) => relate(inside, line, value, named))
      if (action === 'updated' || warnings.length > 0)
        lines.set(seq, { action: action === 'updated' ? action : 'unchanged', id: line.id, warnings })
    }
    return group.map(({ seq }) => lines.get(seq) ?? null)
  }
}

type IdsByUid = ReadonlyMap<string, string>

function warnUnknownRelations({ parent_uid, blocked_by_uids }: TodoItem, named: IdsByUid): ImportWarning[] {
  const count = [...(parent_uid === null ? [] : [parent_uid]), ...blocked_by_uids].filter(
    (uid) => !named.has(uid),
  ).length
  if (count === 0) return []
  return [{ code: 'unknown_relation', detail: `RELATED-TO names tasks that do not exist here: ${count} left out.` }]
}

/** Returns the task below the parent of the file, if that is possible. */
async function withParent(
  session: Session,
  old: TaskRow,
  { parent_uid }: TodoItem,
  named: IdsByUid,
): Promise<RelatedRow> {
  const wanted = (parent_uid !== null && named.get(parent_uid)) || null
  const parent_id = wanted === old.id ? null : wanted
  if (parent_id === old.parent_id) return { row: old, warnings: [] }
  const placed = await placeTask(session, old, { parent_id }, true).catch(catchApiError)
  if (!(placed instanceof ApiError)) return { row: placed, warnings: [] }
  const [{ code, detail } = placed] = (placed.extra.errors ?? []) as Fault[]
  const trashed = { code: 'parent_in_trash', detail: 'Its parent task is in the trash.' }
  return { row: old, warnings: [code === 'unknown_task' ? trashed : { code, detail }] }
}

/** Returns the task with the blockers of the file, except those that wait for it. */
async function withBlockers(
  session: Session,
  row: TaskRow,
  { blocked_by_uids }: TodoItem,
  named: IdsByUid,
): Promise<RelatedRow> {
  const wanted = [...new Set(blocked_by_uids.flatMap((uid) => named.get(uid) ?? []))].filter((id) => id !== row.id)
  const before = new Set<string>(JSON.parse(row.blocked_by))
  const fresh = await getTasks(
    session,
    wanted.filter((id) => !before.has(id)),
  )
  if (fresh.length === 0 && before.size === wanted.length) return { row, warnings: [] }
  const circular = new Set(await filterDependents(session, row.key, keysOf(fresh)))
  const dropped = new Set(fresh.filter(({ key }) => circular.has(key)).map(({ id }) => id))
  const blockers = wanted.filter((id) => !dropped.has(id))
  const detail = `Tasks would wait for each other in a cycle: ${dropped.size} of its blockers left out.`
  const warnings = dropped.size > 0 ? [{ code: 'dependency_cycle', detail }] : []
  if (new Set(blockers).symmetricDifference(before).size === 0) return { row, warnings }
  return { row: { ...row, blocked_by: JSON.stringify(blockers) }, warnings }
}
