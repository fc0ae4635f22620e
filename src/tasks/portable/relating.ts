import type { Session } from '../../db/database'
import { invalid, Refusal } from '../../http/problem'
import { circle } from '../dependencies'
import { placeOf, requireRoom, requireRoomFor } from '../place'
import { edge, hasProject, neighbour, projectOfSection } from '../place-store'
import { between, POSITION_LENGTH } from '../position'
import { projectStore } from '../projects/store'
import { computeTasks, dependentsAmong, setSince } from '../relation-store'
import { sectionStore } from '../sections/store'
import { getTask, type TaskDraft, type TaskRow } from '../store'
import { sized } from '../task'
import type { TaskWriter } from '../writer'
import type { PortableTask } from './schema'
import { completionsOfIds, idAtPosition, keysOfIds, listEdges } from './store'

export interface RelatingDeps {
  readonly writer: TaskWriter
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

interface Related {
  readonly row: TaskDraft
  /** Whether something is not there yet: `relate` must be called once all is in. */
  readonly isPartial: boolean
}

/**
 * How a task stands to others, as far as that can be: what is not there yet is put off, and what is not there then, or
 * cannot be here, is left out and told.
 */
export function createRelating({ writer, missingNotes }: RelatingDeps) {
  async function inPlace(
    session: Session,
    told: PortableTask,
    draft: TaskDraft,
    old: TaskRow | null,
  ): Promise<Related> {
    try {
      const where = await whereTo(session, told, old)
      return { row: await positioned(session, { ...draft, ...where }), isPartial: false }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const home = await homeLeft(session, told)
      return { row: await positioned(session, { ...draft, parent_id: null, ...home }), isPartial: true }
    }
  }

  /** Where the task is told to be, if it is not there and can be. */
  async function moved(session: Session, told: PortableTask, task: TaskRow): Promise<TaskRow> {
    if (isInPlace(told, task)) return task
    const where = await whereTo(session, told, task)
    return positioned(session, { ...task, ...where, position: told.position })
  }

  /** Which of the notes there are, and what is told of the first that there is not. */
  async function notesOf(session: Session, { note_ids }: PortableTask): Promise<Joined> {
    const asked = [...new Set(note_ids)]
    const missing = new Set(await missingNotes(session, asked))
    const [lost] = missing
    const ids = JSON.stringify(asked.filter((id) => !missing.has(id)))
    if (lost === undefined) return { ids, refused: [] }
    const pointer = `/note_ids/${note_ids.indexOf(lost)}`
    return { ids, refused: [invalid(pointer, 'unknown_note', 'note_ids must be ids of notes')] }
  }

  return {
    /** The row with its relations, as far as they can be. */
    async related(session: Session, told: PortableTask, draft: TaskDraft, old: TaskRow | null): Promise<Related> {
      const placed = await inPlace(session, told, draft, old)
      const notes = await notesOf(session, told)
      const blockers = await blockersOf(session, told, old?.key ?? null)
      const isPartial = placed.isPartial || notes.refused.length + blockers.refused.length > 0
      return { row: sized({ ...placed.row, note_ids: notes.ids, blocked_by: blockers.ids }), isPartial }
    },

    since,
    isRelated,

    /**
     * Joins a task that was merged, in the revision that it was told with, to what has come since; what cannot be joined
     * is answered. One that was changed here meanwhile stays as it is.
     * @throws Refusal conflict if it is gone
     */
    async relate(session: Session, told: PortableTask): Promise<Refusal[]> {
      const { db, workspace } = session
      const task = await getTask(db, workspace.id, told.id)
      if (!task) throw new Refusal('conflict', 'The task is gone.')
      if (task.revision !== told.revision) return []
      const refused: Refusal[] = []
      const placed = await moved(session, told, task).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        refused.push(error)
        return task
      })
      const notes = await notesOf(session, told)
      // All at once: one by one, each of fifty would count anew what all the others hold up.
      const blockers = await blockersOf(session, told, task.key)
      const isJoined = placed === task && notes.ids === task.note_ids && blockers.ids === task.blocked_by
      if (!isJoined) {
        const joined = { ...placed, note_ids: notes.ids, blocked_by: blockers.ids }
        await writer.save(session, task, sized(joined))
      }
      if (told.blocked_by.length > 0) await since(session, told)
      return [...refused, ...notes.refused, ...blockers.refused]
    },
  }
}

/**
 * Whether a task that is here in the revision told has the relations that it is told with. It has not where an import
 * ended before its last pass; but one that was changed here meanwhile is as it should be.
 */
async function isRelated({ db, workspace }: Session, told: PortableTask, draft: TaskDraft, old: TaskRow) {
  if (old.updated_at !== draft.updated_at) return true
  const waits = (edges: readonly { task_id: string; since: string | null }[]) =>
    edges.map(({ task_id, since }) => `${task_id} ${since}`).sort()
  const edges = told.blocked_by.length === 0 ? [] : await listEdges(db, workspace.id, [old.key])
  return (
    isInPlace(told, old) &&
    JSON.stringify(told.note_ids) === old.note_ids &&
    JSON.stringify(waits(told.blocked_by)) === JSON.stringify(waits(edges))
  )
}

