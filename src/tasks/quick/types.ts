/** What quick add knows of the moment and the workspace; everything here is plain and synchronous. */
export interface QuickContext {
  /** The civil date in `time_zone` at the moment of asking, `YYYY-MM-DD`. */
  readonly today: string
  /** Minutes since midnight in `time_zone` at that moment, 0..1439. */
  readonly minutes: number
  /** The zone that a due time is given; null makes it floating. */
  readonly time_zone: string | null
  /** How `03/04` is read; null leaves it in the title with a warning. */
  readonly dateOrder: 'dmy' | 'mdy' | null
  /** The project of the request, in which a section is looked up when the text names no project. */
  readonly projectId: string | null
  /** Whether unknown projects and sections are to be made. */
  readonly createMissing: boolean
  /** The living project of that name, compared without case. */
  findProject(name: string): { readonly id: string; readonly name: string } | null
  /** The section of that name in the project, compared without case; null is the inbox. */
  findSection(projectId: string | null, name: string): { readonly id: string; readonly name: string } | null
  /**
   * The first day on or after `from` that the rule names, if the series is anchored at `from`; null if there is none.
   * INTERVAL is never part of what is asked: the day that comes back becomes the anchor, and intervals count from it.
   * A day that a month lacks is its last day (`skip: backward`).
   */
  firstOccurrence(rrule: string, from: string): string | null
}

/**
 * As the resource has it: `time` is `HH:MM` or null for all day, `time_zone` null without a time or for a floating one.
 */
export interface QuickDay {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

export interface QuickRecurrence {
  readonly rrule: string
  readonly mode: 'schedule' | 'completion'
  readonly skip: 'backward'
  /** The first due date. */
  readonly anchor: string
  readonly exdates: readonly string[]
}

export interface QuickReminder {
  readonly at: null
  /** Negative: before. */
  readonly offset_minutes: number
  readonly from: 'due'
}

/** A project or section; `id` is null if it is still to be made. */
export interface QuickPlace {
  readonly id: string | null
  readonly name: string
}

/** The members that the text sets; what it does not mention is absent. */
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
 * What was understood. `start` and `end` count code points of the text, `end` is one past the last; `text` is what
 * is there. `value` is what it set: an id (null: still to be made), a name, a number, a date, a time, a reminder or
 * the recurrence.
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
