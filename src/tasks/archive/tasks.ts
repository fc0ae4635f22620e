import type { ArchivedType, ReadQueries } from '../../archive/archived-type'
import type { Reserve } from '../../db/change-feed'
import type { Session, WorkspaceId } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { createValidator } from '../../http/validation'
import { createKeepImported } from '../calendar/import-item'
import type { Settle } from '../calendar/settle'
import { listParts, listStored, type ParentLink } from '../calendar/store'
import type { TaskWriter } from '../change-tasks'
import { completionsOfIds } from '../completions/store'
import { POSITION_LENGTH, positionBetween } from '../groups/order'
import { MAX_TASK_LEVELS, placeKey, requireRoomForSubtask, requireRoomToReturn } from '../place'
import { edge, hasProject, idAtPosition, neighbour, projectOfSection } from '../place-store'
import { projectStore } from '../projects/store'
import { computeTasks, dependentsAmong, listEdges, setSince } from '../relation-store'
import { sectionStore } from '../sections/store'
import { circle } from '../service'
import { getTask, keysOfIds, type TaskDraft, type TaskRow } from '../store'
import { withSize } from '../task'
import { TaskLine, taskLine, taskRow } from './task-lines'

/** Tasks that are read at a time: 4 MiB of notes at most. */
const READ = 64

const toLine = createValidator(TaskLine, 'the task')

