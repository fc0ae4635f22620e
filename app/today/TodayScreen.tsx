/** What is to be done, learned and written today, in one column. */
import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Note } from '../api/types'
import { now, timeOfDay, today } from '../data/clock'
import { newId } from '../data/ids'
import { partNote } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { openQuickAdd } from '../quick-add/QuickAdd'
import { Icon } from '../shell/icons'
import { openPalette } from '../shell/Palette'
import { addressOf } from '../shell/route'
import { useKeptLeft } from '../study/use-kept-left'
import { addDays, dateInWords } from '../tasks/dates'
import { type Plan, planOf, useLater } from '../tasks/plan'
import { shownTasks } from '../tasks/shown-tasks'
import { type TaskGroup, TaskList } from '../tasks/TaskList'
import { rescheduleTasks } from '../tasks/task-actions'

/** Days after today that are shown. */
const DAYS_AHEAD = 6

const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })

export function Screen() {
  const workspace = useWorkspace()
  const { later, failed } = useLater()
  const last = addDays(today.value, DAYS_AHEAD)
  const tasks = shownTasks(workspace.copy)
  const plan = useMemo(
    () => planOf(tasks, { today: today.value, timeOfDay: timeOfDay.value, last }, later),
    [workspace.copy.shown.task.value, workspace.copy.shown.task_project.value, today.value, timeOfDay.value, later],
  )
  return (
    <div class="column">
      <header class="screen-header today-header">
        <h1 tabIndex={-1}>{longDay.format(now.value)}</h1>
        <button type="button" aria-label="Find" onClick={openPalette}>
          <Icon name="search" />
        </button>
      </header>
      <button type="button" class="add-line" onClick={() => openQuickAdd()}>
        Add a task, note or card <kbd>q</kbd>
      </button>
      <TaskList groups={groupsOf(workspace, plan)} />
      {failed && <p class="fine">Later dates of repeating tasks are not shown: the server cannot be reached.</p>}
    </div>
  )
}

function groupsOf(workspace: Workspace, { overdue, days, later }: Plan): TaskGroup[] {
  const present = days.find(([date]) => date === today.value)?.[1] ?? []
  const isEmpty = overdue.length + days.length + later.length === 0
  const isLoading = isEmpty && workspace.sync.state.value.is === 'loading'
  return [
    {
      key: 'overdue',
      label: 'Overdue',
      rows: overdue,
      header: (
        <Header title="Overdue">
          <button
            type="button"
            class="link"
            onClick={() =>
              rescheduleTasks(
                workspace,
                overdue.map(({ task }) => task),
                today.value,
              )
            }
          >
            Move all to today
          </button>
        </Header>
      ),
    },
    {
      key: 'today',
      label: 'Today',
      rows: present,
      day: today.value,
      header: <Header title="Today" />,
      empty: <p class="quiet">{isLoading ? 'Loading …' : 'Nothing is due today.'}</p>,
      below: (
        <>
          <Cards />
          <DailyNote />
        </>
      ),
    },
    ...days
      .filter(([date]) => date !== today.value)
      .map(([date, rows]) => {
        const name = dateInWords(date, today.value)
        return { key: date, label: name, rows, day: date, header: <Header title={name} /> }
      }),
  ]
}

function Header({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="section-header">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** How many cards are left to study; nothing where there are no decks. */
function Cards() {
  const { api, copy } = useWorkspace()
  const [state, setState] = useState<'loading' | 'there' | 'failed'>('loading')
  const [counted, setCounted] = useState<number | null>(null)
  const left = useKeptLeft(state) ?? counted
  const hasDecks = copy.shown.deck.value.size > 0
  useEffect(() => {
    const end = new AbortController()
    if (hasDecks)
      api.call<{ left: number }>({ path: 'api/flashcards/stats/today', signal: end.signal }).then(
        ({ left }) => {
          setCounted(left)
          setState('there')
        },
        () => {
          setCounted(null)
          if (!end.signal.aborted) setState('failed')
        },
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
