/**
 * The tasks that saved filters find. The language of filters is evaluated by the server alone, in its database: it is
 * asked once when a filter is opened, and again when tasks have changed.
 */
import { computed, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { SavedFilter, Task } from '../api/types'
import { timeZone } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { isOpen } from './status'

/** The most tasks that are asked for at once, and in all. */
const PAGE_TASKS = 200
const MAX_PAGES = 5
/** Changes of tasks within this time are one. */
const GATHER_MS = 1500

interface FoundTask {
  readonly id: string
  /** Whether it was open: one that is completed here leaves the list at once. */
  readonly wasOpen: boolean
}

/** What was found, in the order of the filter, by the filter's id; while the page is open. */
const found = signal<ReadonlyMap<string, readonly FoundTask[]>>(new Map())

/** How many tasks the filters that were opened have found. */
export const filterCounts = computed(() => new Map([...found.value].map(([id, tasks]) => [id, tasks.length])))

/** The tasks that a filter finds, as they are now; null until they are known. `fault` says why they are not, or may be old. */
export function useFiltered(filter: SavedFilter): {
  tasks: readonly Task[] | null
  fault: string
  ask: () => void
} {
  const workspace = useWorkspace()
  const [fault, setFault] = useState('')
  const [asked, setAsked] = useState(0)
  const tasks = workspace.copy.shown.task.value
  const waiting = workspace.outbox.waiting.value
  const [first] = useState({ tasks, is: true })
  useEffect(() => {
    // What is not sent yet the server cannot find.
    if (waiting > 0) return
    const end = new AbortController()
    const timer = setTimeout(
      () => {
        first.is = false
        list(workspace, filter, end.signal).then(
          (list) => {
            found.value = new Map([...found.peek(), [filter.id, list]])
            setFault('')
          },
          (error: unknown) => {
            if (!end.signal.aborted) setFault(inWords(error))
          },
        )
      },
      first.is ? 0 : GATHER_MS,
    )
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [filter.id, filter.revision, tasks, waiting, asked])
  const known = found.value.get(filter.id)
  const now = known?.flatMap(({ id, wasOpen }) => {
    const task = tasks.get(id)
    return task && (!wasOpen || isOpen(task)) ? [task] : []
  })
  return { tasks: now ?? null, fault, ask: () => setAsked(asked + 1) }
}

async function list({ api }: Workspace, { id }: SavedFilter, signal: AbortSignal): Promise<FoundTask[]> {
  const all: FoundTask[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, next_cursor } = await api.call<{ items: Task[]; next_cursor: string | null }>({
      path: 'api/tasks',
      query: { filter_id: id, limit: PAGE_TASKS, time_zone: timeZone, cursor },
      signal,
    })
    all.push(...items.map((task) => ({ id: task.id, wasOpen: isOpen(task) })))
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return all
}
