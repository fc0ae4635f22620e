import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Queries, Session, WorkspaceId } from '../../db/database'
import { byteLength, elementsIn, jsonArray, valuesIn } from '../../db/dialect'
import { refuses } from '../../http/api-error'
import { ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import type { RequestPlugin } from '../../http/request'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { changed, created } from '../../http/responses'
import { closed, Id, NoContent, nameSchemas, Problem, pageOf } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { type ChangeRunner, NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { titleKey } from '../../lib/text'
import { createChangeTasks, TASKS_PER_TRANSACTION, type TaskWriter } from '../change-tasks'
import { checkGroupName, toDistinctNames } from '../names-and-positions'
import type { TaskRow } from '../store'
import { addToLabelCounts } from '../store'
import type { UsedLabels, UseLabels } from '../writer'
import { createGroupRecords } from './records'
import { Color, DeleteGroup, GroupName, groupMembers, groupPaging, MERGE_PATCH, OneGroup } from './schema'
import { createGroupStore, type GroupDraft, type GroupRow } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000d0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  name: 'bills',
  color: '#cc6633',
  count: 3,
}

export const Label = t.Object(
  {
    ...groupMembers,
    color: Color,
    count: Type.Integer({ minimum: 0, description: 'Tasks with the label, outside the trash.' }),
  },
  { examples: [example] },
)
const LabelPage = pageOf(Label)

const CreateLabel = t.Object(
  { id: t.Optional(Id), name: GroupName, color: t.Optional(Color) },
  { ...closed, examples: [{ name: 'errands', color: '#cc6633' }] },
)

const UpdateLabel = t.Object(
  { name: t.Optional(GroupName), color: t.Optional(Color) },
  { ...closed, description: MERGE_PATCH, examples: [{ color: '#33cc66' }] },
)

const ListLabels = t.Object(groupPaging, closed)

export type Label = Static<typeof Label>
type CreateLabel = Static<typeof CreateLabel>
type UpdateLabel = Static<typeof UpdateLabel>
type ListLabels = Static<typeof ListLabels>

/** A row of `task_labels`: instants are milliseconds. */
interface LabelRow extends GroupRow {
  readonly computed_revision: number
  readonly color: string | null
  /** The number of its tasks outside the trash. */
  readonly count: number
}

export const labelStore = createGroupStore<LabelRow>({
  table: 'task_labels',
  columns: ['color'],
  computed: ['computed_revision', 'count'],
  order: ['name_key', 'id'],
  scope: null,
})

function findLabelsByName(db: Queries, workspace: WorkspaceId, nameKeys: readonly string[]): Promise<LabelRow[]> {
  const sql = `SELECT ${labelStore.columns} FROM task_labels
    WHERE workspace = $1 AND name_key IN ${valuesIn('$2')} AND deleted_at IS NULL`
  return db.all<LabelRow>(sql, [workspace, JSON.stringify(nameKeys)])
}

interface LabelledTask extends Pick<TaskRow, 'key' | 'id' | 'labels'> {
  /** JSON: the name keys of its labels. */
  readonly name_keys: string
}

/** Lists the tasks with the label, in the trash or not, after the key `after`, in the order of their keys. */
function listTasksOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
  after = 0,
): Promise<LabelledTask[]> {
  const sql = `SELECT tasks.key, id, labels, (SELECT ${jsonArray('name_key')} FROM task_label_uses AS use
      JOIN task_labels ON task_labels.key = use.label WHERE use.task = tasks.key) AS name_keys
    FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 AND task > $4 ORDER BY task LIMIT $3`
  return db.all(sql, [workspace, key, limit, after])
}

export async function listRevisionsOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
): Promise<(readonly [id: string, revision: number])[]> {
  const sql = `SELECT id, revision FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 ORDER BY task LIMIT $3`
  const rows = await db.all<{ id: string; revision: number }>(sql, [workspace, key, limit])
  return rows.map(({ id, revision }) => [id, revision])
}

/**
 * Renames a label in its tasks, or removes it from them if `next` is null, without changing their revisions or the
 * change feed. Takes about 15 ms for 1,000 tasks, where writing each by itself takes half a second.
 * @returns by how many bytes the tasks grew
 */
