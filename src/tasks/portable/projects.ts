import type { RecordChange } from '../../db/journal'
import type { Portable } from '../../db/portable'
import { createShape } from '../../http/shape'
import { checkedName } from '../named/name'
import { freePosition } from '../named/order'
import { shownStamps } from '../named/stamps'
import { readPosition } from '../position'
import { checkedMembers, NOTHING, namedProjects, sizeOf } from '../projects/service'
import { projectStore } from '../projects/store'
import { portableNamed } from './named'
import { PortableProject } from './schema'
import { readStamps, writeOptional } from './stamps'

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
      const members = { ...checkedName(name), ...checkedMembers(told, NOTHING) }
      const sized = { ...readStamps(told), ...members, size_bytes: sizeOf(members) }
      const asked = { ...sized, position: readPosition(position) }
      return { ...asked, position: await freePosition(projectStore, session, asked) }
    },

    merge: named.merge,
  })
}
