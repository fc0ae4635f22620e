import type { Task } from '../api/types'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { addressOf } from '../shell/route'
import { dateInWords, isOverdue, localDue } from './dates'
import { completeTasks, isOpen, reopenTasks } from './task-actions'

/** A task in a list: a box to complete it, its title, and what is to be known of it. */
export function TaskRow({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const project = task.project_id === null ? undefined : workspace.copy.shown.task_project.value.get(task.project_id)
  const due = localDue(task)
  const isDone = !isOpen(task)
  return (
    <li class={`task priority-${task.priority}${isDone ? ' done' : ''}`}>
      <input
        type="checkbox"
        checked={isDone}
        aria-label={`${isDone ? 'Reopen' : 'Complete'} ${task.title}`}
        onChange={() => (isDone ? reopenTasks : completeTasks)(workspace, [task])}
      />
      <a class="task-title" href={addressOf('tasks', ['task', task.id])} dir="auto">
        {task.title}
      </a>
      <span class="task-facts">
        {due && (
          <span class={isOpen(task) && isOverdue(task, today.value, timeOfDay.value) ? 'overdue' : ''}>
            {dateInWords(due.date, today.value)}
            {due.time !== null && ` ${due.time}`}
          </span>
        )}
        {task.recurrence && <span>repeats</span>}
        {project && <span dir="auto">{project.name}</span>}
        {task.labels.map((label) => (
          <span key={label} dir="auto">
            @{label}
          </span>
        ))}
      </span>
    </li>
  )
}
