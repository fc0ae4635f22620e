import { Elysia } from 'elysia'
import type { RecordChange, Reserve } from '../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { type Trash, trashQueries, wipeTables } from '../db/trash'
import type { RequestPlugin } from '../http/api'
import type { Imports } from '../imports/service'
import { createChangeRunner, toEraseMethods } from '../imports/stepped-change'
import { agendaRoutes, createAgendas } from '../tasks/agenda/agenda'
import { archivedCompletions } from '../tasks/archive/completions'
import { archivedFilters, archivedLabels, archivedProjects, archivedSections } from '../tasks/archive/lists'
import { archivedTasks } from '../tasks/archive/tasks'
import { createTaskBatches, taskBatchRoutes } from '../tasks/batch/batch'
import { forgetNote } from '../tasks/change-tasks'
import { completionRoutes, createCompletionActions } from '../tasks/completions/completions'
import { createCompletionWriter } from '../tasks/completions/writer'
import { createFeeds, feedsRoutes, readTokenInPath } from '../tasks/feeds/feeds'
import { createTaskExports } from '../tasks/files/export'
import { calendarImport } from '../tasks/files/import'
import { createFindOrCreatePlace, createRepairPlaces } from '../tasks/files/places'
import { TASK_FILE_PATHS, taskFileRoutes } from '../tasks/files/routes'
import type { FindByText } from '../tasks/filter/service'
import { createLabels, createUseLabels, labelsRoutes } from '../tasks/groups/labels'
import { createProjects, projectsRoutes } from '../tasks/groups/projects'
import { savedFilterGroup } from '../tasks/groups/saved-filters'
import { createSections, sectionsRoutes } from '../tasks/groups/sections'
import { createTaskQueries } from '../tasks/list'
import { createQuickAdds, quickRoutes } from '../tasks/quick/quick-add'
import { createReminders, remindersRoutes } from '../tasks/reminders'
import { tasksRoutes } from '../tasks/routes'
import { createTasks } from '../tasks/service'
import { createTaskStatistics, statsRoutes } from '../tasks/stats'
import { createTaskWriter } from '../tasks/writer'

/** The prefix of the paths of calendar feeds. A token follows, which is secret. */
export const FEEDS_PATH = '/api/tasks/feeds/'

export interface TasksFeatureDeps extends Pick<Context, 'now' | 'ids' | 'random' | 'db'> {
  readonly workspaces: {
    readonly record: RecordChange
    readonly reserve: Reserve
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
  }
  readonly imports: Pick<Imports, 'register' | 'receive' | 'registerWork' | 'work'>
  readonly api: RequestPlugin
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
  readonly findByText: FindByText
}

/**
 * The tables with a column `workspace`, in the order in which they are wiped. Rows that refer to theirs are deleted by
 * cascade.
 */
const WIPED_TABLES = [
  'tasks',
  'task_completions',
  'task_sections',
  'task_projects',
  'task_labels',
  'task_filters',
  'task_feeds',
]

function trashOf<Type extends Trash['type']>(type: Type, table: string) {
  return { type, ...trashQueries(table) }
}

