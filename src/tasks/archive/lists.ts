import { type Static, type TObject, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type MergeAction, type PartialMerge, readPages } from '../../archive/archived-type'
import type { RecordChange, Reserve } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import type { Key } from '../../http/cursor'
import { textBytes } from '../../http/resource'
import { ArchivedRevision, Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readStamps, requireLength } from '../../http/values'
import { findFreeName } from '../../lib/text'
import { createChangeTasks, type TaskWriter } from '../change-tasks'
import { checkSyntax } from '../filter/service'
import { freePosition, readTaskPosition } from '../groups/order'
import { checkGroupName, GROUP_NAME_LENGTH, MAX_AFFECTED_TASKS, refuseTooMany } from '../groups/records'
import { Color, closedGroup } from '../groups/schema'
import type { GroupDraft, GroupRow, GroupStore } from '../groups/store'
import { labelStore, renameInTasks, revisionsOfLabel } from '../labels/store'
import { labelRecords } from '../labels/use'
import { checkedMembers, NOTHING, projectBytes, projectRecords } from '../projects/service'
import { projectStore } from '../projects/store'
import { FILTER_LENGTH, filterRecords } from '../saved-filters/service'
import { savedFilterStore } from '../saved-filters/store'
import { SortBy, type TaskSort } from '../schema'
import { sectionRecords } from '../sections/service'
import { sectionStore } from '../sections/store'
import { getTask } from '../store'

/** Projects, sections, labels and saved filters as lines of the archive of a workspace, without what they count. */

/** Rows that are read at a time: 8 MiB of a project's notes at most. */
const READ = 128

export const archivedMembers = {
  id: Id,
  revision: ArchivedRevision,
  created_at: t.String(),
  updated_at: t.String(),
  deleted_at: nullable(t.String()),
}
const common = { ...archivedMembers, name: t.String() }

const ProjectLine = t.Object(
  { ...common, color: Color, notes: t.String(), archived_at: nullable(t.String()), position: t.String() },
  closedGroup,
)
const SectionLine = t.Object(
  {
    ...common,
    project_id: Id,
    position: t.String(),
    /** Its project, if it went into the trash with that. */
    trashed_with: nullable(Id),
  },
  closedGroup,
)
const LabelLine = t.Object({ ...common, color: Color }, closedGroup)
const FilterLine = t.Object(
  // Types cannot look into a union that was made from a list.
  { ...common, filter: t.String(), sort: nullable(t.Unsafe<TaskSort>(SortBy)), position: t.String() },
  closedGroup,
)

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

interface Kind<Row extends GroupRow, Resource, Line extends TObject> {
  readonly type: string
  readonly store: GroupStore<Row>
  readonly service: {
    show(row: Row): Tagged<Resource>
    merge(session: Session, draft: GroupDraft<Row>): Promise<MergeAction>
  }
  readonly schema: Line
  /** The line of a row, which the API shows as `resource`. */
  readonly line: (resource: Resource, row: Row) => Static<Line>
  /** The row of a line. Throws invalid_request. */
  readonly draft: (session: Session, line: Static<Line>) => Promise<GroupDraft<Row>> | GroupDraft<Row>
  readonly merge?: (session: Session, draft: GroupDraft<Row>) => Promise<MergeAction | PartialMerge>
  readonly relate?: NonNullable<ArchivedType['relate']>
}

/**
 * Things with names, with all that is stored of them. Those in the trash come first: their names are free for the others.
 * A name that another one has here is refused.
 */
function archivedList<Row extends GroupRow, Resource, Line extends TObject>(
  kind: Kind<Row, Resource, Line>,
): ArchivedType {
  const { type, store, service, line, draft, merge = service.merge, relate } = kind
  const toLine = createValidator(kind.schema, `the ${type.replace('task_', '')}`)
  return {
    type,

    async *items(db, workspace) {
      for (const trashed of [true, false]) {
        const list = (after: Key[] | null) => store.list(db, workspace, { trashed, after, limit: READ })
        for await (const rows of readPages(null, list, store.sortKeys))
          yield* rows.map((row) => line(service.show(row).resource, row))
      }
    },

    merge: async (session, item) => merge(session, await draft(session, toLine(item))),
    ...(relate && { relate }),
  }
}

/** The row at its position, or right behind what has that here. Throws invalid_request. */
async function positioned<Row extends GroupRow & { readonly position: string }>(
  store: GroupStore<Row>,
  session: Session,
  row: GroupDraft<Row> & { readonly position: string },
): Promise<GroupDraft<Row>> {
  const there = { ...row, position: readTaskPosition(row.position) }
  return { ...there, position: await freePosition(store, session, there) }
}

