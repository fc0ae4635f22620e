import { useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Fault } from '../shell/controls'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { SectionTitle } from './ListHeader'
import { updateTasks } from './task-actions'

/** The most titles that are offered. */
const MAX_OFFERED = 12

/** The notes that a task belongs to, with a field that adds one by its title. */
export function LinkedNotes({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const notes = workspace.copy.shown.note.value
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const sought = text.trim().toLowerCase()
  const offered =
    sought === ''
      ? []
      : [...notes.values()].filter(({ title }) => title.toLowerCase().includes(sought)).slice(0, MAX_OFFERED)
  const change = (note_ids: string[], words: string) => updateTasks(workspace, [task], words, () => ({ note_ids }))
  function add(event: Event) {
    event.preventDefault()
    const note = offered.find(({ title }) => title.toLowerCase() === sought) ?? offered[0]
    if (!note) return setFault(sought === '' ? '' : say`No results.`)
    setText('')
    if (!task.note_ids.includes(note.id)) change([...task.note_ids, note.id], say`Linked “${note.title}”.`)
  }
  return (
    <section aria-labelledby="task-linked">
      <SectionTitle id="task-linked" title={say`Notes that belong to it`} />
      <ul class="linked">
        {task.note_ids.map((id) => {
          const title = notes.get(id)?.title ?? say`A note in the trash`
          return (
            <li key={id}>
              <a href={addressOf('notes', [id])} dir="auto">
                {title}
              </a>
              <button
                type="button"
                class="link"
                aria-label={say`Unlink ${title}`}
                onClick={() =>
                  change(
                    task.note_ids.filter((each) => each !== id),
                    say`Unlinked “${title}”.`,
                  )
                }
              >
                ×
              </button>
            </li>
          )
        })}
      </ul>
      <form class="joined" onSubmit={add}>
        <input
          aria-label={say`Title of a note`}
          placeholder={say`Link a note by its title`}
          list="note-titles"
          dir="auto"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setFault('')
          }}
        />
        <datalist id="note-titles">
          {offered.map(({ id, title }) => (
            <option key={id} value={title} />
          ))}
        </datalist>
        <button type="submit">{say`Link{# verb}`}</button>
      </form>
      <Fault of={fault} />
    </section>
  )
}
