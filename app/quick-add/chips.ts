/** What was understood in a line of quick add, each part in words. */
import type { ReadRecurrence, ReadReminder } from '../../src/lib/civil/words/reading'
import type { QuickSpan, QuickWarningCode } from '../../src/tasks/quick/parse'
import { today } from '../data/clock'
import { dateInWords, timeInWords } from '../tasks/dates'
import { lengthInWords, reminderInWords } from '../tasks/reminder-words'
import { repeatInWords } from '../tasks/repeat-words'
import { say } from '../words/say'

/** A part of the text in words: “Tomorrow” for `tmrw`, “every 2 weeks on Friday” for `every other fri`. */
export function spanInWords({ kind, value, text }: QuickSpan): string {
  if (kind === 'date' && typeof value === 'string') return dateInWords(value.slice(0, 10), today.peek())
  if (kind === 'time' && typeof value === 'string') return timeInWords(value)
  if (kind === 'duration' && typeof value === 'number') return lengthInWords(value)
  if (kind === 'priority') return say`Priority ${Number(value)}`
  if (typeof value !== 'object' || value === null) return text
  return kind === 'recurrence' ? repeatWords(value as ReadRecurrence) : reminderInWords(value as ReadReminder)
}

const repeatWords = ({ rrule, mode }: ReadRecurrence) => repeatInWords(rrule, mode)

const WARNINGS: Readonly<Record<QuickWarningCode, string>> = {
  not_understood: say`this was not understood, so no date or reminder was set from it`,
  looks_like_a_name: say`this looks like a name; in small letters or after a preposition it is a day`,
  already_set: say`only the first of its kind counts`,
  more_dates: say`only the first date counts`,
  ambiguous_date: say`day and month are ambiguous`,
  past_date: say`the date is past`,
  unclear_time: say`a time needs a colon, am or pm`,
  hour_assumed: '',
  out_of_range: say`the value is out of range`,
  unsupported_recurrence: say`a task cannot repeat like this`,
  recurrence_never_occurs: say`the recurrence names no day`,
  reminder_without_date: say`a reminder needs a due date`,
  too_many_reminders: say`a task has at most 10 reminders`,
  unknown_project: say`there is no project of this name`,
  archived_project: say`the project of this name is archived`,
  unknown_section: say`there is no section of this name`,
  name_too_long: say`a name has at most 100 characters`,
  too_many_labels: say`a task has at most 50 labels`,
}

/** Why a part was not taken as it looks. @param detail the same in English, with the time that was assumed */
export const whyNot = (code: QuickWarningCode, detail: string) =>
  WARNINGS[code] || say`read as ${/\d+:\d+/.exec(detail)?.[0] ?? ''}`
