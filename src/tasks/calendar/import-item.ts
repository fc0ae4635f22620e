import type { Reserve } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { ImportWarning, Line, Pass, Step } from '../../imports/kind'
import { attempt, EarlierItems, failedLine } from '../../imports/lines'
import type { OnConflict } from '../../imports/schema'
import type { TaskWriter } from '../change-tasks'
import { placeTask } from '../place'
import { getTask, type TaskDraft, type TaskRow } from '../store'
import { changedDraft, hashOfItem, hashOfTask, hasSameTaskContent, newDraft } from './draft'
import type { TodoItem } from './read-calendar'
import { getImportedItem, type Imported, idsOfUids, putImportedItem, unrelated } from './store'

/** What the request for an import asks for. */
export interface CalendarParams {
  readonly on_conflict: OnConflict
  /** The project of new tasks; null is the inbox. */
  readonly project_id: string | null
}

export type CalendarPass = Pass<CalendarParams, TodoItem>

export interface ItemImportDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: TaskWriter
  readonly reserve: Reserve
}

const CONFLICT: ImportWarning = { code: 'conflict', detail: 'The task was changed here as well as in the file.' }

/** Keeps what a calendar file said of a task, and counts its bytes. */
export function createKeepImported(reserve: Reserve) {
  return async (session: Session, key: number, imported: Imported): Promise<void> => {
    const { db, workspace } = session
    const before = (await getImportedItem(db, workspace.id, key))?.rest ?? ''
    await putImportedItem(db, workspace.id, key, imported)
    const bytes = Buffer.byteLength(imported.rest) - Buffer.byteLength(before)
    if (bytes !== 0) await reserve(session, bytes)
  }
}

/**
 * The first pass of an import: tasks one by one. What is wrong with one is its line. What a task is part of and waits for
 * is mostly left to the last pass, when all tasks are there; but what it no longer is part of or waits for ends here.
 */
export function createItemImport({ now, ids, writer, reserve }: ItemImportDeps) {
  const put = createKeepImported(reserve)

  async function create(step: Step<CalendarParams>, item: TodoItem, isCopy = false): Promise<Line> {
    const { session, params } = step
    const { row, warning } = newDraft(item, ids(), now())
    const sourced = isCopy ? { ...row, source_system: null, source_id: null } : row
    const part = await asPart(step, sourced, item)
    const inPlace = part ?? (await placeTask(session, sourced, { project_id: params.project_id }, false))
    const task = await writer.insert(session, inPlace)
    const isRelated = (part !== null || item.parent_uid === null) && item.blocked_by_uids.length === 0
    await remember(session, task, item, isRelated)
    return { action: 'created', id: task.id, warnings: warning ? [warning] : [] }
  }

  /** A task that exists already: changes since the last import count, by the file or by the owner. */
  async function meet(step: Step<CalendarParams>, old: TaskRow, item: TodoItem): Promise<Line> {
    const { session, params } = step
    if (old.deleted_at !== null)
      return { action: 'skipped', id: old.id, warnings: [{ code: 'in_trash', detail: 'The task is in the trash.' }] }
    const last = await getImportedItem(session.db, session.workspace.id, old.key)
    if (last?.file_hash === hashOfItem(item)) return { action: 'unchanged', id: old.id }
    const { row: next, warning } = changedDraft(old, item, now())
    const warnings = warning ? [warning] : []
    const isSame = hasSameTaskContent(old, next)
    const conflict = !isSame && last?.task_hash !== hashOfTask(old)
    if (conflict && params.on_conflict !== 'overwrite') return settle(step, old, item, last)
    const loose = await loosened(session, isSame ? old : next, item)
    const stays = isSame && loose.row === old
    const row = isSame ? { ...loose.row, revision: old.revision + 1, updated_at: now() } : loose.row
    const task = stays ? old : await writer.replace(session, old, row)
    await remember(session, task, item, loose.isRelated)
    const allWarnings = conflict ? [...warnings, CONFLICT] : warnings
    return { action: stays ? 'unchanged' : 'updated', id: old.id, warnings: allWarnings }
  }

  /** Leaves the task as it is, and with `copy` puts the file's beside it: once for each content of the file. */
  async function settle(
    step: Step<CalendarParams>,
    old: TaskRow,
    item: TodoItem,
    last: Imported | null,
  ): Promise<Line> {
    if (step.params.on_conflict === 'skip') return { action: 'skipped', id: old.id, warnings: [CONFLICT] }
    const copy = await create(step, item, true)
    const kept = {
      rest: last?.rest ?? '',
      priority_read: last?.priority_read ?? null,
      task_hash: last?.task_hash ?? '',
    }
    await put(step.session, old.key, { ...kept, file_hash: hashOfItem(item) })
    return { ...copy, warnings: [...(copy.warnings ?? []), CONFLICT] }
  }

  /** @param isRelated whether the task is part of and waits for what the file says: else the last pass finds it so */
  async function remember(session: Session, task: TaskRow, item: TodoItem, isRelated: boolean): Promise<void> {
    const { rest, priority_read } = item
    const file_hash = isRelated ? hashOfItem(item) : ''
    await put(session, task.key, { rest, priority_read, file_hash, task_hash: hashOfTask(task) })
  }

  /** A file that names a task twice, by one UID or by two, is at odds with itself: the first to name it has it. */
  async function store(step: Step<CalendarParams>, item: TodoItem, earlier: EarlierItems): Promise<Line> {
    const isNamed = earlier.hasKey(item.uid)
    const old = isNamed ? null : await known(step.session, item.uid)
    if (isNamed || earlier.hasMet(old?.id ?? null))
      return failedLine({ code: 'duplicate', detail: 'The file names this task twice.' })
    return orFailed(step.session, (session) =>
      old ? meet({ ...step, session }, old, item) : create({ ...step, session }, item),
    )
  }

  const take: CalendarPass = async (step, items) => {
    const earlier = new EarlierItems(step, 'task')
    const lines: (Line | null)[] = []
    for (const { type, value } of items) {
      const line = type === 'task' ? await store(step, value, earlier) : null
      if (line) earlier.add(value.uid, line.id)
      lines.push(line && lineOf(value, line))
    }
    return lines
  }

  return { take, remember }
}

