/** Dragging rows by their handle, or by a long press: among tasks, into a section or project, or to another day. */
import type { Task } from '../api/types'
import type { Workspace } from '../data/workspace'
import { say } from '../words/say'
import { localDue } from './dates'
import type { ListControl } from './list-control'
import { lastAt, moveTasks, moveToPlace, tasksAt } from './move-actions'
import { LEVEL_REM } from './TaskRow'
import { rescheduleTasks } from './task-actions'
import { gapSpot, isWithin, type Place, placeKey, type Row, spotOf } from './tree'

/** Distance to the edge of the window, in pixels, within which it scrolls, and by how much at each move. */
const EDGE_PX = 64
const SCROLL_PX = 12
/** How far beside the list the pointer still is at its rows. */
const BESIDE_PX = 48
/** How long a finger rests on a row until it drags it. One that moves farther scrolls. */
const LONG_PRESS_MS = 400
const LONG_PRESS_PX = 8
/** The click that a browser makes of letting go comes within this time. */
const CLICK_MS = 300

interface Dragged {
  readonly workspace: Workspace
  readonly control: ListControl
  readonly list: HTMLElement
  readonly tasks: readonly Task[]
  /** Of the dragged row, then the level that the pointer has moved it to. */
  readonly level: number
}

interface Target {
  readonly element: HTMLElement
  /** Where the mark is shown, and at which level. */
  readonly side: 'before' | 'after' | 'into'
  readonly level?: number
  readonly drop: () => void
}

/** Begins to drag if the pointer is on a handle, or if a finger rests on a row that has one. */
export function startDrag(event: PointerEvent, workspace: Workspace, control: ListControl): void {
  const at = event.target instanceof Element ? event.target : null
  const element = at?.closest<HTMLElement>('[data-row]')
  const list = element?.closest<HTMLElement>('.task-list')
  const row = control.rowOf(element?.dataset.row ?? '')
  if (!at || !list || !element?.querySelector('.grip') || !row || event.button !== 0 || !event.isPrimary) return
  const begin = () => {
    const chosen = control.rows().filter(({ key, later }) => later === undefined && control.selected.peek().has(key))
    const tasks = chosen.includes(row) ? chosen.map(({ task }) => task) : [row.task]
    drag(event, element, { workspace, control, list, tasks, level: row.level })
  }
  if (at.closest('.grip')) {
    event.preventDefault()
    begin()
  } else if (event.pointerType !== 'mouse' && !at.closest('input, button')) afterLongPress(event, begin)
}

function afterLongPress({ clientX, clientY }: PointerEvent, begin: () => void): void {
  const end = new AbortController()
  const stop = () => end.abort()
  const timer = setTimeout(() => {
    stop()
    begin()
  }, LONG_PRESS_MS)
  const isFar = (move: PointerEvent) => Math.hypot(move.clientX - clientX, move.clientY - clientY) > LONG_PRESS_PX
  listen(end.signal, (move) => isFar(move) && stop(), 'pointermove')
  listen(end.signal, stop, 'pointerup', 'pointercancel', 'pointerdown', 'scroll')
  end.signal.addEventListener('abort', () => clearTimeout(timer))
}

function listen<Name extends keyof WindowEventMap>(
  signal: AbortSignal,
  run: (event: WindowEventMap[Name]) => void,
  ...names: Name[]
): void {
  for (const name of names) window.addEventListener(name, run, { signal, capture: true })
}

