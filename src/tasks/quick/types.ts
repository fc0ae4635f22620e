/** The current time and the data of the workspace that quick add needs. All functions are synchronous. */
export interface QuickContext {
  /** The current civil date in `time_zone`, `YYYY-MM-DD`. */
  readonly today: string
  /** The current minutes since midnight in `time_zone`, 0..1439. */
  readonly minutes: number
  /** The zone of due times; null makes them floating. */
  readonly time_zone: string | null
  /** The order of day and month in `03/04`; null leaves such a date in the title with a warning. */
  readonly dateOrder: 'dmy' | 'mdy' | null
  /** The project of the request, in which a section is looked up when the text names no project. */
  readonly projectId: string | null
  /** Whether to create unknown projects and sections. */
  readonly createMissing: boolean
  /** Returns the project with that name outside the trash, compared without case. */
  findProject(name: string): { readonly id: string; readonly name: string } | null
  /** Returns the section with that name in the project (null: the inbox), compared without case. */
  findSection(projectId: string | null, name: string): { readonly id: string; readonly name: string } | null
  /**
   * Returns the first date of the rule on or after `from`, for a series anchored at `from`; null if there is none. The
   * rule has no INTERVAL: the returned date becomes the anchor, from which intervals count. If a month lacks the day,
   * its last day counts (`skip: backward`).
   */
  firstOccurrence(rrule: string, from: string): string | null
}

/** A date as in a task: `time` is null for all day, or `HH:MM`; `time_zone` is null without a time, or if floating. */
export interface QuickDay {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

/** A recurrence as in a task. */
export interface QuickRecurrence {
  readonly rrule: string
  readonly mode: 'schedule' | 'completion'
  readonly skip: 'backward'
  /** The first due date. */
  readonly anchor: string
  readonly exdates: readonly string[]
}

/** A reminder as in a task, relative to the due date. */
export interface QuickReminder {
  readonly at: null
  /** Negative: before. */
  readonly offset_minutes: number
  readonly from: 'due'
}

/** A project or section; `id` is null if it must be created. */
export interface QuickPlace {
  readonly id: string | null
  readonly name: string
}

/** The members of the task that the text sets; others are absent. */
export interface QuickDraft {
  priority?: number
  due?: QuickDay
  /** From a range of days: `5-7 May`. */
  start?: QuickDay
  duration_minutes?: number
  recurrence?: QuickRecurrence
  reminders?: QuickReminder[]
  labels?: string[]
  project?: QuickPlace
  section?: QuickPlace
}

export type QuickKind =
  | 'project'
  | 'section'
  | 'label'
  | 'priority'
  | 'duration'
  | 'reminder'
  | 'recurrence'
  | 'date'
  | 'time'
  | 'escape'

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
  readonly value: string | number | QuickReminder | QuickRecurrence | null
}

export type QuickWarningCode =
  | 'unknown_project'
  | 'unknown_section'
  | 'name_too_long'
  | 'too_many_labels'
  | 'too_many_reminders'
  | 'already_set'
  | 'more_dates'
  | 'ambiguous_date'
  | 'past_date'
  | 'unclear_time'
  | 'out_of_range'
  | 'unsupported_recurrence'
  | 'recurrence_never_occurs'
  | 'reminder_without_date'

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
