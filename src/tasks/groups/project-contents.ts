import type { Context, Session } from '../../db/database'
import {
  changeTrees,
  createNextPosition,
  MAX_AFFECTED_TASKS,
  refuseTooMany,
  TASKS_PER_TRANSACTION,
  type TaskWriter,
  trashTree,
} from '../change-tasks'
import { type TaskPlace, toPlaceKey } from '../place'
import {
  forgetFormerTasks,
  getProjectOfSection,
  listFormerTasks,
  listTasksOfProject,
  type ProjectTask,
} from '../place-store'
import { countDescendants, countTrashedWith, listDescendants, listTrashedWith } from '../relation-store'
import { getTask, NO_FORMER_PLACE, type TaskRow } from '../store'
import { listSectionsOfProject, type SectionRow, type sectionGroup } from './sections'

interface Project {
  readonly id: string
}

interface Deps extends Pick<Context, 'now'> {
  readonly writer: TaskWriter
  readonly sections: ReturnType<typeof sectionGroup.createRecords>
}

/** The sort key of a project's task after which a step continues. */
export type ProjectTaskKey = Pick<ProjectTask, 'closed' | 'key'>

const INBOX: TaskPlace = { parent_id: null, project_id: null, section_id: null }

/** Each handles about `limit` tasks at a time. `session.db` must be a transaction. */
export function createProjectContents({ now, writer: { changeAll }, sections }: Deps) {
  /** Lists all sections of a project. Throws too_many_affected. */
  async function listSections(session: Session, { id }: Project): Promise<SectionRow[]> {
    const rows = await listSectionsOfProject(session, id, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(rows.length)
    return rows
  }

  /** Returns the trash mark that a task gets from its trashed parent; null if it has none. */
  async function findTrashMark(session: Session, { parent_id }: TaskRow): Promise<string | null> {
    const whole = parent_id === null ? null : await getTask(session, parent_id)
    return whole && whole.deleted_at !== null ? (whole.trashed_with ?? whole.id) : null
  }

  return {
    /** Whether the project has, or had, more tasks than one transaction changes. */
    async hasMany(session: Session, { id }: Project): Promise<boolean> {
      const most = TASKS_PER_TRANSACTION + 1
      return (
        (await listTasksOfProject(session, id, null, most)).length === most ||
        (await listFormerTasks(session, id, most)).length === most
      )
    },

    /** Whether more tasks were deleted with the project, or moved to the inbox then, than one transaction restores. */
    async hasManyToRestore(session: Session, project: Project): Promise<boolean> {
      const most = TASKS_PER_TRANSACTION
      let count = await countTrashedWith(session, toTrashMark(project), most)
      for (const id of await listFormerTasks(session, project.id, most)) {
        if (count >= most) break
        count += 1 + (await countDescendants(session, id, most))
      }
      return count >= most
    },

    /**
     * Moves tasks of a project to the end of the inbox, in their order; tasks in the trash leave the project there.
     * Tasks that were deleted with the project are from then on deleted tasks of their own, with their parts.
     * @param remember whether restoring the project brings them back, unless they have been moved by then
     * @returns how many tasks were moved
     */
    async moveToInbox(session: Session, project: Project, limit: number, remember: boolean): Promise<number> {
      const next = await createNextPosition(session, toPlaceKey(INBOX))
      const move = (inside: Session, tasks: readonly string[]) =>
        changeAll(inside, tasks, async (task) => ({
          project_id: null,
          section_id: null,
          ...(task.parent_id === null ? { place: toPlaceKey(INBOX), position: next() } : {}),
          ...(task.parent_id === null && remember
            ? { former_project_id: task.project_id, former_section_id: task.section_id }
            : NO_FORMER_PLACE),
          ...(task.trashed_with === toTrashMark(project) ? { trashed_with: await findTrashMark(inside, task) } : {}),
        }))
      const places = (await listSections(session, project)).map(({ id }) => id)
      for (const section_id of [null, ...places]) {
        const place = toPlaceKey({ parent_id: null, project_id: project.id, section_id })
        const changed = await changeTrees(session, place, limit, move)
        if (changed > 0) return changed
      }
      const others = await listTasksOfProject(session, project.id, null, limit)
      const ids = others.map(({ id }) => id)
      await move(session, ids)
      return ids.length
    },

    /** Moves tasks of a project to the trash with it, after the key `after`. Returns null if there are none. */
    async trashTasks(session: Session, project: Project, limit: number, after: ProjectTaskKey | null) {
      const along = { deleted_at: now(), trashed_with: toTrashMark(project) }
      const trash = (inside: Session, tasks: readonly string[]) => changeAll(inside, tasks, () => along)
      const tasks = await listTasksOfProject(session, project.id, after, limit)
      if (tasks.length === 0) return null
      let at = after
      let changed = 0
      for (const { id, key, closed } of tasks) {
        if (changed >= limit) break
        // It may have been deleted as a part of an earlier task.
        const isLiving = (await getTask(session, id))?.deleted_at === null
        const tree = isLiving ? await trashTree(session, id, limit - changed, trash) : { changed: 0, isAll: true }
        changed += tree.changed
        if (tree.isAll) at = { key, closed }
      }
      return { changed, cursor: at }
    },

    async trashSections(session: Session, project: Project): Promise<void> {
      for (const section of await listSections(session, project))
        if (section.deleted_at === null)
          await sections.save(session, section, { deleted_at: now(), trashed_with: project.id })
    },

    async restoreSections(session: Session, project: Project): Promise<void> {
      for (const section of await listSections(session, project))
        if (section.trashed_with === project.id)
          await sections.save(session, section, { deleted_at: null, trashed_with: null })
    },

    /** A task that was restored before has its parts with it, so every part has its parent. @returns how many */
    async restoreTasks(session: Session, project: Project, limit: number): Promise<number> {
      const tasks = await listTrashedWith(session, toTrashMark(project), limit)
      await changeAll(session, tasks, () => ({ deleted_at: null, trashed_with: null }))
      return tasks.length
    },

    /**
     * Moves tasks back into the project that its deletion moved to the inbox, after those that are in it by now. What
     * was in a section that is gone goes into the project itself.
     * @returns how many tasks were moved
     */
    async moveBack(session: Session, project: Project, limit: number): Promise<number> {
      const ends = new Map<string, () => string>()
      let moved = 0
      for (const id of await listFormerTasks(session, project.id, limit)) {
        if (moved >= limit) break
        const section = (await getTask(session, id))?.former_section_id ?? null
        const isThere = section !== null && (await getProjectOfSection(session, section)) === project.id
        const section_id = isThere ? section : null
        const home = { project_id: project.id, section_id }
        const place = toPlaceKey({ parent_id: null, ...home })
        const next = ends.get(place) ?? (await createNextPosition(session, place))
        ends.set(place, next)
        await changeAll(session, [id], () => ({ ...home, ...NO_FORMER_PLACE, place, position: next() }))
        const below = await listDescendants(session, id)
        const parts = below.map((part) => part.id)
        await changeAll(session, parts, () => home)
        moved += 1 + parts.length
      }
      return moved
    },

    /** Makes tasks stay in the inbox for good that the deletion of the project moved there. Returns how many. */
    forgetFormer: (session: Session, { id }: Project, limit: number): Promise<number> =>
      forgetFormerTasks(session, id, limit),

    async eraseSections(session: Session, project: Project): Promise<void> {
      for (const section of await listSections(session, project)) await sections.erase(session, section)
    },
  }
}

/** Returns the `trashed_with` of tasks deleted with a project. The prefix is needed: clients can choose equal ids. */
function toTrashMark({ id }: Project): string {
  return `p:${id}`
}
