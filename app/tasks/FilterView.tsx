import { useMemo, useState } from 'preact/hooks'
import type { SavedFilter } from '../api/types'
import { Act } from '../shell/controls'
import { say } from '../words/say'
import { useFiltered } from './filtered'
import { ListHeader } from './ListHeader'
import { FILTER, PlaceDialog } from './PlaceDialogs'
import { TaskList } from './TaskList'
import { flatRows } from './tree'

/** The tasks that a saved filter finds, in its order. */
export function FilterView({ filter }: { filter: SavedFilter }) {
  const { tasks, fault, ask } = useFiltered(filter)
  const [isEdited, setEdited] = useState(false)
  const groups = useMemo(() => {
    const empty = tasks === null ? undefined : <p class="quiet">{say`No task fits this filter now.`}</p>
    return [{ key: 'filter', label: filter.name, rows: flatRows('filter', tasks ?? []), empty }]
  }, [tasks, filter.name])
  return (
    <>
      <ListHeader title={filter.name} adds={null}>
        <code dir="auto">{filter.filter}</code>
        <Act run={() => setEdited(true)}>{say`Change`}</Act>
      </ListHeader>
      {tasks === null && fault === '' && <p class="quiet">{say`Loading …`}</p>}
      {fault !== '' && (
        <p class="notice" role="alert">
          {tasks === null ? say`The tasks of this filter are not known.` : say`What you see may be old.`} {fault}{' '}
          <Act run={ask}>{say`Try again`}</Act>
        </p>
      )}
      <TaskList groups={groups} />
      {isEdited && <PlaceDialog kind={FILTER} one={filter} onClose={() => setEdited(false)} />}
    </>
  )
}