export function tasksFeature(deps: TasksFeatureDeps) {
  const { now, ids, random, db, workspaces, imports, api, missingNotes, findByText } = deps
  const { record, reserve } = workspaces
  const writer = createTaskWriter({ now, record, useLabels: createUseLabels({ now, ids, record }) })
  const completions = createCompletionWriter({ now, ids, writer, reserve })
  const tasks = createTasks({ now, ids, writer, completions, missingNotes })
  const lists = createTaskQueries({ now, findByText })
  const agendas = createAgendas({ now })
  const actions = createCompletionActions(completions)
  const groupDeps = { now, ids, record, writer }
  const projects = createProjects(groupDeps)
  const sections = createSections(groupDeps)
  const labels = createLabels(groupDeps)
  const savedFilters = savedFilterGroup.createService({ now, ids, record })
  const quickAdds = createQuickAdds({ now, tasks, projects, sections })
  const settle = createRepairPlaces({ now, record, writer })
  const findOrCreatePlace = createFindOrCreatePlace({ projects, sections })
  imports.register(calendarImport({ now, ids, writer, reserve, findOrCreatePlace, settle }))
  const exports = createTaskExports({ now, findByText, snapshot: () => db.snapshot() })
  const calendarFeeds = createFeeds({ now, ids, random, record, findByText, findWorkspace: workspaces.find })
  const batches = createTaskBatches({ tasks, completions: actions })

  const routes = new Elysia({ name: 'tasks' })
    .use(tasksRoutes({ tasks, lists, deleteOrRestore: createChangeRunner(tasks.deleteOrRestore, imports), api }))
    .use(completionRoutes({ completions: actions, api }))
    .use(agendaRoutes({ agendas, api }))
    .use(statsRoutes({ statistics: createTaskStatistics({ now }), api }))
    .use(remindersRoutes({ reminders: createReminders({ now }), api }))
    .use(projectsRoutes({ projects, deleteOrRestore: createChangeRunner(projects.deleteOrRestore, imports), api }))
    .use(sectionsRoutes({ sections, deleteSection: createChangeRunner(sections.deleteSection, imports), api }))
    .use(labelsRoutes({ labels, updateOrDelete: createChangeRunner(labels.updateOrDelete, imports), api }))
    .use(savedFilterGroup.routes({ service: savedFilters, api }))
    .use(quickRoutes({ quickAdds, api }))
    .use(feedsRoutes({ feeds: calendarFeeds, api }))
    .use(taskFileRoutes({ now, imports, exports, api }))
    .use(taskBatchRoutes({ batches, api }))
  /**
   * Finds the owner of the calendar feed whose token a path holds; returns null, not a promise, for every other path.
   */
  const findFeedOwner = (path: string) => {
    const token = readTokenInPath(path)
    return token === null ? null : calendarFeeds.findOwner(db, token)
  }
  const trash: Trash[] = [
    { ...trashOf('task', 'tasks'), ...toEraseMethods(tasks.deleteOrRestore, (id) => ({ id, what: 'erase' as const })) },
    {
      ...trashOf('task_section', 'task_sections'),
      ...toEraseMethods(sections.deleteSection, (id) => ({ id, what: 'erase' as const })),
    },
    {
      ...trashOf('task_project', 'task_projects'),
      ...toEraseMethods(projects.deleteOrRestore, (id) => ({ id, what: 'erase' as const, tasks: 'inbox' as const })),
    },
    {
      ...trashOf('task_label', 'task_labels'),
      ...toEraseMethods(labels.updateOrDelete, (id) => ({ id, what: 'erase' as const, patch: {} })),
    },
    { ...trashOf('task_filter', 'task_filters'), erase: (session, id) => savedFilters.remove(session, id, 'erase') },
  ]
  // Calendar feeds are not archived: their tokens are secret, and valid only on this server.
  const archivedTypes = [
    archivedProjects({ now, record }),
    archivedSections({ now, record }),
    archivedLabels({ now, record, reserve, writer }),
    archivedFilters({ now, record }),
    archivedTasks({ writer, reserve, settle, missingNotes }),
    archivedCompletions({ reserve }),
  ]
  const readers = {
    task: tasks.get,
    task_project: projects.get,
    task_section: sections.get,
    task_label: labels.get,
    task_filter: savedFilters.get,
    task_feed: calendarFeeds.get,
  }
  const services = { tasks, lists, agendas, quickAdds, completions: actions, projects }
  return {
    routes,
    services,
    readers,
    filePaths: TASK_FILE_PATHS,
    findFeedOwner,
    forgetNote: (session: Session, note: string) => forgetNote(writer, session, note),
    archivedTypes,
    filesForPeople: exports.exportAll,
    trash,
    wipe: wipeTables(WIPED_TABLES),
  }
}
