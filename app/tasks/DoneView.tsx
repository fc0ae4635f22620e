import { useMemo } from 'preact/hooks'
import { dateOf, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { dateInWords } from './dates'
import { ListHeader, SectionTitle } from './ListHeader'
import { isOpen } from './status'
import { type TaskGroup, TaskList } from './TaskList'

import { flatRows } from './tree'

/** The tasks that are done or cancelled, the newest first. Completions of tasks that repeat are on their pages. */
export function DoneView() {
  const { copy, sync } = useWorkspace()
  const groups = useMemo((): TaskGroup[] => {
    const closed = [...copy.shown.task.value.values()]
      .filter((task) => !isOpen(task))
      .map((task) => ({ task, at: task.completed_at ?? task.cancelled_at ?? task.updated_at }))
      .sort((a, b) => (a.at > b.at ? -1 : 1))
    const days = Map.groupBy(closed, ({ at }) => dateOf(new Date(at)))
    return [...days].map(([date, list]) => {
      const label = dateInWords(date, today.value)
      const rows = flatRows(
        date,
        list.map(({ task }) => task),
      )
      return { key: date, label, rows, header: <SectionTitle title={label} /> }
    })
  }, [copy.shown.task.value, today.value])
  return (
    <>
      <ListHeader title={say`Done{# tasks}`} adds={null} />
      {groups.length === 0 && <p class="quiet">{sync.unread.value ?? say`Nothing is done yet. It will be.`}</p>}
      <TaskList groups={groups} />
    </>
  )
}