/** Projects. What is left in one that comes as trashed goes to the inbox, see settle.ts. */
export function archivedProjects(deps: Deps): ArchivedType {
  const store = projectStore
  return archivedList({
    type: 'task_project',
    store,
    service: projectRecords(deps),
    schema: ProjectLine,
    line: ({ open, done, ...project }) => project,

    async draft(session, { name, position, ...line }) {
      const draftWith = (one: string) => {
        const members = { ...checkGroupName(one), ...checkedMembers(line, NOTHING) }
        return { ...readStamps(line), ...members, size_bytes: projectBytes(members), position }
      }
      const { db, workspace } = session
      const isTaken = async (one: string) => (await store.idOfName(db, workspace.id, draftWith(one))) !== null
      const isNew = line.deleted_at === null && (await store.get(db, workspace.id, line.id)) === null
      // A new one that is refused for its name would leave its tasks without a project.
      return positioned(store, session, draftWith(isNew ? await findFreeName(name, GROUP_NAME_LENGTH, isTaken) : name))
    },
  })
}

/** Sections, which come after their projects. One whose project is in the trash here goes there with it, see settle.ts. */
export function archivedSections(deps: Deps): ArchivedType {
  return archivedList({
    type: 'task_section',
    store: sectionStore,
    service: sectionRecords(deps),
    schema: SectionLine,
    line: (section, { trashed_with }) => ({ ...section, trashed_with }),

    async draft(session, { name, position, project_id, trashed_with, ...line }) {
      if (trashed_with !== null && (trashed_with !== project_id || line.deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      await requireProject(session, line.id, project_id)
      const checked = { ...readStamps(line), ...checkGroupName(name), project_id, trashed_with, position }
      return positioned(sectionStore, session, { ...checked, size_bytes: textBytes(checked.name) })
    },
  })
}

/** The project must be there, and be the one that the section is in already: none ever leaves it. */
async function requireProject({ db, workspace }: Session, id: string, project_id: string): Promise<void> {
  if (!(await projectStore.get(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project')
  const old = await sectionStore.get(db, workspace.id, id)
  if (old && old.project_id !== project_id)
    throw invalid('/project_id', 'other_project', 'the section belongs to another project here')
}

/** Saved filters. What one names may have gone since it was written: that it can be read is enough. */
export function archivedFilters(deps: Deps): ArchivedType {
  return archivedList({
    type: 'task_filter',
    store: savedFilterStore,
    service: filterRecords(deps),
    schema: FilterLine,
    line: (filter) => filter,

    draft(session, { name, filter, sort, position, ...line }) {
      requireLength(filter, FILTER_LENGTH, '/filter')
      checkSyntax(filter)
      const checked = { ...readStamps(line), ...checkGroupName(name), filter, sort, position }
      return positioned(savedFilterStore, session, { ...checked, size_bytes: textBytes(checked.name, filter) })
    },
  })
}

/** Tasks that get their next revision at a time. */
const AT_ONCE = 25

/** Tasks that follow a label whose name is another: what is left of their keys and revisions. */
type Followers = Awaited<ReturnType<typeof revisionsOfLabel>>

/** Labels. One that comes with another name, or from the trash or into it, has the tasks here follow. */
export function archivedLabels(deps: Deps & { readonly writer: TaskWriter; readonly reserve: Reserve }): ArchivedType {
  const service = labelRecords(deps)
  const changeTasks = createChangeTasks(deps)
  return archivedList({
    type: 'task_label',
    store: labelStore,
    service,
    schema: LabelLine,
    line: ({ count, ...label }) => label,

    draft(_, { name, color, ...line }) {
      const checked = checkGroupName(name)
      return { ...readStamps(line), ...checked, color, size_bytes: textBytes(checked.name, color) }
    },

    /**
     * The tasks here change at once, in their revisions still: a later one in the archive must not be taken for no newer.
     * When all are in, those that the archive left alone get the next revision, since they did change.
     */
    async merge(session, draft) {
      const { db, workspace } = session
      const old = await labelStore.get(db, workspace.id, draft.id)
      const merged = await service.merge(session, draft)
      const name = draft.deleted_at === null ? draft.name : null
      if (!old || merged !== 'updated' || name === old.name) return merged
      const followers = await revisionsOfLabel(db, workspace.id, old, MAX_AFFECTED_TASKS + 1)
      refuseTooMany(followers.length)
      // In one statement: through the writer, ten thousand tasks would hold up all others for five seconds.
      await deps.reserve(session, await renameInTasks(db, workspace.id, old, name))
      return { action: merged, pending: followers }
    },

    async relate(session, _, left) {
      const followers = left as Followers
      for (const [id, revision] of followers.slice(0, AT_ONCE))
        if ((await getTask(session.db, session.workspace.id, id))?.revision === revision)
          await changeTasks(session, [id], () => ({}))
      return followers.length > AT_ONCE ? { pending: followers.slice(AT_ONCE) } : []
    },
  })
}
