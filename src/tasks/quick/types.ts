import type { TimeContext } from '../../lib/civil/words/read'
import type { ReadDay, ReadRecurrence, ReadReminder, TimeSpan, TimeWarningCode } from '../../lib/civil/words/reading'

/** What quick add knows of the moment and the workspace; everything here is plain and synchronous. */
export interface QuickContext extends TimeContext {
  /** The project of the request, in which a section is looked up when the text names no project. */
  readonly projectId: string | null
  /** Whether unknown projects and sections are to be made. */
  readonly createMissing: boolean
  /** The living project of that name, compared without case. */
  findProject(name: string): { readonly id: string; readonly name: string } | null
  /** The section of that name in the project, compared without case; null is the inbox. */
  findSection(projectId: string | null, name: string): { readonly id: string; readonly name: string } | null
}

/** A project or section; `id` is null if it is still to be made. */
export interface QuickPlace {
  readonly id: string | null
  readonly name: string
}

/** The members that the text sets; what it does not mention is absent. */
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
 * What was understood. `start` and `end` count code points of the text, `end` is one past the last; `text` is what
 * is there. `value` is what it set: an id (null: still to be made), a name, a number, a date, a time, a reminder or
 * the recurrence.
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
  | 'unknown_section'
  | 'name_too_long'
  | 'too_many_labels'

/** Something that looked meant but was left in the title; offsets as in a span. */
export interface QuickWarning {
  readonly code: QuickWarningCode
  readonly start: number
  readonly end: number
  readonly text: string
  readonly detail: string
}

/** `title` may be empty (the service answers `empty_title`) or longer than a title may be. */
export interface QuickParse {
  readonly title: string
  readonly draft: QuickDraft
  readonly spans: readonly QuickSpan[]
  readonly warnings: readonly QuickWarning[]
}
