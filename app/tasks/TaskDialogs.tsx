/** What is asked over a list: a date, or a place to move to. */
import { useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Dialog } from '../shell/Dialog'
import { say } from '../words/say'
import { DateWords } from './DateWords'
import { setDate } from './date-words-actions'
import type { ListControl } from './list-control'
import { moveToPlace, placeInWords, placesOf } from './move-actions'
import { nameOf, rescheduleTasks } from './task-actions'
import type { Place } from './tree'

export function TaskDialogs({ control }: { control: ListControl }) {
  const asked = control.asked.value
  if (!asked) return null
  const close = () => {
    control.asked.value = null
    // The task may have left its place while the dialog was open.
    requestAnimationFrame(() => control.keepFocus())
  }
  return asked.what === 'date' ? (
    <DateDialog key="date" tasks={asked.tasks} onClose={close} />
  ) : (
    <PlaceDialog key="place" tasks={asked.tasks} onClose={close} />
  )
}

interface Props {
  readonly tasks: readonly Task[]
  readonly onClose: () => void
}

export function DateDialog({ tasks, onClose }: Props) {
  const workspace = useWorkspace()
  return (
    <Dialog label={say`Date of ${nameOf(tasks)}`} class="ask" onClose={onClose}>
      <h2 dir="auto">{say`When is ${nameOf(tasks)} due?`}</h2>
      <DateWords
        label={say`Date, time or repeat in words`}
        start=""
        submit={say`Set the date`}
        onRead={(when) => setDate(workspace, tasks, when)}
        onDay={(day) => rescheduleTasks(workspace, tasks, day)}
        {...(tasks.some(({ due }) => due !== null) && { onNone: () => setDate(workspace, tasks, null) })}
      />
    </Dialog>
  )
}

function PlaceDialog({ tasks, onClose }: Props) {
  const workspace = useWorkspace()
  const [sought, setSought] = useState('')
  const found = placesOf(workspace)
    .map((place) => ({ place, name: placeInWords(workspace, place) }))
    .filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  const move = (place: Place | undefined) => place && moveToPlace(workspace, tasks, place)
  return (
    <Dialog label={say`Move ${nameOf(tasks)}`} class="ask" onClose={onClose}>
      <h2 dir="auto">{say`Move ${nameOf(tasks)} to`}</h2>
      <form method="dialog" onSubmit={() => move(found[0]?.place)}>
        <input
          aria-label={say`Project or section`}
          placeholder={say`Type a part of its name`}
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        <button type="submit" class="unseen" disabled={found.length === 0}>
          {say`Move to the first`}
        </button>
      </form>
      <form method="dialog">
        <ul class="choices">
          {found.map(({ place, name }) => (
            <li key={`${place.project_id} ${place.section_id}`}>
              <button type="submit" class="link" dir="auto" onClick={() => move(place)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p class="quiet">{say`No results.`}</p>}
      </form>
    </Dialog>
  )
}
