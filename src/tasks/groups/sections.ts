import { Elysia, type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Bindings, Context, Queries, Session, WorkspaceId } from '../../db/database'
import { ApiError, invalid, refuses } from '../../http/api-error'
import { ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import type { RequestPlugin } from '../../http/request'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { changed, created } from '../../http/responses'
import { closed, Id, NoContent, nameSchemas, Problem, pageOf } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import {
  changeTrees,
  createChangeTasks,
  createNextPosition,
  TASKS_PER_TRANSACTION,
  type TaskWriter,
} from '../change-tasks'
import { checkGroupName } from '../names-and-positions'
import { toPlaceKey } from '../place'
import { hasProject } from '../place-store'
import { createGroupRecords, createOrder } from './records'
import {
  DeleteGroup,
  GroupName,
  GroupPosition,
  groupMembers,
  groupMove,
  groupPaging,
  MERGE_PATCH,
  OneGroup,
} from './schema'
import { createGroupStore, type GroupRow } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000c0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  project_id: '01980000-0000-7000-8000-0000000000b0',
  name: 'Kitchen',
  position: 'a0',
}

export const TaskSection = t.Object(
  { ...groupMembers, project_id: Id, position: GroupPosition },
  { examples: [example] },
)
const TaskSectionPage = pageOf(TaskSection)

const CreateSection = t.Object(
  { id: t.Optional(Id), project_id: Id, name: GroupName, ...groupMove },
  { ...closed, examples: [{ project_id: example.project_id, name: 'Garden' }] },
)

const UpdateSection = t.Object(
  { name: t.Optional(GroupName), ...groupMove },
  { ...closed, description: MERGE_PATCH, examples: [{ name: 'Cellar', after: null }] },
)

const ListSections = t.Object(
  { ...groupPaging, project_id: t.Optional(t.String({ description: 'Only the sections of this project.' })) },
  closed,
)

export type TaskSection = Static<typeof TaskSection>
type CreateSection = Static<typeof CreateSection>
type UpdateSection = Static<typeof UpdateSection>
type ListSections = Static<typeof ListSections>

/** A row of `task_sections`: instants are milliseconds. */
export interface SectionRow extends GroupRow {
  readonly project_id: string
  /** The id of its project, if the section went to the trash together with it. */
  readonly trashed_with: string | null
  readonly position: string
}

export const sectionStore = createGroupStore<SectionRow>({
  table: 'task_sections',
  columns: ['project_id', 'trashed_with', 'position'],
  computed: [],
  order: ['project_id', 'position', 'id'],
  scope: 'project_id',
})

function whereProject(project: string | undefined) {
  return (bind: Bindings) => (project === undefined ? '' : `AND project_id = ${bind.add(project)}`)
}

/** Lists the sections of a project by position, including those in the trash. */
export function listSectionsOfProject(
  db: Queries,
  workspace: WorkspaceId,
  project: string,
  limit: number,
): Promise<SectionRow[]> {
  return db.all<SectionRow>(
    `SELECT ${sectionStore.columns} FROM task_sections WHERE workspace = $1 AND project_id = $2
     ORDER BY position, id LIMIT $3`,
    [workspace, project, limit],
  )
}

/** Counts the tasks in a section, in the trash or not, up to `limit`. */
async function countTasksInSection(
  db: Queries,
  workspace: WorkspaceId,
  { id }: SectionRow,
  limit: number,
): Promise<number> {
  const sql =
    'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE workspace = $1 AND section_id = $2 LIMIT $3) AS listed'
  return (await db.get<{ n: number }>(sql, [workspace, id, limit]))?.n ?? 0
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

interface DeleteSectionParams {
  readonly id: string
  readonly what: 'trash' | 'erase'
}

export type Sections = ReturnType<typeof createSections>

export function createSectionRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: sectionStore,
    type: 'task_section',
    noun: 'section',
    show: toSection,
  })
}

