import type { Session } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import type { Portable } from '../../db/portable'
import { invalid } from '../../http/problem'
import { createShape } from '../../http/shape'
import { checkedName } from '../named/name'
import { freePosition } from '../named/order'
import { bytesOf, shownStamps } from '../named/stamps'
import { readPosition } from '../position'
import { projectStore } from '../projects/store'
import { namedSections } from '../sections/service'
import { sectionStore } from '../sections/store'
import { portableNamed } from './named'
import { PortableSection } from './schema'
import { readStamps } from './stamps'

const toShape = createShape(PortableSection, 'the section')

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
}

/** Sections, which come after their projects. One whose project is in the trash here goes there with it, see settle.ts. */
export function portableSections(deps: Deps): Portable {
  const named = namedSections(deps)
  return portableNamed({
    type: 'task_section',
    store: sectionStore,

    told: ({ trashed_with, project_id, position, ...row }): PortableSection => ({
      ...shownStamps(row),
      trashed_with,
      project_id,
      position,
    }),

    async draft(session, item) {
      const { name, position, project_id, trashed_with, ...told } = toShape(item)
      if (trashed_with !== null && (trashed_with !== project_id || told.deleted_at === null))
        throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null or the project that is in the trash')
      await requireProject(session, told.id, project_id)
      const checked = { ...readStamps(told), ...checkedName(name), project_id, trashed_with }
      const asked = { ...checked, size_bytes: bytesOf(checked.name), position: readPosition(position) }
      return { ...asked, position: await freePosition(sectionStore, session, asked) }
    },

    merge: named.merge,
  })
}

/** The project must be there, and be the one that the section is in already: none ever leaves it. */
async function requireProject({ db, workspace }: Session, id: string, project_id: string): Promise<void> {
  if (!(await projectStore.get(db, workspace.id, project_id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project')
  const old = await sectionStore.get(db, workspace.id, id)
  if (old && old.project_id !== project_id)
    throw invalid('/project_id', 'other_project', 'the section belongs to another project here')
}