export async function renameLabelInTasks(
  db: Queries,
  workspace: WorkspaceId,
  { key, name, count }: LabelRow,
  next: string | null,
): Promise<number> {
  const size = async () => {
    const sql = `SELECT coalesce(sum(size_bytes), 0) AS n FROM task_label_uses JOIN tasks ON key = task
      WHERE label = $2 AND tasks.workspace = $1`
    return (await db.get<{ n: number }>(sql, [workspace, key]))?.n ?? 0
  }
  const before = await size()
  await db.run(
    `UPDATE tasks SET labels = names, size_bytes = size_bytes + ${byteLength('names')} - ${byteLength('labels')}
     FROM (
       SELECT key AS task, (SELECT ${jsonArray('coalesce(nullif(value, $3), $4) ORDER BY name.key')}
         FROM ${elementsIn('labels')} AS name WHERE value <> $3 OR $4 IS NOT NULL) AS names
       FROM task_label_uses JOIN tasks ON key = task WHERE label = $2 AND tasks.workspace = $1
     ) AS listed WHERE key = task AND workspace = $1`,
    [workspace, key, name, next],
  )
  const more = (await size()) - before
  if (next !== null) return more
  await db.run('DELETE FROM task_label_uses WHERE workspace = $1 AND label = $2', [workspace, key])
  await addToLabelCounts(db, workspace, [key], -count)
  return more
}

interface LabelDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
}

export function createLabelRecords({ now, record }: Pick<LabelDeps, 'now' | 'record'>) {
  return createGroupRecords({ now, record, store: labelStore, type: 'task_label', noun: 'label', show: toLabel })
}

/**
 * Creates a function that finds the labels with these names, compared without case, and creates missing ones. A label
 * in the trash stays there, since its name is free. The session must be a transaction. Throws invalid_request at
 * `/labels/<n>`, quota_exceeded.
 */
export function createUseLabels({ now, ids, record }: LabelDeps): UseLabels {
  const labels = createLabelRecords({ now, record })
  return async (session, names) => {
    const distinct = toDistinctNames(names)
    if (distinct.size === 0) return { keys: [], names: [] }
    const found = await findLabelsByName(session.db, session.workspace.id, [...distinct.keys()])
    const known = new Map(found.map((label) => [label.name_key, label]))
    const used: UsedLabels = { keys: [], names: [] }
    for (const [key, name] of distinct) {
      const label = known.get(key) ?? (await labels.insert(session, createLabelDraft(ids(), now(), name)))
      used.keys.push(label.key)
      used.names.push(label.name)
    }
    return used
  }
}

function createLabelDraft(
  id: string,
  at: number,
  name: ReturnType<typeof checkGroupName>,
  color: string | null = null,
): GroupDraft<LabelRow> {
  return { ...newStamps(id, at), ...name, color, size_bytes: textBytes(name.name, color) }
}

/** Returns the labels of a task (JSON) with one of them renamed, or removed if `name` is null. */
function replaceLabelName(labels: string, name_key: string, name: string | null): string {
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.flatMap((old) => (titleKey(old) === name_key ? (name ?? []) : old)))
}

/** Returns the labels of a task (JSON) after a label was renamed: the name that no other label has is its old one. */
function respellLabel({ labels, name_keys }: LabelledTask, { name, name_key }: LabelRow): string {
  const known = new Set<string>(JSON.parse(name_keys))
  known.delete(name_key)
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.map((old) => (known.has(titleKey(old)) ? old : name)))
}

