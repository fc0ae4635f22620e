import type { Session } from '../db/database'
import type { Tagged } from '../http/conditional'
import { getTasksByKeys, listPartKeys, type PartKey } from './relation-store'
import { MAX_PAGE_SUBTASKS, type TaskWithSubtasks } from './schema'
import type { TaskRow } from './store'
import { toTask } from './task'

/** Tasks with their direct parts, for `include=subtasks`. */

/** The most bytes of the tasks of one page, unless one task alone has more. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** A task and the parts that it shows. */
interface Included {
  readonly task: TaskRow
  readonly parts: readonly PartKey[]
  /** Whether it has parts that do not fit. */
  readonly more: boolean
}

/**
 * Returns the first tasks with their parts outside the trash, as many as fit; always at least one, whose own parts are
 * cut where they do not fit.
 */
export async function showWithSubtasks(
  session: Session,
  tasks: readonly TaskRow[],
): Promise<Tagged<TaskWithSubtasks>[]> {
  const { db, workspace } = session
  const whole = takeWithin(tasks, MAX_PAGE_SUBTASKS, ({ subtasks_total }) => subtasks_total)
  const ids = whole.filter(({ subtasks_total }) => subtasks_total > 0).map(({ id }) => id)
  const parts = Map.groupBy(ids.length > 0 ? await listPartKeys(db, workspace.id, ids) : [], (part) => part.parent_id)
  const included = takeWithin(
    whole.map((task): Included => cutToFit(task, parts.get(task.id) ?? [])),
    MAX_PAGE_BYTES,
    ({ task, parts: shown }) => task.size_bytes + sumBytes(shown),
  )
  const keys = included.flatMap(({ parts: shown }) => shown.map(({ key }) => key))
  const rows = new Map((await getTasksByKeys(db, workspace.id, keys)).map((row) => [row.key, row]))
  return included.map((each) => toTaskWithSubtasks(each, rows))
}

/** Returns the first items whose sizes add up to at most `most`; always at least one. */
export function takeWithin<Item>(
  items: readonly Item[],
  most: number,
  getSize: (item: Item) => number,
): readonly Item[] {
  let sum = 0
  const beyond = items.findIndex((item, i) => {
    sum += getSize(item)
    return sum > most && i > 0
  })
  return beyond < 0 ? items : items.slice(0, beyond)
}

function cutToFit(task: TaskRow, all: readonly PartKey[]): Included {
  const fitting = takeWithin(all, MAX_PAGE_BYTES - task.size_bytes, ({ size_bytes }) => size_bytes)
  return { task, parts: fitting, more: fitting.length < all.length }
}

function sumBytes(parts: readonly PartKey[]): number {
  return parts.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}

/**
 * The ETag has a digest of the ETags of the parts: a change of one changes the response, but not the revision of the
 * task. Which parts there are need not be in it, since the ETag of the task changes with that.
 */
function toTaskWithSubtasks(
  { task, parts, more }: Included,
  rows: ReadonlyMap<number, TaskRow>,
): Tagged<TaskWithSubtasks> {
  const { resource, etag } = toTask(task)
  const shown = parts.flatMap(({ key }) => rows.get(key) ?? []).map(toTask)
  const digest = Bun.hash(shown.map((part) => part.etag).join()).toString(36)
  const items = shown.map((part) => part.resource)
  return {
    resource: { ...resource, subtasks: { ...resource.subtasks, items, more } },
    etag: `${etag.slice(0, -1)}-${digest}"`,
  }
}
