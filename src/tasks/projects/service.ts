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
import { sectionRecords } from '../sections/service'
import { type Behind, createProjectContents } from './contents'
import type { CreateProject, ListProjects, Project, TasksGo, UpdateProject } from './schema'
import { archivedIs, type ProjectRow, projectStore } from './store'

/** Of the notes of a project, in bytes of UTF-8. */
const NOTES_BYTES = 64 * 1024

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/** What is asked of a project that goes or comes back. */
export interface ProjectChange {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
  /** Where its tasks go with it. */
  readonly tasks: TasksGo
}

/** `inbox`: all tasks are in the trash, and are on their way out of the project. */
type At = Behind | 'inbox'

function counted(changed: number) {
  return changed > 0 ? ({ changed, cursor: 'inbox' } as const) : null
}

export type Projects = ReturnType<typeof createProjects>

/** What projects share with other things that have names. */
export function projectRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: projectStore,
    type: 'task_project',
    noun: 'project',
    show: toProject,
  })
}

/** Projects. Whatever becomes of one, its tasks are somewhere: in the inbox, or in the trash for as long as it is. */
export function createProjects({ now, ids, record, writer }: Deps) {
  const named = projectRecords({ now, record })
  const order = createOrder({ store: projectStore, save: named.save })
  const changeTasks = createChangeTasks({ now, writer })
  const contents = createProjectContents({ now, changeTasks, sections: sectionRecords({ now, record }) })

  const change: RequestedChange<ProjectChange, Project | undefined, At> = {
    name: 'task_project',

    async begin(session, { id, what }, precondition) {
      const project = await named.loadAt(session, id, precondition)
      if (what !== 'restore') return contents.hasMany(session, project)
      await named.restore(session, project)
      await contents.restoreSections(session, project)
      return contents.hasManyAlong(session, project)
    },

    async step(session, { id, what, tasks }, limit, at) {
      const project = await named.find(session, id)
      // One that is in the trash stays as it is, also where it went there again while it was brought back.
      if (!project || (what !== 'erase' && project.deleted_at !== null)) return null
      if (what === 'restore') return counted(await contents.restoreTasks(session, project, limit))
      if (tasks === 'trash' && at !== 'inbox') {
        const trashed = await contents.trashTasks(session, project, limit, at)
        if (trashed) return trashed
        // Some came into it behind the place where this was.
        if (project.open + project.done > 0) return { changed: 0, cursor: null }
      }
      if (tasks === 'trash' && what === 'trash') return null
      return counted(await contents.moveToInbox(session, project, limit))
    },

    async end(session, { id, what }) {
      const project = await named.load(session, id)
      if (what === 'restore') return changed(toProject(project))
      await (what === 'trash' ? contents.trashSections : contents.eraseSections)(session, project)
      await named[what](session, project)
      return NO_CONTENT
    },
  }

  return {
    get: named.get,

    /** Throws conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), ...input }: CreateProject): Promise<Tagged<Project>> {
      const members = { ...checkGroupName(input.name), ...checkedMembers(input, NOTHING) }
      const sized = { ...members, size_bytes: projectBytes(members) }
      const draft = { ...newStamps(id, now()), ...sized, position: '' }
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const position = await order.position(within, draft, input)
        return toProject(await named.insert(within, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListProjects): Promise<Page<Project>> =>
      named.page(session, query, archivedIs(query.archived ?? 'false')),

    /** Applies a merge patch. Throws conflict while it is in the trash, or if the name is taken. */
    async update(session: Session, id: string, patch: UpdateProject, precondition: Precondition = null) {
      const next = async (within: Session, old: ProjectRow) => {
        refuseTrashed(old, 'project')
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const members = { name, name_key, ...checkedMembers(patch, old) }
        const position = await order.changed(within, old, patch)
        return named.save(within, old, { ...members, position, size_bytes: projectBytes(members) })
      }
      return toProject(await named.withRow(session, id, precondition, next))
    },

    /**
     * Moves the project and its sections to the trash, or erases them for good, from the trash or not, but never a task;
     * or brings it back with all that went along. Its tasks go before it and come back behind it. Throws conflict if its
     * name is taken by now.
     */
    change,
  }
}

type Members = Pick<ProjectRow, 'color' | 'notes' | 'archived_at'>

/** What a new project has of them. */
export const NOTHING: Members = { color: null, notes: '', archived_at: null }

/** The members that a request sets, else as they were. Throws invalid_request. */
export function checkedMembers({ color, notes, archived_at }: Omit<UpdateProject, 'name'>, old: Members): Members {
  if (Buffer.byteLength(notes ?? '') > NOTES_BYTES)
    throw invalid('/notes', 'too_long', `notes must be at most ${NOTES_BYTES} bytes`)
  return {
    color: color === undefined ? old.color : color,
    notes: notes === undefined ? old.notes : (notes ?? ''),
    archived_at: archived_at ? readInstant(archived_at, '/archived_at') : archived_at === null ? null : old.archived_at,
  }
}

/** Bytes that a project counts for. */
export function projectBytes({ name, notes, color }: Pick<ProjectRow, 'name' | 'notes' | 'color'>): number {
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
