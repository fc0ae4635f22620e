/** The members of a task that are chosen: date and repeat, reminders, priority, place and labels. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { titleKey } from '../../src/lib/text'
import type { Task } from '../api/types'
import { timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { Act } from '../shell/controls'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { fullDate, isOverdue, localDue } from './dates'
import { moveToPlace, placeInWords, placesOf } from './move-actions'
import { Reminders } from './Reminders'
import { lengthInWords } from './reminder-words'
import { repeatInWords } from './repeat-words'
import { isOpen } from './status'
import { DateDialog } from './TaskDialogs'
import { labelTask, prioritizeTasks, updateTasks } from './task-actions'

export function TaskFields({ task }: { task: Task }) {
  return (
    <dl class="fields">
      <DateFields task={task} />
      <Field name={say`Reminders`}>
        <Reminders task={task} />
      </Field>
      <Priority task={task} />
      <PlaceField task={task} />
      <Field name={say`Labels`}>
        <Labels task={task} />
      </Field>
      <Blockers task={task} />
    </dl>
  )
}

function Field({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function DateFields({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const [isAsked, setAsked] = useState(false)
  const { start, recurrence, duration_minutes } = task
  const due = localDue(task)
  const stopRepeating = () =>
    updateTasks(workspace, [task], say`“${task.title}” no longer repeats.`, () => ({ recurrence: null }))
  const isPast = isOpen(task) && isOverdue(task, today.value, timeOfDay.value)
  return (
    <>
      <Field name={say`Date`}>
        {due && (
          <span class={isPast ? 'overdue' : ''}>
            {fullDate(due)}
            {isPast && say` (overdue)`}
          </span>
        )}
        <Act label={due ? say`Change the date` : undefined} run={() => setAsked(true)}>
          {due ? say`Change` : say`Set a date`}
        </Act>
      </Field>
      {start && <Field name={say`Start`}>{fullDate(start)}</Field>}
      {duration_minutes !== null && <Field name={say`Duration`}>{lengthInWords(duration_minutes)}</Field>}
      {recurrence && (
        <Field name={say`Repeats`}>
          <span>{repeatInWords(recurrence.rrule, recurrence.mode, recurrence.skip)}</span>
          <Act run={stopRepeating}>{say`Stop repeating`}</Act>
        </Field>
      )}
      {isAsked && <DateDialog tasks={[task]} onClose={() => setAsked(false)} />}
    </>
  )
}

function Priority({ task }: { task: Task }) {
  const workspace = useWorkspace()
  return (
    <Field name={say`Priority`}>
      <fieldset class="segments">
        <legend class="unseen">{say`Priority`}</legend>
        {[1, 2, 3, 4, 0].map((priority) => (
          <label key={priority}>
            <input
              type="radio"
              name="priority"
              checked={task.priority === priority}
              onChange={() => prioritizeTasks(workspace, [task], priority)}
            />
            <span>{priority === 0 ? say`None{# priority}` : priority}</span>
          </label>
        ))}
      </fieldset>
    </Field>
  )
}

/** The project and section; a part is where its parent is. */
function PlaceField({ task }: { task: Task }) {
  const workspace = useWorkspace()
  if (task.parent_id !== null)
    return (
      <Field name={say`Part of`}>
        <a href={addressOf('tasks', ['task', task.parent_id])} dir="auto">
          {placeInWords(workspace, task)}
        </a>
      </Field>
    )
  const places = placesOf(workspace, task.project_id)
  const at = places.findIndex((place) => place.project_id === task.project_id && place.section_id === task.section_id)
  return (
    <Field name={say`Project`}>
      <select
        aria-label={say`Project and section`}
        value={at}
        onChange={(event) => {
          const place = places[Number(event.currentTarget.value)]
          if (place) moveToPlace(workspace, [task], place)
        }}
      >
        {places.map((place, index) => (
          <option key={`${place.project_id} ${place.section_id}`} value={index}>
            {placeInWords(workspace, place)}
          </option>
        ))}
      </select>
    </Field>
  )
}

function Labels({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const [text, setText] = useState('')
  const known = [...workspace.copy.shown.task_label.value.values()].filter(({ name }) => !task.labels.includes(name))
  function add(event: Event) {
    event.preventDefault()
    const name = text.trim().replace(/^@/, '')
    setText('')
    if (name !== '' && !task.labels.some((label) => titleKey(label) === titleKey(name)))
      labelTask(workspace, task, say`Labelled “${task.title}” @${name}.`, { add: [name] })
  }
  return (
    <>
      <ul class="chips">
        {task.labels.map((label) => (
          <li key={label}>
            <button
              type="button"
              aria-label={say`Remove the label ${label}`}
              onClick={() =>
                labelTask(workspace, task, say`Removed @${label} from “${task.title}”.`, { remove: [label] })
              }
            >
              <span dir="auto">@{label}</span> <span aria-hidden="true">×</span>
            </button>
          </li>
        ))}
      </ul>
      <form class="joined" onSubmit={add}>
        <input
          aria-label={say`New label`}
          placeholder={say`Add a label`}
          list="label-names"
          maxLength={100}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <datalist id="label-names">
          {known.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
        <button type="submit">{say`Add`}</button>
      </form>
    </>
  )
}

/** The tasks that it waits for. */
function Blockers({ task }: { task: Task }) {
  const { copy } = useWorkspace()
  if (task.blocked_by.length === 0) return null
  return (
    <Field name={say`Waits for`}>
      <ul class="linked">
        {task.blocked_by.map((id) => (
          <li key={id}>
            <a href={addressOf('tasks', ['task', id])} dir="auto">
              {copy.shown.task.value.get(id)?.title ?? say`a task in the trash`}
            </a>
          </li>
        ))}
      </ul>
    </Field>
  )
}
