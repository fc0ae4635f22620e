import { useEffect, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Task, TaskCompletion } from '../api/types'
import { dateOf, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { Fault } from '../shell/controls'
import { say } from '../words/say'
import { dayInSentence, dayMonthYear } from './dates'

const LIMIT = 20

const whenInWords = (moment: string) => dayInSentence(dateOf(new Date(moment)), today.value)

/** When a task was completed or skipped: asked for when it is opened. */
export function Completions({ task }: { task: Task }) {
  const { api } = useWorkspace()
  const [isOpen, setOpen] = useState(false)
  const [items, setItems] = useState<readonly TaskCompletion[] | null>(null)
  const [fault, setFault] = useState('')
  useEffect(() => {
    if (!isOpen) return
    const end = new AbortController()
    api
      .call<{ items: TaskCompletion[] }>({
        path: `api/tasks/${task.id}/completions`,
        query: { limit: LIMIT },
        signal: end.signal,
      })
      .then(
        ({ items }) => {
          setItems(items)
          setFault('')
        },
        (error: unknown) => {
          if (!end.signal.aborted) setFault(inWords(error))
        },
      )
    return () => end.abort()
  }, [isOpen, task.id, task.revision])
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2 class="inline">{say`Completions`}</h2>
      </summary>
      <Fault of={fault} />
      {items === null && fault === '' && <p class="quiet">{say`Loading …`}</p>}
      {items?.length === 0 && <p class="quiet">{say`It has not been completed yet.`}</p>}
      <ul class="completions">
        {items?.map(({ id, kind, occurrence, completed_at, missed }) => (
          <li key={id}>
            <span>
              {kind === 'done' ? say`Done: ${whenInWords(completed_at)}` : say`Skipped: ${whenInWords(completed_at)}`}
            </span>
            {occurrence !== null && <span class="quiet">{say`for ${dayMonthYear(occurrence.slice(0, 10))}`}</span>}
            {missed.length > 0 && <span class="quiet">{say`${missed.length} missed`}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
