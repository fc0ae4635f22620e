import { type Static, type TObject, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type MergeAction, type PartialMerge, readPages } from '../../archive/archived-type'
import type { RecordChange, Reserve } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import type { Key } from '../../http/cursor'
import { textBytes } from '../../http/resource'
import { ArchivedRevision, closed, Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readStamps, requireLength } from '../../http/values'
import { findFreeName } from '../../lib/text'
import { createChangeTasks, MAX_AFFECTED_TASKS, refuseTooMany, type TaskWriter } from '../change-tasks'
import { checkFilterSyntax } from '../filter/service'
import { createLabelRecords, labelStore, listRevisionsOfLabel, renameLabelInTasks } from '../groups/labels'
import { countProjectBytes, createProjectRecords, NEW_PROJECT_MEMBERS, readProjectMembers } from '../groups/projects'
import { createFilterRecords, MAX_SAVED_FILTER_CHARS, savedFilterStore } from '../groups/saved-filters'
import { Color } from '../groups/schema'
import { createSectionRecords, sectionStore } from '../groups/sections'
import type { GroupDraft, GroupRow, GroupStore } from '../groups/store'
import { projectStore } from '../groups/store'
import { SortBy } from '../list-schema'
import { checkGroupName, findFreePosition, MAX_GROUP_NAME_CHARS, readTaskPosition } from '../names-and-positions'
import { getTask } from '../store'

/** Projects, sections, labels and saved filters as lines of an archive, without their counts. */

/** Rows read at a time: at most 8 MiB of projects' notes. */
const READ_ROWS = 128

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
  closed,
)
const SectionLine = t.Object(
  {
    ...common,
    project_id: Id,
    position: t.String(),
    /** Its project, if it was deleted with it. */
    trashed_with: nullable(Id),
  },
  closed,
)
const LabelLine = t.Object({ ...common, color: Color }, closed)
const FilterLine = t.Object({ ...common, filter: t.String(), sort: nullable(SortBy), position: t.String() }, closed)

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
  /** Returns the line of a row; `resource` is what the API shows of it. */
  readonly line: (resource: Resource, row: Row) => Static<Line>
  /** Returns the row of a line. Throws invalid_request. */
  readonly draft: (session: Session, line: Static<Line>) => Promise<GroupDraft<Row>> | GroupDraft<Row>
  readonly merge?: (session: Session, draft: GroupDraft<Row>) => Promise<MergeAction | PartialMerge>
  readonly relate?: NonNullable<ArchivedType['relate']>
}

/** Rows in the trash come first, since their names are free for the others. A line whose name is taken is refused. */
function createArchivedType<Row extends GroupRow, Resource, Line extends TObject>(
  kind: Kind<Row, Resource, Line>,
): ArchivedType {
  const { type, store, service, line, draft, merge = service.merge, relate } = kind
  const toLine = createValidator(kind.schema, `the ${type.replace('task_', '')}`)
  return {
    type,

    async *items(db, workspace) {
      for (const trashed of [true, false]) {
        const list = (after: Key[] | null) => store.list(db, workspace, { trashed, after, limit: READ_ROWS })
        for await (const rows of readPages(null, list, store.getSortKeys))
          yield* rows.map((row) => line(service.show(row).resource, row))
      }
    },

    merge: async (session, item) => merge(session, await draft(session, toLine(item))),
    ...(relate && { relate }),
  }
}

/** Returns the row at its position, or right after the row that has this position here. Throws invalid_request. */
async function withFreePosition<Row extends GroupRow & { readonly position: string }>(
  store: GroupStore<Row>,
  session: Session,
  row: GroupDraft<Row> & { readonly position: string },
): Promise<GroupDraft<Row>> {
  const positioned = { ...row, position: readTaskPosition(row.position) }
  return { ...positioned, position: await findFreePosition(store, session, positioned) }
}

