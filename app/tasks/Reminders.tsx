import { useEffect, useState } from 'preact/hooks'
import type { Reminder, Task } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import type { readReminder } from '../quick-add/read-task'
import { readingSettings } from '../quick-add/reading-settings'
import { Fault } from '../shell/controls'
import { say } from '../words/say'
import { reminderInWords } from './reminder-words'
import { type TaskChange, updateTasks } from './task-actions'

/** The most that a task can have. */
const MAX_REMINDERS = 10

/** When a task is reminded of, in words, with a field that adds one. */
export function Reminders({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const [reader, setReader] = useState<{ readReminder: typeof readReminder } | null>(null)
  useEffect(() => {
    import('../quick-add/read-task').then(setReader, () =>
      setFault(say`Reminders cannot be read now: the server cannot be reached.`),
    )
  }, [])
  const reading = reader && text.trim() !== '' ? reader.readReminder(text, readingSettings(workspace)) : null
  const change = (reminders: readonly Reminder[], words: string) =>
    updateTasks(workspace, [task], words, () => ({ reminders: [...reminders] }) as TaskChange)
  function add(event: Event) {
    event.preventDefault()
    if (reading === null) return
    if (typeof reading === 'string') setFault(reading)
    else if (reading.from !== null && task.due === null) setFault(say`This reminder needs a due date.`)
    else {
      setText('')
      change([...task.reminders, reading], say`Reminds of “${task.title}” ${reminderInWords(reading)}.`)
    }
  }
  return (
    <>
      <ul class="chips">
        {task.reminders.map((reminder, index) => {
          const words = reminderInWords(reminder)
          return (
            <li key={words}>
              <button
                type="button"
                aria-label={say`Remove the reminder ${words}`}
                onClick={() => change(task.reminders.toSpliced(index, 1), say`Removed the reminder ${words}.`)}
              >
                {words} <span aria-hidden="true">×</span>
              </button>
            </li>
          )
        })}
      </ul>
      {task.reminders.length < MAX_REMINDERS && (
        <form class="joined" onSubmit={add}>
          <input
            aria-label={say`New reminder`}
            placeholder={say`30 min before, friday 9am`}
            maxLength={100}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setFault('')
            }}
          />
          <button type="submit">{say`Add`}</button>
        </form>
      )}
      <p class="reading" role="status">
        {reading !== null && typeof reading !== 'string' ? reminderInWords(reading) : ''}
      </p>
      <Fault of={fault} />
    </>
  )
}
