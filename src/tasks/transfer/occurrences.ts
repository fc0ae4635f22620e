import type { Session } from '../../db/database'
import type { Reserve } from '../../db/journal'
import { bytesOf, type State } from '../completions/completion'
import { handledOccurrences, insertCompletion } from '../completions/store'
import type { Moment, Warning } from '../ical/item'
import { dayOn } from '../ical/read-dates'
import { computeTasks, edgesOf } from '../relation-store'
import type { When } from '../schema'
import { getTask } from '../store'
import { dueOf } from '../task'
import type { Done, Run } from './import-item'
import type { TodoItem } from './parse-worker'
import { idsOfUids } from './store'

/** What a file says of one date of a series, which has a RECURRENCE-ID. */
export interface OccurrenceItem {
  readonly uid: string
  readonly recurrence_id: Moment
  readonly title: string
  readonly done: boolean
  /** Milliseconds since 1970. */
  readonly completed_at: number | null
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly reserve: Reserve
}

export function toOccurrence({ uid, recurrence_id, members }: TodoItem): OccurrenceItem | null {
  if (!recurrence_id) return null
  const at = members.completed_at ?? members.updated_at
  const completed_at = at === null ? null : Date.parse(at)
  return { uid, recurrence_id, title: members.title, done: members.status === 'done', completed_at }
}

/** Keeps that one date of a series was done, without moving the series: in its file it has moved already, or will. */
export function createOccurrenceImport({ now, ids, reserve }: Deps) {
  return async (session: Session, run: Run, item: OccurrenceItem, dryRun: boolean): Promise<Done> => {
    const { db, workspace } = session
    const id = run.byUid.get(item.uid) ?? (await idsOfUids(db, workspace.id, [item.uid])).get(item.uid)
    if (id === undefined) return passed(null, 'series_missing', 'It is one date of a series that is not here.')
    const due = await dueOfSeries(session, run, id)
    if (!due) return passed(id, 'not_a_series', 'It is one date of a task that does not repeat, or is in the trash.')
    if (!item.done)
      return passed(id, 'occurrence_ignored', 'Of single dates of a series only that they were done is kept.')
    const occurrence = dayOn(item.recurrence_id, due)
    const task = await getTask(db, workspace.id, id)
    const known = task ? await handledOccurrences(db, workspace.id, task.key, occurrence, occurrence, 1) : []
    if (known.length > 0) return { action: 'unchanged', task_id: id, warnings: [], relates: false }
    // In a dry run a new series is gone by now.
    if (task && !dryRun) await keep(session, task, item, occurrence)
    return { action: 'created', task_id: task ? id : null, warnings: [], relates: false }
  }

  async function keep(
    session: Session,
    { key, id, project_id }: { readonly key: number; readonly id: string; readonly project_id: string | null },
    { title, completed_at }: OccurrenceItem,
    occurrence: string,
  ): Promise<void> {
    const { db, workspace } = session
    const nothing = JSON.stringify({ members: {}, parts: [], edges: [] } satisfies State)
    const told = { before: nothing, after: nothing, missed: '[]', title }
    await insertCompletion(db, workspace.id, {
      ...told,
      id: ids(),
      task: key,
      task_id: id,
      kind: 'done',
      occurrence,
      completed_at: Math.min(completed_at ?? now(), now()),
      next_due: null,
      project_id,
      size_bytes: bytesOf(told),
    })
    await reserve(session, bytesOf(told))
    const edges = await edgesOf(db, workspace.id, key)
    await computeTasks(db, workspace.id, [key, ...edges.flatMap(({ blocker, dependent }) => [blocker, dependent])])
  }
}

async function dueOfSeries({ db, workspace }: Session, run: Run, id: string): Promise<When | null> {
  const told = run.series.get(id)
  if (told) return told
  const task = await getTask(db, workspace.id, id)
  return task?.rrule && task.deleted_at === null ? dueOf(task) : null
}

function passed(task_id: string | null, code: string, detail: string): Done {
  const warnings: Warning[] = [{ code, detail }]
  return { action: 'skipped', task_id, warnings, relates: false }
}
