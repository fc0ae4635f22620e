import type { Reserve } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { ImportWarning, Line, Pass, Step } from '../../imports/kind'
import { attempt, EarlierItems, failedLine, findEarlierFile } from '../../imports/lines'
import type { OnConflict } from '../../imports/schema'
import { readPlace } from '../../lib/ical/members'
import { catchApiError, type TaskWriter } from '../change-tasks'
import { placeTask } from '../place'
import { getTask, type TaskDraft, type TaskRow } from '../store'
import { isSameTask } from '../task'
import { draftChangedTask, draftNewTask, hashForFile, hashItem, hashTask } from './draft'
import { hashOf, type LineContext, type LineFile, type SampleLine, type TaskFileFormat, type TodoItem } from './item'
import { type FindOrCreatePlace, findMove } from './places'
import {
  findUnrelated,
  getIdsByUids,
  getImportedItem,
  getItemHashes,
  getUidsByIds,
  type ImportedState,
  putImportedItem,
} from './store'

export interface CalendarParams extends LineContext {
  readonly on_conflict: OnConflict
  readonly format: TaskFileFormat
}

export type CalendarPass = Pass<CalendarParams, TodoItem>

export interface ItemImportDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: TaskWriter
  readonly reserve: Reserve
  readonly findOrCreatePlace: FindOrCreatePlace
}

const CONFLICT: ImportWarning = { code: 'conflict', detail: 'The task was changed here as well as in the file.' }

/** Creates a function that stores the state of a task's last import, and counts its bytes. */
export function createKeepImported(reserve: Reserve) {
  return async (session: Session, key: number, imported: ImportedState): Promise<void> => {
    const before = (await getImportedItem(session, key))?.rest ?? ''
    await putImportedItem(session, key, imported)
    const bytes = Buffer.byteLength(imported.rest) - Buffer.byteLength(before)
    if (bytes !== 0) await reserve(session, bytes)
  }
}

/**
 * Creates the first pass of an import: tasks one by one. An error of a task is its line of the report. New parents and
 * blockers are mostly left to the last pass, when all tasks exist; old ones that the file lacks are removed here.
 */
export function createItemImport({ now, ids, writer, reserve, findOrCreatePlace }: ItemImportDeps) {
  const keepImported = createKeepImported(reserve)

  async function create(step: Step<CalendarParams>, item: TodoItem, isCopy = false): Promise<Line> {
    const { session, params } = step
    const { row, warning } = draftNewTask(item, ids(), now())
    const sourced = isCopy ? { ...row, source_system: null, source_id: null } : row
    const part = await placeBelowParent(step, sourced, item)
    const { counts, ...place } = await findOrCreatePlace(session, part ? null : readPlace(item.rest), params.project_id)
    const inPlace = part ?? (await placeTask(session, sourced, place, false))
    const task = await writer.insert(session, inPlace)
    const isRelated = (part !== null || item.parent_uid === null) && item.blocked_by_uids.length === 0
    await rememberImport(session, task, item, isRelated)
    return { action: 'created', id: task.id, warnings: warning ? [warning] : [], counts }
  }

  /** Updates an existing task, if the file or the owner changed it since the last import. */
  async function updateExisting(step: Step<CalendarParams>, old: TaskRow, item: TodoItem): Promise<Line> {
    const { session, params } = step
    if (old.deleted_at !== null)
      return { action: 'skipped', id: old.id, warnings: [{ code: 'in_trash', detail: 'The task is in the trash.' }] }
    const last = await getImportedItem(session, old.key)
    const isAsBefore = last?.task_hash === hashTask(old)
    const isUntouched = isAsBefore || (await isExportOf(session, old, item))
    if (last?.file_hash === hashItem(item) && (isAsBefore || !isUntouched)) return { action: 'unchanged', id: old.id }
    const { row: draft, warning } = draftChangedTask(old, item, now())
    const warnings = warning ? [warning] : []
    // A finished line has a UID of its own, so that an open line of its text that comes later is another task.
    const next = item.file ? { ...draft, source_id: item.uid } : draft
    const isSame = isSameTask(old, next) && next.source_id === old.source_id
    const move = await findMove(session, old, item, last?.rest ?? null)
    const conflict = (!isSame && !isUntouched) || move?.isConflict === true
    if (conflict && params.on_conflict !== 'overwrite') return resolveConflict(step, old, item, last)
    const reduced = await withoutOldRelations(session, isSame ? old : next, item)
    const found = move?.to && (await findOrCreatePlace(session, move.to, old.project_id))
    const { counts, ...place } = found ?? { counts: {}, project_id: null, section_id: null }
    const placed = move ? await placeTask(session, reduced.row, place, true) : reduced.row
    const isUnchanged = isSame && placed === old
    const row = isSame ? { ...placed, revision: old.revision + 1, updated_at: now() } : placed
    const task = isUnchanged ? old : await writer.replace(session, old, row)
    await rememberImport(session, task, item, reduced.isRelated)
    const allWarnings = conflict ? [...warnings, CONFLICT] : warnings
    return { action: isUnchanged ? 'unchanged' : 'updated', id: old.id, warnings: allWarnings, counts }
  }

  /** Leaves the task as it is. With `copy`, also creates the task of the file: once for each content of it. */
  async function resolveConflict(
    step: Step<CalendarParams>,
    old: TaskRow,
    item: TodoItem,
    last: ImportedState | null,
  ): Promise<Line> {
    if (step.params.on_conflict === 'skip') return { action: 'skipped', id: old.id, warnings: [CONFLICT] }
    const copy = await create(step, item, true)
    const kept = {
      rest: last?.rest ?? '',
      priority_read: last?.priority_read ?? null,
      task_hash: last?.task_hash ?? '',
    }
    await keepImported(step.session, old.key, { ...kept, file_hash: hashItem(item) })
    return { ...copy, warnings: [...(copy.warnings ?? []), CONFLICT] }
  }

  /** @param isRelated whether the task has the parent and blockers of the file; if not, the last pass finds it */
  async function rememberImport(session: Session, task: TaskRow, item: TodoItem, isRelated: boolean): Promise<void> {
    const { rest, priority_read } = item
    const file_hash = isRelated ? hashItem(item) : ''
    await keepImported(session, task.key, { rest, priority_read, file_hash, task_hash: hashTask(task) })
  }

  /** Imports one item. If a file contains a task twice, by one UID or by two, only the first item counts. */
  async function importItem(step: Step<CalendarParams>, item: TodoItem, earlier: EarlierItems): Promise<Line> {
    const isNamed = earlier.hasKey(item.uid)
    const old = isNamed ? null : await findTask(step.session, item, earlier)
    if (isNamed || earlier.hasMet(old?.id ?? null))
      return failedLine({ code: 'duplicate', detail: 'The file names this task twice.' })
    return runOrFail(step.session, (session) =>
      old ? updateExisting({ ...step, session }, old, item) : create({ ...step, session }, item),
    )
  }

  const importItems: CalendarPass = async (step, items) => {
    const earlier = new EarlierItems(step, 'task')
    const lines: (Line | null)[] = []
    for (const { type, value } of items) {
      const line = type === 'task' ? await importItem(step, value, earlier) : null
      if (line) earlier.add(value.uid, line.id)
      lines.push(line && toReportLine(value, line))
    }
    return lines
  }

  return { importItems: importItems, remember: rememberImport }
}

