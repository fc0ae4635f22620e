/** The result of reading a text. All positions are UTF-16 units, end exclusive. */

/** A date as in a task: `time` is null for all day, or `HH:MM`; `time_zone` is null without a time, or if floating. */
export interface ReadDay {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

export interface ReadRecurrence {
  readonly rrule: string
  /** `completion` counts from the day on which it was done. */
  readonly mode: 'schedule' | 'completion'
  readonly skip: 'backward'
  readonly anchor: string
  readonly exdates: readonly string[]
}

/** Negative offsets are before the due date. */
export interface ReadReminder {
  readonly at: null
  readonly offset_minutes: number
  readonly from: 'due'
}

/** A part of the text that was understood, and the value that it set. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
  readonly kind: 'date' | 'time' | 'recurrence' | 'duration' | 'reminder'
  /** A date, a time, minutes, a reminder or the recurrence. */
  readonly value: string | number | ReadReminder | ReadRecurrence
}

/** The reasons why words that look like a time were not taken, by code. */
export const TIME_WARNINGS = {
  not_understood: 'this was not understood, so no date or reminder was set from it',
  looks_like_a_name: 'this looks like a name; in small letters or after a preposition it is a day',
  already_set: 'only the first of its kind counts',
  more_dates: 'only the first date counts',
  ambiguous_date: 'day and month are ambiguous without date_order',
  past_date: 'the date is past',
  unclear_time: 'a time needs a colon, am or pm',
  hour_assumed: 'the hour is taken to be in the afternoon',
  out_of_range: 'the value is out of range',
  unsupported_recurrence: 'a task cannot repeat like this',
  recurrence_never_occurs: 'the recurrence names no day',
  reminder_without_date: 'a reminder needs a due date',
  too_many_reminders: 'a task has at most 10 reminders',
} as const

export type TimeWarningCode = keyof typeof TIME_WARNINGS

export interface TimeWarning {
  readonly code: TimeWarningCode
  readonly start: number
  readonly end: number
  readonly detail: string
}

export interface TimeReading {
  readonly due: ReadDay | null
  readonly start: ReadDay | null
  /** 1..43,200 */
  readonly duration_minutes: number | null
  readonly recurrence: ReadRecurrence | null
  readonly reminders: readonly ReadReminder[]
  /** In the order of the text, without overlaps. */
  readonly spans: readonly TimeSpan[]
  readonly warnings: readonly TimeWarning[]
}