export type ItemImport = ReturnType<typeof createItemImport>

/** The first line of an item: where it comes from, and what its reading came to. */
export function lineOf({ uid, warnings }: TodoItem, line: Line): Line {
  return { ...line, source: { system: 'ical', id: uid }, warnings: [...warnings, ...(line.warnings ?? [])] }
}

/** What `work` answers, or a failed line if it refuses. */
export async function orFailed(session: Session, work: (within: Session) => Promise<Line>): Promise<Line> {
  const line = await attempt(session, work)
  return line instanceof ApiError ? failedLine(line) : line
}

/** A new task in the place that most have for good: below one that stays where it is. Null if it cannot be there yet. */
async function asPart(
  { session, itemsOfKey }: Step<CalendarParams>,
  draft: TaskDraft,
  { parent_uid }: TodoItem,
): Promise<TaskDraft | null> {
  if (parent_uid === null) return null
  const { db, workspace } = session
  const parent_id = (await idsOfUids(db, workspace.id, [parent_uid])).get(parent_uid)
  if (parent_id === undefined) return null
  const isOpen = (await unrelated(db, workspace.id, [parent_id])).has(parent_id)
  if (isOpen && itemsOfKey<TodoItem>(parent_uid, 'task')[0]?.value.parent_uid !== null) return null
  try {
    return await placeTask(session, draft, { parent_id }, false)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/**
 * The row without the parent and the blockers that the file does not name. So what takes their place later is in the way
 * of no one, in whatever order. `isRelated`: nothing takes their place.
 */
async function loosened(session: Session, row: TaskRow, { parent_uid, blocked_by_uids }: TodoItem) {
  const { db, workspace } = session
  const named = parent_uid === null ? blocked_by_uids : [parent_uid, ...blocked_by_uids]
  const ids = await idsOfUids(db, workspace.id, named)
  const stays = row.parent_id === null || (parent_uid !== null && ids.get(parent_uid) === row.parent_id)
  const wished = new Set(blocked_by_uids.map((uid) => ids.get(uid) ?? null))
  const blockers: string[] = JSON.parse(row.blocked_by)
  const kept = blockers.filter((id) => wished.has(id))
  const isRelated = (parent_uid === null || (stays && row.parent_id !== null)) && wished.size === kept.length
  if (stays && kept.length === blockers.length) return { row, isRelated }
  const loose = { ...row, blocked_by: JSON.stringify(kept) }
  return { row: stays ? loose : await placeTask(session, loose, { parent_id: null }, true), isRelated }
}

async function known({ db, workspace }: Session, uid: string): Promise<TaskRow | null> {
  const id = (await idsOfUids(db, workspace.id, [uid])).get(uid)
  return id === undefined ? null : getTask(db, workspace.id, id)
}
