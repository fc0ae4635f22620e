import type { Session } from '../../db/database'
import type { Precondition, Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { refuseTrashed, textBytes } from '../../http/resource'
import { changed } from '../../http/responses'
import { NO_CONTENT, type RequestedChange } from '../../imports/stepped-change'
import { createChangeTasks, MANY_TASKS, type TaskWriter } from '../change-tasks'
import { checkGroupName } from '../groups/records'
import type { CreateLabel, Label, ListLabels, UpdateLabel } from './schema'
import { type LabelledTask, type LabelRow, tasksOfLabel } from './store'
import { type LabelDeps, labelRecords, labelUpdate, newLabel, respelledIn, toLabel } from './use'

/** What is asked of a label. */
export interface LabelChange {
  readonly id: string
  readonly what: 'update' | 'trash' | 'erase'
  /** Of `update`. */
  readonly patch: UpdateLabel
}

interface Deps extends LabelDeps {
  readonly writer: TaskWriter
}

export type Labels = ReturnType<typeof createLabels>

/** Labels by themselves; a task that names one makes it, see use.ts. Where a label changes, so do the tasks that carry it. */
export function createLabels({ now, ids, record, writer }: Deps) {
  const named = labelRecords({ now, record })
  const changeTasks = createChangeTasks({ now, writer })

  const change: RequestedChange<LabelChange, Label | undefined, number> = {
    name: 'task_label',

    async begin(session, { id, what, patch }, precondition) {
      const label = await named.loadAt(session, id, precondition)
      if (what === 'update') await updateAlone(session, label, patch)
      if (what === 'update' && patch.name === undefined) return false
      const tasks = await tasksOfLabel(session.db, session.workspace.id, label, MANY_TASKS + 1)
      return tasks.length > MANY_TASKS
    },

    /** Has the tasks of the label, also those in the trash, carry its name, or none of it. */
    async step(session, { id, what, patch }, limit, at) {
      if (what === 'update' && patch.name === undefined) return null
      const label = await named.find(session, id)
      const tasks = label && (await tasksOfLabel(session.db, session.workspace.id, label, limit, at ?? 0))
      const last = tasks?.at(-1)
      if (!tasks || !last) return null
      const rewritten = (task: LabelledTask) =>
        what === 'update' ? respelledIn(task, label) : labelUpdate(task.labels, label.name_key, null)
      for (const task of tasks) {
        const labels = rewritten(task)
        if (labels !== task.labels) await changeTasks(session, [task.id], () => ({ labels }))
      }
      return { changed: tasks.length, cursor: last.key }
    },

    async end(session, { id, what }) {
      const label = await named.load(session, id)
      if (what === 'update') return changed(toLabel(label))
      await named[what](session, label)
      return NO_CONTENT
    },
  }

  /** Changes the label by itself. Throws conflict while it is in the trash, or if the name is taken. */
  async function updateAlone(session: Session, old: LabelRow, patch: UpdateLabel): Promise<void> {
    refuseTrashed(old, 'label')
    const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
    const color = patch.color === undefined ? old.color : patch.color
    await named.save(session, old, { name, name_key, color, size_bytes: textBytes(name, color) })
  }

  return {
    get: named.get,

    /** Throws conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), name, color = null }: CreateLabel): Promise<Tagged<Label>> {
      const draft = newLabel(id, now(), checkGroupName(name), color)
      return session.db.transaction(async (db) => toLabel(await named.insert({ ...session, db }, draft)))
    },

    list: (session: Session, query: ListLabels): Promise<Page<Label>> => named.page(session, query),

    /**
     * A new name is one of its tasks, too; two labels are never made one. A label that goes is taken off its tasks before.
     * Throws conflict while it is in the trash, or if the name is taken.
     */
    change,

    /** Brings the label back from the trash, on no task. Throws conflict if its name is taken by now. */
    async restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Label>> {
      return toLabel(await named.withRow(session, id, precondition, named.restore))
    },
  }
}
