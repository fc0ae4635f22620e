import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { createChangeTasks, type TaskWriter } from '../change-tasks'
import { getRestorePatch, placeTask } from '../place'
import { type Inconsistency, listInconsistent } from '../place-store'
import { createSectionRecords } from '../sections/service'
import { getTask } from '../store'

/** Tasks or sections that one step changes. */
const ROWS_PER_STEP = 20

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/**
 * Repairs some rows; returns true while there may be more. `session.db` must be a transaction.
 * @param only the inconsistency to repair; all if absent
 */
export type RepairPlaces = (session: Session, only?: Inconsistency) => Promise<boolean>

/**
 * Creates the repair that follows an import: tasks and sections that are not in the file may be in projects or below
 * tasks that it moved or deleted. None is lost: a section follows its project into the trash, a task outside the trash
 * moves where restoring would put it, and parts follow their parent.
 */
export function createRepairPlaces({ now, record, writer }: Deps): RepairPlaces {
  const changeTasks = createChangeTasks({ now, writer })
  const sections = createSectionRecords({ now, record })

  async function trashSection(session: Session, id: string): Promise<void> {
    const section = await sections.load(session, id)
    await sections.save(session, section, { deleted_at: now(), trashed_with: section.project_id })
  }

  const moveToParentPlace = (session: Session, id: string) =>
    changeTasks(session, [id], async ({ parent_id }) => {
      const whole = await getTask(session.db, session.workspace.id, parent_id ?? '')
      return whole ? { project_id: whole.project_id, section_id: whole.section_id } : {}
    })

  const moveToRemainingPlace = (session: Session, id: string) =>
    changeTasks(session, [id], async (task) => placeTask(session, task, await getRestorePatch(session, task), true))

  const clearTrashMark = (session: Session, id: string) => changeTasks(session, [id], () => ({ trashed_with: null }))

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
      const ids = await listInconsistent(session.db, session.workspace.id, what, ROWS_PER_STEP)
      for (const id of ids) await work(session, id)
      if (ids.length > 0) return true
    }
    return false
  }
}
