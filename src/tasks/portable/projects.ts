import type { RecordChange } from '../../db/journal'
import type { Portable } from '../../db/portable'
import { freeName } from '../../http/free-name'
import { createShape } from '../../http/shape'
import { writeOptional } from '../../http/values'
import { checkedName, NAME_LENGTH } from '../named/name'
import { freePosition } from '../named/order'
import { shownStamps } from '../named/stamps'
import { readPosition } from '../position'
import { checkedMembers, NOTHING, namedProjects, sizeOf } from '../projects/service'
import { projectStore } from '../projects/store'
import { portableNamed } from './named'
import { PortableProject } from './schema'
import { readStamps } from './stamps'

const toShape = createShape(PortableProject, 'the project')

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
}

/** Projects. What is left in one that comes as trashed goes to the inbox, see settle.ts. */
export function portableProjects(deps: Deps): Portable {
  const named = namedProjects(deps)
  return portableNamed({
    type: 'task_project',
    store: projectStore,

    told: (row): PortableProject => ({
      ...shownStamps(row),
      color: row.color,
      notes: row.notes,
      archived_at: writeOptional(row.archived_at),
      position: row.position,
    }),

    async draft(session, item) {
      const { name, position, ...told } = toShape(item)
      const draftWith = (one: string) => {
        const members = { ...checkedName(one), ...checkedMembers(told, NOTHING) }
        return { ...readStamps(told), ...members, size_bytes: sizeOf(members), position: readPosition(position) }
      }
      const { db, workspace } = session
      const isTaken = async (one: string) => (await projectStore.idOfName(db, workspace.id, draftWith(one))) !== null
      const isNew = told.deleted_at === null && (await projectStore.get(db, workspace.id, told.id)) === null
      // A new one that is refused for its name would leave its tasks without a project.
      const asked = draftWith(isNew ? await freeName(name, NAME_LENGTH, isTaken) : name)
      return { ...asked, position: await freePosition(projectStore, session, asked) }
    },

    merge: named.merge,
  })
}
