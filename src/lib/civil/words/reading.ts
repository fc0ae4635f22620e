/** What came of a text; all positions are UTF-16 units of it, `end` one past the last. */

/** A day as a task has it: `time` is `HH:MM` or null for all day, `time_zone` null without a time or for a floating one. */
export interface ReadDay {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

/** A rule of RFC 5545 and what its dates are counted from. */
export interface ReadRecurrence {
  readonly rrule: string
  /** `completion` counts from the day on which it was done. */
  readonly mode: 'schedule' | 'completion'
  readonly skip: 'backward'
  /** The first due date. */
  readonly anchor: string
  readonly exdates: readonly string[]
}

/** Minutes from what is due; negative is before it. */
export interface ReadReminder {
  readonly at: null
  readonly offset_minutes: number
  readonly from: 'due'
}

/** What was understood, and what it set. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
  readonly kind: 'date' | 'time' | 'recurrence' | 'duration' | 'reminder'
  /** A date, a time, minutes, a reminder or the recurrence. */
  readonly value: string | number | ReadReminder | ReadRecurrence
}

/** Why something that looked like a time was not taken, by code. */
export const TIME_WARNINGS = {
  not_understood: 'a word of time here was not understood, so no date was set',
  looks_like_a_name: 'this looks like a name; in small letters or after a preposition it is a day',
  already_set: 'only the first of its kind counts',
  more_dates: 'only the first date counts',
  ambiguous_date: 'day and month are ambiguous without date_order',
  past_date: 'the date is past',
  unclear_time: 'a time needs a colon, am or pm',
  out_of_range: 'the value is out of range',
  unsupported_recurrence: 'no rule of ours says how a task would repeat so',
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

/** What a text says of time. */
export interface TimeReading {
  readonly due: ReadDay | null
  readonly start: ReadDay | null
  /** 1..43,200 */
  readonly duration_minutes: number | null
  readonly recurrence: ReadRecurrence | null
  readonly reminders: readonly ReadReminder[]
  /** In the order of the text, none across another. */
  readonly spans: readonly TimeSpan[]
  /** In the order of the text. */
  readonly warnings: readonly TimeWarning[]
}
