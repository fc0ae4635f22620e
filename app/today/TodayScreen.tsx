/** What is to be done, learned and written today, in one column. */
import { useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Note, Task } from '../api/types'
import { now, timeOfDay, today } from '../data/clock'
import { newId } from '../data/ids'
import { partNote } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { openQuickAdd } from '../quick-add/QuickAdd'
import { addressOf } from '../shell/route'
import { addDays, dateInWords, isOverdue, localDue } from '../tasks/dates'
import { TaskRow } from '../tasks/TaskRow'
import { isOpen, rescheduleTasks } from '../tasks/task-actions'

/** Days after today that are shown. */
const DAYS_AHEAD = 6

const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })

export function Screen() {
  const workspace = useWorkspace()
  const tasks = useComputed(() => planOf([...workspace.copy.shown.task.value.values()], today.value, timeOfDay.value))
  const { overdue, due, ahead } = tasks.value
  const isEmpty = overdue.length + due.length + ahead.length === 0
  return (
    <div class="column">
      <header class="screen-header">
        <h1 tabIndex={-1}>{longDay.format(now.value)}</h1>
      </header>
      <button type="button" class="add-line" onClick={() => openQuickAdd()}>
        Add a task, note or card <kbd>q</kbd>
      </button>
      {overdue.length > 0 && (
        <section aria-labelledby="overdue">
          <div class="section-header">
            <h2 id="overdue">Overdue</h2>
            <button type="button" class="link" onClick={() => rescheduleTasks(workspace, overdue, today.value)}>
              Move all to today
            </button>
          </div>
          <TaskRows tasks={overdue} />
        </section>
      )}
      <section aria-labelledby="due">
        <div class="section-header">
          <h2 id="due">Today</h2>
        </div>
        {due.length > 0 ? (
          <TaskRows tasks={due} />
        ) : (
          <p class="quiet">
            {isEmpty && workspace.sync.state.value.is === 'loading' ? 'Loading …' : 'Nothing is due today.'}
          </p>
        )}
      </section>
      <Cards />
      <DailyNote />
      {ahead.map(([date, list]) => (
        <section key={date} aria-labelledby={`day-${date}`}>
          <div class="section-header">
            <h2 id={`day-${date}`}>{dateInWords(date, today.value)}</h2>
          </div>
          <TaskRows tasks={list} />
        </section>
      ))}
    </div>
  )
}

function TaskRows({ tasks }: { tasks: readonly Task[] }) {
  return (
    <ul class="tasks">
      {tasks.map((task) => (
        <TaskRow key={task.id} task={task} />
      ))}
    </ul>
  )
}

interface Plan {
  readonly overdue: Task[]
  readonly due: Task[]
  /** By day, the nearest first. */
  readonly ahead: [date: string, tasks: Task[]][]
}

/** Sorts the open tasks with a date by when they are due. */
function planOf(tasks: readonly Task[], today: string, timeOfDay: string): Plan {
  const last = addDays(today, DAYS_AHEAD)
  const dated = tasks
    .filter(isOpen)
    .flatMap((task) => {
      const due = localDue(task)
      return due && due.date <= last
        ? [{ task, date: due.date, order: `${due.date} ${due.time ?? ''} ${9 - (task.priority || 5)}` }]
        : []
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  const overdue = dated.filter(({ task }) => isOverdue(task, today, timeOfDay))
  const rest = dated.filter((each) => !overdue.includes(each))
  const ahead = Map.groupBy(
    rest.filter(({ date }) => date > today),
    ({ date }) => date,
  )
  const only = (list: typeof dated) => list.map(({ task }) => task)
  return {
    overdue: only(overdue),
    due: only(rest.filter(({ date }) => date === today)),
    ahead: [...ahead].map(([date, list]) => [date, only(list)]),
  }
}

/** How many cards are left to study; nothing where there are no decks. */
function Cards() {
  const { api, copy } = useWorkspace()
  const [left, setLeft] = useState<number | null>(null)
  const hasDecks = copy.shown.deck.value.size > 0
  useEffect(() => {
    const end = new AbortController()
    if (hasDecks)
      api.call<{ left: number }>({ path: 'api/flashcards/stats/today', signal: end.signal }).then(
        ({ left }) => setLeft(left),
        () => setLeft(null),
      )
    return () => end.abort()
  }, [hasDecks])
  if (left === null) return null
  return (
    <section aria-labelledby="cards">
      <div class="section-header">
        <h2 id="cards">Cards</h2>
      </div>
      {left === 0 ? (
        <p class="quiet">All of today’s cards are done.</p>
      ) : (
        <p>
          <a href={addressOf('study')}>
            Study {left} {left === 1 ? 'card' : 'cards'}
          </a>
        </p>
      )}
    </section>
  )
}

/** The note of the day, with a box that adds a line to it. */
function DailyNote() {
  const workspace = useWorkspace()
  const note = useComputed(() =>
    [...workspace.copy.shown.note.value.values()].find(({ daily_date }) => daily_date === today.value),
  ).value
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  async function submit(event: Event) {
    event.preventDefault()
    if (text.trim() === '') return
    setFault('')
    try {
      await appendToDay(workspace, today.value, text.trim())
      setText('')
    } catch (error) {
      setFault(inWords(error))
    }
  }
  return (
    <section aria-labelledby="daily">
      <div class="section-header">
        <h2 id="daily">Note of the day</h2>
        {note && <a href={addressOf('notes', [note.id])}>Open</a>}
      </div>
      {note && note.excerpt !== '' && (
        <p class="excerpt" dir="auto">
          {note.excerpt}
        </p>
      )}
      <form class="joined" onSubmit={submit}>
        <input
          aria-label="Add to the note of the day"
          placeholder="What is worth keeping?"
          dir="auto"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
      </form>
      <p class="fault" role="alert">
        {fault}
      </p>
    </section>
  )
}

/** Adds a paragraph to the note of a day, which is made if there is none. Throws Refused, Unreachable. */
async function appendToDay({ api, copy }: Workspace, date: string, content: string): Promise<void> {
  const note = await api.call<Note>({
    method: 'POST',
    path: `api/notes/daily/${date}/edits`,
    body: { edits: [{ op: 'append', target: { document: true }, content, join: 'block' }] },
    headers: { 'Idempotency-Key': newId() },
  })
  const { summary, body } = partNote(note)
  await copy.confirm([{ type: 'note', id: note.id, resource: summary, body }])
}
