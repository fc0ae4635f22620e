import { type TProperties, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type MergeAction, type PartialMerge, readPages } from '../../archive/archived-type'
import type { RecordChange, Reserve } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Key } from '../../http/cursor'
import { ArchivedRevision, closed, Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readStamps, requireLength } from '../../http/values'
import { findFreeName } from '../../lib/text'
import { MAX_AFFECTED_TASKS, refuseTooMany, type TaskWriter } from '../change-tasks'
import { checkFilterSyntax } from '../filter/service'
import type { DeclaredGroup } from '../groups/group'
import { labelGroup, listRevisionsOfLabel, renameLabelInTasks } from '../groups/labels'
import { projectGroup } from '../groups/projects'
import { MAX_SAVED_FILTER_CHARS, savedFilterGroup } from '../groups/saved-filters'
import { type SectionRow, sectionGroup } from '../groups/sections'
import type { GroupColumns, GroupDraft, GroupRow } from '../groups/store'
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

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

type GroupLine = Parameters<typeof readStamps>[0] & { readonly name: string; readonly position?: string }

interface Special<Row extends GroupRow> {
  /** The columns that the API does not show. */
  readonly hidden?: TProperties
  /** Reads the columns of a line, if not as those of a request. Throws invalid_request. */
  readonly read?: (session: Session, line: never) => Promise<GroupColumns<Row>> | GroupColumns<Row>
  readonly adapt?: (session: Session, row: GroupDraft<Row>) => Promise<GroupDraft<Row>>
  readonly merge?: (session: Session, row: GroupDraft<Row>) => Promise<MergeAction | PartialMerge>
  readonly relate?: NonNullable<ArchivedType['relate']>
}

/** Rows in the trash come first, since their names are free for the others. A line whose name is taken is refused. */
function archivedGroup<Row extends GroupRow>(
  { type, noun, shown, store, show, sized, ...group }: DeclaredGroup<Row>,
  deps: Deps,
  { hidden = {}, relate, ...special }: Special<Row> = {},
): ArchivedType {
  const { merge } = { ...group.createRecords(deps), ...special }
  const read = special.read ?? ((session: Session, line: never) => group.read(session, line, null, deps.now()))
  const stored = (members: object) =>
    Object.entries(members).filter(([name]) => store.declared[name]?.way !== 'derived')
  const schema = t.Object(
    { ...archivedMembers, name: t.String(), ...Object.fromEntries(stored(shown)), ...hidden },
    closed,
  )
  const toLine = createValidator(schema, `the ${noun}`)

  const fromRow = (row: Row): object =>
    Object.fromEntries([
      ...stored(show(row).resource),
      ...Object.keys(hidden).map((name) => [name, Reflect.get(row, name)]),
    ])

  /** At its position, or right after the row that has this position here. Throws invalid_request. */
  async function toRow(session: Session, { name, position, ...line }: GroupLine): Promise<GroupDraft<Row>> {
    const columns = await read(session, line as never)
    const parsed = sized({ ...readStamps(line), ...checkGroupName(name), ...columns })
    const row = (await special.adapt?.(session, parsed)) ?? parsed
    if (position === undefined) return row
    const placed = { ...row, position: readTaskPosition(position) }
    return { ...placed, position: await findFreePosition(store, session, placed) }
  }

  return {
    type,

    async *items(reader) {
      for (const trashed of [true, false]) {
        const list = (after: Key[] | null) => store.list(reader, { trashed, after, limit: READ_ROWS })
        for await (const rows of readPages(null, list, store.getSortKeys)) yield* rows.map(fromRow)
      }
    },

    merge: async (session, item) => merge(session, await toRow(session, toLine(item) as object as GroupLine)),
    ...(relate && { relate }),
  }
}

/** Projects. Tasks left in a project that arrives in the trash move to the inbox; see files/places.ts. */
export function archivedProjects(deps: Deps): ArchivedType {
  const { store, sized } = projectGroup
  return archivedGroup(projectGroup, deps, {
    /** Refusing a new project for its name would leave its tasks without a project, so it gets a free name. */
    async adapt(reader, row) {
      if (row.deleted_at !== null || (await store.get(reader, row.id))) return row
      const named = (name: string) => sized({ ...row, ...checkGroupName(name) })
      const isTaken = async (name: string) => (await store.findIdByName(reader, named(name))) !== null
      return named(await findFreeName(row.name, MAX_GROUP_NAME_CHARS, isTaken))
    },
  })
}

type SectionLine = Pick<SectionRow, 'id' | 'project_id' | 'trashed_with'> & { readonly deleted_at: string | null }

/** Sections, after their projects. If the project is in the trash here, so is the section; see files/places.ts. */
export function archivedSections(deps: Deps): ArchivedType {
  return archivedGroup(sectionGroup, deps, {
    hidden: { trashed_with: nullable(Id) },

    async read(reader, { id, project_id, trashed_with, deleted_at }: SectionLine) {
      if (trashed_with !== null && (trashed_with !== project_id || deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      if (!(await projectGroup.store.get(reader, project_id)))
        throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project')
      const old = await sectionGroup.store.get(reader, id)
      if (old && old.project_id !== project_id)
        throw invalid('/project_id', 'other_project', 'the section belongs to another project here')
      return { project_id, trashed_with }
    },
  })
}

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
    async merge(session, draft) {
      const old = await labelGroup.store.get(session, draft.id)
      const merged = await records.merge(session, draft)
      const name = draft.deleted_at === null ? draft.name : null
      if (!old || merged !== 'updated' || name === old.name) return merged
      const followers = await listRevisionsOfLabel(session, old, MAX_AFFECTED_TASKS + 1)
      refuseTooMany(followers.length)
      // In one statement: with the writer, ten thousand tasks would block all other requests for five seconds.
      await deps.reserve(session, await renameLabelInTasks(session, old, name))
      return { action: merged, pending: followers }
    },

    async relate(session, _, left) {
      const followers = left as Followers
      for (const [id, revision] of followers.slice(0, TASKS_PER_STEP))
        if ((await getTask(session, id))?.revision === revision) await deps.writer.changeAll(session, [id], () => ({}))
      return followers.length > TASKS_PER_STEP ? { pending: followers.slice(TASKS_PER_STEP) } : []
    },
  })
}
