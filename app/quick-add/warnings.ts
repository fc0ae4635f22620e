/** Why parts of a line that look like a date or a place are not taken as such. */
import type { QuickWarningCode } from '../../src/tasks/quick/parse'
import { say } from '../words/say'

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

/** @param detail the same in English, with the time that was assumed */
export const whyNot = (code: QuickWarningCode, detail: string) =>
  WARNINGS[code] || say`read as ${/\d+:\d+/.exec(detail)?.[0] ?? ''}`
