import type { Session } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import { createChangeTasks } from '../named/affected'
import { placed, placeLeft } from '../place'
import { namedSections } from '../sections/service'
import { getTask } from '../store'
import type { TaskWriter } from '../writer'
import { listUnsettled } from './store'

export interface SettleDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/** Tasks, or sections, that a step changes. */
const SETTLED_AT_ONCE = 20

/**
 * Brings in order what two workspaces made of each other: here are tasks and sections that the archive knows nothing of,
 * in projects and wholes that it moved or trashed. None is lost: a section goes into the trash with its project, a living
 * task goes where it would go when it came back from the trash, parts follow their wholes. Where an archive told the
 * whole truth there is nothing to do. Does some of it; true while there may be more. `session.db` must be a transaction.
 */
export function createSettle({ now, record, writer }: SettleDeps) {
  const changeTasks = createChangeTasks({ now, writer })
  const sections = namedSections({ now, record })

  async function trashSection(session: Session, id: string): Promise<void> {
    const section = await sections.require(session, id)
    await sections.save(session, section, { deleted_at: now(), trashed_with: section.project_id })
  }

  async function followWhole(session: Session, id: string): Promise<void> {
    await changeTasks(session, [id], async ({ parent_id }) => {
      const whole = await getTask(session.db, session.workspace.id, parent_id ?? '')
      return whole ? { project_id: whole.project_id, section_id: whole.section_id } : {}
    })
  }

  const house = (session: Session, id: string) =>
    changeTasks(session, [id], async (task) => placed(session, task, await placeLeft(session, task), true))

  const forgetEntry = (session: Session, id: string) => changeTasks(session, [id], () => ({ trashed_with: null }))

  /** In this order: parts follow a whole, and are what is unsettled next, until none has any. */
  const works = { sections: trashSection, elsewhere: followWhole, homeless: house, astray: forgetEntry } as const

  return async (session: Session): Promise<boolean> => {
    for (const [what, work] of Object.entries(works)) {
      const ids = await listUnsettled(session.db, session.workspace.id, what as keyof typeof works, SETTLED_AT_ONCE)
      for (const id of ids) await work(session, id)
      if (ids.length > 0) return true
    }
    return false
  }
}