export type ItemImport = ReturnType<typeof createItemImport>

export function toReportLine({ system, uid, warnings }: TodoItem, line: Line): Line {
  return { ...line, source: { system, id: uid }, warnings: [...warnings, ...(line.warnings ?? [])] }
}

/** Returns the result of `work`, or a failed line if it throws an ApiError. */
export async function runOrFail(session: Session, work: (inside: Session) => Promise<Line>): Promise<Line> {
  const line = await attempt(session, work)
  return line instanceof ApiError ? failedLine(line) : line
}

/** Returns a new task below its parent if the parent will not move again; null if it must wait for the last pass. */
async function placeBelowParent(
  { session, itemsOfKey }: Step<CalendarParams>,
  draft: TaskDraft,
  { system, parent_uid }: TodoItem,
): Promise<TaskDraft | null> {
  if (parent_uid === null) return null
  const parent_id = (await getIdsByUids(session, system, [parent_uid])).get(parent_uid)
  if (parent_id === undefined) return null
  const isOpen = (await findUnrelated(session, [parent_id])).has(parent_id)
  if (isOpen && itemsOfKey<TodoItem>(parent_uid, 'task')[0]?.value.parent_uid !== null) return null
  const placed = await placeTask(session, draft, { parent_id }, false).catch(catchApiError)
  return placed instanceof ApiError ? null : placed
}

/**
 * Returns the row without the parent and the blockers that the file does not name, so that the last pass can set new
 * ones in any order without conflicts. `isRelated`: no new ones are left for the last pass.
 */
async function withoutOldRelations(session: Session, row: TaskRow, { system, parent_uid, blocked_by_uids }: TodoItem) {
  const named = parent_uid === null ? blocked_by_uids : [parent_uid, ...blocked_by_uids]
  const ids = await getIdsByUids(session, system, named)
  const keepsParent = row.parent_id === null || (parent_uid !== null && ids.get(parent_uid) === row.parent_id)
  const wanted = new Set(blocked_by_uids.map((uid) => ids.get(uid) ?? null))
  const blockers: string[] = JSON.parse(row.blocked_by)
  const kept = blockers.filter((id) => wanted.has(id))
  const isRelated = (parent_uid === null || (keepsParent && row.parent_id !== null)) && wanted.size === kept.length
  if (keepsParent && kept.length === blockers.length) return { row, isRelated }
  const reduced = { ...row, blocked_by: JSON.stringify(kept) }
  return { row: keepsParent ? reduced : await placeTask(session, reduced, { parent_id: null }, true), isRelated }
}

