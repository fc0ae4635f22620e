import type { ArchivedType } from '../../archive/archived-type'
import type { RecordChange, Reserve } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { StampedRow } from '../../http/resource'
import { Id, nullable } from '../../http/schema'
import { requireLength } from '../../http/values'
import { findFreeName } from '../../lib/text'
import { archivedResource } from '../../resources/archived'
import type { OwnColumns } from '../../resources/resource'
import { MAX_AFFECTED_TASKS, refuseTooMany, type TaskWriter } from '../change-tasks'
import { checkFilterSyntax } from '../filter/service'
import type { DeclaredGroup, GroupColumns, GroupRow } from '../groups/group'
import { labelGroup, listRevisionsOfLabel, renameLabelInTasks } from '../groups/labels'
import { projectGroup } from '../groups/projects'
import { MAX_SAVED_FILTER_CHARS, savedFilterGroup } from '../groups/saved-filters'
import { type SectionRow, sectionGroup } from '../groups/sections'
import { checkGroupName, findFreePosition, MAX_GROUP_NAME_CHARS, readTaskPosition } from '../names-and-positions'
import { getTask } from '../store'

/** Projects, sections, labels and saved filters as lines of an archive, without their counts. */

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

interface Special<Row extends GroupRow, Draft extends StampedRow>
  extends Omit<Parameters<typeof archivedResource<Row, Draft>>[2], 'read'> {
  /** Reads the columns of a line but its name and position, if not as those of a request. Throws invalid_request. */
  readonly read?: (session: Session, line: never, old: Row | null) => Promise<GroupColumns<Draft>> | GroupColumns<Draft>
}

type GroupLine = Pick<GroupRow, 'id' | 'name' | 'position'>

/** At its position, or right after the row that has this position here. */
function archivedGroup<Row extends GroupRow, Draft extends StampedRow>(
  group: DeclaredGroup<Row, Draft>,
  { now, record }: Deps,
  special: Special<Row, Draft> = {},
): ArchivedType {
  const { readColumns, store } = group
  return archivedResource(group, group.createRecords({ now, record }), {
    ...special,

    async read(session, line: GroupLine, old) {
      const columns = await (special.read?.(session, line as never, old) ??
        readColumns(session, line as never, null, now()))
      const row = { id: line.id, ...checkGroupName(line.name), ...columns } as unknown as Row
      if (line.position === undefined) return row as unknown as OwnColumns<Draft>
      const placed = { ...row, position: readTaskPosition(line.position) }
      const position = await findFreePosition(store, session, placed)
      return { ...placed, position } as unknown as OwnColumns<Draft>
    },
  })
}

type Line<Row> = Pick<GroupLine, 'id' | 'name'> & { readonly deleted_at: string | null } & Row

/** Projects. Tasks left in a project that arrives in the trash move to the inbox; see files/places.ts. */
export function archivedProjects(deps: Deps): ArchivedType {
  const { store, readColumns } = projectGroup
  return archivedGroup(projectGroup, deps, {
    /** Refusing a new project for its name would leave its tasks without a project, so it gets a free name. */
    async read(session, line: Line<{ readonly color: string | null }>, old) {
      const columns = await readColumns(session, line, null, deps.now())
      if (old || line.deleted_at !== null) return columns
      const isTaken = async (name: string) => (await store.findIdByName(session, checkGroupName(name))) !== null
      return { ...columns, ...checkGroupName(await findFreeName(line.name, MAX_GROUP_NAME_CHARS, isTaken)) }
    },
  })
}

/** Sections, after their projects. If the project is in the trash here, so is the section; see files/places.ts. */
export function archivedSections(deps: Deps): ArchivedType {
  return archivedGroup(sectionGroup, deps, {
    hidden: { trashed_with: nullable(Id) },

    async read(session, { project_id, trashed_with, deleted_at }: Line<SectionColumns>, old) {
      if (trashed_with !== null && (trashed_with !== project_id || deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      if (!(await projectGroup.store.get(session, project_id)))
        throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project')
      if (old && old.project_id !== project_id)
        throw invalid('/project_id', 'other_project', 'the section belongs to another project here')
      return { project_id, trashed_with }
    },
  })
}

type SectionColumns = Pick<SectionRow, 'project_id' | 'trashed_with'>

/** Saved filters. Only their syntax is checked, since names in them may have been deleted. */
export function archivedFilters(deps: Deps): ArchivedType {
  return archivedGroup(savedFilterGroup, deps, {
    async read(_, { filter, sort }: { readonly filter: string; readonly sort: string | null }) {
      requireLength(filter, MAX_SAVED_FILTER_CHARS, '/filter')
      await checkFilterSyntax(filter, deps.now())
      return { filter, sort }
    },
  })
}

/** Tasks that one step gives their next revision. */
const TASKS_PER_STEP = 25

/** The ids and revisions of tasks whose label was renamed, as far as they still need their next revision. */
type Followers = Awaited<ReturnType<typeof listRevisionsOfLabel>>

/** Labels. A new name, or a move into or out of the trash, is applied to the tasks here. */
export function archivedLabels(deps: Deps & { readonly writer: TaskWriter; readonly reserve: Reserve }): ArchivedType {
  const records = labelGroup.createRecords(deps)
  return archivedGroup(labelGroup, deps, {
    /**
     * Changes the tasks here immediately, but keeps their revisions: otherwise a newer task in the archive would not
     * count as newer. After all lines are merged, tasks that the archive did not change get their next revision.
     */
    async replace(session, old, next) {
      await records.replace(session, old, next)
      const name = next.deleted_at === null ? next.name : null
      if (name === old.name) return null
      const followers = await listRevisionsOfLabel(session, old, MAX_AFFECTED_TASKS + 1)
      refuseTooMany(followers.length)
      // In one statement: with the writer, ten thousand tasks would block all other requests for five seconds.
      await deps.reserve(session, await renameLabelInTasks(session, old, name))
      return followers
    },

    async relate(session, _, left) {
      const followers = left as Followers
      for (const [id, revision] of followers.slice(0, TASKS_PER_STEP))
        if ((await getTask(session, id))?.revision === revision) await deps.writer.changeAll(session, [id], () => ({}))
      return followers.length > TASKS_PER_STEP ? { pending: followers.slice(TASKS_PER_STEP) } : []
    },
  })
}