/** Follows the pointer until it lets go. Escape, or letting go where nothing is marked, leaves all as it was. */
function drag({ pointerId, clientX }: PointerEvent, element: HTMLElement, dragged: Dragged): void {
  const { list, control, tasks } = dragged
  const end = new AbortController()
  let target: Target | null = null
  const mark = (next: Target | null) => {
    target?.element.removeAttribute('data-drop')
    target = next
    target?.element.setAttribute('data-drop', target.side)
    target?.element.style.setProperty('--drop-level', String((target.level ?? 1) - 1))
  }
  const stop = () => {
    mark(null)
    element.removeAttribute('data-dragged')
    list.removeAttribute('data-dragging')
    end.abort()
    listen(AbortSignal.timeout(CLICK_MS), prevent, 'click')
  }
  element.setAttribute('data-dragged', '')
  list.setAttribute('data-dragging', '')
  element.setPointerCapture(pointerId)
  const levelPx = LEVEL_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const toEnd = getComputedStyle(element).direction === 'rtl' ? -1 : 1
  const follow = (move: PointerEvent) => {
    if (move.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX)
    else if (move.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
    const level = dragged.level + Math.round(((move.clientX - clientX) * toEnd) / levelPx)
    mark(targetAt(move.clientX, move.clientY, { ...dragged, level }))
  }
  const letGo = () => {
    const reached = target
    stop()
    reached?.drop()
    if (reached && tasks[0]) control.follow(tasks[0].id)
  }
  listen(end.signal, (move) => move.pointerId === pointerId && follow(move), 'pointermove')
  listen(end.signal, (up) => up.pointerId === pointerId && letGo(), 'pointerup')
  listen(end.signal, stop, 'pointercancel')
  listen(end.signal, ({ key }) => key === 'Escape' && stop(), 'keydown')
  // A long press on a link would open a menu, or drag the link itself.
  listen(end.signal, prevent, 'contextmenu', 'dragstart')
}

function prevent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** What lies at a point of the window, and what letting go there does. */
function targetAt(x: number, y: number, dragged: Dragged): Target | null {
  const { workspace, control, tasks, list } = dragged
  const at = document.elementFromPoint(x, y)
  const project = at?.closest<HTMLElement>('[data-project]')
  if (project) {
    const place = { project_id: project.dataset.project || null, section_id: null, parent_id: null }
    return { element: project, side: 'into', drop: () => moveToPlace(workspace, tasks, place) }
  }
  const within = at?.closest('[data-group]') ? at : document.elementFromPoint(besideList(x, list), y)
  const section = within?.closest<HTMLElement>('[data-group]')
  const group = control.groups().find(({ key }) => key === section?.dataset.group)
  if (!section || !group) return null
  const { day, place, rows } = group
  if (day !== undefined) {
    const moving = tasks.filter((task) => localDue(task)?.date !== day)
    if (moving.length === 0) return null
    return { element: section, side: 'into', drop: () => rescheduleTasks(workspace, moving, day) }
  }
  if (!place) return null
  const element = within?.closest<HTMLElement>('[data-row]')
  const index = rows.findIndex(({ key }) => key === element?.dataset.row)
  if (!element || index < 0) return { element: section, side: 'into', drop: () => moveToPlace(workspace, tasks, place) }
  const { top, height } = element.getBoundingClientRect()
  const isBefore = y < top + height / 2
  const gap = besideRow(rows, isBefore ? index : index + 1, place, dragged)
  return gap && { element, side: isBefore ? 'before' : 'after', ...gap }
}

/** The place in the list for a pointer a little beside it, where the handles are. */
function besideList(x: number, list: HTMLElement): number {
  const { left, right } = list.getBoundingClientRect()
  return x > left - BESIDE_PX && x < right + BESIDE_PX ? Math.min(Math.max(x, left), right - 1) : x
}

/** Between two rows; null: the task is there already. */
function besideRow(
  rows: readonly Row[],
  index: number,
  place: Place,
  { workspace, tasks, level }: Dragged,
): Pick<Target, 'level' | 'drop'> | null {
  const all = workspace.copy.shown.task.peek()
  const rests = ({ task }: Row) => !tasks.some(({ id }) => isWithin(task, id, all))
  const above = rows.slice(0, index).findLast(rests)
  const below = rows.slice(index).find(rests)
  const gap = gapSpot(above, below, level, place, all, (parent) => lastAt(workspace, parent))
  const { spot } = gap
  const [task] = tasks
  const isThere = (task: Task) =>
    placeKey(task) === placeKey(spot) && spotOf(task, tasksAt(workspace, task)).after === spot.after
  if (task && tasks.length === 1 && isThere(task)) return null
  const after = spot.after === null ? undefined : all.get(spot.after)
  const words = (name: string) => {
    if (above && spot.parent_id === above.task.id) return say`Moved ${name} into “${above.task.title}”.`
    return after ? say`Moved ${name} after “${after.title}”.` : say`Moved ${name} before “${below?.task.title ?? ''}”.`
  }
  return { level: gap.level, drop: () => moveTasks(workspace, tasks, spot, words) }
}
