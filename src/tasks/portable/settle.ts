import type { Session } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import { createChangeTasks } from '../named/affected'
import { LEVELS, placed, placeLeft } from '../place'
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

/**
 * Brings in order what two workspaces made of each other: here are tasks and sections that the archive knows nothing of,
 * in projects and wholes that it moved or trashed. None is lost: a section goes into the trash with its project, a living
 * task goes where it would go when it came back from the trash, parts follow their wholes. Where an archive told the
 * whole truth there is nothing to do. `session.db` must be a transaction.
 */
export function createSettle({ now, record, writer }: SettleDeps) {
  const changeTasks = createChangeTasks({ now, writer })
  const sections = namedSections({ now, record })

  async function trashSections(session: Session): Promise<void> {
    for (const id of await listUnsettled(session.db, session.workspace.id, 'sections')) {
      const section = await sections.require(session, id)
      await sections.save(session, section, { deleted_at: now(), trashed_with: section.project_id })
    }
  }

  async function houseTasks(session: Session): Promise<void> {
    const ids = await listUnsettled(session.db, session.workspace.id, 'homeless')
    await changeTasks(session, ids, async (task) => placed(session, task, await placeLeft(session, task), true))
  }

  /** Does something with what is unsettled, whose parts may be so next: level by level, that comes to an end. */
  async function levelByLevel(
    session: Session,
    what: 'elsewhere' | 'astray',
    work: (ids: readonly string[]) => Promise<void>,
  ): Promise<void> {
    for (let level = 0; level <= LEVELS; level++) {
      const ids = await listUnsettled(session.db, session.workspace.id, what)
      if (ids.length === 0) return
      await work(ids)
    }
  }

  const followWholes = (session: Session) =>
    levelByLevel(session, 'elsewhere', (ids) =>
      changeTasks(session, ids, async ({ parent_id }) => {
        const whole = await getTask(session.db, session.workspace.id, parent_id ?? '')
        return whole ? { project_id: whole.project_id, section_id: whole.section_id } : {}
      }),
    )

  return async (session: Session): Promise<void> => {
    await trashSections(session)
    await followWholes(session)
    await houseTasks(session)
    await followWholes(session)
    await levelByLevel(session, 'astray', (ids) => changeTasks(session, ids, () => ({ trashed_with: null })))
  }
}
