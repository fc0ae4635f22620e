import type { RecordChange } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { type ItemPlace, readPlace } from '../../lib/ical/members'
import { titleKey } from '../../lib/text'
import type { TaskWriter } from '../change-tasks'
import { findGroups } from '../filter/names-store'
import type { Projects } from '../groups/projects'
import { type Sections, sectionGroup } from '../groups/sections'
import { getRestorePatch, placeTask } from '../place'
import { type Inconsistency, listInconsistent } from '../place-store'
import { getTask, type TaskRow } from '../store'
import type { TodoItem } from './item'
import { getPlaceNames } from './store'

/** The projects and sections that files name. */

/** A project and a section, and how many of each were created for it. */
interface FoundPlace {
  readonly project_id: string | null
  readonly section_id: string | null
  readonly counts: Readonly<Record<string, number>>
}

/** Creates what is missing, in the transaction `session.db`. @param fallback if the file names none; null: the inbox */
export type FindOrCreatePlace = (
  session: Session,
  place: ItemPlace | null,
  fallback: string | null,
) => Promise<FoundPlace>

export function createFindOrCreatePlace({
  projects,
  sections,
}: {
  readonly projects: Pick<Projects, 'create'>
  readonly sections: Pick<Sections, 'create'>
}): FindOrCreatePlace {
  return async (session, place, fallback) => {
    const counts: Record<string, number> = {}
    const keys = (name?: string | null) => (name == null ? [] : [titleKey(name)])
    const found = await findGroups(session, { project: keys(place?.project), section: keys(place?.section) })
    const find = (project_id: string | null, name: string) =>
      found.find((one) => one.project_id === project_id && one.name_key === titleKey(name))?.id
    const create = async (type: string, made: Promise<{ readonly resource: { readonly id: string } }>) => {
      counts[type] = 1
      return (await made).resource.id
    }
    const name = place?.project ?? null
    const project_id =
      name === null
        ? fallback
        : (find(null, name) ?? (await create('task_project', projects.create(session, { name }))))
    const section = place?.section ?? null
    if (section === null || project_id === null) return { project_id, section_id: null, counts }
    const section_id =
      find(project_id, section) ??
      (await create('task_section', sections.create(session, { project_id, name: section })))
    return { project_id, section_id, counts }
  }
}

/** A move of a task by its file; null is the inbox. */
interface Move {
  readonly to: ItemPlace | null
  /** Whether the owner has moved the task, too, since the last import. */
  readonly isConflict: boolean
}

/**
 * Returns the move that a file made since its last import. A file that never named a place moves nothing, nor one of
 * another program that has dropped the names. A part is where its parent is.
 * @param lastRest the lines that the last import kept; null if there was none
 */
export async function findMove(
  session: Session,
  task: TaskRow,
  { parent_uid, revision, rest }: TodoItem,
  lastRest: string | null,
): Promise<Move | null> {
  const [before, to] = [readPlace(lastRest ?? ''), readPlace(rest)]
  const isSilent = lastRest === null || (to === null && revision === null)
  if (isSilent || parent_uid !== null || task.parent_id !== null || isSamePlace(before, to)) return null
  const present = await getPlaceNames(session, task.key)
  return isSamePlace(present, to) ? null : { to, isConflict: !isSamePlace(present, before) }
}

/** Compares places by name. One without a project is in the project of the import, whichever that was. */
function isSamePlace(a: ItemPlace | null, b: ItemPlace | null): boolean {
  if (a === null || b === null) return a === b
  const isSame = (one: string | null, other: string | null) => titleKey(one ?? '') === titleKey(other ?? '')
  return (a.project === null || b.project === null || isSame(a.project, b.project)) && isSame(a.section, b.section)
}

/** Tasks or sections that one step changes. */
const ROWS_PER_STEP = 20

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/** Returns true while there may be more. `session.db` must be a transaction. @param only all if absent */
export type RepairPlaces = (session: Session, only?: Inconsistency) => Promise<boolean>

/**
 * Creates the repair that follows an import: tasks and sections that are not in the file may be in projects or below
 * tasks that it moved or deleted. None is lost: a section follows its project into the trash, a task outside the trash
 * moves where restoring would put it, and parts follow their parent.
 */
export function createRepairPlaces({ now, record, writer }: Deps): RepairPlaces {
  const { changeAll } = writer
  const sections = sectionGroup.createRecords({ now, record })

  async function trashSection(session: Session, id: string): Promise<void> {
    const section = await sections.load(session, id)
    await sections.save(session, section, { deleted_at: now(), trashed_with: section.project_id })
  }

  const moveToParentPlace = (session: Session, id: string) =>
    changeAll(session, [id], async ({ parent_id }) => {
      const whole = await getTask(session, parent_id ?? '')
      return whole ? { project_id: whole.project_id, section_id: whole.section_id } : {}
    })

  const moveToRemainingPlace = (session: Session, id: string) =>
    changeAll(session, [id], async (task) => placeTask(session, task, await getRestorePatch(session, task), true))

  const clearTrashMark = (session: Session, id: string) => changeAll(session, [id], () => ({ trashed_with: null }))

  /** In this order: parts that were moved to their parent may have parts to move next. */
  const repairs: readonly [Inconsistency, typeof moveToParentPlace][] = [
    ['sectionsOfTrashedProjects', trashSection],
    ['partsOutsideParentPlace', moveToParentPlace],
    ['tasksInTrashedPlaces', moveToRemainingPlace],
    ['staleTrashMarks', clearTrashMark],
  ]

  return async (session, only) => {
    for (const [what, work] of repairs) {
      if (only !== undefined && what !== only) continue
      const ids = await listInconsistent(session, what, ROWS_PER_STEP)
      for (const id of ids) await work(session, id)
      if (ids.length > 0) return true
    }
    return false
  }
}
