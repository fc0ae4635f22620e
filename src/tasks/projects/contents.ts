import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { type ChangeTasks, changeTrees, MANY_TASKS, positionsBehind, trashTree } from '../change-tasks'
import { MAX_AFFECTED_TASKS, refuseTooMany } from '../groups/records'
import { placeKey, type TaskPlace } from '../place'
import { countTrashedWith, trashedWith } from '../relation-store'
import type { sectionRecords } from '../sections/service'
import { type SectionRow, sectionsOfProject } from '../sections/store'
import { getTask, type TaskRow } from '../store'
import { type HeldTask, type ProjectRow, tasksOfProject } from './store'

interface Deps extends Pick<Context, 'now'> {
  readonly changeTasks: ChangeTasks
  readonly sections: ReturnType<typeof sectionRecords>
}

/** A task of a project behind which a step goes on. */
export type Behind = Pick<HeldTask, 'closed' | 'key'>

const INBOX: TaskPlace = { parent_id: null, project_id: null, section_id: null }

/**
 * What becomes of the tasks and sections of a project that goes or comes back, about `limit` tasks at a time. `session.db`
 * must be a transaction.
 */
export function createProjectContents({ now, changeTasks, sections }: Deps) {
  /** All sections of a project. Throws too_many_affected. */
  async function sectionsOf({ db, workspace }: Session, { id }: ProjectRow): Promise<SectionRow[]> {
    const rows = await sectionsOfProject(db, workspace.id, id, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(rows.length)
    return rows
  }

  /** The task that takes one along in the trash, where it went there with the project; null if none does. */
  async function entryAbove({ db, workspace }: Session, { parent_id }: TaskRow): Promise<string | null> {
    const whole = parent_id === null ? null : await getTask(db, workspace.id, parent_id)
    return whole && whole.deleted_at !== null ? (whole.trashed_with ?? whole.id) : null
  }

  return {
    /** Whether more tasks are in the project than one transaction changes. */
    async hasMany({ db, workspace }: Session, { id }: ProjectRow): Promise<boolean> {
      return (await tasksOfProject(db, workspace.id, id, null, MANY_TASKS + 1)).length > MANY_TASKS
    },

    /** Whether more tasks went along with the project than one transaction brings back. */
    async hasManyAlong({ db, workspace }: Session, project: ProjectRow): Promise<boolean> {
      return (await countTrashedWith(db, workspace.id, markOf(project), MANY_TASKS)) === MANY_TASKS
    },

    /**
     * Moves tasks of a project behind what is in the inbox, in their order; those in the trash lose it there. What went
     * into the trash with the project is from then on a task with its parts.
     */
    async moveToInbox(session: Session, project: ProjectRow, limit: number): Promise<number> {
      const next = await positionsBehind(session, placeKey(INBOX))
      const move = (within: Session, tasks: readonly string[]) =>
        changeTasks(within, tasks, async (task) => ({
          project_id: null,
          section_id: null,
          ...(task.parent_id === null ? { place: placeKey(INBOX), position: next() } : {}),
          ...(task.trashed_with === markOf(project) ? { trashed_with: await entryAbove(within, task) } : {}),
        }))
      const places = (await sectionsOf(session, project)).map(({ id }) => id)
      for (const section_id of [null, ...places]) {
        const place = placeKey({ parent_id: null, project_id: project.id, section_id })
        const changed = await changeTrees(session, place, limit, move)
        if (changed > 0) return changed
      }
      const { db, workspace } = session
      const others = await tasksOfProject(db, workspace.id, project.id, null, limit)
      const ids = others.map(({ id }) => id)
      await move(session, ids)
      return ids.length
    },

    /** Moves living tasks of a project to the trash with it, those behind one. Null: there are none. */
    async trashTasks(session: Session, project: ProjectRow, limit: number, after: Behind | null) {
      const { db, workspace } = session
      const along = { deleted_at: now(), trashed_with: markOf(project) }
      const trash = (within: Session, tasks: readonly string[]) => changeTasks(within, tasks, () => along)
      const tasks = await tasksOfProject(db, workspace.id, project.id, after, limit)
      if (tasks.length === 0) return null
      let at = after
      let changed = 0
      for (const { id, key, closed } of tasks) {
        if (changed >= limit) break
        // It may have gone as a part of the one before.
        const isLiving = (await getTask(db, workspace.id, id))?.deleted_at === null
        const tree = isLiving ? await trashTree(session, id, limit - changed, trash) : { changed: 0, isAll: true }
        changed += tree.changed
        if (tree.isAll) at = { key, closed }
      }
      return { changed, cursor: at }
    },

    /** Moves the living sections of a project to the trash with it. */
    async trashSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await sectionsOf(session, project))
        if (section.deleted_at === null)
          await sections.save(session, section, { deleted_at: now(), trashed_with: project.id })
    },

    /** Brings back the sections that went along with the project. */
    async restoreSections(session: Session, project: ProjectRow): Promise<void> {
      for (const section of await sectionsOf(session, project))
        if (section.trashed_with === project.id)
          await sections.save(session, section, { deleted_at: null, trashed_with: null })
    },

    /**
     * Brings back tasks that went along with the project. A task that came back by itself before took its parts with it, so
     * no part is left without its whole.
     */
    async restoreTasks(session: Session, project: ProjectRow, limit: number): Promise<number> {
      const tasks = await trashedWith(session.db, session.workspace.id, markOf(project), limit)
      await changeTasks(session, tasks, () => ({ deleted_at: null, trashed_with: null }))
      return tasks.length
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
