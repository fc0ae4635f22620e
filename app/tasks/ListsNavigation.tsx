/** The lists of tasks beside the open one: inbox, projects, labels and saved filters, with how many open tasks they have. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { useActions } from '../shell/actions'
import { Act } from '../shell/controls'
import { addressOf, go, route } from '../shell/route'
import { say } from '../words/say'
import { localDue } from './dates'
import { FIND, sought } from './FindView'
import { filterCounts } from './filtered'
import { FILTER, PlaceDialog, type PlaceKind, PROJECT } from './PlaceDialogs'
import { shownTasks } from './shown-tasks'
import { isOpen } from './status'

import { byPosition } from './tree'

export function ListsNavigation() {
  const { copy } = useWorkspace()
  const { task_project, task_label, task_filter } = copy.shown
  const [isShown, setShown] = useState(false)
  const [dialog, setDialog] = useState<PlaceKind | null>(null)
  const counts = countsOf(shownTasks(copy).filter(isOpen))
  const projects = [...task_project.value.values()].filter(({ archived_at }) => archived_at === null).sort(byPosition)
  const labels = [...task_label.value.values()].sort((a, b) => a.name.localeCompare(b.name))
  const filters = [...task_filter.value.values()].sort(byPosition)
  return (
    <nav class="lists" aria-label={say`Lists of tasks`}>
      <FindField />
      <button type="button" class="lists-toggle" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {say`Lists`}
      </button>
      <div class={`lists-content${isShown ? ' shown' : ''}`} onClickCapture={() => setShown(false)}>
        <ul>
          <ListLink parts={['today']} count={counts.today} name={say`Today`} />
          <ListLink parts={[]} count={counts.project('')} project="" name={say`Inbox`} />
          <ListLink parts={['upcoming']} count={counts.upcoming} name={say`Upcoming`} />
          <ListLink parts={['done']} count={0} name={say`Done{# tasks}`} />
        </ul>
        <Heading title={say`Projects`} add={say`New project`} onAdd={() => setDialog(PROJECT)} />
        <ul>
          {projects.map(({ id, name }) => (
            <ListLink key={id} parts={['project', id]} count={counts.project(id)} project={id} name={name} />
          ))}
        </ul>
        <Heading title={say`Filters`} add={say`New filter`} onAdd={() => setDialog(FILTER)} />
        <ul>
          {filters.map(({ id, name }) => (
            <ListLink key={id} parts={['filter', id]} count={filterCounts.value.get(id) ?? 0} name={name} />
          ))}
        </ul>
        {labels.length > 0 && <Heading title={say`Labels`} />}
        <ul>
          {labels.map(({ id, name }) => (
            <ListLink key={id} parts={['label', name]} count={counts.label(name)} name={`@${name}`} />
          ))}
        </ul>
      </div>
      {dialog && <PlaceDialog kind={dialog} onClose={() => setDialog(null)} />}
    </nav>
  )
}

/** Opens the list of found tasks while someone types. Once the field is empty, it goes back to the list before. */
function FindField() {
  const { screen, parts } = route.value
  const isFinding = screen === 'tasks' && parts[0] === 'find'
  const field = useRef<HTMLInputElement>(null)
  const before = useRef(addressOf('tasks'))
  useActions(useMemo(() => [{ title: say`Find a task`, keys: '/', run: () => field.current?.focus() }], []))
  useEffect(() => {
    if (!isFinding) sought.value = ''
  }, [isFinding])
  const find = (words: string) => {
    sought.value = words
    // Not by the route, which follows the address a moment later.
    const isOpen = location.hash.startsWith(FIND)
    if (words === '') go(isOpen ? before.current : location.hash)
    else if (!isOpen) {
      before.current = location.hash
      go(FIND)
    }
  }
  return (
    <input
      ref={field}
      type="search"
      aria-label={say`Find a task`}
      placeholder={say`Find a task`}
      aria-keyshortcuts="/"
      autocomplete="off"
      dir="auto"
      value={sought.value}
      onInput={(event) => find(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && find('')}
    />
  )
}

interface LinkProps {
  readonly parts: readonly string[]
  readonly count: number
  /** The project that a task goes to which is dropped here; empty: the inbox. */
  readonly project?: string
  readonly name: string
}

function ListLink({ parts, count, project, name }: LinkProps) {
  const { screen, parts: open } = route.value
  const isHere = screen === 'tasks' && open.join('/') === parts.join('/')
  return (
    <li>
      <a href={addressOf('tasks', parts)} aria-current={isHere ? 'page' : undefined} data-project={project}>
        <span dir="auto">{name}</span>
        {count > 0 && (
          <span class="count">
            {count}
            <span class="unseen"> {say`open{# tasks}`}</span>
          </span>
        )}
      </a>
    </li>
  )
}

function Heading({ title, add, onAdd }: { title: string; add?: string; onAdd?: () => void }) {
  return (
    <div class="lists-heading">
      <h2>{title}</h2>
      {onAdd && (
        <Act label={add} run={onAdd}>
          +
        </Act>
      )}
    </div>
  )
}

function countsOf(tasks: readonly Task[]) {
  const projects = new Map<string, number>()
  const labels = new Map<string, number>()
  let [due, upcoming] = [0, 0]
  for (const task of tasks) {
    const project = task.project_id ?? ''
    projects.set(project, (projects.get(project) ?? 0) + 1)
    for (const label of task.labels) labels.set(label.toLowerCase(), (labels.get(label.toLowerCase()) ?? 0) + 1)
    const date = localDue(task)?.date ?? ''
    if (date >= today.value) upcoming += 1
    if (date !== '' && date <= today.value) due += 1
  }
  return {
    today: due,
    upcoming,
    project: (id: string) => projects.get(id) ?? 0,
    label: (name: string) => labels.get(name.toLowerCase()) ?? 0,
  }
}
