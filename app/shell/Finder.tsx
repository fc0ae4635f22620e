/** Finds what the palette shows. It is loaded when the palette first opens. */
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { today } from '../data/clock'
import { conversationsOf } from '../data/conversations'
import { useServerSearch } from '../data/server-search'
import { useWorkspace } from '../data/use-workspace'
import { actions } from './actions'
import { addFound, type Entry, findLocal } from './find'

/** Results of the server. */
const MAX_FOUND = 20

interface Props {
  readonly text: string
  /** `isDone`: the server has answered, or will not be asked. */
  readonly onFound: (found: readonly Entry[], isDone: boolean) => void
}

export function Finder({ text, onFound }: Props) {
  const workspace = useWorkspace()
  const { note, task, task_project, task_filter } = workspace.copy.shown
  const past = conversationsOf(workspace)
  useEffect(() => void past.load(), [past])
  const server = useServerSearch('api/search', text, { limit: MAX_FOUND })
  const local = useMemo(() => {
    const searched = {
      ...{ note: note.value, task: task.value },
      ...{ task_project: task_project.value, task_filter: task_filter.value, conversations: past.list.value },
    }
    return findLocal(text, actions.value, searched, today.value)
  }, [text, actions.value, note.value, task.value, task_project.value, task_filter.value, past.list.value])
  const isDone = server.found !== null || server.fault !== '' || text.trim().length < 2
  useLayoutEffect(() => {
    onFound(server.found ? addFound(local, server.found, today.value) : local, isDone)
  }, [local, server.found, isDone])
  return null
}
