import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { changed } from '../../http/responses'
import { readInstant, writeInstant } from '../../http/values'
import { NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { createChangeTasks, type TaskWriter } from '../change-tasks'
import { createOrder } from '../groups/order'
import { checkGroupName, createGroupRecords } from '../groups/records'
import { createSectionRecords } from '../sections/service'
import { createProjectContents, type ProjectTaskKey } from './contents'
import type { CreateProject, ListProjects, Project, TasksTarget, UpdateProject } from './schema'
import { type ProjectRow, projectStore, whereArchived } from './store'

/** The most bytes of UTF-8 of the notes of a project. */
const MAX_PROJECT_NOTES_BYTES = 64 * 1024

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

export interface DeleteOrRestoreProject {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
  /** Where its tasks go. */
  readonly tasks: TasksTarget
}

/** Where the next step continues. `inbox`: all tasks are in the trash, and are being moved out of the project. */
type StepPosition = ProjectTaskKey | 'inbox'

function toStep(changed: number) {
  return changed > 0 ? ({ changed, cursor: 'inbox' } as const) : null
}

export type Projects = ReturnType<typeof createProjects>

export function createProjectRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: projectStore,
    type: 'task_project',
    noun: 'project',
    show: toProject,
  })
}

/** Tasks of a deleted project move to the inbox, or to the trash with it. */
export function createProjects({ now, ids, record, writer }: Deps) {
  const records = createProjectRecords({ now, record })
  const order = createOrder({ store: projectStore, save: records.save })
  const changeTasks = createChangeTasks({ now, writer })
  const contents = createProjectContents({ now, changeTasks, sections: createSectionRecords({ now, record }) })

  const deleteOrRestore: RequestedChange<DeleteOrRestoreProject, Project | undefined, StepPosition> = {
    name: 'task_project',

    async begin(session, { id, what }, precondition) {
      const project = await records.loadAt(session, id, precondition)
      if (what !== 'restore') return contents.hasMany(session, project)
      await records.restore(session, project)
      await contents.restoreSections(session, project)
      return contents.hasManyToRestore(session, project)
    },

    async step(session, { id, what, tasks }, limit, at) {
      const project = await records.find(session, id)
      // A project in the trash stays there, even if it was deleted again while it was being restored.
      if (!project || (what !== 'erase' && project.deleted_at !== null)) return null
      if (what === 'restore')
        return toStep(
          (await contents.restoreTasks(session, project, limit)) || (await contents.moveBack(session, project, limit)),
        )
      if (tasks === 'trash' && at !== 'inbox') {
        const trashed = await contents.trashTasks(session, project, limit, at)
        if (trashed) return trashed
        // Tasks were added to the project after the steps had passed their place.
        if (project.open + project.done > 0) return { changed: 0, cursor: null }
      }
      if (tasks === 'trash' && what === 'trash') return null
      const moved = await contents.moveToInbox(session, project, limit, what === 'trash')
      // Another project may get this id.
      return toStep(moved > 0 || what === 'trash' ? moved : await contents.forgetFormer(session, project, limit))
    },

    async end(session, { id, what }) {
      const project = await records.load(session, id)
      if (what === 'restore') return changed(toProject(project))
      await (what === 'trash' ? contents.trashSections : contents.eraseSections)(session, project)
      await records[what](session, project)
      return NO_CONTENT
    },
  }

  return {
    get: records.get,

    /** Creates a project. Throws conflict if the id or the name is taken, invalid_request. */
    create(session: Session, { id = ids(), ...input }: CreateProject): Promise<Tagged<Project>> {
      const members = { ...checkGroupName(input.name), ...readProjectMembers(input, NEW_PROJECT_MEMBERS) }
      const sized = { ...members, size_bytes: countProjectBytes(members) }
      const draft = { ...newStamps(id, now()), ...sized, position: '' }
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const position = await order.findPosition(inside, draft, input)
        return toProject(await records.insert(inside, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListProjects): Promise<Page<Project>> =>
      records.getPage(session, query, whereArchived(query.archived ?? 'false')),

    /** Applies a merge patch. Throws conflict while it is in the trash, or if the name is taken. */
    async update(session: Session, id: string, patch: UpdateProject, precondition: Precondition = null) {
      const next = async (inside: Session, old: ProjectRow) => {
        refuseTrashed(old, 'project')
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const members = { name, name_key, ...readProjectMembers(patch, old) }
        const position = await order.findPositionAfterUpdate(inside, old, patch)
        return records.save(inside, old, { ...members, position, size_bytes: countProjectBytes(members) })
      }
      return toProject(await records.withRow(session, id, precondition, next))
    },

    /**
     * Moves the project and its sections to the trash, or erases them for good, but never a task; or restores it with
     * all that was deleted with it. Its tasks are moved before it, and restored or moved back after it. Throws conflict if its name
     * has been taken since.
     */
    deleteOrRestore,
  }
}

type Members = Pick<ProjectRow, 'color' | 'notes' | 'archived_at'>

export const NEW_PROJECT_MEMBERS: Members = { color: null, notes: '', archived_at: null }

/** Returns the members after a request; absent ones stay. Throws invalid_request. */
export function readProjectMembers({ color, notes, archived_at }: Omit<UpdateProject, 'name'>, old: Members): Members {
  if (Buffer.byteLength(notes ?? '') > MAX_PROJECT_NOTES_BYTES)
    throw invalid('/notes', 'too_long', `notes must be at most ${MAX_PROJECT_NOTES_BYTES} bytes`)
  return {
    color: color === undefined ? old.color : color,
    notes: notes === undefined ? old.notes : (notes ?? ''),
    archived_at: archived_at ? readInstant(archived_at, '/archived_at') : archived_at === null ? null : old.archived_at,
  }
}

export function countProjectBytes({ name, notes, color }: Pick<ProjectRow, 'name' | 'notes' | 'color'>): number {
  return textBytes(name, notes, color)
}

function toProject(row: ProjectRow): Tagged<Project> {
  const { color, notes, archived_at, position, open, done } = row
  return {
    resource: {
      ...writeStamps(row),
      name: row.name,
      color,
      notes,
      archived_at: archived_at === null ? null : writeInstant(archived_at),
      position,
      open,
      done,
    },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}
