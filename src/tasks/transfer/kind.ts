import type { ImportKind } from '../../imports/kind'
import { type CalendarParams, createItemImport, type ItemImportDeps } from './import-item'
import { createOccurrenceImport } from './occurrences'
import type { TodoItem } from './read-calendar'
import { createRelating } from './relate'

/**
 * The import of calendar files: tasks, then what was done of their series, then what they are parts of and wait for. A
 * repeat finds tasks by their UIDs; one that was cut short finishes what the first left.
 */
export function calendarImport(deps: ItemImportDeps): ImportKind<CalendarParams, TodoItem> {
  const items = createItemImport(deps)
  return {
    name: 'tasks',
    reader: new URL('./reader.ts', import.meta.url),
    passes: [items.take, createOccurrenceImport(deps), createRelating({ ...deps, items })],
  }
}
