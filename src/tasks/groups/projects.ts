import { Type as t } from '@sinclair/typebox'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { derived, int, text } from '../../db/table'
import type { RequestPlugin } from '../../http/api'
import { changed } from '../../http/responses'
import { Instant, nullable } from '../../http/schema'
import { readOptional, writeOptional } from '../../http/values'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { inSteps, removalOf } from '../../resources/operations'
import type { ListQuery } from '../../resources/resource'
import type { TaskWriter } from '../change-tasks'
import { checkNotes } from '../task'
import { Color, createGroupTable, declareGroup, GroupPosition } from './group'
import { createProjectContents, type ProjectTaskKey } from './project-contents'
import { sectionGroup } from './sections'

const count = t.Integer({ minimum: 0 })
const Notes = t.String({ description: 'Markdown, at most 64 KiB.' })
const TasksTarget = t.Union([t.Literal('inbox'), t.Literal('trash')], {
  description: 'Where its tasks go: to the `inbox` (the default), or to the `trash` with the project.',
  error: 'must be inbox or trash',
})

export const projectGroup = declareGroup({
  type: 'task_project',
  noun: 'project',
  names: ['Project', 'Project'],
  path: '/api/tasks/projects',
  tag: 'Projects and sections',
  table: createGroupTable('task_projects', {
    ...{ color: text<string | null>(), notes: text(), archived_at: int<number | null>(), position: text() },
    computed_revision: derived<number>(),
    /** Counts of its tasks outside the trash: open, and closed (`done`). */
    ...{ open: derived<number>(), done: derived<number>() },
  }),
  order: ['position', 'id'],
  scope: null,
  texts: ['name', 'notes', 'color'],
  shown: {
    color: Color,
    notes: Notes,
    archived_at: nullable(Instant),
    position: GroupPosition,
    open: t.Integer({ ...count, description: 'Open tasks in it, outside the trash.' }),
    done: t.Integer({ ...count, description: 'Done or cancelled tasks in it, outside the trash.' }),
  },
  show: ({ color, notes, archived_at, position, open, done }) => ({
    ...{ color, notes, archived_at: writeOptional(archived_at), position, open, done },
  }),
  once: {},
  settable: {
    color: t.Optional(Color),
    notes: t.Optional(nullable(Notes)),
    archived_at: t.Optional(nullable(Instant)),
  },

  read(_, { color, notes, archived_at }, old) {
    checkNotes(notes ?? '')
    return {
      color: color === undefined ? (old?.color ?? null) : color,
      notes: notes === undefined ? (old?.notes ?? '') : (notes ?? ''),
      archived_at: archived_at === undefined ? (old?.archived_at ?? null) : readOptional(archived_at, '/archived_at'),
    }
  },

  filters: { archived: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('any')])) },
  removal: { tasks: t.Optional(TasksTarget) },
  refused: { remove: ['too_many_affected'] },
  examples: {
    shown: {
      id: '01980000-0000-7000-8000-0000000000b0',
      revision: 2,
      updated_at: '2026-03-02T09:30:00.000Z',
      name: 'Home',
      color: '#3366cc',
      notes: 'All that the house needs.',
      archived_at: null,
      position: 'a0',
      open: 12,
      done: 30,
    },
    create: { id: '01980000-0000-7000-8000-0000000000b0', name: 'Home', color: '#3366cc' },
    update: { name: 'House', after: null },
  },
  notes: {
    list: 'By position, without archived projects unless `archived` asks for them.',
    remove:
      'Moves the project and its sections to the trash for 30 days; `permanent=true` erases them immediately. Its tasks move to the end of the inbox, or with `tasks=trash` to the trash. Restoring the project brings them back from both, except those that were moved or restored in between.',
    restore:
      'Brings the project back from the trash, with the sections and tasks that were deleted with it, and the tasks that moved to the inbox then and were not moved since.',
  },
})

const ARCHIVED = { false: 'AND archived_at IS NULL', true: 'AND archived_at IS NOT NULL', any: '' }

export type Project = ReturnType<typeof projectGroup.show>['resource']

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

interface DeleteOrRestoreProject {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
  readonly tasks: 'inbox' | 'trash'
}

/** Where the next step continues. `inbox`: all tasks are in the trash, and are being moved out of the project. */
type StepPosition = ProjectTaskKey | 'inbox'

function toStep(changed: number) {
  return changed > 0 ? ({ changed, cursor: 'inbox' } as const) : null
}

export type Projects = ReturnType<typeof createProjects>

/** Tasks of a deleted project move to the inbox, or to the trash with it. */
export function createProjects({ writer, ...deps }: Deps) {
  const service = projectGroup.createService(deps)
  const { records } = service
  const contents = createProjectContents({ ...deps, writer, sections: sectionGroup.createRecords(deps) })

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
      if (what === 'restore') return changed(projectGroup.show(project))
      await (what === 'trash' ? contents.trashSections : contents.eraseSections)(session, project)
      await records[what](session, project)
      return NO_CONTENT
    },
  }

  return {
    ...service,

    list: (session: Session, query: ListQuery & { readonly archived?: keyof typeof ARCHIVED }) =>
      service.list(session, query, () => ARCHIVED[query.archived ?? 'false']),

    /**
     * Moves the project and its sections to the trash, or erases them for good, but never a task; or restores it with
     * all that was deleted with it. Its tasks are moved before it, and restored or moved back after it. Throws conflict
     * if its name has been taken since.
     */
    deleteOrRestore,
  }
}

interface RouteDeps {
  readonly projects: Projects
  readonly deleteOrRestore: ChangeRunner<DeleteOrRestoreProject, Project | undefined>
  readonly api: RequestPlugin
}

export function projectsRoutes({ projects, deleteOrRestore, api }: RouteDeps) {
  return projectGroup.routes({
    api,
    service: projects,
    own: {
      remove: inSteps(({ request, session, params: { id }, query }) => {
        const { tasks = 'inbox' }: { readonly tasks?: 'inbox' | 'trash' } = query
        return deleteOrRestore(request, session, { id, what: removalOf(query), tasks })
      }),
      restore: inSteps(({ request, session, params: { id }, body }) =>
        deleteOrRestore(request, session, { id, what: 'restore', tasks: 'inbox' }, body),
      ),
    },
  })
}
