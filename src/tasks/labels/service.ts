import type { Session } from '../../db/database'
import type { Precondition, Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { refuseTrashed, textBytes } from '../../http/resource'
import { changed } from '../../http/responses'
import { NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { createChangeTasks, TASKS_PER_TRANSACTION, type TaskWriter } from '../change-tasks'
import { checkGroupName } from '../groups/records'
import { createLabelDraft, createLabelRecords, type LabelDeps, replaceLabelName, respellLabel, toLabel } from './label'
import type { CreateLabel, Label, ListLabels, UpdateLabel } from './schema'
import { type LabelledTask, type LabelRow, listTasksOfLabel } from './store'

export interface UpdateOrDeleteLabel {
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
