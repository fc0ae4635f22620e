/** What is to be done, learned and written today, in one column. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StudyStatistics } from '../api/types'
import { now, timeOfDay, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { openQuickAdd } from '../quick-add/QuickAdd'
import { Act } from '../shell/controls'
import { Icon } from '../shell/icons'
import { openPalette } from '../shell/Palette'
import { addressOf } from '../shell/route'
import { useKeptLeft } from '../study/use-kept-left'
import { addDays, dateInWords } from '../tasks/dates'
import { SectionTitle } from '../tasks/ListHeader'
import { everyDay, type Plan, planOf, useLater } from '../tasks/plan'
import { shownTasks } from '../tasks/shown-tasks'
import { type TaskGroup, TaskList } from '../tasks/TaskList'
import { rescheduleTasks } from '../tasks/task-actions'
import { locale, say } from '../words/say'
import { DailyNote } from './DailyNote'
import { Sample } from './Sample'

/** Days after today that are shown. */
const DAYS_AHEAD = 6

const longDay = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })

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
        <button type="button" aria-label={say`Find`} onClick={openPalette}>
          <Icon name="search" />
        </button>
      </header>
      <button type="button" class="add-line" onClick={() => openQuickAdd()}>
        {say`Add a task, note or card`} <kbd>q</kbd>
      </button>
      <TaskList groups={groupsOf(workspace, plan, last)} />
      <Sample />
      {failed && <p class="fine">{say`Later dates of repeating tasks are not shown: the server cannot be reached.`}</p>}
    </div>
  )
}

function groupsOf(workspace: Workspace, plan: Plan, last: string): TaskGroup[] {
  const { overdue, days, later } = plan
  const late = overdue.map(({ task }) => task)
  const moveAll = () => rescheduleTasks(workspace, late, today.value)
  const present = days.find(([date]) => date === today.value)?.[1] ?? []
  const isEmpty = overdue.length + days.length + later.length === 0
  const unread = isEmpty ? workspace.sync.unread.value : null
  return [
    {
      key: 'overdue',
      label: say`Overdue`,
      rows: overdue,
      header: (
        <SectionTitle title={say`Overdue`}>
          <Act run={moveAll}>{say`Move all to today`}</Act>
        </SectionTitle>
      ),
    },
    {
      key: 'today',
      label: say`Today`,
      rows: present,
      day: today.value,
      header: <SectionTitle title={say`Today`} rows={present} />,
      empty: <p class="quiet">{unread ?? say`Nothing is due today.`}</p>,
      below: (
        <>
          <Cards />
          <DailyNote date={today.value} />
        </>
      ),
    },
    ...everyDay(plan, addDays(today.value, 1), last).map(([date, rows]) => {
      const name = dateInWords(date, today.value)
      return { key: date, label: name, rows, day: date, header: <SectionTitle title={name} rows={rows} /> }
    }),
  ]
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
      api.call<StudyStatistics>({ path: 'api/flashcards/stats', query: { parts: 'today' }, signal: end.signal }).then(
        (found) => {
          setCounted(found.today?.left ?? null)
          setState('there')
        },
        () => {
          setCounted(null)
          if (!end.signal.aborted) setState('failed')
        },
      )
    return () => end.abort()
  }, [hasDecks, today.value])
  if (left === null) return null
  return (
    <section aria-labelledby="cards">
      <SectionTitle id="cards" title={say`Cards`} />
      {left === 0 ? (
        <p class="quiet">{say`All of today’s cards are done.`}</p>
      ) : (
        <p>
          <a href={addressOf('study')}>{say`Study ${left} {card|cards}`}</a>
        </p>
      )}
    </section>
  )
}
