import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { changeTrees, createChangeTasks, MANY_TASKS, positionsBehind, type TaskWriter } from '../change-tasks'
import { createOrder } from '../groups/order'
import { checkGroupName, createGroupRecords } from '../groups/records'
import { placeKey } from '../place'
import { hasProject } from '../place-store'
import type { CreateSection, ListSections, TaskSection, UpdateSection } from './schema'
import { countInSection, ofProject, type SectionRow, sectionStore } from './store'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/** What is asked of a section that goes. */
export interface LeaveSection {
  readonly id: string
  readonly what: 'trash' | 'erase'
}

export type Sections = ReturnType<typeof createSections>

/** What sections share with other things that have names. */
export function sectionRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: sectionStore,
    type: 'task_section',
    noun: 'section',
    show: toSection,
  })
}

/** The parts of a project. A section stays in its project; where it goes, its tasks stay in the project. */
export function createSections({ now, ids, record, writer }: Deps) {
  const named = sectionRecords({ now, record })
  const changeTasks = createChangeTasks({ now, writer })
  const order = createOrder({ store: sectionStore, save: named.save })

  /** Moves tasks of a section, also those in the trash, behind the others of its project. */
  async function emptySome(session: Session, { id, project_id }: SectionRow, limit: number): Promise<number> {
    const place = placeKey({ parent_id: null, section_id: null, project_id })
    const next = await positionsBehind(session, place)
    return changeTrees(session, placeKey({ parent_id: null, section_id: id, project_id }), limit, (within, tasks) =>
      changeTasks(within, tasks, ({ parent_id }) =>
        parent_id === null ? { section_id: null, place, position: next() } : { section_id: null },
      ),
    )
  }

  const leave: RequestedChange<LeaveSection, undefined> = {
    name: 'task_section',

    async begin(session, { id }, precondition) {
      const section = await named.loadAt(session, id, precondition)
      return (await countInSection(session.db, session.workspace.id, section, MANY_TASKS + 1)) > MANY_TASKS
    },

    async step(session, { id, what }, limit) {
      const section = await named.find(session, id)
      if (!section || (what === 'trash' && section.deleted_at !== null)) return null
      const changed = await emptySome(session, section, limit)
      return changed > 0 ? { changed, cursor: null } : null
    },

    async end(session, { id, what }) {
      await named[what](session, await named.load(session, id))
      return NO_CONTENT
    },
  }

  return {
    get: named.get,

    /** Throws invalid_request for a project that is not there, conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), project_id, name, ...asked }: CreateSection): Promise<Tagged<TaskSection>> {
      const checked = {
        ...newStamps(id, now()),
        ...checkGroupName(name),
        project_id,
        trashed_with: null,
        position: '',
      }
      const draft = { ...checked, size_bytes: textBytes(checked.name) }
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        if (!(await hasProject(db, session.workspace.id, project_id)))
          throw invalid(
            '/project_id',
            'unknown_project',
            'project_id must be the id of a project that is not in the trash',
          )
        const position = await order.position(within, draft, asked)
        return toSection(await named.insert(within, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListSections): Promise<Page<TaskSection>> =>
      named.page(session, query, ofProject(query.project_id)),

    /** Applies a merge patch. Throws conflict while it is in the trash, or if the name is taken in its project. */
    async update(session: Session, id: string, patch: UpdateSection, precondition: Precondition = null) {
      const next = async (within: Session, old: SectionRow) => {
        refuseTrashed(old, 'section')
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const position = await order.changed(within, old, patch)
        return named.save(within, old, { name, name_key, position, size_bytes: textBytes(name) })
      }
      return toSection(await named.withRow(session, id, precondition, next))
    },

    /** Moves the section to the trash, or erases it for good, from the trash or not; its tasks stay in the project. */
    leave,

    /** Brings the section back, empty. Throws conflict if its name is taken by now, or its project is in the trash. */
    async restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<TaskSection>> {
      const next = async (within: Session, section: SectionRow) => {
        if (!(await hasProject(within.db, session.workspace.id, section.project_id)))
          throw new ApiError('conflict', 'The project of the section is in the trash. Restore that first.')
        return named.restore(within, section)
      }
      return toSection(await named.withRow(session, id, precondition, next))
    },
  }
}

function toSection(row: SectionRow): Tagged<TaskSection> {
  const { project_id, position } = row
  return { resource: { ...writeStamps(row), name: row.name, project_id, position }, etag: writeEtag(row.revision) }
}
