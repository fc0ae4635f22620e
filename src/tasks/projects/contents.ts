import type { Session } from '../../db/database'
import { type ChangeTasks, MAX_AFFECTED, positionsBehind, refuseTooMany } from '../named/affected'
import { type Place, placeOf } from '../place'
import type { namedSections } from '../sections/service'
import { type SectionRow, sectionsOfProject } from '../sections/store'
import { type HeldTask, type ProjectRow, tasksAlongWith, tasksOfProject } from './store'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly changeTasks: ChangeTasks
  readonly sections: ReturnType<typeof namedSections>
}

const INBOX: Place = { parent_id: null, project_id: null, section_id: null }

/**
 * What becomes of the tasks and sections of a project that goes or comes back. `session.db` must be a transaction; all
 * throw too_many_affected.
 */
export function createContents({ now, changeTasks, sections }: Deps) {
  const tasksOf = (session: Session, { id }: ProjectRow) => within(tasksOfProject, session, id)
  const sectionsOf = (session: Session, { id }: ProjectRow) => within(sectionsOfProject, session, id)

  return {
    /**
     * Moves the tasks of a project behind what is in the inbox, in their order; those in the trash lose it there. What
     * went into the trash with the project is from then on a task with its parts.
     */
    async moveToInbox(session: Session, project: ProjectRow): Promise<void> {
      const tasks = await tasksOf(session, project)
      const wholes = wholesAmong(tasks.filter(({ trashed_with }) => trashed_with === markOf(project)))
      const next = await positionsBehind(session, placeOf(INBOX))
      await changeTasks(session, ids(tasks), (task) => ({
        project_id: null,
        section_id: null,
        ...(task.parent_id === null ? { place: placeOf(INBOX), position: next() } : {}),
        ...(task.trashed_with === markOf(project) ? { trashed_with: wholes(task) } : {}),
      }))
    },

    /** Moves the living tasks of a project to the trash with it. */
    async trashTasks(session: Session, project: ProjectRow): Promise<void> {
      const tasks = (await tasksOf(session, project)).filter(({ deleted_at }) => deleted_at === null)
      const along = { deleted_at: now(), trashed_with: markOf(project) }
      await changeTasks(session, ids(tasks), () => along)
    },

    /** Moves the living sections of a project to the trash with it. */
    async trashSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await sectionsOf(session, project))
        if (section.deleted_at === null)
          await sections.save(session, section, { deleted_at: now(), trashed_with: project.id })
    },

    /**
     * Brings back what went along with the project: its sections and its tasks. A task that came back by itself before took
     * its parts with it, so no part is left without its whole.
     */
    async bringBack(session: Session, project: ProjectRow): Promise<void> {
      const along = (section: SectionRow) => section.trashed_with === project.id
      for (const section of (await sectionsOf(session, project)).filter(along))
        await sections.save(session, section, { deleted_at: null, trashed_with: null })
      const tasks = await within(tasksAlongWith, session, markOf(project))
      await changeTasks(session, ids(tasks), () => ({ deleted_at: null, trashed_with: null }))
    },

    /** Erases the sections of a project for good. */
    async eraseSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await sectionsOf(session, project)) await sections.erase(session, section)
    },
  }
}

/** Tasks that went into the trash with a project carry this. Its id alone might be that of a task, too: clients choose ids. */
function markOf({ id }: Pick<ProjectRow, 'id'>): string {
  return `p:${id}`
}

/** All that hangs on a project. Throws too_many_affected. */
async function within<Row>(
  list: (db: Session['db'], workspace: Session['workspace']['id'], id: string, limit: number) => Promise<Row[]>,
  { db, workspace }: Session,
  of: string,
): Promise<Row[]> {
  const rows = await list(db, workspace.id, of, MAX_AFFECTED + 1)
  refuseTooMany(rows.length)
  return rows
}

/** The id of the topmost of these tasks above one of them; null if none is above it. */
function wholesAmong(tasks: readonly HeldTask[]) {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  return ({ parent_id }: Pick<HeldTask, 'parent_id'>): string | null => {
    let top: string | null = null
    for (let whole = byId.get(parent_id ?? ''); whole; whole = byId.get(whole.parent_id ?? '')) top = whole.id
    return top
  }
}

function ids(tasks: readonly HeldTask[]): string[] {
  return tasks.map(({ id }) => id)
}
