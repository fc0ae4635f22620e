import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { createChangeTasks, type TaskWriter } from '../change-tasks'
import { getRestorePatch, placeTask } from '../place'
import { type Inconsistency, listInconsistent } from '../place-store'
import { createSectionRecords } from '../sections/service'
import { getTask } from '../store'

/** Tasks, or sections, that a step changes. */
const ROWS_PER_STEP = 20

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/**
 * Does some of what is to be put in order; true while there may be more. `session.db` must be a transaction.
 * @param only what of it, if not all
 */
export type RepairPlaces = (session: Session, only?: Inconsistency) => Promise<boolean>

/**
 * Puts in order what an import and its workspace made of each other: here are tasks and sections that the file knows
 * nothing of, in projects and below tasks that it moved or trashed. None is lost: a section goes into the trash with its
 * project, a living task goes where it would go when it came back from the trash, parts follow what they are parts of.
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

  /** In this order: parts follow a whole, and are what is unsettled next, until none has any. */
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
