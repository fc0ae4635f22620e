import type { Task } from '../api/types'
import { localDue } from './dates'
import { byPosition } from './tree'

/** By when tasks are due, those without a date last; then by priority and position. */
export function byDue(a: Task, b: Task): number {
  const [x, y] = [dueKey(a), dueKey(b)]
  if (x !== y) return x < y ? -1 : 1
  return (a.priority || 5) - (b.priority || 5) || byPosition(a, b)
}

function dueKey(task: Task): string {
  const due = localDue(task)
  return due ? `${due.date} ${due.time ?? ''}` : '~'
}
