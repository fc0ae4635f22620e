import type { CalendarItem, ItemMembers, Property, Warn } from './item'

const STATUSES: Readonly<Record<string, ItemMembers['status']>> = {
  'NEEDS-ACTION': 'open',
  'IN-PROCESS': 'in_progress',
  COMPLETED: 'done',
  CANCELLED: 'cancelled',
}
export const WRITTEN_STATUSES = {
  open: 'NEEDS-ACTION',
  in_progress: 'IN-PROCESS',
  done: 'COMPLETED',
  cancelled: 'CANCELLED',
} as const satisfies Record<ItemMembers['status'], string>
/** PRIORITY 1 to 9 as Satchel's 1 (the most urgent) to 4. */
const PRIORITIES = [0, 1, 1, 2, 2, 3, 4, 4, 4, 4]

/**
 * Reads the status, and keeps PERCENT-COMPLETE if it says more. Without STATUS, it is derived from the other
 * properties.
 */
export function readStatus(
  find: (name: string) => Property | null,
  warn: Warn,
): { status: ItemMembers['status']; kept: readonly string[] } {
  const [stated, percent, completed] = [find('STATUS'), find('PERCENT-COMPLETE'), find('COMPLETED')]
  const share = Number.parseInt(percent?.raw ?? '', 10)
  const between = share > 0 && share < 100
  const kept = percent && between ? [percent.line] : []
  const status = STATUSES[stated?.raw.trim().toUpperCase() ?? '']
  if (status) return { status, kept }
  if (stated) warn('unknown_status', `STATUS:${stated.raw.slice(0, 100)} is not a status of tasks.`)
  if (completed || share >= 100) return { status: 'done', kept }
  return { status: between ? 'in_progress' : 'open', kept }
}

/** Reads the priority, and the number that it was read from. */
export function readPriority(
  property: Property | null,
  warn: Warn,
): Pick<CalendarItem, 'priority_read'> & { priority: number } {
  if (!property) return { priority: 0, priority_read: null }
  const read = /^\d$/.test(property.raw.trim()) ? Number(property.raw) : null
  if (read === null) warn('unreadable_property', `PRIORITY:${property.raw.slice(0, 100)} is not 0 to 9.`)
  return { priority: PRIORITIES[read ?? 0] ?? 0, priority_read: read }
}

/**
 * Chooses the PRIORITY to write: the one that was read, if it still means the same, else 1, 3, 5 or 9; null for none.
 */
export function choosePriority(priority: number, read: number | null): number | null {
  if (read !== null && PRIORITIES[read] === priority) return read
  return [null, 1, 3, 5, 9][priority] ?? null
}
