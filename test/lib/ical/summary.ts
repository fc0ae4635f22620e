import type { CalendarItem, ItemMoment } from '../../../src/lib/ical/item'

/** What a to-do says, in a line: `title | status | p1 | due … | start … | rule | reminders | @labels | ! warnings`. */
export function summarize({ members, recurrence_id, priority_read, warnings }: CalendarItem): string {
  const { title, status, priority, due, start, duration_minutes, recurrence, reminders, labels, notes } = members
  const when = (name: string, moment: ItemMoment | null) => (moment ? [`${name} ${at(moment)}`] : [])
  return [
    title,
    ...when('only', recurrence_id),
    ...(status === 'open' ? [] : [status]),
    ...(priority === 0 ? [] : [`p${priority} of ${priority_read}`]),
    ...when('due', due),
    ...when('start', start),
    ...(duration_minutes === null ? [] : [`for ${duration_minutes}`]),
    ...(recurrence ? [`${recurrence.rrule} ${recurrence.skip} from ${recurrence.anchor}`] : []),
    ...(members.completed_at ? [`done ${members.completed_at.slice(0, 19)}Z`] : []),
    ...reminders.map((one) => (one.at === null ? `remind ${one.offset_minutes} ${one.from}` : `remind ${one.at}`)),
    ...labels.map((label) => `@${label}`),
    ...(notes === null ? [] : [`notes ${JSON.stringify(notes.length > 60 ? `${notes.slice(0, 60)}…` : notes)}`]),
    ...warnings.map(({ code }) => `! ${code}`),
  ].join(' | ')
}

function at({ date, time, tz }: ItemMoment): string {
  return [time === null ? date : `${date}T${time}`, ...(tz === null ? [] : [tz])].join(' ')
}
