import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { countWhole, foundInWords, useServerSearch } from '../data/server-search'
import { useWorkspace } from '../data/use-workspace'
import { addressOf, go, route } from '../shell/route'
import { say } from '../words/say'
import { ListHeader } from './ListHeader'
import { findTasks } from './shown-tasks'
import { TaskList } from './TaskList'
import { flatRows } from './tree'

const MAX_FOUND = 100

/** The words are kept in the address once they rest so long, in milliseconds. */
const KEEP_MS = 500

export const FIND = addressOf('tasks', ['find'])
/** What is typed to find tasks. */
export const sought = signal('')

/** Tasks that are found by words: those of the copy at once, then what else the server's search finds. */
export function FindView() {
  const { copy } = useWorkspace()
  const query = sought.value
  useLayoutEffect(() => {
    if (sought.peek() === '') sought.value = route.peek().query.get('q') ?? ''
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => go(addressOf('tasks', ['find'], { q: query }), { replace: true }), KEEP_MS)
    return () => clearTimeout(timer)
  }, [query])
  const tasks = copy.shown.task.value
  const server = useServerSearch('api/search', query, { types: 'task', limit: MAX_FOUND })
  const local = useMemo(() => findTasks(tasks.values(), query), [tasks, query])
  const groups = useMemo(() => {
    // What is shown already stays where it is, so that no row moves under the hand.
    const known = new Set(local.map(({ id }) => id))
    const found = server.found ?? []
    const others = (some: typeof found) => some.flatMap(({ id }) => (known.has(id) ? [] : (tasks.get(id) ?? [])))
    const whole = [...local, ...others(found.slice(0, countWhole(found)))]
    const partial = others(found.slice(countWhole(found)))
    return [
      { key: 'found', label: say`Found`, rows: flatRows('found', whole) },
      {
        key: 'partial',
        label: say`With some of the words`,
        rows: flatRows('partial', partial),
        ...(partial.length > 0 && { header: <h2 class="fine quiet">{say`With some of the words`}</h2> }),
      },
    ]
  }, [local, server.found, tasks])
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0)
  return (
    <>
      <ListHeader title={say`Found tasks`} adds={null} />
      <p class="fine quiet" role="status">
        {count > 0 || server.found || server.fault !== ''
          ? foundInWords({ query, count, server, noun: 'task', without: say`Only what is on this device is searched.` })
          : ''}
      </p>
      <TaskList groups={groups} />
    </>
  )
}