/** A part is where its whole is, whatever is told of that. */
function isInPlace(told: PortableTask, task: TaskRow): boolean {
  const isHome = task.project_id === told.project_id && task.section_id === told.section_id
  return task.parent_id === told.parent_id && (told.parent_id !== null || isHome)
}

/** Those that there are, as the row has them, and why the others are not among them. */
interface Joined {
  readonly ids: string
  readonly refused: readonly Refusal[]
}

/** What the task can wait for of what it is told to. @param key of the task; null if it is not here yet */
async function blockersOf(session: Session, told: PortableTask, key: number | null): Promise<Joined> {
  const asked = [...new Set(told.blocked_by.map(({ task_id }) => task_id))]
  const faults = await faultsOf(session, { id: told.id, key }, asked)
  return { ids: JSON.stringify(asked.filter((id) => !faults.has(id))), refused: [...faults.values()] }
}

/** Where the task is to be, all of it being there. Throws invalid_request, parent_cycle, conflict. */
async function whereTo(session: Session, told: PortableTask, old: TaskRow | null) {
  if (told.parent_id === null) return { parent_id: null, ...(await requireHome(session, told)) }
  const living = told.deleted_at === null
  const parent = await getTask(session.db, session.workspace.id, told.parent_id)
  if (!parent || (living && parent.deleted_at !== null))
    throw invalid('/parent_id', 'unknown_task', 'parent_id must be the id of a task, for a living one of a living one')
  if (old?.parent_id !== parent.id) await requireRoom(session, told.id, parent.id, old !== null, living)
  else if (living && old.deleted_at !== null) await requireRoomFor(session, old)
  return { parent_id: parent.id, project_id: parent.project_id, section_id: parent.section_id }
}

/** The project and the section of a task. Throws invalid_request if one is not there, or in the trash for a living task. */
async function requireHome(session: Session, told: PortableTask) {
  const home = await homeLeft(session, told)
  for (const member of ['project_id', 'section_id'] as const)
    if (home[member] !== told[member])
      throw invalid(`/${member}`, `unknown_${member.slice(0, -3)}`, `${member} must be of one that is not in the trash`)
  return home
}

/** What of the project and the section there is; a task in the trash may be in one that is there, too. */
async function homeLeft({ db, workspace }: Session, { project_id, section_id, deleted_at }: PortableTask) {
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
  const there = { ...draft, place: placeOf(draft) }
  if ((await idAtPosition(db, workspace.id, there)) === null) return there
  const { place, id, position } = there
  const behind = between(position, await neighbour(db, workspace.id, place, id, position, 'below'))
  if (behind.length <= POSITION_LENGTH) return { ...there, position: behind }
  return { ...there, position: between(await edge(db, workspace.id, place, id, 'last'), null) }
}

/** Why a task cannot wait for those of the others that it cannot wait for: they are not there, or wait for it in turn. */
async function faultsOf(
  { db, workspace }: Session,
  task: { readonly id: string; readonly key: number | null },
  asked: readonly string[],
): Promise<Map<string, Refusal>> {
  // Most tasks wait for nothing.
  if (asked.length === 0) return new Map()
  const present = await keysOfIds(db, workspace.id, asked)
  const dependents =
    task.key === null || present.size === 0
      ? []
      : await dependentsAmong(db, workspace.id, task.key, [...present.values()])
  const waiting = new Set(dependents)
  return new Map(
    asked.flatMap((id, i): [string, Refusal][] => {
      const key = present.get(id)
      if (id === task.id || (key !== undefined && waiting.has(key))) return [[id, circle([])]]
      if (key !== undefined) return []
      return [[id, invalid(`/blocked_by/${i}`, 'unknown_task', 'blocked_by must be ids of tasks')]]
    }),
  )
}

/** Says since when the edges of a task count. False if a completion is not there: such an edge begins now. */
async function since({ db, workspace }: Session, told: PortableTask): Promise<boolean> {
  const blockers = told.blocked_by.map(({ task_id }) => task_id)
  const keys = await keysOfIds(db, workspace.id, [told.id, ...blockers])
  const named = told.blocked_by.flatMap(({ since }) => since ?? [])
  const completions = await completionsOfIds(db, workspace.id, named)
  const dependent = keys.get(told.id) ?? 0
  const edges = told.blocked_by.flatMap(({ task_id, since }) => {
    const blocker = keys.get(task_id)
    const completion = since === null ? { key: 0, task: blocker } : completions.get(since)
    return blocker === undefined || completion?.task !== blocker ? [] : { dependent, blocker, since: completion.key }
  })
  await setSince(db, workspace.id, edges)
  await computeTasks(db, workspace.id, [...keys.values()])
  return edges.length === told.blocked_by.length
}
