/** Dragging rows by their handle to another place: among tasks, into a section, or to a project beside the list. */
import type { Task } from '../api/types'
import type { Workspace } from '../data/workspace'
import type { ListControl } from './list-control'
import { lastAt, moveTasks, placeInWords, tasksAt } from './move-actions'
import { type Row, type Spot, spotOf } from './tree'

/** Distance to the edge of the window, in pixels, within which it scrolls, and by how much at each move. */
const EDGE_PX = 64
const SCROLL_PX = 12

interface Target {
  readonly element: HTMLElement
  /** Where the mark is shown. */
  readonly side: 'before' | 'after' | 'into'
  readonly spot: Spot
  readonly where: string
}

/** Begins to drag if the pointer is on a handle. Escape, or letting go outside, leaves all as it was. */
export function startDrag(event: PointerEvent, workspace: Workspace, control: ListControl): void {
  const grip = event.target instanceof Element ? event.target.closest<HTMLElement>('.grip') : null
  const element = grip?.closest<HTMLElement>('[data-row]')
  const row = element?.dataset.row === undefined ? null : control.rowOf(element.dataset.row)
  if (!grip || !element || !row || event.button !== 0) return
  event.preventDefault()
  const chosen = control.rows().filter(({ key }) => control.selected.peek().has(key))
  const tasks = chosen.includes(row) ? chosen.map(({ task }) => task) : [row.task]
  const end = new AbortController()
  let target: Target | null = null
  const mark = (next: Target | null) => {
    target?.element.removeAttribute('data-drop')
    target = next
    target?.element.setAttribute('data-drop', target.side)
  }
  const stop = () => {
    mark(null)
    element.removeAttribute('data-dragged')
    end.abort()
  }
  element.setAttribute('data-dragged', '')
  grip.setPointerCapture(event.pointerId)
  const { signal } = end
  grip.addEventListener(
    'pointermove',
    (move) => {
      if (move.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX)
      else if (move.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
      mark(targetAt(move.clientX, move.clientY, workspace, control))
    },
    { signal },
  )
  grip.addEventListener(
    'pointerup',
    () => {
      const reached = target
      stop()
      if (reached) drop(workspace, control, tasks, reached)
    },
    { signal },
  )
  grip.addEventListener('pointercancel', stop, { signal })
  window.addEventListener('keydown', ({ key }: KeyboardEvent) => key === 'Escape' && stop(), { signal })
}

function drop(workspace: Workspace, control: ListControl, tasks: readonly Task[], { spot, where }: Target): void {
  moveTasks(workspace, tasks, spot, where)
  const [first] = tasks
  if (first) control.follow(first.id)
}

/** What lies at a point of the window, and where a task goes that is let go there. */
function targetAt(x: number, y: number, workspace: Workspace, control: ListControl): Target | null {
  const at = document.elementFromPoint(x, y)
  const project = at?.closest<HTMLElement>('[data-project]')
  if (project) return intoProject(project, workspace)
  const element = at?.closest<HTMLElement>('[data-row]')
  const row = element?.dataset.row === undefined ? null : control.rowOf(element.dataset.row)
  const groupElement = at?.closest<HTMLElement>('[data-group]')
  const group = control.groups().find(({ key }) => key === groupElement?.dataset.group)
  if (!group?.place) return null
  if (element && row) return besideRow(element, row, y, workspace)
  if (!groupElement) return null
  const spot = { ...group.place, after: lastAt(workspace, group.place) }
  return { element: groupElement, side: 'into', spot, where: `to ${placeInWords(workspace, group.place)}` }
}

function intoProject(element: HTMLElement, workspace: Workspace): Target {
  const place = { project_id: element.dataset.project || null, section_id: null, parent_id: null }
  const spot = { ...place, after: lastAt(workspace, place) }
  return { element, side: 'into', spot, where: `to ${placeInWords(workspace, place)}` }
}

/** Before or after the task of a row, or before its parts where they are shown. */
function besideRow(element: HTMLElement, { task, folded }: Row, y: number, workspace: Workspace): Target {
  const { top, height } = element.getBoundingClientRect()
  const isBefore = y < top + height / 2
  const spot = spotOf(task, tasksAt(workspace, task))
  if (isBefore) return { element, side: 'before', spot, where: `before “${task.title}”` }
  if (folded === false) {
    const place = { project_id: task.project_id, section_id: task.section_id, parent_id: task.id }
    return { element, side: 'after', spot: { ...place, after: null }, where: `into “${task.title}”` }
  }
  return { element, side: 'after', spot: { ...spot, after: task.id }, where: `after “${task.title}”` }
}
