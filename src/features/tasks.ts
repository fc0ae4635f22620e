import { Elysia } from 'elysia'
import type { RecordChange, Reserve } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { inTrash, type Trash, wipeTables } from '../db/erasing'
import type { RequestPlugin } from '../http/request'
import { asked, erasing } from '../imports/in-steps'
import type { Imports } from '../imports/service'
import { agendaRoutes } from '../tasks/agenda/routes'
import { createAgendas } from '../tasks/agenda/service'
import { archivedCompletions } from '../tasks/archive/completions'
import { archivedFilters, archivedLabels, archivedProjects, archivedSections } from '../tasks/archive/lists'
import { archivedTasks } from '../tasks/archive/tasks'
import { taskBatchRoutes } from '../tasks/batch/routes'
import { createTaskBatches } from '../tasks/batch/service'
import { createTaskExports } from '../tasks/calendar/export'
import { calendarImport } from '../tasks/calendar/import'
import { createRepairPlaces } from '../tasks/calendar/repair-places'
import { TASK_FILE_PATHS, taskFileRoutes } from '../tasks/calendar/routes'
import { createForgetNote } from '../tasks/change-tasks'
import { createCompletionActions } from '../tasks/completions/actions'
import { completionRoutes } from '../tasks/completions/routes'
import { createCompletionWriter } from '../tasks/completions/writer'
import { feedsRoutes, readTokenInPath } from '../tasks/feeds/routes'
import { createFeeds } from '../tasks/feeds/service'
import type { FindByText } from '../tasks/filter/candidates.sqlite'
import { checkFilter } from '../tasks/filter/service'
import { createUseLabels } from '../tasks/labels/label'
import { labelsRoutes } from '../tasks/labels/routes'
import { createLabels } from '../tasks/labels/service'
import { createTaskQueries } from '../tasks/list'
import { projectsRoutes } from '../tasks/projects/routes'
import { createProjects } from '../tasks/projects/service'
import { quickRoutes } from '../tasks/quick/routes'
import { createQuickAdds } from '../tasks/quick/service'
import { remindersRoutes } from '../tasks/reminders/routes'
import { createReminders } from '../tasks/reminders/service'
import { tasksRoutes } from '../tasks/routes'
import { savedFiltersRoutes } from '../tasks/saved-filters/routes'
import { createSavedFilters } from '../tasks/saved-filters/service'
import { taskSource } from '../tasks/search-source.sqlite'
import { sectionsRoutes } from '../tasks/sections/routes'
import { createSections } from '../tasks/sections/service'
import { createTasks } from '../tasks/service'
import { statsRoutes } from '../tasks/stats/routes'
import { createTaskStatistics } from '../tasks/stats/service'
import { createTaskWriter } from '../tasks/writer'

export interface TasksFeatureDeps extends Pick<Context, 'now' | 'ids' | 'random' | 'db'> {
  readonly workspaces: {
    readonly record: RecordChange
    readonly reserve: Reserve
    /** The workspace with this id, for a feed that somebody else reads. */
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
  }
  readonly imports: Pick<Imports, 'register' | 'receive' | 'registerWork' | 'work'>
  readonly api: RequestPlugin
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
  /** What the search knows of texts. */
  readonly mayHold: FindByText
}

/** All that has a workspace of its own; what hangs on these goes along. */
const TABLES = [
  'tasks',
  'task_completions',
  'task_sections',
  'task_projects',
  'task_labels',
  'task_filters',
  'task_feeds',
]

function trashOf<Type extends Trash['type']>(type: Type, table: string) {
  return { type, ...inTrash(table) }
}

