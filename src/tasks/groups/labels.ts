import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Reader, Session } from '../../db/database'
import { byteLength, elementsIn, jsonArray, valuesIn } from '../../db/dialect'
import { derived, type RowOf, text } from '../../db/table'
import type { RequestPlugin } from '../../http/api'
import { newStamps } from '../../http/resource'
import { changed } from '../../http/responses'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { titleKey } from '../../lib/text'
import { inSteps, removalOf } from '../../resources/operations'
import { TASKS_PER_TRANSACTION, type TaskWriter } from '../change-tasks'
import { toDistinctNames } from '../names-and-positions'
import { addToLabelCounts, type TaskRow } from '../store'
import type { UsedLabels, UseLabels } from '../writer'
import { Color, createGroupTable, declareGroup } from './group'

const labelTable = createGroupTable('task_labels', {
  color: text<string | null>(),
  computed_revision: derived<number>(),
  /** The number of its tasks outside the trash. */
  count: derived<number>(),
})

type LabelRow = RowOf<typeof labelTable>

export const labelGroup = declareGroup({
  type: 'task_label',
  noun: 'label',
  names: ['Label', 'Label'],
  path: '/api/tasks/labels',
  tag: 'Labels and filters',
  table: labelTable,
  order: ['name_key', 'id'],
  scope: null,
  texts: ['name', 'color'],
  shown: { color: Color, count: Type.Integer({ minimum: 0, description: 'Tasks with the label, outside the trash.' }) },
  show: ({ color, count }) => ({ color, count }),
  once: {},
  settable: { color: t.Optional(Color) },
  read: (_, { color }, old) => ({ color: color === undefined ? (old?.color ?? null) : color }),
  examples: {
    shown: { id: '01980000-0000-7000-8000-0000000000d0', name: 'bills', color: '#cc6633', count: 3 },
    create: { name: 'errands', color: '#cc6633' },
    update: { color: '#33cc66' },
  },
  notes: {
    list: 'By name, including labels without tasks.',
    create: 'A label is also created by the first task that names it.',
    update: 'A new name is written into all tasks with the label. Labels are not merged: a name in use is refused.',
    remove:
      'Removes the label from its tasks and moves it to the trash for 30 days; `permanent=true` erases it immediately.',
    restore: 'Brings the label back from the trash, without tasks.',
  },
})

function findLabelsByName({ db, workspace }: Session, nameKeys: readonly string[]): Promise<LabelRow[]> {
  const sql = `SELECT ${labelTable.columns} FROM task_labels
    WHERE workspace = $1 AND name_key IN ${valuesIn('$2')} AND deleted_at IS NULL`
  return db.all<LabelRow>(sql, [workspace.id, JSON.stringify(nameKeys)])
}

interface LabelledTask extends Pick<TaskRow, 'key' | 'id' | 'labels'> {
  /** JSON: the name keys of its labels. */
  readonly name_keys: string
}

/** Lists the tasks with the label, in the trash or not, after the key `after`, in the order of their keys. */
function listTasksOfLabel(
  { db, workspace }: Session,
  { key }: LabelRow,
  limit: number,
  after = 0,
): Promise<LabelledTask[]> {
  const sql = `SELECT tasks.key, id, labels, (SELECT ${jsonArray('name_key')} FROM task_label_uses AS use
      JOIN task_labels ON task_labels.key = use.label WHERE use.task = tasks.key) AS name_keys
    FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 AND task > $4 ORDER BY task LIMIT $3`
  return db.all(sql, [workspace.id, key, limit, after])
}

export async function listRevisionsOfLabel(
  { db, workspace }: Reader,
  { key }: LabelRow,
  limit: number,
): Promise<(readonly [id: string, revision: number])[]> {
  const sql = `SELECT id, revision FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 ORDER BY task LIMIT $3`
  const rows = await db.all<{ id: string; revision: number }>(sql, [workspace.id, key, limit])
  return rows.map(({ id, revision }) => [id, revision])
}

/**
 * Renames a label in its tasks, or removes it from them if `next` is null, without changing their revisions or the
 * change feed. Takes about 15 ms for 1,000 tasks, where writing each by itself takes half a second.
 * @returns by how many bytes the tasks grew
 */
export async function renameLabelInTasks(
  { db, workspace }: Session,
  { key, name, count }: LabelRow,
  next: string | null,
): Promise<number> {
  const size = async () => {
    const sql = `SELECT coalesce(sum(size_bytes), 0) AS n FROM task_label_uses JOIN tasks ON key = task
      WHERE label = $2 AND tasks.workspace = $1`
    return (await db.get<{ n: number }>(sql, [workspace.id, key]))?.n ?? 0
  }
  const before = await size()
  await db.run(
    `UPDATE tasks SET labels = names, size_bytes = size_bytes + ${byteLength('names')} - ${byteLength('labels')}
     FROM (
       SELECT key AS task, (SELECT ${jsonArray('coalesce(nullif(value, $3), $4) ORDER BY name.key')}
         FROM ${elementsIn('labels')} AS name WHERE value <> $3 OR $4 IS NOT NULL) AS names
       FROM task_label_uses JOIN tasks ON key = task WHERE label = $2 AND tasks.workspace = $1
     ) AS listed WHERE key = task AND workspace = $1`,
    [workspace.id, key, name, next],
  )
  const more = (await size()) - before
  if (next !== null) return more
  await db.run('DELETE FROM task_label_uses WHERE workspace = $1 AND label = $2', [workspace.id, key])
  await addToLabelCounts({ db, workspace }, [key], -count)
  return more
}

