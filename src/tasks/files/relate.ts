import type { Context, Session } from '../../db/database'
import { ApiError, type Fault } from '../../http/api-error'
import type { ImportWarning, Line } from '../../imports/kind'
import type { TaskWriter } from '../change-tasks'
import { placeTask } from '../place'
import { filterDependents } from '../relation-store'
import { getTask, getTasks, type TaskRow } from '../store'
import { type CalendarPass, type ItemImport, runOrFail } from './import-item'
import type { TodoItem } from './item'
import { findUnrelated, getIdsByUids } from './store'

interface Deps extends Pick<Context, 'now'> {
  readonly writer: TaskWriter
  readonly items: Pick<ItemImport, 'remember'>
}

/** A task with the relations of the file that are possible, and warnings about the others. */
interface RelatedRow {
  readonly row: TaskRow
  readonly warnings: readonly ImportWarning[]
}

/**
 * Creates the last pass of an import: parents and blockers, now that all tasks exist. Tasks are handled in order; a
 * relation that would close a cycle, or make a ninth level or a part too many, is dropped.
 */
export function createRelationPass({ now, writer, items }: Deps): CalendarPass {
  /** @param named ids of the tasks that the file names, by their UIDs */
  async function relate(session: Session, line: Line, item: TodoItem, named: IdsByUid): Promise<Line> {
    const old = await getTask(session.db, session.workspace.id, line.id ?? '')
    if (old?.deleted_at !== null) return { action: 'unchanged', id: line.id }
    const placing = await withParent(session, old, item, named)
    const waiting = await withBlockers(session, placing.row, item, named)
    const warnings = [...warnUnknownRelations(item, named), ...placing.warnings, ...waiting.warnings]
    const { row } = waiting
    const changed = row !== old
    const updated_at = line.action === 'unchanged' ? now() : old.updated_at
    const task = changed ? await writer.replace(session, old, { ...row, revision: old.revision + 1, updated_at }) : old
    await items.remember(session, task, item, true)
    return { action: changed ? 'updated' : 'unchanged', id: old.id, warnings }
  }

  return async (step, group) => {
    const { session } = step
    const { db, workspace } = session
    const imported = group.flatMap(({ seq, type, value }) => {
      const line = type === 'task' ? step.line(seq) : null
      return line && line.id !== null && line.action !== 'skipped' ? [{ seq, value, line, id: line.id }] : []
    })
    const waiting = await findUnrelated(
      db,
      workspace.id,
      imported.map(({ id }) => id),
    )
    const items = imported.filter(({ id }) => waiting.has(id))
    const uids = items.flatMap(({ value: { parent_uid, blocked_by_uids } }) => [parent_uid ?? '', ...blocked_by_uids])
    const named = await getIdsByUids(db, workspace.id, step.params.format, uids)
    const lines = new Map<number, Line>()
    for (const { seq, value, line } of items) {
      const { warnings = [], action } = await runOrFail(session, (inside) => relate(inside, line, value, named))
      if (action === 'updated' || warnings.length > 0)
        lines.set(seq, { action: action === 'updated' ? action : 'unchanged', id: line.id, warnings })
    }
    return group.map(({ seq }) => lines.get(seq) ?? null)
  }
}

type IdsByUid = ReadonlyMap<string, string>

function warnUnknownRelations({ parent_uid, blocked_by_uids }: TodoItem, named: IdsByUid): ImportWarning[] {
  const count = [...(parent_uid === null ? [] : [parent_uid]), ...blocked_by_uids].filter(
    (uid) => !named.has(uid),
  ).length
  if (count === 0) return []
  return [{ code: 'unknown_relation', detail: `RELATED-TO names tasks that do not exist here: ${count} left out.` }]
}

/** Returns the task below the parent of the file, if that is possible. */
async function withParent(
  session: Session,
  old: TaskRow,
  { parent_uid }: TodoItem,
  named: IdsByUid,
): Promise<RelatedRow> {
  const wanted = (parent_uid !== null && named.get(parent_uid)) || null
  const parent_id = wanted === old.id ? null : wanted
  if (parent_id === old.parent_id) return { row: old, warnings: [] }
  try {
    return { row: await placeTask(session, old, { parent_id }, true), warnings: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const [fault = error] = (error.extra.errors ?? []) as Fault[]
    if (fault.code === 'unknown_task')
      return {
        row: old,
        warnings: [{ code: 'parent_in_trash', detail: 'Its parent task is in the trash.' }],
      }
    return { row: old, warnings: [{ code: fault.code, detail: fault.detail }] }
  }
}

/** Returns the task with the blockers of the file, except those that wait for it. */
async function withBlockers(
  { db, workspace }: Session,
  row: TaskRow,
  { blocked_by_uids }: TodoItem,
  named: IdsByUid,
): Promise<RelatedRow> {
  const wanted = [...new Set(blocked_by_uids.flatMap((uid) => named.get(uid) ?? []))].filter((id) => id !== row.id)
  const before = new Set<string>(JSON.parse(row.blocked_by))
  const fresh = await getTasks(
    db,
    workspace.id,
    wanted.filter((id) => !before.has(id)),
  )
  if (fresh.length === 0 && before.size === wanted.length) return { row, warnings: [] }
  const circular = new Set(
    await filterDependents(
      db,
      workspace.id,
      row.key,
      fresh.map(({ key }) => key),
    ),
  )
  const dropped = new Set(fresh.filter(({ key }) => circular.has(key)).map(({ id }) => id))
  const blockers = wanted.filter((id) => !dropped.has(id))
  const detail = `Tasks would wait for each other in a cycle: ${dropped.size} of its blockers left out.`
  const warnings = dropped.size > 0 ? [{ code: 'dependency_cycle', detail }] : []
  if (new Set(blockers).symmetricDifference(before).size === 0) return { row, warnings }
  return { row: { ...row, blocked_by: JSON.stringify(blockers) }, warnings }
}
