import { useMemo, useState } from 'preact/hooks'
import type { Project, TaskSection } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Act } from '../shell/controls'
import { say } from '../words/say'
import { folds } from './folds'
import { ListHeader, SectionTitle } from './ListHeader'
import { PlaceDialog, type PlaceKind, PROJECT, SECTION } from './PlaceDialogs'
import { isOpen } from './status'
import { type TaskGroup, TaskList } from './TaskList'

import { byPosition, groupByPlace, placeKey, rowsOf } from './tree'

interface Asked {
  readonly kind: PlaceKind
  readonly one: Project | TaskSection | null
}

/** The open tasks of a project, by sections and in their own order; null: the inbox. */
export function ProjectView({ project }: { project: Project | null }) {
  const { copy, sync } = useWorkspace()
  const [asked, setAsked] = useState<Asked | null>(null)
  const id = project?.id ?? null
  const tasks = copy.shown.task.value
  const sections = copy.shown.task_section.value
  const groups = useMemo((): TaskGroup[] => {
    const lists = groupByPlace([...tasks.values()].filter(isOpen))
    const group = (section: TaskSection | null): TaskGroup => {
      const place = { project_id: id, section_id: section?.id ?? null, parent_id: null }
      const key = section?.id ?? 'none'
      const rows = rowsOf(key, lists.get(placeKey(place)) ?? [], lists, folds.value)
      if (!section) return { key, label: project?.name ?? say`Inbox`, rows, place }
      const header = (
        <SectionTitle title={section.name}>
          <Act label={say`Change ${section.name}`} run={() => setAsked({ kind: SECTION, one: section })}>
            {say`Change`}
          </Act>
        </SectionTitle>
      )
      return { key, label: section.name, rows, place, header, empty: <p class="quiet">{say`No open task.`}</p> }
    }
    const own = [...sections.values()].filter(({ project_id }) => project_id === id).sort(byPosition)
    return [group(null), ...own.map(group)]
  }, [tasks, sections, project, folds.value])
  const isEmpty = groups.every(({ rows }) => rows.length === 0)
  return (
    <>
      <ListHeader title={project?.name ?? say`Inbox`}>
        {project && (
          <>
            <Act run={() => setAsked({ kind: SECTION, one: null })}>{say`New section`}</Act>
            <Act run={() => setAsked({ kind: PROJECT, one: project })}>{say`Change`}</Act>
          </>
        )}
      </ListHeader>
      {isEmpty && (
        <p class="quiet">{sync.unread.value ?? (project ? say`Nothing to do here.` : say`The inbox is empty.`)}</p>
      )}
      <TaskList groups={groups} within={id} />
      {asked && project && <PlaceDialog {...asked} project_id={project.id} onClose={() => setAsked(null)} />}
    </>
  )
}