/** Projects. Tasks left in a project that arrives in the trash move to the inbox; see files/places.ts. */
export function archivedProjects(deps: Deps): ArchivedType {
  const store = projectStore
  return createArchivedType({
    type: 'task_project',
    store,
    service: createProjectRecords(deps),
    schema: ProjectLine,
    line: ({ open, done, ...project }) => project,

    async draft(session, { name, position, ...line }) {
      const draftWith = (candidate: string) => {
        const members = { ...checkGroupName(candidate), ...readProjectMembers(line, NEW_PROJECT_MEMBERS) }
        return { ...readStamps(line), ...members, size_bytes: countProjectBytes(members), position }
      }
      const { db, workspace } = session
      const isTaken = async (candidate: string) =>
        (await store.findIdByName(db, workspace.id, draftWith(candidate))) !== null
      const isNew = line.deleted_at === null && (await store.get(db, workspace.id, line.id)) === null
      // Refusing a new project for its name would leave its tasks without a project, so it gets a free name.
      return withFreePosition(
        store,
        session,
        draftWith(isNew ? await findFreeName(name, MAX_GROUP_NAME_CHARS, isTaken) : name),
      )
    },
  })
}

/** Sections, after their projects. If the project is in the trash here, so is the section; see files/places.ts. */
export function archivedSections(deps: Deps): ArchivedType {
  return createArchivedType({
    type: 'task_section',
    store: sectionStore,
    service: createSectionRecords(deps),
    schema: SectionLine,
    line: (section, { trashed_with }) => ({ ...section, trashed_with }),

    async draft(session, { name, position, project_id, trashed_with, ...line }) {
      if (trashed_with !== null && (trashed_with !== project_id || line.deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      await requireProject(session, line.id, project_id)
      const checked = { ...readStamps(line), ...checkGroupName(name), project_id, trashed_with, position }
      return withFreePosition(sectionStore, session, { ...checked, size_bytes: textBytes(checked.name) })
    },
  })
}

/** Requires that the project exists, and that an existing section belongs to it. Throws invalid_request. */
async function requireProject({ db, workspace }: Session, id: string, project_id: string): Promise<void> {
  if (!(await projectStore.get(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project')
  const old = await sectionStore.get(db, workspace.id, id)
  if (old && old.project_id !== project_id)
    throw invalid('/project_id', 'other_project', 'the section belongs to another project here')
}

/** Saved filters. Only their syntax is checked, since names in them may have been deleted. */
export function archivedFilters(deps: Deps): ArchivedType {
  return createArchivedType({
    type: 'task_filter',
    store: savedFilterStore,
    service: createFilterRecords(deps),
    schema: FilterLine,
    line: (filter) => filter,

    draft(session, { name, filter, sort, position, ...line }) {
      requireLength(filter, MAX_SAVED_FILTER_CHARS, '/filter')
      checkFilterSyntax(filter, deps.now())
      const checked = { ...readStamps(line), ...checkGroupName(name), filter, sort, position }
      return withFreePosition(savedFilterStore, session, { ...checked, size_bytes: textBytes(checked.name, filter) })
    },
  })
}

/** Tasks that one step gives their next revision. */
const TASKS_PER_STEP = 25

/** The ids and revisions of tasks whose label was renamed, as far as they still need their next revision. */
type Followers = Awaited<ReturnType<typeof listRevisionsOfLabel>>

/** Labels. A new name, or a move into or out of the trash, is applied to the tasks here. */
export function archivedLabels(deps: Deps & { readonly writer: TaskWriter; readonly reserve: Reserve }): ArchivedType {
  const service = createLabelRecords(deps)
  const changeTasks = createChangeTasks(deps)
  return createArchivedType({
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
     * Changes the tasks here immediately, but keeps their revisions: otherwise a newer task in the archive would not
     * count as newer. After all lines are merged, tasks that the archive did not change get their next revision.
     */
    async merge(session, draft) {
      const { db, workspace } = session
      const old = await labelStore.get(db, workspace.id, draft.id)
      const merged = await service.merge(session, draft)
      const name = draft.deleted_at === null ? draft.name : null
      if (!old || merged !== 'updated' || name === old.name) return merged
      const followers = await listRevisionsOfLabel(db, workspace.id, old, MAX_AFFECTED_TASKS + 1)
      refuseTooMany(followers.length)
      // In one statement: with the writer, ten thousand tasks would block all other requests for five seconds.
      await deps.reserve(session, await renameLabelInTasks(db, workspace.id, old, name))
      return { action: merged, pending: followers }
    },

    async relate(session, _, left) {
      const followers = left as Followers
      for (const [id, revision] of followers.slice(0, TASKS_PER_STEP))
        if ((await getTask(session.db, session.workspace.id, id))?.revision === revision)
          await changeTasks(session, [id], () => ({}))
      return followers.length > TASKS_PER_STEP ? { pending: followers.slice(TASKS_PER_STEP) } : []
    },
  })
}
