import type { Session } from '../../db/database'
import type { Precondition, Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { createChangeTasks, MAX_AFFECTED, refuseTooMany } from '../named/affected'
import { checkedName } from '../named/name'
import { requireLiving } from '../named/named'
import { bytesOf } from '../named/stamps'
import type { TaskWriter } from '../writer'
import { newLabel, renamedIn, toLabel } from './label'
import type { CreateLabel, Label, ListLabels, UpdateLabel } from './schema'
import { type LabelRow, tasksOfLabel } from './store'
import { type LabelDeps, namedLabels } from './use'

interface Deps extends LabelDeps {
  readonly writer: TaskWriter
}

export type Labels = ReturnType<typeof createLabels>

/** Labels by themselves; a task that names one makes it, see use.ts. Where a label changes, so do the tasks that carry it. */
export function createLabels({ now, ids, record, writer }: Deps) {
  const named = namedLabels({ now, record })
  const changeTasks = createChangeTasks({ now, writer })

  /** Has the tasks of the label, also those in the trash, carry another name; none if it is null. */
  async function rewrite(session: Session, label: LabelRow, name: string | null): Promise<void> {
    const tasks = await tasksOfLabel(session.db, session.workspace.id, label, MAX_AFFECTED + 1)
    refuseTooMany(tasks.length)
    const ids = tasks.map(([id]) => id)
    await changeTasks(session, ids, ({ labels }) => ({ labels: renamedIn(labels, label.name_key, name) }))
  }

  return {
    get: named.get,

    /** Throws conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), name, color = null }: CreateLabel): Promise<Tagged<Label>> {
      const draft = newLabel(id, now(), checkedName(name), color)
      return session.db.transaction(async (db) => toLabel(await named.insert({ ...session, db }, draft)))
    },

    list: (session: Session, query: ListLabels): Promise<Page<Label>> => named.page(session, query),

    /**
     * Applies a merge patch; a new name is one of its tasks, too. Throws conflict while the label is in the trash, or if
     * the name is taken: two labels are never made one; too_many_affected.
     */
    async update(session: Session, id: string, patch: UpdateLabel, precondition: Precondition = null) {
      const next = async (within: Session, old: LabelRow) => {
        requireLiving(old, 'label')
        const { name, name_key } = patch.name === undefined ? old : checkedName(patch.name)
        const color = patch.color === undefined ? old.color : patch.color
        await named.save(within, old, { name, name_key, color, size_bytes: bytesOf(name, color) })
        if (name !== old.name) await rewrite(within, old, name)
        return named.require(within, id)
      }
      return toLabel(await named.withRow(session, id, precondition, next))
    },

    /** Takes the label off its tasks and moves it to the trash. Throws too_many_affected. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await named.withRow(session, id, precondition, async (within, label) => {
        await rewrite(within, label, null)
        await named.trash(within, label)
      })
    },

    /** Brings the label back from the trash, on no task. Throws conflict if its name is taken by now. */
    async restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Label>> {
      return toLabel(await named.withRow(session, id, precondition, named.restore))
    },

    /** Takes the label off its tasks and erases it for good, from the trash or not. Throws too_many_affected. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return named.withRow(session, id, precondition, async (within, label) => {
        await rewrite(within, label, null)
        await named.erase(within, label)
      })
    },
  }
}
