import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { invalid, refuses } from '../../http/api-error'
import { ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import type { RequestPlugin } from '../../http/request'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { changed, created } from '../../http/responses'
import { closed, Flag, Id, Instant, NoContent, nameSchemas, nullable, Problem, pageOf } from '../../http/schema'
import { readInstant, writeInstant } from '../../http/values'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { createChangeTasks, type TaskWriter } from '../change-tasks'
import { checkGroupName } from '../names-and-positions'
import { createProjectContents, type ProjectTaskKey } from './project-contents'
import { createGroupRecords, createOrder } from './records'
import { Color, GroupName, GroupPosition, groupMembers, groupMove, groupPaging, MERGE_PATCH, OneGroup } from './schema'
import { createSectionRecords } from './sections'
import { type ProjectRow, projectStore, whereArchived } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000b0',
  revision: 2,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
  deleted_at: null,
  name: 'Home',
  color: '#3366cc',
  notes: 'All that the house needs.',
  archived_at: null,
  position: 'a0',
  open: 12,
  done: 30,
}

const count = Type.Integer({ minimum: 0 })
const Notes = t.String({ description: 'Markdown, at most 64 KiB.' })

export const Project = t.Object(
  {
    ...groupMembers,
    color: Color,
    notes: Notes,
    archived_at: nullable(Instant),
    position: GroupPosition,
    open: Type.Integer({ ...count, description: 'Open tasks in it, outside the trash.' }),
    done: Type.Integer({ ...count, description: 'Done or cancelled tasks in it, outside the trash.' }),
  },
  { examples: [example] },
)
const ProjectPage = pageOf(Project)

const writable = {
  color: t.Optional(Color),
  notes: t.Optional(nullable(Notes)),
  archived_at: t.Optional(nullable(Instant)),
  ...groupMove,
}

const CreateProject = t.Object(
  { id: t.Optional(Id), name: GroupName, ...writable },
  { ...closed, examples: [{ id: example.id, name: 'Home', color: '#3366cc' }] },
)

const UpdateProject = t.Object(
  { name: t.Optional(GroupName), ...writable },
  { ...closed, description: MERGE_PATCH, examples: [{ name: 'House', after: null }] },
)

const ListProjects = t.Object(
  { ...groupPaging, archived: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('any')])) },
  closed,
)

const TasksTarget = t.Union([t.Literal('inbox'), t.Literal('trash')], {
  description: 'Where its tasks go: to the `inbox` (the default), or to the `trash` with the project.',
  error: 'must be inbox or trash',
})

const DeleteProject = t.Object({ permanent: t.Optional(Flag), tasks: t.Optional(TasksTarget) }, closed)

type TasksTarget = Static<typeof TasksTarget>
export type Project = Static<typeof Project>
type CreateProject = Static<typeof CreateProject>
type UpdateProject = Static<typeof UpdateProject>
type ListProjects = Static<typeof ListProjects>

/** The most bytes of UTF-8 of the notes of a project. */
const MAX_PROJECT_NOTES_BYTES = 64 * 1024

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

interface DeleteOrRestoreProject {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
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

interface RouteDeps {
  readonly projects: Projects
  readonly deleteOrRestore: ChangeRunner<DeleteOrRestoreProject, Project | undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/projects'

nameSchemas({ Project, ProjectPage, CreateProject, UpdateProject })

export function projectsRoutes({ projects, deleteOrRestore, api }: RouteDeps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Projects and sections'] })
    .use(api)
    .get('', ({ session, query }) => projects.list(session, query), {
      query: ListProjects,
      response: { 200: ProjectPage },
      detail: {
        operationId: 'listProjects',
        ...refuses('invalid_cursor'),
        summary: 'List projects',
        description:
          'By position, without archived projects unless `archived` asks for them. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await projects.create(session, body))), {
      idempotent: true,
      body: CreateProject,
      response: { 201: Project, 409: Problem },
      detail: {
        operationId: 'createProject',
        ...refuses('too_many_affected'),
        summary: 'Create a project',
        description: 'It becomes the last one, unless `after` or `before` is given.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await projects.get(session, params.id)), {
      params: OneGroup,
      response: { 200: Project, 304: NoContent },
      detail: {
        operationId: 'getProject',
        summary: 'Get a project',
        description: 'Also finds projects in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await projects.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateProject,
        response: { 200: Project, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateProject',
          ...refuses('conflict', 'too_many_affected'),
          summary: 'Change a project',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        const order = { id: params.id, what, tasks: query.tasks ?? 'inbox' } as const
        return reply.send(await deleteOrRestore(request, session, order))
      },
      {
        params: OneGroup,
        query: DeleteProject,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteProject',
          ...refuses('too_many_affected'),
          summary: 'Delete a project',
          description:
            'Moves the project and its sections to the trash for 30 days; `permanent=true` erases them immediately. Its tasks move to the end of the inbox, or with `tasks=trash` to the trash. Restoring the project brings them back from both, except those that were moved or restored in between. ' +
            IN_STEPS,
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, session, params, body, reply }) =>
        reply.send(
          await deleteOrRestore<Project>(request, session, { id: params.id, what: 'restore', tasks: 'inbox' }, body),
        ),
      {
        params: OneGroup,
        response: { 200: Project, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreProject',
          ...refuses('too_many_affected'),
          summary: 'Restore a project',
          description: `Brings the project back from the trash, with the sections and tasks that were deleted with it, and the tasks that moved to the inbox then and were not moved since. ${IN_STEPS}`,
        },
      },
    )
}
