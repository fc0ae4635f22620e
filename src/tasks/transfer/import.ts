import type { Session } from '../../db/database'
import { invalid } from '../../http/problem'
import type { ImportKind } from '../../imports/kind'
import type { ImportOrder } from '../../imports/service'
import { hasProject } from '../place-store'
import type { ImportTasks } from '../schema'
import type { Settle } from '../settle'
import { type CalendarParams, createItemImport, type ItemImportDeps } from './import-item'
import { createOccurrenceImport } from './occurrences'
import type { TodoItem } from './read-calendar'
import { createRelating } from './relate'

const KIND = 'tasks'

/**
 * The import of calendar files: tasks, then what was done of their series, then what they are parts of and wait for. A
 * repeat finds tasks by their UIDs; one that was cut short finishes what the first left.
 */
export function calendarImport({
  settle,
  ...deps
}: ItemImportDeps & { readonly settle: Settle }): ImportKind<CalendarParams, TodoItem> {
  const items = createItemImport(deps)
  return {
    name: KIND,
    reader: new URL('./reader.ts', import.meta.url),
    passes: [items.take, createOccurrenceImport(deps), createRelating({ ...deps, items })],
    // What is below a task that the file moved follows it.
    finish: ({ session }) => settle(session, 'elsewhere'),
  }
}

/** @throws Refusal invalid_request */
export async function importOrder({ db, workspace }: Session, query: ImportTasks): Promise<ImportOrder> {
  const { on_conflict = 'skip', project_id = null, dry_run } = query
  if (project_id !== null && !(await hasProject(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project that is not in the trash')
  const params: CalendarParams = { on_conflict, project_id }
  return { kind: KIND, types: ['text/calendar'], params: () => params, dryRun: dry_run === 'true' }
}