/** A section never changes its project. When it is deleted, its tasks stay in the project. */
export function createSections({ now, ids, record, writer }: Deps) {
  const records = createSectionRecords({ now, record })
  const changeTasks = createChangeTasks({ now, writer })
  const order = createOrder({ store: sectionStore, save: records.save })

  /** Moves tasks of a section, in the trash or not, after the other tasks of its project. Returns how many. */
  async function moveTasksOut(session: Session, { id, project_id }: SectionRow, limit: number): Promise<number> {
    const place = toPlaceKey({ parent_id: null, section_id: null, project_id })
    const next = await createNextPosition(session, place)
    return changeTrees(session, toPlaceKey({ parent_id: null, section_id: id, project_id }), limit, (inside, tasks) =>
      changeTasks(inside, tasks, ({ parent_id }) =>
        parent_id === null ? { section_id: null, place, position: next() } : { section_id: null },
      ),
    )
  }

  const deleteSection: RequestedChange<DeleteSectionParams, undefined> = {
    name: 'task_section',

    async begin(session, { id }, precondition) {
      const section = await records.loadAt(session, id, precondition)
      return (
        (await countTasksInSection(session.db, session.workspace.id, section, TASKS_PER_TRANSACTION + 1)) >
        TASKS_PER_TRANSACTION
      )
    },

    async step(session, { id, what }, limit) {
      const section = await records.find(session, id)
      if (!section || (what === 'trash' && section.deleted_at !== null)) return null
      const changed = await moveTasksOut(session, section, limit)
      return changed > 0 ? { changed, cursor: null } : null
    },

    async end(session, { id, what }) {
      await records[what](session, await records.load(session, id))
      return NO_CONTENT
    },
  }

  return {
    get: records.get,

    /** Creates a section. Throws invalid_request for an unknown project, conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), project_id, name, ...move }: CreateSection): Promise<Tagged<TaskSection>> {
      const checked = {
        ...newStamps(id, now()),
        ...checkGroupName(name),
        project_id,
        trashed_with: null,
        position: '',
      }
      const draft = { ...checked, size_bytes: textBytes(checked.name) }
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (!(await hasProject(db, session.workspace.id, project_id)))
          throw invalid(
            '/project_id',
            'unknown_project',
            'project_id must be the id of a project that is not in the trash',
          )
        const position = await order.findPosition(inside, draft, move)
        return toSection(await records.insert(inside, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListSections): Promise<Page<TaskSection>> =>
      records.getPage(session, query, whereProject(query.project_id)),

    /** Applies a merge patch. Throws conflict while the section is in the trash, or if its name is taken in the project. */
    async update(session: Session, id: string, patch: UpdateSection, precondition: Precondition = null) {
      const next = async (inside: Session, old: SectionRow) => {
        refuseTrashed(old, 'section')
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const position = await order.findPositionAfterUpdate(inside, old, patch)
        return records.save(inside, old, { name, name_key, position, size_bytes: textBytes(name) })
      }
      return toSection(await records.withRow(session, id, precondition, next))
    },

    /** Moves the section to the trash, or erases it for good; its tasks stay in the project. */
    deleteSection,

    /** Restores the section, empty: its former tasks stay in the project. Throws conflict if its name is taken, or its project is in the trash. */
    async restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<TaskSection>> {
      const next = async (inside: Session, section: SectionRow) => {
        if (!(await hasProject(inside.db, session.workspace.id, section.project_id)))
          throw new ApiError('conflict', 'The project of the section is in the trash. Restore the project first.')
        return records.restore(inside, section)
      }
      return toSection(await records.withRow(session, id, precondition, next))
    },
  }
}

function toSection(row: SectionRow): Tagged<TaskSection> {
  const { project_id, position } = row
  return { resource: { ...writeStamps(row), name: row.name, project_id, position }, etag: writeEtag(row.revision) }
}

interface RouteDeps {
  readonly sections: Sections
  readonly deleteSection: ChangeRunner<DeleteSectionParams, undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/sections'

nameSchemas({ TaskSection, TaskSectionPage, CreateSection, UpdateSection })

export function sectionsRoutes({ sections, deleteSection, api }: RouteDeps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Projects and sections'] })
    .use(api)
    .get('', ({ session, query }) => sections.list(session, query), {
      query: ListSections,
      response: { 200: TaskSectionPage },
      detail: {
        operationId: 'listSections',
        ...refuses('invalid_cursor'),
        summary: 'List sections',
        description: 'By project and position. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await sections.create(session, body))), {
      idempotent: true,
      body: CreateSection,
      response: { 201: TaskSection, 409: Problem },
      detail: {
        operationId: 'createSection',
        ...refuses('too_many_affected'),
        summary: 'Create a section',
        description: 'It becomes the last one, unless `after` or `before` is given.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await sections.get(session, params.id)), {
      params: OneGroup,
      response: { 200: TaskSection, 304: NoContent },
      detail: {
        operationId: 'getSection',
        summary: 'Get a section',
        description: 'Also finds sections in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await sections.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateSection,
        response: { 200: TaskSection, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateSection',
          ...refuses('conflict', 'too_many_affected'),
          summary: 'Change a section',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await deleteSection(request, session, { id: params.id, what }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteSection',
          summary: 'Delete a section',
          description: `Moves the section to the trash for 30 days; \`permanent=true\` erases it immediately. Its tasks stay in the project. ${IN_STEPS}`,
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await sections.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: TaskSection, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreSection',
          summary: 'Restore a section',
          description: 'Brings the section back from the trash, without tasks. Its project must not be in the trash.',
        },
      },
    )
}
