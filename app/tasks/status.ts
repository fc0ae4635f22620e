import { computed, type ReadonlySignal } from '@preact/signals'
import type { Task } from '../api/types'
import type { Copy } from '../data/copy'

/** Whether a task is still to be done. */
export const isOpen = ({ status }: Pick<Task, 'status'>) => status === 'open' || status === 'in_progress'

/** Of the parts of a task, and not of theirs. */
export interface PartCounts {
  readonly total: number
  readonly done: number
}

const NO_PARTS: PartCounts = { total: 0, done: 0 }
const counted = new WeakMap<Copy, ReadonlySignal<ReadonlyMap<string, PartCounts>>>()

/**
 * Counts the parts of a task in the copy: the server sends a task again only when it is changed itself. Reading it in a
 * component subscribes to all tasks.
 */
export function partCounts(copy: Copy, id: string): PartCounts {
  const counts = counted.get(copy) ?? computed(() => countParts(copy.shown.task.value.values()))
  counted.set(copy, counts)
  return counts.value.get(id) ?? NO_PARTS
}

function countParts(tasks: Iterable<Task>): ReadonlyMap<string, PartCounts> {
  const counts = new Map<string, PartCounts>()
  for (const task of tasks) {
    if (task.parent_id === null) continue
    const { total, done } = counts.get(task.parent_id) ?? NO_PARTS
    counts.set(task.parent_id, { total: total + 1, done: done + (isOpen(task) ? 0 : 1) })
  }
  return counts
}

/** Whether a task waits for an open one. Only the server knows which completion of a repeating task counts. */
export const isBlocked = ({ shown }: Copy, { blocked, blocked_by }: Task) =>
  blocked && blocked_by.map((id) => shown.task.value.get(id)).some((task) => task !== undefined && isOpen(task))
