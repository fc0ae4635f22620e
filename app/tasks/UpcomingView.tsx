import { useMemo } from 'preact/hooks'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { addDays, dateInWords, weekdayAndDay } from './dates'
import { ListHeader, SectionTitle } from './ListHeader'
import { planOf, useLater } from './plan'
import { shownTasks } from './shown-tasks'
import { type TaskGroup, TaskList } from './TaskList'

/** Days after today that are listed one by one. */
const DAYS_AHEAD = 28

/** What is due from today on, day by day, with the later dates of tasks that repeat. */
export function UpcomingView() {
  const { copy, sync } = useWorkspace()
  const { later, failed } = useLater()
  const last = addDays(today.value, DAYS_AHEAD)
  const plan = useMemo(
    () => planOf(shownTasks(copy), { today: today.value, timeOfDay: timeOfDay.value, last }, later),
    [copy.shown.task.value, copy.shown.task_project.value, today.value, timeOfDay.value, later],
  )
  const named = (key: string, label: string, rows: TaskGroup['rows'], more = '') => ({
    key,
    label,
    rows,
    header: <SectionTitle title={label} more={more} />,
  })
  const groups: TaskGroup[] = [
    named('overdue', 'Overdue', plan.overdue),
    ...plan.days.map(([date, rows]) => ({
      ...named(date, dateInWords(date, today.value), rows, weekdayAndDay(date)),
      day: date,
    })),
    named('later', 'Later', plan.later),
  ]
  const isEmpty = groups.every(({ rows }) => rows.length === 0)
  return (
    <>
      <ListHeader title="Upcoming" />
      {isEmpty && (
        <p class="quiet">
          {sync.unread.value ?? 'Nothing is planned. Give a task a date, or write the date when you add it.'}
        </p>
      )}
      <TaskList groups={groups} />
      {failed && <p class="fine">Later dates of repeating tasks are not shown: the server cannot be reached.</p>}
    </>
  )
}