/** Whether the file is, or was before another program changed it, an export of the task as it is now. */
async function isExportOf(session: Session, task: TaskRow, { revision }: TodoItem): Promise<boolean> {
  if (revision === null) return false
  const related: string[] = JSON.parse(task.blocked_by)
  const uids = await getUidsByIds(session, task.parent_id === null ? related : [...related, task.parent_id])
  return hashForFile(task, uids) === revision
}

/** Finds the task of an item: by its UID, or by one that it had while it was open. */
async function findTask(
  session: Session,
  { system, uid, former_uids }: TodoItem,
  earlier: EarlierItems,
): Promise<TaskRow | null> {
  const ids = await getIdsByUids(session, system, [uid, ...former_uids])
  const former = former_uids.flatMap((other) => ids.get(other) ?? []).find((id) => !earlier.hasMet(id))
  const id = ids.get(uid) ?? former
  return id === undefined ? null : getTask(session, id)
}

// Lines of text have no UIDs. Their tasks are known by the file and the text, so the file must be known first.

/** Characters of the prefix that a file gives to the UIDs of its lines: 96 bits. */
const FILE_CHARS = 16

const OTHER_FILE: ImportWarning = {
  code: 'other_file',
  detail:
    'Another file of this name was imported before, and most of what both have differs. So nothing of that one was changed: the tasks of this file are new.',
}

/** Makes a pass find tasks only among those that earlier versions of the same file brought. */
export function withinFile(pass: CalendarPass): CalendarPass {
  return async (step, items) => {
    const file = items[0]?.value.file
    if (!file) return pass(step, items)
    const known = step.lineOfKey(file.first, 'task')?.left as { readonly prefix: string } | undefined
    const { prefix, isOther } = known ? { ...known, isOther: false } : await findFile(step, file)
    const scope = <Item extends { readonly value: TodoItem }>(item: Item) => ({
      ...item,
      value: withPrefix(prefix, item.value),
    })
    const keyOf = (uid: string) => uid.slice(prefix.length)
    const inside: typeof step = {
      ...step,
      lineOfKey: (uid, type) => step.lineOfKey(keyOf(uid), type),
      // The pass knows the type of its own values.
      itemsOfKey: (uid, type) => step.itemsOfKey<TodoItem>(keyOf(uid), type).map(scope) as never,
    }
    const lines = await pass(inside, items.map(scope))
    return lines.map((line, index) =>
      line && !known && items[index]?.key === file.first
        ? { ...line, left: { prefix }, warnings: [...(isOther ? [OTHER_FILE] : []), ...(line.warnings ?? [])] }
        : line,
    )
  }
}

function withPrefix(prefix: string, item: TodoItem): TodoItem {
  const { uid, parent_uid, former_uids } = item
  return {
    ...item,
    uid: prefix + uid,
    parent_uid: parent_uid === null ? null : prefix + parent_uid,
    former_uids: former_uids.map((other) => prefix + other),
  }
}

/** Finds the prefix of the file. Of two files without names, one may be the todo.txt and one the done.txt. */
async function findFile(step: Step<CalendarParams>, { base, first, ...file }: LineFile) {
  const sample = file.sample.length > 0 ? file.sample : (step.itemsOfKey<TodoItem>(first)[0]?.value.file?.sample ?? [])
  const prefixOf = (name: string) => hashOf([base, name]).slice(0, FILE_CHARS)
  const { name, isOther } = await findEarlierFile(
    (number) => compare(step, prefixOf(String(number)), sample),
    step.params.file_name === null ? Number.POSITIVE_INFINITY : sample.length,
    hashOf(sample),
  )
  return { prefix: prefixOf(name), isOther }
}

/** Counts the lines of a sample that are in a file as they are, and those that would change a task of it. */
async function compare({ session, params }: Step<CalendarParams>, prefix: string, sample: readonly SampleLine[]) {
  const uids = sample.flatMap(({ uid, former_uids }) => [uid, ...former_uids].map((other) => prefix + other))
  const hashes = await getItemHashes(session, params.format, uids)
  let [same, changed] = [0, 0]
  for (const { uid, former_uids, digest } of sample) {
    const hash = [uid, ...former_uids].map((other) => hashes.get(prefix + other)).find((known) => known !== undefined)
    if (hash === undefined) continue
    if (hash === digest) same++
    else changed++
  }
  return { same, changed }
}
