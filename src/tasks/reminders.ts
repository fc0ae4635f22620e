import { invalid } from '../http/problem'
import { readInstant, writeInstant } from '../http/values'
import type { Reminder, ReminderCreated } from './schema'

/** Reminders as they are stored. Throws invalid_request for an instant that is none. */
export function checkedReminders(asked: readonly ReminderCreated[]): Reminder[] {
  return asked.map(
    (reminder, i): Reminder =>
      'offset_minutes' in reminder && typeof reminder.offset_minutes === 'number'
        ? { at: null, offset_minutes: reminder.offset_minutes, from: reminder.from ?? 'due' }
        : {
            at: writeInstant(readInstant(reminder.at ?? '', `/reminders/${i}/at`)),
            offset_minutes: null,
            from: null,
          },
  )
}

/** Refuses a reminder that counts from a date which is not there. Throws invalid_request. */
export function requireAnchors(reminders: readonly Reminder[], has: { due: boolean; start: boolean }): void {
  reminders.forEach(({ from }, i) => {
    if (from !== null && !has[from])
      throw invalid(`/reminders/${i}`, `needs_${from}`, `a reminder before ${from} needs a ${from} date`)
  })
}
