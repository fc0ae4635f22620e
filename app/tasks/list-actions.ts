/** The actions of a list of tasks, for the palette and the keys: they are for the selected tasks, else the focused one. */
import type { Task } from '../api/types'
import { today } from '../data/clock'
import type { Workspace } from '../data/workspace'
import type { Action } from '../shell/actions'
import { notify } from '../shell/notice'
import { addressOf, go } from '../shell/route'
import { say } from '../words/say'
import { addDays, localDue, nextMonday, nextMonth } from './dates'
import { folds, toggleFold } from './folds'
import type { ListControl } from './list-control'
import { lastAt, moveTasks, placeInWords, sectionsOf, tasksAt } from './move-actions'
import { isOpen } from './status'
import { completeTasks, deleteTasks, prioritizeTasks, reopenTasks, rescheduleTasks } from './task-actions'
import { indentSpot, outdentSpot, placeKey, type Spot, stepSpot } from './tree'

export function listActions(workspace: Workspace, control: ListControl): readonly Action[] {
  const withTasks = (run: (tasks: readonly Task[]) => void) => () => {
    const tasks = [...new Map(control.targets().map(({ task }) => [task.id, task])).values()]
    if (tasks.length === 0) notify(say`Choose a task first: with j and k, or with the arrow keys.`)
    else run(tasks)
  }
  const reschedule = (date: () => string) => withTasks((tasks) => rescheduleTasks(workspace, tasks, date()))
  return [
    { keys: 'j', title: say`Next task`, run: () => control.step(1) },
    { keys: 'k', title: say`Task before`, run: () => control.step(-1) },
    {
      keys: 'x',
      title: say`Select the task, or no longer`,
      run: () => {
        const row = control.focusedRow()
        if (row) control.toggle(row.key)
      },
    },
    { keys: 'c', title: say`Complete the task`, run: withTasks((tasks) => completeOrReopen(workspace, tasks)) },
    { keys: 't', title: say`Move to today`, run: reschedule(() => today.peek()) },
    { keys: 'w', title: say`Move to next week`, run: reschedule(() => nextMonday(today.peek())) },
    { keys: 'm', title: say`Move to in a month`, run: reschedule(() => nextMonth(today.peek())) },
    { keys: 'd', title: say`Set the date …`, run: withTasks((tasks) => ask('date', tasks)) },
    { keys: 'v', title: say`Move to a project or section …`, run: withTasks((tasks) => ask('place', tasks)) },
    ...[1, 2, 3, 4, 0].map((priority) => ({
      keys: String(priority),
      title: priority === 0 ? say`No priority` : say`Priority ${priority}`,
      run: withTasks((tasks) => prioritizeTasks(workspace, tasks, priority)),
    })),
    {
      keys: 'e',
      title: say`Change the title`,
      run: () => {
        const row = control.focusedRow()
        if (row && row.later === undefined) control.editing.value = row.key
      },
    },
    { keys: 'Delete', title: say`Delete the task`, run: withTasks((tasks) => deleteTasks(workspace, tasks)) },
    { keys: say`Alt ↑`, title: say`Move the task up, or to the day before`, run: () => step(workspace, control, -1) },
    { keys: say`Alt ↓`, title: say`Move the task down, or to the next day`, run: () => step(workspace, control, 1) },
    { keys: say`Alt →`, title: say`Make it a part of the task above`, run: () => indent(workspace, control) },
    { keys: say`Alt ←`, title: say`Make it a task of its own again`, run: () => outdent(workspace, control) },
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

/**
 * Moves the focused task of a list of days to the next day or the day before, at the earliest today. Returns whether it is
 * in one.
 */
function stepDay(workspace: Workspace, control: ListControl, by: -1 | 1): boolean {
  const row = control.focusedRow()
  if (!row || !control.groups().some(({ day }) => day !== undefined)) return false
  const due = localDue(row.task)
  const now = today.peek()
  const from = due === null ? addDays(now, -by) : due.date < now ? addDays(now, -1) : due.date
  const to = addDays(from, by)
  if (row.later !== undefined) notify(say`Only the next date of a task that repeats can be moved.`)
  else if (to < now) notify(say`It is due by today already.`)
  else {
    rescheduleTasks(workspace, [row.task], to)
    control.follow(row.task.id)
  }
  return true
}

/** The focused task, if the list is in the order of positions. */
function movableTask(control: ListControl): Task | null {
  const row = control.focusedRow()
  const group = control.groups().find(({ rows }) => row !== null && rows.includes(row))
  if (row && group?.place) return row.task
  notify(
    row
      ? say`Tasks are in order of time here: move them in their project, or give them a date.`
      : say`Choose a task first.`,
  )
  return null
}

function step(workspace: Workspace, control: ListControl, by: -1 | 1): void {
  if (stepDay(workspace, control, by)) return
  const task = movableTask(control)
  if (!task) return
  const siblings = tasksAt(workspace, task)
  const sections = sectionsOf(workspace, task.project_id)
  const spot = stepSpot(task, by, siblings, sections, (place) => lastAt(workspace, place))
  if (!spot) {
    notify(by < 0 ? say`It is the first one.` : say`It is the last one.`)
    return
  }
  move(workspace, control, task, spot, (name) => {
    if (placeKey(spot) !== placeKey(task)) return say`Moved ${name} to ${placeInWords(workspace, spot)}.`
    return by < 0 ? say`Moved ${name} up.` : say`Moved ${name} down.`
  })
}

function indent(workspace: Workspace, control: ListControl): void {
  const task = movableTask(control)
  if (!task) return
  const spot = indentSpot(task, tasksAt(workspace, task), (place) => lastAt(workspace, place))
  if (!spot) {
    notify(say`There is no task above that it could be a part of.`)
    return
  }
  const parent = workspace.copy.shown.task.peek().get(spot.parent_id ?? '')?.title ?? ''
  move(workspace, control, task, spot, (name) => say`Moved ${name} into “${parent}”.`)
}

function outdent(workspace: Workspace, control: ListControl): void {
  const task = movableTask(control)
  if (!task) return
  const spot = outdentSpot(task, workspace.copy.shown.task.peek())
  if (!spot) {
    notify(say`It is a task of its own.`)
    return
  }
  move(workspace, control, task, spot, (name) => say`Moved ${name} out of its parent.`)
}

/** Moves a task; the focus goes along with it into another section. */
function move(
  workspace: Workspace,
  control: ListControl,
  task: Task,
  spot: Spot,
  words: (name: string) => string,
): void {
  moveTasks(workspace, [task], spot, words)
  control.follow(task.id)
}