export function toLabel(row: LabelRow): Tagged<Label> {
  const { color, count } = row
  return {
    resource: { ...writeStamps(row), name: row.name, color, count },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}

interface UpdateOrDeleteLabel {
  readonly id: string
  readonly what: 'update' | 'trash' | 'erase'
  /** The change; used by `update` only. */
  readonly patch: UpdateLabel
}

export type Labels = ReturnType<typeof createLabels>

/** A change of a label changes its tasks, too. Tasks create labels with `createUseLabels`. */
export function createLabels({ now, ids, record, writer }: LabelDeps & { writer: TaskWriter }) {
  const records = createLabelRecords({ now, record })
  const changeTasks = createChangeTasks({ now, writer })

  const updateOrDelete: RequestedChange<UpdateOrDeleteLabel, Label | undefined, number> = {
    name: 'task_label',

    async begin(session, { id, what, patch }, precondition) {
      const label = await records.loadAt(session, id, precondition)
      if (what === 'update') await updateLabel(session, label, patch)
      if (what === 'update' && patch.name === undefined) return false
      const tasks = await listTasksOfLabel(session.db, session.workspace.id, label, TASKS_PER_TRANSACTION + 1)
      return tasks.length > TASKS_PER_TRANSACTION
    },

    /** Gives tasks of the label, in the trash or not, its new name, or removes it from them. */
    async step(session, { id, what, patch }, limit, at) {
      if (what === 'update' && patch.name === undefined) return null
      const label = await records.find(session, id)
      const tasks = label && (await listTasksOfLabel(session.db, session.workspace.id, label, limit, at ?? 0))
      const last = tasks?.at(-1)
      if (!tasks || !last) return null
      const rewriteLabels = (task: LabelledTask) =>
        what === 'update' ? respellLabel(task, label) : replaceLabelName(task.labels, label.name_key, null)
      for (const task of tasks) {
        const labels = rewriteLabels(task)
        if (labels !== task.labels) await changeTasks(session, [task.id], () => ({ labels }))
      }
      return { changed: tasks.length, cursor: last.key }
    },

    async end(session, { id, what }) {
      const label = await records.load(session, id)
      if (what === 'update') return changed(toLabel(label))
      await records[what](session, label)
      return NO_CONTENT
    },
  }

  /** Changes the label, but not its tasks. Throws conflict while it is in the trash, or if the name is taken. */
  async function updateLabel(session: Session, old: LabelRow, patch: UpdateLabel): Promise<void> {
    refuseTrashed(old, 'label')
    const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
    const color = patch.color === undefined ? old.color : patch.color
    await records.save(session, old, { name, name_key, color, size_bytes: textBytes(name, color) })
  }

  return {
    get: records.get,

    /** Creates a label. Throws conflict if the id or the name is taken, invalid_request. */
    create(session: Session, { id = ids(), name, color = null }: CreateLabel): Promise<Tagged<Label>> {
      const draft = createLabelDraft(id, now(), checkGroupName(name), color)
      return session.db.transaction(async (db) => toLabel(await records.insert({ ...session, db }, draft)))
    },

    list: (session: Session, query: ListLabels): Promise<Page<Label>> => records.getPage(session, query),

    /**
     * Changes or deletes a label. Its tasks get the new name; two labels are never merged. A label is removed from its
     * tasks before it is deleted. Throws conflict while it is in the trash, or if the name is taken.
     */
    updateOrDelete,

    /** Restores the label from the trash, without tasks. Throws conflict if its name has been taken since. */
    async restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Label>> {
      return toLabel(await records.withRow(session, id, precondition, records.restore))
    },
  }
}

interface Deps {
  readonly labels: Labels
  readonly updateOrDelete: ChangeRunner<UpdateOrDeleteLabel, Label | undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/labels'

nameSchemas({ Label, LabelPage, CreateLabel, UpdateLabel })

export function labelsRoutes({ labels, updateOrDelete, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Labels and filters'] })
    .use(api)
    .get('', ({ session, query }) => labels.list(session, query), {
      query: ListLabels,
      response: { 200: LabelPage },
      detail: {
        operationId: 'listLabels',
        ...refuses('invalid_cursor'),
        summary: 'List labels',
        description: 'By name, including labels without tasks. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await labels.create(session, body))), {
      idempotent: true,
      body: CreateLabel,
      response: { 201: Label, 409: Problem },
      detail: {
        operationId: 'createLabel',
        summary: 'Create a label',
        description: 'A label is also created by the first task that names it.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await labels.get(session, params.id)), {
      params: OneGroup,
      response: { 200: Label, 304: NoContent },
      detail: {
        operationId: 'getLabel',
        summary: 'Get a label',
        description: 'Also finds labels in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.send(await updateOrDelete<Label>(request, session, { id: params.id, what: 'update', patch: body }, body)),
      {
        params: OneGroup,
        body: UpdateLabel,
        response: { 200: Label, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateLabel',
          ...refuses('conflict'),
          summary: 'Change a label',
          description: `A new name is written into all tasks with the label. Labels are not merged: a name in use is refused. ${IN_STEPS}`,
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await updateOrDelete(request, session, { id: params.id, what, patch: {} }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteLabel',
          summary: 'Delete a label',
          description: `Removes the label from its tasks and moves it to the trash for 30 days; \`permanent=true\` erases it immediately. ${IN_STEPS}`,
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await labels.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: Label, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreLabel',
          summary: 'Restore a label',
          description: 'Brings the label back from the trash, without tasks.',
        },
      },
    )
}
