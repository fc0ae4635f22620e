import type { TimeContext } from '../../lib/civil/words/read'
import type { ReadDay, ReadRecurrence, ReadReminder, TimeSpan, TimeWarningCode } from '../../lib/civil/words/reading'

/** The current time and the data of the workspace that quick add needs. All functions are synchronous. */
export interface QuickContext extends TimeContext {
  /** The project of the request, in which a section is looked up when the text names no project. */
  readonly projectId: string | null
  readonly createMissing: boolean
  /** Returns the project with that name outside the trash, compared without case. */
  findProject(name: string): { readonly id: string; readonly name: string; readonly isArchived?: boolean } | null
  /** Returns the section with that name in the project (null: the inbox), compared without case. */
  findSection(projectId: string | null, name: string): { readonly id: string; readonly name: string } | null
}

/** A project or section; `id` is null if it must be created. */
interface QuickPlace {
  readonly id: string | null
  readonly name: string
}

/** The members of the task that the text sets; others are absent. */
export interface QuickDraft {
  priority?: number
  due?: ReadDay
  /** From a range of days: `5-7 May`. */
  start?: ReadDay
  duration_minutes?: number
  recurrence?: ReadRecurrence
  reminders?: ReadReminder[]
  labels?: string[]
  project?: QuickPlace
  section?: QuickPlace
}

export type QuickKind = TimeSpan['kind'] | 'project' | 'section' | 'label' | 'priority' | 'escape'

/**
 * A part of the text that was understood. `start` and `end` count code points, end exclusive; `text` is the part
 * itself. `value` is what it set: an id (null: must be created), a name, a number, a date, a time, a reminder or the
 * recurrence.
 */
export interface QuickSpan {
  readonly start: number
  readonly end: number
  readonly kind: QuickKind
  readonly text: string
  readonly value: TimeSpan['value'] | null
}

export type QuickWarningCode =
  | TimeWarningCode
  | 'unknown_project'
  | 'archived_project'
  | 'unknown_section'
  | 'name_too_long'
  | 'too_many_labels'

/** A part that looked like e.g. a date but stays in the title; offsets as in a span. */
export interface QuickWarning {
  readonly code: QuickWarningCode
  readonly start: number
  readonly end: number
  readonly text: string
  readonly detail: string
}

/** The result of parsing. `title` can be empty (the service throws empty_title) or too long. */
export interface QuickParse {
  readonly title: string
  readonly draft: QuickDraft
  readonly spans: readonly QuickSpan[]
  readonly warnings: readonly QuickWarning[]
}
