import { t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Bindings, Context, Session } from '../../db/database'
import { type RowOf, text } from '../../db/table'
import type { RequestPlugin } from '../../http/api'
import { ApiError } from '../../http/api-error'
import type { Precondition } from '../../http/responses'
import { Id } from '../../http/schema'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { inSteps, removalOf } from '../../resources/operations'
import type { ListQuery } from '../../resources/resource'
import { changeTrees, createNextPosition, TASKS_PER_TRANSACTION, type TaskWriter } from '../change-tasks'
import { requireProject, toPlaceKey } from '../place'
import { hasProject } from '../place-store'
import { createGroupTable, declareGroup, GroupPosition } from './group'

const sectionTable = createGroupTable('task_sections', {
  project_id: text(),
  /** The id of its project, if the section went to the trash together with it. */
  trashed_with: text<string | null>(),
  position: text(),
})

export type SectionRow = RowOf<typeof sectionTable>

const project_id = '01980000-0000-7000-8000-0000000000b0'

/** A section never changes its project. */
export const sectionGroup = declareGroup({
  type: 'task_section',
  noun: 'section',
  names: ['Section', 'TaskSection'],
  path: '/api/tasks/sections',
  tag: 'Projects and sections',
  table: sectionTable,
  order: ['project_id', 'position', 'id'],
  scope: 'project_id',
  texts: ['name'],
  shown: { project_id: Id, position: GroupPosition },
  show: ({ project_id, position }) => ({ project_id, position }),
  once: { project_id: Id },
  settable: {},

  async read(session, input, old) {
    const project_id = old?.project_id ?? input.project_id ?? ''
    if (old === null) await requireProject(session, project_id)
    return { project_id, trashed_with: old?.trashed_with ?? null }
  },

  filters: { project_id: t.Optional(t.String({ description: 'Only the sections of this project.' })) },
  examples: {
    shown: { id: '01980000-0000-7000-8000-0000000000c0', project_id, name: 'Kitchen', position: 'a0' },
    create: { project_id, name: 'Garden' },
    update: { name: 'Cellar', after: null },
  },
  notes: {
    list: 'By project and position.',
    remove:
      'Moves the section to the trash for 30 days; `permanent=true` erases it immediately. Its tasks stay in the project.',
    restore: 'Brings the section back from the trash, without tasks. Its project must not be in the trash.',
  },
})

export type TaskSection = ReturnType<typeof sectionGroup.show>['resource']

function whereProject(project: string | undefined) {
  return (bind: Bindings) => (project === undefined ? '' : `AND project_id = ${bind.add(project)}`)
}

/** Lists the sections of a project by position, including those in the trash. */
export function listSectionsOfProject(
  { db, workspace }: Session,
  project: string,
  limit: number,
): Promise<SectionRow[]> {
  return db.all<SectionRow>(
    `SELECT ${sectionTable.columns} FROM task_sections WHERE workspace = $1 AND project_id = $2
     ORDER BY position, id LIMIT $3`,
    [workspace.id, project, limit],
  )
}

/** Counts the tasks in a section, in the trash or not, up to `limit`. */
async function countTasksInSection({ db, workspace }: Session, { id }: SectionRow, limit: number): Promise<number> {
  const sql =
    'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE workspace = $1 AND section_id = $2 LIMIT $3) AS listed'
  return (await db.get<{ n: number }>(sql, [workspace.id, id, limit]))?.n ?? 0
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

interface DeleteSection {
  readonly id: string
  readonly what: 'trash' | 'erase'
}

export type Sections = ReturnType<typeof createSections>

/** When a section is deleted, its tasks stay in the project. */
export function createSections({ writer, ...deps }: Deps) {
  const service = sectionGroup.createService(deps)
  const { records } = service

  /** Moves tasks of a section, in the trash or not, after the other tasks of its project. Returns how many. */
  async function moveTasksOut(session: Session, { id, project_id }: SectionRow, limit: number): Promise<number> {
    const place = toPlaceKey({ parent_id: null, section_id: null, project_id })
    const next = await createNextPosition(session, place)
    return changeTrees(session, toPlaceKey({ parent_id: null, section_id: id, project_id }), limit, (inside, tasks) =>
      writer.changeAll(inside, tasks, ({ parent_id }) =>
        parent_id === null ? { section_id: null, place, position: next() } : { section_id: null },
      ),
    )
  }

  const deleteSection: RequestedChange<DeleteSection, undefined> = {
    name: 'task_section',

    async begin(session, { id }, precondition) {
      const section = await records.loadAt(session, id, precondition)
      return (await countTasksInSection(session, section, TASKS_PER_TRANSACTION + 1)) > TASKS_PER_TRANSACTION
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
    ...service,

    list: (session: Session, query: ListQuery & { readonly project_id?: string }) =>
      service.list(session, query, whereProject(query.project_id)),

    /** Moves the section to the trash, or erases it for good; its tasks stay in the project. */
    deleteSection,

    /** Its former tasks stay in the project. Throws conflict if its name is taken, or its project is in the trash. */
    restore(session: Session, id: string, precondition: Precondition = null) {
      return records.withRow(session, id, precondition, async (inside, section) => {
        if (!(await hasProject(inside, section.project_id)))
          throw new ApiError('conflict', 'The project of the section is in the trash. Restore the project first.')
        return sectionGroup.show(await records.restore(inside, section))
      })
    },
  }
}

interface RouteDeps {
  readonly sections: Sections
  readonly deleteSection: ChangeRunner<DeleteSection, undefined>
  readonly api: RequestPlugin
}

export function sectionsRoutes({ sections, deleteSection, api }: RouteDeps) {
  return sectionGroup.routes({
    api,
    service: sections,
    own: {
      remove: inSteps(({ request, session, params: { id }, query }) =>
        deleteSection(request, session, { id, what: removalOf(query) }),
      ),
    },
  })
}
