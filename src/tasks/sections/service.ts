import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import {
  changeTrees,
  createChangeTasks,
  createNextPosition,
  TASKS_PER_TRANSACTION,
  type TaskWriter,
} from '../change-tasks'
import { createOrder } from '../groups/order'
import { checkGroupName, createGroupRecords } from '../groups/records'
import { toPlaceKey } from '../place'
import { hasProject } from '../place-store'
import type { CreateSection, ListSections, TaskSection, UpdateSection } from './schema'
import { countTasksInSection, type SectionRow, sectionStore, whereProject } from './store'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

export interface DeleteSectionParams {
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
