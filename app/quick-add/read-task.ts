/** Reads a line of quick add as the server does, with the projects and sections of the copy. */
import { titleKey } from '../../src/lib/text'
import { findFirstDate } from '../../src/tasks/quick/first-date'
import { parseQuick } from '../../src/tasks/quick/parse'
import type { QuickParse } from '../../src/tasks/quick/types'
import type { Copy } from '../data/copy'

export type { QuickSpan } from '../../src/tasks/quick/types'

/** How words of time are read. */
export interface ReadingSettings {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly timeZone: string
  readonly language: 'en' | 'de' | 'fr' | 'es'
}

/** Reads a line. `projectId` is the project that is open: sections are looked for in it; null: the inbox. */
export function readTask(line: string, copy: Copy, settings: ReadingSettings, projectId: string | null): QuickParse {
  const { task_project, task_section } = copy.shown
  const named = <Place extends { name: string }>(places: Iterable<Place>, name: string) =>
    [...places].find((place) => titleKey(place.name) === titleKey(name)) ?? null
  return parseQuick(line, {
    now: settings.now,
    time_zone: settings.timeZone,
    language: settings.language,
    dateOrder: null,
    firstOccurrence: findFirstDate,
    projectId,
    createMissing: false,
    findProject: (name) => {
      const project = named(task_project.peek().values(), name)
      return project && { id: project.id, name: project.name, isArchived: project.archived_at !== null }
    },
    findSection: (project, name) =>
      named(
        [...task_section.peek().values()].filter(({ project_id }) => project_id === project),
        name,
      ),
  })
}
