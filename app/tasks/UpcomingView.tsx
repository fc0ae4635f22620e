import { useMemo } from 'preact/hooks'
import type { Task } from '../api/types'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { addDays, dateInWords, dayInSentence, weekdayAndDay } from './dates'
import { ListHeader, SectionTitle } from './ListHeader'
import { byDue } from './order'
import { everyDay, planOf, useLater } from './plan'
import { shownTasks } from './shown-tasks'
import { isOpen } from './status'
import { type TaskGroup, TaskList } from './TaskList'
import { flatRows } from './tree'

/** Days after today that are listed one by one, and those of them that are listed even if they are free. */
const DAYS_AHEAD = 28
const DAYS_SHOWN = 6

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
  const named = (key: string, label: string, rows: TaskGroup['rows']) => ({
    ...{ key, label, rows },
    header: <SectionTitle title={label} />,
  })
  const isEmpty = [plan.overdue, plan.days, isToday ? undated : plan.later].every(({ length }) => length === 0)
  const shownTo = isToday || isEmpty ? '' : addDays(today.value, DAYS_SHOWN)
  const groups: TaskGroup[] = [
    named('overdue', say`Overdue`, plan.overdue),
    ...everyDay(plan, today.value, last).map(([date, rows]) => {
      const label = dateInWords(date, today.value)
      const header = <SectionTitle title={label} more={weekdayAndDay(date)} rows={rows} />
      const empty = date <= shownTo && <p class="quiet fine">{say`Free`}</p>
      return { key: date, label, rows, day: date, header, empty }
    }),
    isToday ? named('undated', say`No date`, undated) : named('later', say`Later`, plan.later),
  ]
  return (
    <>
      <ListHeader
        title={isToday ? say`Today` : say`Upcoming`}
        adds={isToday ? `${dayInSentence(today.value, today.value)} ` : ''}
      />
      {isEmpty && (
        <p class="quiet">
          {sync.unread.value ??
            (isToday
              ? say`Nothing to do.`
              : say`Nothing is planned. Give a task a date, or write the date when you add it.`)}
        </p>
      )}
      <TaskList groups={groups} />
      {failed && <p class="fine">{say`Later dates of repeating tasks are not shown: the server cannot be reached.`}</p>}
    </>
  )
}

/** Open tasks without a date, by project; the parts of others are left out. */
const undatedRows = (tasks: readonly Task[]) =>
  flatRows('undated', tasks.filter((task) => isOpen(task) && task.due === null && task.parent_id === null).sort(byDue))
