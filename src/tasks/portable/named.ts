import type { Session, WorkspaceId } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import type { Merged, Partly, Portable, Reading } from '../../db/portable'
import { freeName } from '../../http/free-name'
import { invalid } from '../../http/problem'
import { createShape } from '../../http/shape'
import { requireLength, writeOptional } from '../../http/values'
import { checkSyntax } from '../filter/service'
import { renamedIn } from '../labels/label'
import { type LabelRow, labelStore, tasksOfLabel } from '../labels/store'
import { namedLabels } from '../labels/use'
import { createChangeTasks, MAX_AFFECTED, oneByOne, refuseTooMany } from '../named/affected'
import { checkedName, NAME_LENGTH } from '../named/name'
import { freePosition } from '../named/order'
import { bytesOf, shownStamps } from '../named/stamps'
import type { DraftOf, NamedRow, NamedStore } from '../named/store'
import { readPosition } from '../position'
import { checkedMembers, NOTHING, namedProjects, sizeOf } from '../projects/service'
import { projectStore } from '../projects/store'
import { FILTER_LENGTH, namedFilters } from '../saved-filters/service'
import { savedFilterStore } from '../saved-filters/store'
import { namedSections } from '../sections/service'
import { sectionStore } from '../sections/store'
import { getTask } from '../store'
import { sized } from '../task'
import type { TaskWriter } from '../writer'
import { PortableFilter, PortableLabel, PortableProject, PortableSection } from './schema'
import { readStamps } from './task'

/** Rows that are read at a time: 8 MiB of a project's notes at most. */
const READ = 128

interface Kind<Row extends NamedRow> {
  readonly type: string
  readonly store: NamedStore<Row>
  /** The row as the archive tells it. */
  readonly told: (row: Row) => object
  /** The row of an item. Throws invalid_request. */
  readonly draft: (session: Session, item: unknown) => Promise<DraftOf<Row>>
  readonly merge: (session: Session, draft: DraftOf<Row>) => Promise<Merged | Partly>
  readonly relate?: NonNullable<Portable['relate']>
}

export interface NamedDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
}

/**
 * Things with names leave and come back with all that is stored of them but what they count. Those in the trash come
 * first: their names are free for the others. A name that another one has here is refused.
 */
function portableNamed<Row extends NamedRow>({ store, told, draft, merge, ...rest }: Kind<Row>): Portable {
  return {
    ...rest,

    async *items(db, workspace) {
      for (const trashed of [true, false])
        for await (const row of rowsOf(store, db, workspace, trashed)) yield told(row)
    },

    merge: async (session, item) => merge(session, await draft(session, item)),
  }
}

async function* rowsOf<Row extends NamedRow>(
  store: NamedStore<Row>,
  db: Reading,
  workspace: WorkspaceId,
  trashed: boolean,
): AsyncGenerator<Row> {
  for (let last: Row | undefined, more = true; more; ) {
    const after = last ? store.sortKeys(last) : null
    const rows = await store.list(db, workspace, { trashed, after, limit: READ })
    yield* rows
    last = rows.at(-1)
    more = rows.length === READ
  }
}

const toProject = createShape(PortableProject, 'the project')

/** Projects. What is left in one that comes as trashed goes to the inbox, see tasks.ts. */
export function portableProjects(deps: NamedDeps): Portable {
  const named = namedProjects(deps)
  return portableNamed({
    type: 'task_project',
    store: projectStore,

    told: (row): PortableProject => ({
      ...shownStamps(row),
      color: row.color,
      notes: row.notes,
      archived_at: writeOptional(row.archived_at),
      position: row.position,
    }),

    async draft(session, item) {
      const { name, position, ...told } = toProject(item)
      const draftWith = (one: string) => {
        const members = { ...checkedName(one), ...checkedMembers(told, NOTHING) }
        return { ...readStamps(told), ...members, size_bytes: sizeOf(members), position: readPosition(position) }
      }
      const { db, workspace } = session
      const isTaken = async (one: string) => (await projectStore.idOfName(db, workspace.id, draftWith(one))) !== null
      const isNew = told.deleted_at === null && (await projectStore.get(db, workspace.id, told.id)) === null
      // A new one that is refused for its name would leave its tasks without a project.
      const asked = draftWith(isNew ? await freeName(name, NAME_LENGTH, isTaken) : name)
      return { ...asked, position: await freePosition(projectStore, session, asked) }
    },

    merge: named.merge,
  })
}

