import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Task } from '../api/types'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { dateInWords, isOverdue, localDue, withTime } from './dates'
import { toggleFold } from './folds'
import type { ListControl } from './list-control'
import { isBlocked, isOpen, partCounts } from './status'
import { completeTasks, reopenTasks, updateTasks } from './task-actions'
import type { Row } from './tree'

/** How far to the right each level begins. */
export const LEVEL_REM = 1.5

interface Known {
  readonly project: string | null
  readonly day?: string
}

interface Props {
  readonly row: Row
  readonly control: ListControl
  /** Its place among all rows of its group, from 1. */
  readonly index: number
  readonly movable: boolean
  /** The project and the day that the list is of: they are not repeated. */
  readonly known: Known
}

/** A task in a list: a box to complete it, its title, and what is to be known of it. */
export function TaskRow({ row, control, index, movable, known }: Props) {
  const workspace = useWorkspace()
  const { task, key, level, folded, later } = row
  const isCurrent = useComputed(() => control.current.value === key).value
  const isSelected = useComputed(() => control.selected.value.has(key)).value
  const isEdited = useComputed(() => control.editing.value === key).value
  const tab = isCurrent ? 0 : -1
  const isDone = !isOpen(task)
  function onClick(event: MouseEvent) {
    const onControl = event.target instanceof Element && event.target.closest('input, button') !== null
    if (onControl) return
    if (event.ctrlKey || event.metaKey || control.selecting.peek()) control.toggle(key)
    else if (event.shiftKey) control.extendTo(key)
    else return
    event.preventDefault()
    control.focus(key)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys of its rows
    // biome-ignore lint/a11y/useSemanticElements: no table, since rows wrap and nothing has columns
    <div
      role="row"
      data-row={key}
      tabIndex={tab}
      aria-level={level}
      aria-rowindex={index}
      aria-selected={isSelected}
      aria-expanded={folded === null ? undefined : !folded}
      class={`task priority-${task.priority}${isDone ? ' done' : ''}${later ? ' later' : ''}`}
      style={level > 1 ? { paddingInlineStart: `${(level - 1) * LEVEL_REM}rem` } : undefined}
      onClick={onClick}
    >
      <Cell name="task-boxes">
        {movable && <span class="grip" aria-hidden="true" />}
        {later ? (
          <span class="task-box" aria-hidden="true" />
        ) : (
          <input
            type="checkbox"
            tabIndex={tab}
            checked={isDone}
            aria-label={isDone ? say`Reopen ${task.title}` : say`Complete ${task.title}`}
            onChange={(event) => {
              // The box follows the task: it is checked only once the task is done.
              event.currentTarget.checked = isDone
              ;(isDone ? reopenTasks : completeTasks)(workspace, [task])
            }}
          />
        )}
      </Cell>
      <Cell name="task-main">
        {isEdited ? (
          <TitleField task={task} rowKey={key} control={control} />
        ) : (
          <a class="task-title" tabIndex={tab} href={addressOf('tasks', ['task', task.id])} dir="auto">
            {task.title}
          </a>
        )}
        <Facts task={task} later={later} known={known} />
      </Cell>
      <Cell name="task-handles">
        {folded !== null && (
          <button
            type="button"
            class="fold"
            tabIndex={tab}
            aria-label={folded ? say`Show the parts of ${task.title}` : say`Hide the parts of ${task.title}`}
            onClick={() => toggleFold(task.id)}
          />
        )}
      </Cell>
    </div>
  )
}

function Cell({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus, and the controls in the cell
    // biome-ignore lint/a11y/useSemanticElements: as for the row
    <div role="gridcell" class={name}>
      {children}
    </div>
  )
}

function Facts({ task, later, known }: { task: Task; later: string | undefined; known: Known }) {
  const { copy } = useWorkspace()
  const project = task.project_id === null ? undefined : copy.shown.task_project.value.get(task.project_id)
  // As a text, so that only the rows whose counts change are drawn again.
  const parts = useComputed(() => {
    const { total, done } = partCounts(copy, task.id)
    return total > 0 ? say`${done} of ${total} parts` : ''
  }).value
  const due = localDue(task)
  const date = later ?? due?.date ?? ''
  return (
    <span class="task-facts">
      {due && (date !== known.day || due.time !== null) && (
        <span class={isOpen(task) && !later && isOverdue(task, today.value, timeOfDay.value) ? 'overdue' : ''}>
          {withTime(date === known.day ? '' : dateInWords(date, today.value), due.time)}
        </span>
      )}
      {task.recurrence && <span>{say`repeats`}</span>}
      {parts !== '' && <span>{parts}</span>}
      {task.priority > 0 && <span class="unseen">{say`Priority ${task.priority}`}</span>}
      {isBlocked(copy, task) && <span>{say`waits for another`}</span>}
      {project && project.id !== known.project && <span dir="auto">{project.name}</span>}
      {task.labels.map((label) => (
        <span key={label} dir="auto">
          @{label}
        </span>
      ))}
    </span>
  )
}

/** The title as a field: Enter keeps the change, Escape drops it. */
function TitleField({ task, rowKey, control }: { task: Task; rowKey: string; control: ListControl }) {
  const workspace = useWorkspace()
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  function end(keep: boolean) {
    const title = field.current?.value.trim() ?? ''
    if (control.editing.peek() !== rowKey) return
    control.editing.value = null
    if (keep && title !== '' && title !== task.title)
      updateTasks(workspace, [task], say`Renamed “${task.title}” to “${title}”.`, () => ({ title }))
  }
  return (
    <input
      ref={field}
      class="task-edit"
      aria-label={say`Title of ${task.title}`}
      dir="auto"
      maxLength={500}
      defaultValue={task.title}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if ((event.key !== 'Enter' && event.key !== 'Escape') || event.isComposing) return
        event.preventDefault()
        event.stopPropagation()
        end(event.key === 'Enter')
        control.focus(rowKey)
      }}
    />
  )
}