interface LabelDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
}

/**
 * Creates a function that finds the labels with these names, compared without case, and creates missing ones. A label
 * in the trash stays there, since its name is free. The session must be a transaction. Throws invalid_request at
 * `/labels/<n>`, quota_exceeded.
 */
export function createUseLabels({ now, ids, record }: LabelDeps): UseLabels {
  const labels = labelGroup.createRecords({ now, record })
  return async (session, names) => {
    const distinct = toDistinctNames(names)
    if (distinct.size === 0) return { keys: [], names: [] }
    const found = await findLabelsByName(session, [...distinct.keys()])
    const known = new Map(found.map((label) => [label.name_key, label]))
    const used: UsedLabels = { keys: [], names: [] }
    for (const [key, name] of distinct) {
      const draft = () => ({ ...newStamps(ids(), now()), ...name, color: null })
      const label = known.get(key) ?? (await labels.insert(session, draft()))
      used.keys.push(label.key)
      used.names.push(label.name)
    }
    return used
  }
}

/**
 * Returns the labels of a task (JSON) after a label was renamed, or without it if `next` is null: the name that no other
 * label has is its old one.
 */
function respellLabel({ labels, name_keys }: LabelledTask, { name_key }: LabelRow, next: string | null): string {
  const known = new Set<string>(JSON.parse(name_keys))
  known.delete(name_key)
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.flatMap((old) => (known.has(titleKey(old)) ? old : (next ?? []))))
}

export type Label = ReturnType<typeof labelGroup.show>['resource']
type UpdateLabel = Parameters<ReturnType<typeof labelGroup.createService>['update']>[2]

interface UpdateOrDeleteLabel {
  readonly id: string
  readonly what: 'update' | 'trash' | 'erase'
  /** The change; used by `update` only. */
  readonly patch: UpdateLabel
}

export type Labels = ReturnType<typeof createLabels>

/** A change of a label changes its tasks, too. Tasks create labels with `createUseLabels`. */
export function createLabels({ writer, ...deps }: LabelDeps & { writer: TaskWriter }) {
  const service = labelGroup.createService(deps)
  const { records } = service

  const updateOrDelete: RequestedChange<UpdateOrDeleteLabel, Label | undefined, number> = {
    name: 'task_label',

    async begin(session, { id, what, patch }, precondition) {
      const label = await records.loadAt(session, id, precondition)
      if (what === 'update') await service.change(session, label, patch)
      if (what === 'update' && patch.name === undefined) return false
      const tasks = await listTasksOfLabel(session, label, TASKS_PER_TRANSACTION + 1)
      return tasks.length > TASKS_PER_TRANSACTION
    },

    /** Gives tasks of the label, in the trash or not, its new name, or removes it from them. */
    async step(session, { id, what, patch }, limit, at) {
      if (what === 'update' && patch.name === undefined) return null
      const label = await records.find(session, id)
      const tasks = label && (await listTasksOfLabel(session, label, limit, at ?? 0))
      const last = tasks?.at(-1)
      if (!tasks || !last) return null
      for (const task of tasks) {
        const labels = respellLabel(task, label, what === 'update' ? label.name : null)
        if (labels !== task.labels) await writer.changeAll(session, [task.id], () => ({ labels }))
      }
      return { changed: tasks.length, cursor: last.key }
    },

    async end(session, { id, what }) {
      const label = await records.load(session, id)
      if (what === 'update') return changed(labelGroup.show(label))
      await records[what](session, label)
      return NO_CONTENT
    },
  }

  /** Its tasks get the new name; two labels are never merged. A label is removed from its tasks before it is deleted. */
  return { ...service, updateOrDelete }
}

interface RouteDeps {
  readonly labels: Labels
  readonly updateOrDelete: ChangeRunner<UpdateOrDeleteLabel, Label | undefined>
  readonly api: RequestPlugin
}

export function labelsRoutes({ labels, updateOrDelete, api }: RouteDeps) {
  return labelGroup.routes({
    api,
    service: labels,
    own: {
      update: inSteps(({ request, session, params: { id }, body: patch }) =>
        updateOrDelete(request, session, { id, what: 'update', patch }, patch),
      ),
      remove: inSteps(({ request, session, params: { id }, query }) =>
        updateOrDelete(request, session, { id, what: removalOf(query), patch: {} }),
      ),
    },
  })
}