const toSection = createShape(PortableSection, 'the section')

/** Sections, which come after their projects. One whose project is in the trash here goes there with it, see tasks.ts. */
export function portableSections(deps: NamedDeps): Portable {
  const named = namedSections(deps)
  return portableNamed({
    type: 'task_section',
    store: sectionStore,

    told: ({ trashed_with, project_id, position, ...row }): PortableSection => ({
      ...shownStamps(row),
      trashed_with,
      project_id,
      position,
    }),

    async draft(session, item) {
      const { name, position, project_id, trashed_with, ...told } = toSection(item)
      if (trashed_with !== null && (trashed_with !== project_id || told.deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      await requireProject(session, told.id, project_id)
      const checked = { ...readStamps(told), ...checkedName(name), project_id, trashed_with }
      const asked = { ...checked, size_bytes: bytesOf(checked.name), position: readPosition(position) }
      return { ...asked, position: await freePosition(sectionStore, session, asked) }
    },

    merge: named.merge,
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

const toFilter = createShape(PortableFilter, 'the filter')

/** Saved filters. What one names may have gone since it was written: that it can be read is enough. */
export function portableFilters(deps: NamedDeps): Portable {
  const named = namedFilters(deps)
  return portableNamed({
    type: 'task_filter',
    store: savedFilterStore,

    told: (row): PortableFilter => ({
      ...shownStamps(row),
      filter: row.filter,
      sort: row.sort,
      position: row.position,
    }),

    async draft(session, item) {
      const { name, filter, sort, position, ...told } = toFilter(item)
      requireLength(filter, FILTER_LENGTH, '/filter')
      checkSyntax(filter)
      const checked = { ...readStamps(told), ...checkedName(name), filter, sort }
      const asked = { ...checked, size_bytes: bytesOf(checked.name, filter), position: readPosition(position) }
      return { ...asked, position: await freePosition(savedFilterStore, session, asked) }
    },

    merge: named.merge,
  })
}

const toLabel = createShape(PortableLabel, 'the label')

/** What a label leaves whose name is another: ids and revisions of the tasks that follow it. */
type Followed = readonly (readonly [id: string, revision: number])[]

/** Labels. One that comes with another name, or from the trash or into it, has the tasks here follow. */
export function portableLabels({ now, record, writer }: NamedDeps & { readonly writer: TaskWriter }): Portable {
  const named = namedLabels({ now, record })
  const changeTasks = createChangeTasks({ now, writer })

  /**
   * The tasks here change at once, in their revisions still: a later one in the archive must not be taken for no newer.
   * When all are in, those that the archive left alone get the next revision, since they did change.
   */
  async function followed(session: Session, old: LabelRow, name: string | null): Promise<Followed> {
    const { db, workspace } = session
    const tasks = await tasksOfLabel(db, workspace.id, old, MAX_AFFECTED + 1)
    refuseTooMany(tasks.length)
    const revisions: [string, number][] = []
    await oneByOne(tasks, async ({ id }) => {
      const task = await getTask(db, workspace.id, id)
      if (!task) return
      revisions.push([id, task.revision])
      await writer.save(session, task, sized({ ...task, labels: renamedIn(task.labels, old.name_key, name) }))
    })
    return revisions
  }

  return portableNamed({
    type: 'task_label',
    store: labelStore,

    told: (row): PortableLabel => ({ ...shownStamps(row), color: row.color }),

    async draft(_, item) {
      const { name, color, ...told } = toLabel(item)
      const checked = checkedName(name)
      return { ...readStamps(told), ...checked, color, size_bytes: bytesOf(checked.name, color) }
    },

    async merge(session, draft) {
      const old = await labelStore.get(session.db, session.workspace.id, draft.id)
      const merged = await named.merge(session, draft)
      const name = draft.deleted_at === null ? draft.name : null
      if (!old || merged !== 'updated' || name === old.name) return merged
      return { merged, left: await followed(session, old, name) }
    },

    async relate(session, _, left) {
      for (const [id, revision] of left as Followed)
        if ((await getTask(session.db, session.workspace.id, id))?.revision === revision)
          await changeTasks(session, [id], () => ({}))
      return []
    },
  })
}