interface Deps {
  readonly writer: TaskWriter
  readonly reserve: Reserve
  readonly settle: Settle
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** What a task has of its relations, as the row keeps it, and why it has no more. */
interface Related {
  readonly row: TaskDraft
  readonly refused: readonly ApiError[]
}

/**
 * Tasks with all that is stored of them but what is computed; those above come before their parts. A relation to what is
 * not there yet is left to `relate`; what is not there then, or cannot be here, is left out and reported.
 */
export function archivedTasks({ writer, reserve, settle, missingNotes }: Deps): ArchivedType {
  const keepImported = createKeepImported(reserve)

  /** The row with its notes and what it waits for, as far as they can be. */
  async function joined<Row extends TaskDraft>(session: Session, line: TaskLine, row: Row, key: number | null) {
    const asked = [...new Set(line.note_ids)]
    const missing = new Set(await missingNotes(session, asked))
    const [lost] = missing
    const refused: ApiError[] = []
    if (lost !== undefined)
      refused.push(invalid(`/note_ids/${line.note_ids.indexOf(lost)}`, 'unknown_note', 'note_ids must be ids of notes'))
    const blockers = [...new Set(line.blocked_by.map(({ task_id }) => task_id))]
    // All at once: one by one, each of fifty would recount what all the others hold up.
    const faults = await faultsOf(session, { id: line.id, key }, blockers)
    const note_ids = JSON.stringify(asked.filter((id) => !missing.has(id)))
    const blocked_by = JSON.stringify(blockers.filter((id) => !faults.has(id)))
    return { row: withSize({ ...row, note_ids, blocked_by }), refused: [...refused, ...faults.values()] }
  }

  /** The row in its place, or what is left of that, and with its other relations. */
  async function related(session: Session, line: TaskLine, draft: TaskDraft, old: TaskRow | null): Promise<Related> {
    const where = await whereTo(session, line, old).catch(refusalOf)
    const home = where instanceof ApiError ? { parent_id: null, ...(await homeLeft(session, line)) } : where
    const { row, refused } = await joined(
      session,
      line,
      await positioned(session, { ...draft, ...home }),
      old?.key ?? null,
    )
    return { row, refused: where instanceof ApiError ? [where, ...refused] : refused }
  }

  /** Where the line puts the task, if it is not there and can be. */
  async function moved(session: Session, line: TaskLine, task: TaskRow): Promise<TaskRow> {
    if (isInPlace(line, task)) return task
    return positioned(session, { ...task, ...(await whereTo(session, line, task)), position: line.position })
  }

  return {
    type: 'task',

    async *items(db, workspace) {
      const ids = levelByLevel(await listParts(db, workspace))
      for (let i = 0; i < ids.length; i += READ) yield* linesOf(db, workspace, ids.slice(i, i + READ))
    },

    async merge(session, item) {
      const line = toLine(item)
      const draft = taskRow(line)
      const old = await getTask(session.db, session.workspace.id, line.id)
      if (old && old.revision >= line.revision) {
        const isWhole = old.revision > line.revision || (await isRelated(session, line, draft, old))
        return isWhole ? 'unchanged' : { action: 'unchanged', pending: true }
      }
      const { row, refused } = await related(session, line, draft, old)
      const saved = old
        ? await writer.replace(session, old, { ...old, ...row, created_at: old.created_at })
        : await writer.insert(session, row)
      const isSince = line.blocked_by.length === 0 || (await since(session, line))
      if (line.imported) await keepImported(session, saved.key, line.imported)
      const merged = old ? 'updated' : 'created'
      return refused.length > 0 || !isSince ? { action: merged, pending: true } : merged
    },

    /** A task that was changed here meanwhile stays as it is. @throws ApiError conflict if it is gone */
    async relate(session, item) {
      const line = toLine(item)
      const task = await getTask(session.db, session.workspace.id, line.id)
      if (!task) throw new ApiError('conflict', 'The task is gone.')
      if (task.revision !== line.revision) return []
      const placed = await moved(session, line, task).catch(refusalOf)
      const stays = placed instanceof ApiError ? task : placed
      const { row, refused } = await joined(session, line, stays, task.key)
      if (stays !== task || row.note_ids !== task.note_ids || row.blocked_by !== task.blocked_by)
        await writer.replace(session, task, row)
      if (line.blocked_by.length > 0) await since(session, line)
      return placed instanceof ApiError ? [placed, ...refused] : refused
    },

    finish: (session) => settle(session),
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

async function* linesOf(db: ReadQueries, workspace: WorkspaceId, ids: readonly string[]): AsyncGenerator<TaskLine> {
  const rows = new Map((await listStored(db, workspace, ids)).map((row) => [row.id, row]))
  const keys = [...rows.values()].map(({ key }) => key)
  const edges = Map.groupBy(await listEdges(db, workspace, keys), ({ dependent }) => dependent)
  for (const id of ids) {
    const row = rows.get(id)
    if (row) yield taskLine(row, edges.get(row.key) ?? [])
  }
}

/** Ids level by level, in each as they were. */
function levelByLevel(tasks: readonly ParentLink[]): string[] {
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
 * Whether a task that is here in the revision of its line has the relations of the line. It has not where an import ended
 * before its last pass; but one that was changed here meanwhile is as it should be.
 */
async function isRelated({ db, workspace }: Session, line: TaskLine, draft: TaskDraft, old: TaskRow) {
  if (old.updated_at !== draft.updated_at) return true
  const waits = (edges: TaskLine['blocked_by']) => edges.map(({ task_id, since }) => `${task_id} ${since}`).sort()
  const edges = line.blocked_by.length === 0 ? [] : await listEdges(db, workspace.id, [old.key])
  return (
    isInPlace(line, old) &&
    JSON.stringify(line.note_ids) === old.note_ids &&
    JSON.stringify(waits(line.blocked_by)) === JSON.stringify(waits(edges))
  )
}

/** A part is where its whole is, whatever its line says. */
function isInPlace(line: TaskLine, task: TaskRow): boolean {
  const isHome = task.project_id === line.project_id && task.section_id === line.section_id
  return task.parent_id === line.parent_id && (line.parent_id !== null || isHome)
}

/** Where the task is to be, all of it being there. Throws invalid_request, parent_cycle, conflict. */
async function whereTo(session: Session, line: TaskLine, old: TaskRow | null) {
  if (line.parent_id === null) return { parent_id: null, ...(await requireHome(session, line)) }
  const living = line.deleted_at === null
  const parent = await getTask(session.db, session.workspace.id, line.parent_id)
  if (!parent || (living && parent.deleted_at !== null))
    throw invalid('/parent_id', 'unknown_task', 'parent_id must be the id of a task, for a living one of a living one')
  if (old?.parent_id !== parent.id) await requireRoomForSubtask(session, line.id, parent.id, old !== null, living)
  else if (living && old.deleted_at !== null) await requireRoomToReturn(session, old)
  return { parent_id: parent.id, project_id: parent.project_id, section_id: parent.section_id }
}

/** The project and the section of a task. Throws invalid_request if one is not there, or in the trash for a living task. */
async function requireHome(session: Session, line: TaskLine) {
  const home = await homeLeft(session, line)
  for (const member of ['project_id', 'section_id'] as const)
    if (home[member] !== line[member])
      throw invalid(`/${member}`, `unknown_${member.slice(0, -3)}`, `${member} must be of one that is not in the trash`)
  return home
}

/** What of the project and the section there is; a task in the trash may be in one that is there, too. */
async function homeLeft({ db, workspace }: Session, { project_id, section_id, deleted_at }: TaskLine) {
  const isThere = async (id: string) =>
    deleted_at === null ? hasProject(db, workspace.id, id) : (await projectStore.get(db, workspace.id, id)) !== null
  const homeOf = async (id: string) =>
    deleted_at === null
      ? projectOfSection(db, workspace.id, id)
      : ((await sectionStore.get(db, workspace.id, id))?.project_id ?? null)
  const project = project_id !== null && (await isThere(project_id)) ? project_id : null
  const section = section_id !== null && project !== null && (await homeOf(section_id)) === project ? section_id : null
  return { project_id: project, section_id: section }
}

/** The task at its position, or right behind what has that here. */
async function positioned<Draft extends TaskDraft>(session: Session, draft: Draft): Promise<Draft> {
  const { db, workspace } = session
  const there = { ...draft, place: placeKey(draft) }
  if ((await idAtPosition(db, workspace.id, there)) === null) return there
  const { place, id, position } = there
  const behind = positionBetween(position, await neighbour(db, workspace.id, place, id, position, 'below'))
  if (behind.length <= POSITION_LENGTH) return { ...there, position: behind }
  return { ...there, position: positionBetween(await edge(db, workspace.id, place, id, 'last'), null) }
}

/** Why a task cannot wait for those of the others that it cannot wait for: they are not there, or wait for it in turn. */
async function faultsOf(
  { db, workspace }: Session,
  task: { readonly id: string; readonly key: number | null },
  asked: readonly string[],
): Promise<Map<string, ApiError>> {
  // Most tasks wait for nothing.
  if (asked.length === 0) return new Map()
  const present = await keysOfIds(db, workspace.id, asked)
  const isNew = task.key === null || present.size === 0
  const dependents = isNew ? [] : await dependentsAmong(db, workspace.id, task.key, [...present.values()])
  const waiting = new Set(dependents)
  return new Map(
    asked.flatMap((id, i): [string, ApiError][] => {
      const key = present.get(id)
      if (id === task.id || (key !== undefined && waiting.has(key))) return [[id, circle([])]]
      if (key !== undefined) return []
      return [[id, invalid(`/blocked_by/${i}`, 'unknown_task', 'blocked_by must be ids of tasks')]]
    }),
  )
}

/** Says since when the edges of a task count. False if a completion is not there: such an edge begins now. */
async function since({ db, workspace }: Session, line: TaskLine): Promise<boolean> {
  const blockers = line.blocked_by.map(({ task_id }) => task_id)
  const keys = await keysOfIds(db, workspace.id, [line.id, ...blockers])
  const ids = line.blocked_by.flatMap(({ since }) => since ?? [])
  const completions = await completionsOfIds(db, workspace.id, ids)
  const dependent = keys.get(line.id) ?? 0
  const edges = line.blocked_by.flatMap(({ task_id, since }) => {
    const blocker = keys.get(task_id)
    const completion = since === null ? { key: 0, task: blocker } : completions.get(since)
    return blocker === undefined || completion?.task !== blocker ? [] : { dependent, blocker, since: completion.key }
  })
  await setSince(db, workspace.id, edges)
  await computeTasks(db, workspace.id, [...keys.values()])
  return edges.length === line.blocked_by.length
}
