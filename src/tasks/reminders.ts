import { invalid } from '../http/api-error'
import { readInstant, writeInstant } from '../http/values'
import type { Reminder, ReminderCreated } from './schema'
import { readTaskDate } from './when'

/** Reminders as they are stored. Throws invalid_request for an instant that is none, or not in the years of a task. */
export function checkedReminders(asked: readonly ReminderCreated[]): Reminder[] {
  return asked.map(
    (reminder, i): Reminder =>
      'offset_minutes' in reminder && typeof reminder.offset_minutes === 'number'
        ? { at: null, offset_minutes: reminder.offset_minutes, from: reminder.from ?? 'due' }
        : {
            at: instantOfTask(reminder.at ?? '', `/reminders/${i}/at`),
            offset_minutes: null,
            from: null,
          },
  )
}

/** An instant that still has four digits of a year when it moves along with a series. */
function instantOfTask(text: string, pointer: string): string {
  const at = writeInstant(readInstant(text, pointer))
  readTaskDate(at.slice(0, 10), pointer)
  return at
}

/** Refuses a reminder that counts from a date which is not there. Throws invalid_request. */
export function requireAnchors(reminders: readonly Reminder[], has: { due: boolean; start: boolean }): void {
  reminders.forEach(({ from }, i) => {
    if (from !== null && !has[from])
      throw invalid(`/reminders/${i}`, `needs_${from}`, `a reminder before ${from} needs a ${from} date`)
  })
}
