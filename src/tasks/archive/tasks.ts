import type { ArchivedType } from '../../archive/archived-type'
import type { Reserve } from '../../db/change-feed'
import type { Reader, Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { createValidator } from '../../http/validation'
import { catchApiError, type TaskWriter } from '../change-tasks'
import { getCompletionKeysByIds } from '../completions/store'
import { createKeepImported } from '../files/import-item'
import type { RepairPlaces } from '../files/places'
import { listParentLinks, listStored, type ParentLink } from '../files/store'
import { projectGroup } from '../groups/projects'
import { sectionGroup } from '../groups/sections'
import { findFreePosition } from '../names-and-positions'
import { MAX_TASK_LEVELS, requireRoomForSubtask, requireRoomToRestore, toPlaceKey } from '../place'
import { getProjectOfSection, hasProject, taskPositions } from '../place-store'
import { filterDependents, listEdgesInIds, setEdgesSince, updateComputed } from '../relation-store'
import { createCycleError } from '../service'
import { getKeysByIds, getTask, type TaskDraft, type TaskRow } from '../store'
import { fromTaskLine, TaskLine, toTaskLine } from './task-lines'

/** Tasks read at a time: at most 4 MiB of notes. */
const READ_TASKS = 64

const toLine = createValidator(TaskLine, 'the task')

interface Deps {
  readonly writer: TaskWriter
  readonly reserve: Reserve
  readonly settle: RepairPlaces
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** A task with the relations that it can have, and the reasons why it cannot have the others. */
interface Related {
  readonly row: TaskDraft
  readonly refused: readonly ApiError[]
}

/**
 * Tasks with all stored members, without computed ones; parents come before their parts. Relations to resources that do
 * not exist yet are left to `relate`. Relations that are still impossible then are left out and reported.
 */
export function archivedTasks({ writer, reserve, settle, missingNotes }: Deps): ArchivedType {
  const keepImported = createKeepImported(reserve)

  /** Returns the row with its notes and blockers, as far as possible. */
  async function withNotesAndBlockers<Row extends TaskDraft>(
    session: Session,
    line: TaskLine,
    row: Row,
    key: number | null,
  ) {
    const noteIds = [...new Set(line.note_ids)]
    const missing = new Set(await missingNotes(session, noteIds))
    const [missingId] = missing
    const refused: ApiError[] = []
    if (missingId !== undefined)
      refused.push(
        invalid(`/note_ids/${line.note_ids.indexOf(missingId)}`, 'unknown_note', 'note_ids must be ids of notes'),
      )
    const blockers = [...new Set(line.blocked_by.map(({ task_id }) => task_id))]
    // All blockers in one write: one by one, each of fifty would recount what all the others hold up.
    const faults = await findBlockerFaults(session, { id: line.id, key }, blockers)
    const note_ids = JSON.stringify(noteIds.filter((id) => !missing.has(id)))
    const blocked_by = JSON.stringify(blockers.filter((id) => !faults.has(id)))
    return { row: { ...row, note_ids, blocked_by }, refused: [...refused, ...faults.values()] }
  }

  /** Returns the row in its place, or in what exists of it, with its other relations. */
  async function withRelations(
    session: Session,
    line: TaskLine,
    draft: TaskDraft,
    old: TaskRow | null,
  ): Promise<Related> {
    const where = await findPlace(session, line, old).catch(catchApiError)
    const home = where instanceof ApiError ? { parent_id: null, ...(await findHome(session, line)) } : where
    const { row, refused } = await withNotesAndBlockers(
      session,
      line,
      await withFreePosition(session, { ...draft, ...home }),
      old?.key ?? null,
    )
    return { row, refused: where instanceof ApiError ? [where, ...refused] : refused }
  }

  /** Returns the task in the place of the line. Throws as `findPlace` does. */
  async function withLinePlace(session: Session, line: TaskLine, task: TaskRow): Promise<TaskRow> {
    if (isInPlace(line, task)) return task
    return withFreePosition(session, { ...task, ...(await findPlace(session, line, task)), position: line.position })
  }

  return {
    type: 'task',

    async *items(reader) {
      const ids = sortByLevel(await listParentLinks(reader))
      for (let i = 0; i < ids.length; i += READ_TASKS) yield* readLines(reader, ids.slice(i, i + READ_TASKS))
    },

    async merge(session, item) {
      const line = toLine(item)
      const draft = fromTaskLine(line)
      const old = await getTask(session, line.id)
      if (old && old.revision >= line.revision) {
        const isWhole = old.revision > line.revision || (await isRelated(session, line, draft, old))
        return isWhole ? 'unchanged' : { action: 'unchanged', pending: true }
      }
      const { row, refused } = await withRelations(session, line, draft, old)
      const saved = old
        ? await writer.replace(session, old, { ...old, ...row, created_at: old.created_at })
        : await writer.insert(session, row)
      const isSince = line.blocked_by.length === 0 || (await restoreEdgesSince(session, line))
      if (line.imported) await keepImported(session, saved.key, line.imported)
      const merged = old ? 'updated' : 'created'
      return refused.length > 0 || !isSince ? { action: merged, pending: true } : merged
    },

    /** Leaves a task that has changed here since as it is. @throws ApiError conflict if it is gone */
    async relate(session, item) {
      const line = toLine(item)
      const task = await getTask(session, line.id)
      if (!task) throw new ApiError('conflict', 'The task is gone.')
      if (task.revision !== line.revision) return []
      const placed = await withLinePlace(session, line, task).catch(catchApiError)
      const current = placed instanceof ApiError ? task : placed
      const { row, refused } = await withNotesAndBlockers(session, line, current, task.key)
      if (current !== task || row.note_ids !== task.note_ids || row.blocked_by !== task.blocked_by)
        await writer.replace(session, task, row)
      if (line.blocked_by.length > 0) await restoreEdgesSince(session, line)
      return placed instanceof ApiError ? [placed, ...refused] : refused
    },

    finish: (session) => settle(session),
  }
}

async function* readLines(reader: Reader, ids: readonly string[]): AsyncGenerator<TaskLine> {
  const rows = new Map((await listStored(reader, ids)).map((row) => [row.id, row]))
  const keys = [...rows.values()].map(({ key }) => key)
  const edges = Map.groupBy(await listEdgesInIds(reader, keys), ({ dependent }) => dependent)
  for (const id of ids) {
    const row = rows.get(id)
    if (row) yield toTaskLine(row, edges.get(row.key) ?? [])
  }
}

/** Returns ids by level, those of one level in their old order. */
function sortByLevel(tasks: readonly ParentLink[]): string[] {
  const parents = new Map(tasks.map(({ id, parent_id }) => [id, parent_id]))
  const levelOf = ({ parent_id }: ParentLink) => {
    let level = 0
    for (let above = parent_id; above !== null && level < MAX_TASK_LEVELS; above = parents.get(above) ?? null) level++
    return level
  }
  const levels = Map.groupBy(tasks, levelOf)
  return Array.from({ length: MAX_TASK_LEVELS + 1 }, (_, level) => levels.get(level) ?? [])
    .flat()
    .map(({ id }) => id)
}

/**
 * Whether a task at the revision of its line has the relations of the line. It does not if an import ended before its
 * last pass. A task that has been changed here since counts as complete.
 */
async function isRelated(session: Session, line: TaskLine, draft: TaskDraft, old: TaskRow) {
  if (old.updated_at !== draft.updated_at) return true
  const waits = (edges: TaskLine['blocked_by']) => edges.map(({ task_id, since }) => `${task_id} ${since}`).sort()
  const edges = line.blocked_by.length === 0 ? [] : await listEdgesInIds(session, [old.key])
  return (
    isInPlace(line, old) &&
    JSON.stringify(line.note_ids) === old.note_ids &&
    JSON.stringify(waits(line.blocked_by)) === JSON.stringify(waits(edges))
  )
}

/** Whether the task is in the place of its line. A part is always in the project and the section of its parent. */
function isInPlace(line: TaskLine, task: TaskRow): boolean {
  const isHome = task.project_id === line.project_id && task.section_id === line.section_id
  return task.parent_id === line.parent_id && (line.parent_id !== null || isHome)
}

/** Returns the place of a line if all of it exists. Throws invalid_request, parent_cycle, conflict. */
async function findPlace(session: Session, line: TaskLine, old: TaskRow | null) {
  if (line.parent_id === null) return { parent_id: null, ...(await requireHome(session, line)) }
  const isActive = line.deleted_at === null
  const parent = await getTask(session, line.parent_id)
  if (!parent || (isActive && parent.deleted_at !== null))
    throw invalid(
      '/parent_id',
      'unknown_task',
      'parent_id must be the id of a task; outside the trash unless the part is in the trash',
    )
  if (old?.parent_id !== parent.id) await requireRoomForSubtask(session, line.id, parent.id, old !== null, isActive)
  else if (isActive && old.deleted_at !== null) await requireRoomToRestore(session, old)
  return { parent_id: parent.id, project_id: parent.project_id, section_id: parent.section_id }
}

/** Returns the project and the section of a line. Throws invalid_request if `findHome` does not find one of them. */
async function requireHome(session: Session, line: TaskLine) {
  const home = await findHome(session, line)
  for (const member of ['project_id', 'section_id'] as const)
    if (home[member] !== line[member])
      throw invalid(
        `/${member}`,
        `unknown_${member.slice(0, -3)}`,
        `${member} must be the id of one that is not in the trash`,
      )
  return home
}

/** The project and the section of a line if they exist. For a task in the trash they may be in the trash, too. */
async function findHome(session: Session, { project_id, section_id, deleted_at }: TaskLine) {
  const isThere = async (id: string) =>
    deleted_at === null ? hasProject(session, id) : (await projectGroup.store.get(session, id)) !== null
  const homeOf = async (id: string) =>
    deleted_at === null
      ? getProjectOfSection(session, id)
      : ((await sectionGroup.store.get(session, id))?.project_id ?? null)
  const project = project_id !== null && (await isThere(project_id)) ? project_id : null
  const section = section_id !== null && project !== null && (await homeOf(section_id)) === project ? section_id : null
  return { project_id: project, section_id: section }
}

/** Returns the task at its position, or right after the task that has this position here. */
async function withFreePosition<Draft extends TaskDraft>(session: Session, draft: Draft): Promise<Draft> {
  const placed = { ...draft, place: toPlaceKey(draft) }
  return { ...placed, position: await findFreePosition(taskPositions, session, placed) }
}

/** Returns the reasons why a task cannot wait for some blockers: they do not exist, or wait for it themselves. */
async function findBlockerFaults(
  session: Session,
  task: { readonly id: string; readonly key: number | null },
  blockers: readonly string[],
): Promise<Map<string, ApiError>> {
  // Most tasks wait for nothing.
  if (blockers.length === 0) return new Map()
  const present = await getKeysByIds(session, blockers)
  const isNew = task.key === null || present.size === 0
  const dependents = isNew ? [] : await filterDependents(session, task.key, [...present.values()])
  const waiting = new Set(dependents)
  return new Map(
    blockers.flatMap((id, i): [string, ApiError][] => {
      const key = present.get(id)
      if (id === task.id || (key !== undefined && waiting.has(key))) return [[id, createCycleError([])]]
      if (key !== undefined) return []
      return [[id, invalid(`/blocked_by/${i}`, 'unknown_task', 'blocked_by must be ids of tasks')]]
    }),
  )
}

/** Restores `since` of the edges of a task. Returns false if a completion does not exist: that edge starts now. */
async function restoreEdgesSince(session: Session, line: TaskLine): Promise<boolean> {
  const blockers = line.blocked_by.map(({ task_id }) => task_id)
  const keys = await getKeysByIds(session, [line.id, ...blockers])
  const ids = line.blocked_by.flatMap(({ since }) => since ?? [])
  const completions = await getCompletionKeysByIds(session, ids)
  const dependent = keys.get(line.id) ?? 0
  const edges = line.blocked_by.flatMap(({ task_id, since }) => {
    const blocker = keys.get(task_id)
    const completion = since === null ? { key: 0, task: blocker } : completions.get(since)
    return blocker === undefined || completion?.task !== blocker ? [] : { dependent, blocker, since: completion.key }
  })
  await setEdgesSince(session, edges)
  await updateComputed(session, [...keys.values()])
  return edges.length === line.blocked_by.length
}
