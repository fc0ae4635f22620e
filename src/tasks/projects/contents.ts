import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { type ChangeTasks, changeTrees, createNextPosition, TASKS_PER_TRANSACTION, trashTree } from '../change-tasks'
import { MAX_AFFECTED_TASKS, refuseTooMany } from '../groups/records'
import { type TaskPlace, toPlaceKey } from '../place'
import { countTrashedWith, listTrashedWith } from '../relation-store'
import type { createSectionRecords } from '../sections/service'
import { listSectionsOfProject, type SectionRow } from '../sections/store'
import { getTask, type TaskRow } from '../store'
import { listTasksOfProject, type ProjectRow, type ProjectTask } from './store'

interface Deps extends Pick<Context, 'now'> {
  readonly changeTasks: ChangeTasks
  readonly sections: ReturnType<typeof createSectionRecords>
}

/** The sort key of a project's task after which a step continues. */
export type ProjectTaskKey = Pick<ProjectTask, 'closed' | 'key'>

const INBOX: TaskPlace = { parent_id: null, project_id: null, section_id: null }

/**
 * Creates the functions that move, delete and restore the tasks and sections of a project, about `limit` tasks at a
 * time. `session.db` must be a transaction.
 */
export function createProjectContents({ now, changeTasks, sections }: Deps) {
  /** Lists all sections of a project. Throws too_many_affected. */
  async function listSections({ db, workspace }: Session, { id }: ProjectRow): Promise<SectionRow[]> {
    const rows = await listSectionsOfProject(db, workspace.id, id, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(rows.length)
    return rows
  }

  /** Returns the trash mark that a task gets from its trashed parent; null if it has none. */
  async function findTrashMark({ db, workspace }: Session, { parent_id }: TaskRow): Promise<string | null> {
    const whole = parent_id === null ? null : await getTask(db, workspace.id, parent_id)
    return whole && whole.deleted_at !== null ? (whole.trashed_with ?? whole.id) : null
  }

  return {
    /** Whether the project has more tasks than one transaction changes. */
    async hasMany({ db, workspace }: Session, { id }: ProjectRow): Promise<boolean> {
      return (
        (await listTasksOfProject(db, workspace.id, id, null, TASKS_PER_TRANSACTION + 1)).length > TASKS_PER_TRANSACTION
      )
    },

    /** Whether more tasks were deleted with the project than one transaction restores. */
    async hasManyTrashed({ db, workspace }: Session, project: ProjectRow): Promise<boolean> {
      return (
        (await countTrashedWith(db, workspace.id, toTrashMark(project), TASKS_PER_TRANSACTION)) ===
        TASKS_PER_TRANSACTION
      )
    },

    /**
     * Moves tasks of a project to the end of the inbox, in their order; tasks in the trash leave the project there.
     * Tasks that were deleted with the project are from then on deleted tasks of their own, with their parts.
     * @returns how many tasks were moved
     */
    async moveToInbox(session: Session, project: ProjectRow, limit: number): Promise<number> {
      const next = await createNextPosition(session, toPlaceKey(INBOX))
      const move = (inside: Session, tasks: readonly string[]) =>
        changeTasks(inside, tasks, async (task) => ({
          project_id: null,
          section_id: null,
          ...(task.parent_id === null ? { place: toPlaceKey(INBOX), position: next() } : {}),
          ...(task.trashed_with === toTrashMark(project) ? { trashed_with: await findTrashMark(inside, task) } : {}),
        }))
      const places = (await listSections(session, project)).map(({ id }) => id)
      for (const section_id of [null, ...places]) {
        const place = toPlaceKey({ parent_id: null, project_id: project.id, section_id })
        const changed = await changeTrees(session, place, limit, move)
        if (changed > 0) return changed
      }
      const { db, workspace } = session
      const others = await listTasksOfProject(db, workspace.id, project.id, null, limit)
      const ids = others.map(({ id }) => id)
      await move(session, ids)
      return ids.length
    },

    /** Moves tasks of a project to the trash with it, after the key `after`. Returns null if there are none. */
    async trashTasks(session: Session, project: ProjectRow, limit: number, after: ProjectTaskKey | null) {
      const { db, workspace } = session
      const along = { deleted_at: now(), trashed_with: toTrashMark(project) }
      const trash = (inside: Session, tasks: readonly string[]) => changeTasks(inside, tasks, () => along)
      const tasks = await listTasksOfProject(db, workspace.id, project.id, after, limit)
      if (tasks.length === 0) return null
      let at = after
      let changed = 0
      for (const { id, key, closed } of tasks) {
        if (changed >= limit) break
        // It may have been deleted as a part of an earlier task.
        const isLiving = (await getTask(db, workspace.id, id))?.deleted_at === null
        const tree = isLiving ? await trashTree(session, id, limit - changed, trash) : { changed: 0, isAll: true }
        changed += tree.changed
        if (tree.isAll) at = { key, closed }
      }
      return { changed, cursor: at }
    },

    /** Moves the sections of a project to the trash with it. */
    async trashSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await listSections(session, project))
        if (section.deleted_at === null)
          await sections.save(session, section, { deleted_at: now(), trashed_with: project.id })
    },

    /** Restores the sections that were deleted with the project. */
    async restoreSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await listSections(session, project))
        if (section.trashed_with === project.id)
          await sections.save(session, section, { deleted_at: null, trashed_with: null })
    },

    /**
     * Restores tasks that were deleted with the project. A task that was restored before by itself has its parts with
     * it, so every part has its parent.
     * @returns how many tasks were restored
     */
    async restoreTasks(session: Session, project: ProjectRow, limit: number): Promise<number> {
      const tasks = await listTrashedWith(session.db, session.workspace.id, toTrashMark(project), limit)
      await changeTasks(session, tasks, () => ({ deleted_at: null, trashed_with: null }))
      return tasks.length
    },

    /** Erases the sections of a project for good. */
    async eraseSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await listSections(session, project)) await sections.erase(session, section)
    },
  }
}

/** Returns the `trashed_with` of tasks deleted with a project. The prefix is needed: clients can choose equal ids. */
function toTrashMark({ id }: Pick<ProjectRow, 'id'>): string {
  return `p:${id}`
}
