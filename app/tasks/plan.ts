/** Which tasks are due when: what Today and Upcoming show. */
import { useEffect, useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { addDays, isOverdue, localDue } from './dates'
import type { laterDates } from './occurrences'
import { isOpen } from './status'
import type { Row } from './tree'

export interface Plan {
  readonly overdue: readonly Row[]
  /** By day, the nearest first; each has rows. */
  readonly days: readonly (readonly [date: string, rows: readonly Row[]])[]
  readonly later: readonly Row[]
}

/** Works out later dates of tasks that repeat; null until its code is loaded. */
export type Later = typeof laterDates | null

interface Window {
  /** YYYY-MM-DD, and HH:MM. */
  readonly today: string
  readonly timeOfDay: string
  /** The last day that is listed, as YYYY-MM-DD. */
  readonly last: string
}

interface Dated {
  readonly task: Task
  readonly date: string
  readonly time: string | null
  readonly isLater: boolean
}

/** Sorts the open tasks with a date by when they are due: by time, whole days first, then by priority. */
export function planOf(tasks: Iterable<Task>, { today, timeOfDay, last }: Window, later: Later): Plan {
  const dated: Dated[] = []
  for (const task of tasks) {
    const due = isOpen(task) ? localDue(task) : null
    if (!due) continue
    dated.push({ task, ...due, isLater: false })
    if (later && task.recurrence)
      for (const date of later(task, today, last))
        if (date.date !== due.date || due.date < today) dated.push({ ...date, isLater: true })
  }
  dated.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const isPast = ({ task, isLater }: Dated) => !isLater && isOverdue(task, today, timeOfDay)
  const rest = dated.filter((each) => !isPast(each))
  const days = Map.groupBy(
    rest.filter(({ date }) => date <= last),
    ({ date }) => date,
  )
  return {
    overdue: dated.filter(isPast).map((each) => rowOf('overdue', each)),
    days: [...days].map(([date, list]) => [date, list.map((each) => rowOf(date, each))]),
    later: rest.filter(({ date }) => date > last).map((each) => rowOf('later', each)),
  }
}

/** The days from one to another, both included, and those between that have no rows. */
export function everyDay({ days }: Plan, from: string, to: string): Plan['days'] {
  const known = new Map(days)
  const all: Plan['days'][number][] = []
  for (let date = from; date <= to; date = addDays(date, 1)) all.push([date, known.get(date) ?? []])
  return all
}

const orderOf = ({ task, date, time }: Dated) =>
  `${date} ${time ?? ''} ${task.priority || 5} ${task.position} ${task.id}`

const rowOf = (group: string, { task, date, isLater }: Dated): Row => ({
  key: `${group} ${task.id}${isLater ? ' later' : ''}`,
  task,
  level: 1,
  folded: null,
  ...(isLater && { later: date }),
})

/** Loads what works out later dates; `failed`: it could not be loaded, and only present dates are known. */
export function useLater(): { readonly later: Later; readonly failed: boolean } {
  const [state, setState] = useState<{ later: Later; failed: boolean }>({ later: null, failed: false })
  useEffect(() => {
    import('./occurrences').then(
      ({ laterDates }) => setState({ later: laterDates, failed: false }),
      () => setState({ later: null, failed: true }),
    )
  }, [])
  return state
}
