/** A task opened: all of it, changed in place. */
import { useMemo, useState } from 'preact/hooks'
import type { Task } from '../api/types'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { actWithUndo } from '../shell/act'
import { useActions } from '../shell/actions'
import { Button } from '../shell/controls'
import { addressOf, go } from '../shell/route'
import { say } from '../words/say'
import { Completions } from './Completions'
import { folds } from './folds'
import { LinkedNotes } from './LinkedNotes'
import { SectionTitle } from './ListHeader'
import { completeOrReopen } from './list-actions'
import { isOpen, partCounts } from './status'
import { TaskFields } from './TaskFields'
import { type TaskGroup, TaskList } from './TaskList'
import { TaskNotes } from './TaskNotes'
import { deleteTasks, skipDates, write } from './task-actions'
import { groupByPlace, rowsOf } from './tree'
import { useDraft } from './use-draft'

export function TaskPage({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const isDone = !isOpen(task)
  const up = listOf(task)
  function remove() {
    deleteTasks(workspace, [task])
    go(up, { replace: true })
  }
  useActions(
    useMemo(
      () => [
        {
          title: isDone ? say`Reopen this task` : say`Complete this task`,
          run: () => completeOrReopen(workspace, [task]),
        },
        { title: say`Delete this task`, run: remove },
        { title: say`Back to the list`, keys: 'u', run: () => go(up) },
      ],
      [task],
    ),
  )
  return (
    <>
      <p class="fine">
        <a href={up}>{placeName(workspace, task)}</a>
      </p>
      <Title task={task} />
      <div class="row">
        <button type="button" class={isDone ? '' : 'primary'} onClick={() => completeOrReopen(workspace, [task])}>
          {isDone ? say`Reopen` : say`Complete`}
        </button>
        {task.recurrence && !isDone && <Button run={() => skipDates(workspace, [task])}>{say`Skip this date`}</Button>}
        <Button run={remove}>{say`Delete`}</Button>
      </div>
      <TaskFields task={task} />
      <TaskNotes task={task} />
      <Parts task={task} />
      <LinkedNotes task={task} />
      {(task.recurrence !== null || isDone) && <Completions task={task} />}
    </>
  )
}

/** The address of the list that a task is in. */
function listOf({ parent_id, project_id }: Task): string {
  if (parent_id !== null) return addressOf('tasks', ['task', parent_id])
  return project_id === null ? addressOf('tasks') : addressOf('tasks', ['project', project_id])
}

function placeName({ copy }: ReturnType<typeof useWorkspace>, { parent_id, project_id }: Task): string {
  if (parent_id !== null) return copy.shown.task.value.get(parent_id)?.title ?? say`A deleted task`
  return (project_id === null ? null : copy.shown.task_project.value.get(project_id)?.name) ?? say`Inbox`
}

function Title({ task }: { task: Task }) {
  const draft = useDraft(task, 'title', { isTaken: (text) => text.trim() !== '', toValue: (text) => text.trim() })
  return (
    <h1 class={`task-heading${isOpen(task) ? '' : ' done'}`} tabIndex={-1}>
      <span class="unseen">{say`Task:`} </span>
      <textarea
        rows={1}
        aria-label={say`Title`}
        dir="auto"
        maxLength={500}
        value={draft.text}
        onInput={(event) => draft.change(event.currentTarget.value.replaceAll('\n', ' '))}
        onBlur={draft.end}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return
          event.preventDefault()
          event.currentTarget.blur()
        }}
      />
    </h1>
  )
}

/** The open parts of a task, and a field that adds one. */
function Parts({ task }: { task: Task }) {
  const workspace = useWorkspace()
  const [title, setTitle] = useState('')
  const tasks = workspace.copy.shown.task.value
  const counts = partCounts(workspace.copy, task.id)
  const done = counts.total > 0 ? say`${counts.done} of ${counts.total} done` : ''
  const groups = useMemo((): TaskGroup[] => {
    const lists = groupByPlace([...tasks.values()].filter(isOpen))
    const place = { project_id: task.project_id, section_id: task.section_id, parent_id: task.id }
    return [
      {
        key: 'parts',
        label: say`Parts`,
        place,
        rows: rowsOf('parts', lists.get(`t:${task.id}`) ?? [], lists, folds.value),
      },
    ]
  }, [tasks, task, folds.value])
  function add(event: Event) {
    event.preventDefault()
    if (title.trim() === '') return
    const id = newId()
    const place = { project_id: task.project_id, section_id: task.section_id, parent_id: task.id }
    const data = { title: title.trim(), ...place }
    actWithUndo(
      workspace,
      say`Added “${data.title}”.`,
      [write({ op: 'create', id, data })],
      [write({ op: 'delete', id })],
    )
    setTitle('')
  }
  return (
    <section aria-labelledby="task-parts">
      <SectionTitle id="task-parts" title={say`Parts`} more={done} />
      <TaskList groups={groups} within={task.project_id} />
      <form class="joined add-part" onSubmit={add}>
        <input
          aria-label={say`New part`}
          placeholder={say`Add a part`}
          dir="auto"
          maxLength={500}
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <button type="submit">{say`Add`}</button>
      </form>
    </section>
  )
}