/** Tasks and all that belongs to them. */
export function tasksFeature(deps: TasksFeatureDeps) {
  const { now, ids, random, db, workspaces, imports, api, missingNotes, mayHold } = deps
  const { record, reserve } = workspaces
  const writer = createTaskWriter({ now, record, useLabels: createUseLabels({ now, ids, record }) })
  const completions = createCompletionWriter({ now, ids, writer, reserve })
  const tasks = createTasks({ now, ids, writer, completions, missingNotes })
  const lists = createTaskQueries({ now, findByText: mayHold })
  const actions = createCompletionActions(completions)
  const groupDeps = { now, ids, record, writer }
  const projects = createProjects(groupDeps)
  const sections = createSections(groupDeps)
  const labels = createLabels(groupDeps)
  const savedFilters = createSavedFilters({ now, ids, record, checkFilter })
  const quickAdds = createQuickAdds({ now, tasks, projects, sections })
  const settle = createRepairPlaces({ now, record, writer })
  imports.register(calendarImport({ now, ids, writer, reserve, settle }))
  const exports = createTaskExports({ now, snapshot: () => db.snapshot() })
  const feeds = createFeeds({ now, ids, random, record, findWorkspace: workspaces.find })
  const batches = createTaskBatches({ tasks, completions: actions })

  const routes = new Elysia({ name: 'tasks' })
    .use(tasksRoutes({ tasks, lists, deleteOrRestore: asked(tasks.deleteOrRestore, imports), api }))
    .use(completionRoutes({ completions: actions, api }))
    .use(agendaRoutes({ agendas: createAgendas({ now }), api }))
    .use(statsRoutes({ statistics: createTaskStatistics({ now }), api }))
    .use(remindersRoutes({ reminders: createReminders({ now }), api }))
    .use(projectsRoutes({ projects, deleteOrRestore: asked(projects.deleteOrRestore, imports), api }))
    .use(sectionsRoutes({ sections, deleteSection: asked(sections.deleteSection, imports), api }))
    .use(labelsRoutes({ labels, updateOrDelete: asked(labels.updateOrDelete, imports), api }))
    .use(savedFiltersRoutes({ savedFilters, api }))
    .use(quickRoutes({ quickAdds, api }))
    .use(feedsRoutes({ feeds, api }))
    .use(taskFileRoutes({ imports, exports, api }))
    .use(taskBatchRoutes({ batches, api }))
  /** The owner of the feed whose token a path holds; null at once for every other path. */
  const feedOwner = (path: string) => {
    const token = readTokenInPath(path)
    return token === null ? null : feeds.findOwner(db, token)
  }
  const erase = 'erase' as const
  const trash: Trash[] = [
    { ...trashOf('task', 'tasks'), ...erasing(tasks.deleteOrRestore, (id) => ({ id, what: erase })) },
    { ...trashOf('task_section', 'task_sections'), ...erasing(sections.deleteSection, (id) => ({ id, what: erase })) },
    {
      ...trashOf('task_project', 'task_projects'),
      ...erasing(projects.deleteOrRestore, (id) => ({ id, what: erase, tasks: 'inbox' as const })),
    },
    {
      ...trashOf('task_label', 'task_labels'),
      ...erasing(labels.updateOrDelete, (id) => ({ id, what: erase, patch: {} })),
    },
    { ...trashOf('task_filter', 'task_filters'), erase: (mine, id) => savedFilters.erase(mine, id) },
  ]
  const forgetNote = createForgetNote({ now, writer })
  // Feeds stay: who knows the token of one may read on, here and only here.
  const archivedTypes = [
    archivedProjects({ now, record }),
    archivedSections({ now, record }),
    archivedLabels({ now, record, reserve, writer }),
    archivedFilters({ now, record }),
    archivedTasks({ writer, reserve, settle, missingNotes }),
    archivedCompletions({ reserve }),
  ]
  const services = { tasks, lists, quickAdds, completions: actions }
  return {
    routes,
    services,
    filePaths: TASK_FILE_PATHS,
    feedOwner,
    forgetNote,
    archivedTypes,
    readable: exports.exportAll,
    trash,
    wipe: wipeTables(TABLES),
    source: taskSource,
  }
}
