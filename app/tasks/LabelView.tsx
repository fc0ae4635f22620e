import { useMemo } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { ListHeader } from './ListHeader'
import { byDue } from './order'
import { shownTasks } from './shown-tasks'
import { isOpen } from './status'
import { TaskList } from './TaskList'

import { flatRows } from './tree'

/** The open tasks with a label, by when they are due. */
export function LabelView({ name }: { name: string }) {
  const { copy } = useWorkspace()
  const key = name.toLowerCase()
  const groups = useMemo(() => {
    const tasks = shownTasks(copy).filter(
      (task) => isOpen(task) && task.labels.some((label) => label.toLowerCase() === key),
    )
    const empty = <p class="quiet">{say`No open task has this label. Add one: write @${name} when you add a task.`}</p>
    return [{ key: 'label', label: `@${name}`, rows: flatRows('label', tasks.sort(byDue)), empty }]
  }, [copy.shown.task.value, copy.shown.task_project.value, key])
  return (
    <>
      <ListHeader title={`@${name}`} adds={/\s/.test(name) ? `@"${name}" ` : `@${name} `} />
      <TaskList groups={groups} />
    </>
  )
}
