/** The actions of a list of tasks, for the palette and the keys: they are for the selected tasks, else the focused one. */
import type { Task } from '../api/types'
import { today } from '../data/clock'
import type { Workspace } from '../data/workspace'
import type { Action } from '../shell/actions'
import { notify } from '../shell/notice'
import { addressOf, go } from '../shell/route'
import { nextMonday, nextMonth } from './dates'
import { folds, toggleFold } from './folds'
import type { ListControl } from './list-control'
import { lastAt, moveTasks, placeInWords, sectionsOf, tasksAt } from './move-actions'
import { isOpen } from './status'
import { completeTasks, deleteTasks, prioritizeTasks, reopenTasks, rescheduleTasks } from './task-actions'
import { indentSpot, outdentSpot, placeKey, type Spot, stepSpot } from './tree'

/** All actions of a list. */
export function listActions(workspace: Workspace, control: ListControl): readonly Action[] {
  const withTasks = (run: (tasks: readonly Task[]) => void) => () => {
    const tasks = [...new Map(control.targets().map(({ task }) => [task.id, task])).values()]
    if (tasks.length === 0) notify('Choose a task first: with j and k, or with the arrow keys.')
    else run(tasks)
  }
  const reschedule = (date: () => string) => withTasks((tasks) => rescheduleTasks(workspace, tasks, date()))
  const move = (keys: string, title: string, run: () => void) => ({ keys, title, run })
  return [
    { keys: 'j', title: 'Next task', run: () => control.step(1) },
    { keys: 'k', title: 'Task before', run: () => control.step(-1) },
    {
      keys: 'x',
      title: 'Select the task, or no longer',
      run: () => {
        const row = control.focusedRow()
        if (row) control.toggle(row.key)
      },
    },
    { keys: 'c', title: 'Complete the task', run: withTasks((tasks) => completeOrReopen(workspace, tasks)) },
    { keys: 't', title: 'Move to today', run: reschedule(() => today.peek()) },
    { keys: 'w', title: 'Move to next week', run: reschedule(() => nextMonday(today.peek())) },
    { keys: 'm', title: 'Move to in a month', run: reschedule(() => nextMonth(today.peek())) },
    { keys: 'd', title: 'Set the date …', run: withTasks((tasks) => ask('date', tasks)) },
    { keys: 'v', title: 'Move to a project or section …', run: withTasks((tasks) => ask('place', tasks)) },
    ...[1, 2, 3, 4, 0].map((priority) => ({
      keys: String(priority),
      title: priority === 0 ? 'No priority' : `Priority ${priority}`,
      run: withTasks((tasks) => prioritizeTasks(workspace, tasks, priority)),
    })),
    {
      keys: 'e',
      title: 'Change the title',
      run: () => {
        const row = control.focusedRow()
        if (row && row.later === undefined) control.editing.value = row.key
      },
    },
    { keys: 'Delete', title: 'Delete the task', run: withTasks((tasks) => deleteTasks(workspace, tasks)) },
    move('Alt ↑', 'Move the task up', () => step(workspace, control, -1)),
    move('Alt ↓', 'Move the task down', () => step(workspace, control, 1)),
    move('Alt →', 'Make it a part of the task above', () => indent(workspace, control)),
    move('Alt ←', 'Make it a task of its own again', () => outdent(workspace, control)),
  ]

  function ask(what: 'date' | 'place', tasks: readonly Task[]): void {
    control.asked.value = { what, tasks }
  }
}

/** Completes tasks; where all are done, it opens them again. */
export function completeOrReopen(workspace: Workspace, tasks: readonly Task[]): void {
  const open = tasks.filter(isOpen)
  if (open.length > 0) completeTasks(workspace, open)
  else reopenTasks(workspace, tasks)
}

/** Handles keys on a focused row that are not letters. Returns whether it did. */
export function handleRowKey(workspace: Workspace, control: ListControl, event: KeyboardEvent): boolean {
  const row = control.focusedRow()
  if (!row || event.ctrlKey || event.metaKey) return false
  if (event.altKey) return handleMoveKey(workspace, control, event.key)
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
  const onRow = event.target instanceof HTMLElement && event.target.dataset.row !== undefined
  if (step !== undefined) control.step(step, event.shiftKey)
  else if (event.key === 'Home') control.focus(control.rows()[0]?.key ?? null)
  else if (event.key === 'End') control.focus(control.rows().at(-1)?.key ?? null)
  else if (event.key === 'Escape' && (control.selected.peek().size > 0 || control.selecting.peek())) control.clear()
  else if (event.key === (folds.peek().has(row.task.id) ? 'ArrowRight' : 'ArrowLeft') && row.folded !== null)
    toggleFold(row.task.id)
  else if (onRow && event.key === 'Enter') go(addressOf('tasks', ['task', row.task.id]))
  else if (onRow && event.key === ' ') {
    const tasks = control.targets().map(({ task }) => task)
    if (tasks.length > 0) completeOrReopen(workspace, tasks)
  } else return false
  return true
}

function handleMoveKey(workspace: Workspace, control: ListControl, key: string): boolean {
  if (key === 'ArrowUp') step(workspace, control, -1)
  else if (key === 'ArrowDown') step(workspace, control, 1)
  else if (key === 'ArrowRight') indent(workspace, control)
  else if (key === 'ArrowLeft') outdent(workspace, control)
  else return false
  return true
}

/** The focused task, if the list is in the order of positions. */
function movableTask(control: ListControl): Task | null {
  const row = control.focusedRow()
  const group = control.groups().find(({ rows }) => row !== null && rows.includes(row))
  if (row && group?.place) return row.task
  notify(
    row ? 'Tasks are in order of time here: move them in their project, or give them a date.' : 'Choose a task first.',
  )
  return null
}

function step(workspace: Workspace, control: ListControl, by: -1 | 1): void {
  const task = movableTask(control)
  if (!task) return
  const siblings = tasksAt(workspace, task)
  const sections = sectionsOf(workspace, task.project_id)
  const spot = stepSpot(task, by, siblings, sections, (place) => lastAt(workspace, place))
  if (!spot) {
    notify(by < 0 ? 'It is the first one.' : 'It is the last one.')
    return
  }
  const isSame = placeKey(spot) === placeKey(task)
  moveAndFollow(
    workspace,
    control,
    task,
    spot,
    isSame ? (by < 0 ? 'up' : 'down') : `to ${placeInWords(workspace, spot)}`,
  )
}

function indent(workspace: Workspace, control: ListControl): void {
  const task = movableTask(control)
  if (!task) return
  const spot = indentSpot(task, tasksAt(workspace, task), (place) => lastAt(workspace, place))
  if (!spot) {
    notify('There is no task above that it could be a part of.')
    return
  }
  if (spot.parent_id !== null && folds.peek().has(spot.parent_id)) toggleFold(spot.parent_id)
  moveAndFollow(workspace, control, task, spot, `into ${placeInWords(workspace, spot)}`)
}

function outdent(workspace: Workspace, control: ListControl): void {
  const task = movableTask(control)
  if (!task) return
  const spot = outdentSpot(task, workspace.copy.shown.task.peek())
  if (!spot) {
    notify('It is a task of its own.')
    return
  }
  moveAndFollow(workspace, control, task, spot, 'out of its parent')
}

/** Moves a task; the focus goes along with it into another section. */
function moveAndFollow(workspace: Workspace, control: ListControl, task: Task, spot: Spot, where: string): void {
  moveTasks(workspace, [task], spot, where)
  control.follow(task.id)
}
