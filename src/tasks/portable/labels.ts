import type { Session } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import type { Merging, Portable } from '../../db/portable'
import { createShape } from '../../http/shape'
import { renamedIn } from '../labels/label'
import { type LabelRow, labelStore, tasksOfLabel } from '../labels/store'
import { namedLabels } from '../labels/use'
import { createChangeTasks, MAX_AFFECTED, oneByOne, refuseTooMany } from '../named/affected'
import { checkedName } from '../named/name'
import { bytesOf, shownStamps } from '../named/stamps'
import { getTask } from '../store'
import { sized } from '../task'
import type { TaskWriter } from '../writer'
import { portableNamed } from './named'
import { PortableLabel } from './schema'
import { readStamps } from './stamps'

const toShape = createShape(PortableLabel, 'the label')

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
  readonly writer: TaskWriter
}

/** Labels. One that comes with another name, or from the trash or into it, has the tasks here follow. */
export function portableLabels({ now, record, writer }: Deps): Portable {
  const named = namedLabels({ now, record })
  const changeTasks = createChangeTasks({ now, writer })

  /**
   * The tasks here change at once, in their revisions still: a later one in the archive must not be taken for no newer.
   * When all are in, those that the archive left alone get the next revision, since they did change.
   */
  async function followed(session: Session, old: LabelRow, name: string | null, { later }: Merging): Promise<void> {
    const { db, workspace } = session
    const ids = await tasksOfLabel(db, workspace.id, old, MAX_AFFECTED + 1)
    refuseTooMany(ids.length)
    const revisions = new Map<string, number>()
    await oneByOne(ids, async (id) => {
      const task = await getTask(db, workspace.id, id)
      if (!task) return
      revisions.set(id, task.revision)
      await writer.save(session, task, sized({ ...task, labels: renamedIn(task.labels, old.name_key, name) }))
    })
    later(async (then) => {
      for (const [id, revision] of revisions)
        if ((await getTask(then.db, workspace.id, id))?.revision === revision) await changeTasks(then, [id], () => ({}))
    })
  }

  return portableNamed({
    type: 'task_label',
    store: labelStore,

    told: (row): PortableLabel => ({ ...shownStamps(row), color: row.color }),

    async draft(_, item) {
      const { name, color, ...told } = toShape(item)
      const checked = checkedName(name)
      return { ...readStamps(told), ...checked, color, size_bytes: bytesOf(checked.name, color) }
    },

    async merge(session, draft, merging) {
      const old = await labelStore.get(session.db, session.workspace.id, draft.id)
      const merged = await named.merge(session, draft)
      const name = draft.deleted_at === null ? draft.name : null
      if (old && merged === 'updated' && name !== old.name) await followed(session, old, name, merging)
      return merged
    },
  })
}
