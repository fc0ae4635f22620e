import { useMemo } from 'preact/hooks'
import type { Task } from '../api/types'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { addDays, dateInWords, weekdayAndDay } from './dates'
import { ListHeader, SectionTitle } from './ListHeader'
import { byDue } from './order'
import { planOf, useLater } from './plan'
import { shownTasks } from './shown-tasks'
import { isOpen } from './status'
import { type TaskGroup, TaskList } from './TaskList'
import { flatRows } from './tree'

/** Days after today that are listed one by one. */
const DAYS_AHEAD = 28

/**
 * What is due from today on, day by day, with the later dates of tasks that repeat; with `isToday` what is due by the end of
 * today, and below it what has no date.
 */
export function UpcomingView({ isToday = false }: { isToday?: boolean }) {
  const { copy, sync } = useWorkspace()
  const { later, failed } = useLater()
  const last = addDays(today.value, isToday ? 0 : DAYS_AHEAD)
  const { plan, undated } = useMemo(() => {
    const tasks = shownTasks(copy)
    const plan = planOf(tasks, { today: today.value, timeOfDay: timeOfDay.value, last }, later)
    return { plan, undated: isToday ? undatedRows(tasks) : [] }
  }, [copy.shown.task.value, copy.shown.task_project.value, today.value, timeOfDay.value, later])
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
    isToday ? named('undated', 'No date', undated) : named('later', 'Later', plan.later),
  ]
  const isEmpty = groups.every(({ rows }) => rows.length === 0)
  return (
    <>
      <ListHeader title={isToday ? 'Today' : 'Upcoming'} adds={isToday ? 'today ' : ''} />
      {isEmpty && (
        <p class="quiet">
          {sync.unread.value ??
            (isToday
              ? 'Nothing is to be done.'
              : 'Nothing is planned. Give a task a date, or write the date when you add it.')}
        </p>
      )}
      <TaskList groups={groups} />
      {failed && <p class="fine">Later dates of repeating tasks are not shown: the server cannot be reached.</p>}
    </>
  )
}

/** Open tasks without a date, by project; the parts of others are left out. */
const undatedRows = (tasks: readonly Task[]) =>
  flatRows('undated', tasks.filter((task) => isOpen(task) && task.due === null && task.parent_id === null).sort(byDue))
