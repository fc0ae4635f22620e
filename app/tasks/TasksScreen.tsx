/** Tasks: the inbox, projects, labels, saved filters, what comes and what is done, and a task opened. */
import { useEffect } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { addressOf, lastTasks, route } from '../shell/route'
import { say } from '../words/say'
import { DoneView } from './DoneView'
import { FilterView } from './FilterView'
import { FindView } from './FindView'
import { LabelView } from './LabelView'
import { ListsNavigation } from './ListsNavigation'
import { ProjectView } from './ProjectView'
import { TaskPage } from './TaskPage'
import { UpcomingView } from './UpcomingView'

export function Screen() {
  const [kind, id = ''] = route.value.parts
  useEffect(() => {
    if (kind !== 'task' && kind !== 'find') lastTasks.value = addressOf('tasks', route.peek().parts)
  }, [kind, id])
  return (
    <div class="tasks-screen">
      <ListsNavigation />
      <div class="column" key={`${kind} ${id}`}>
        <View kind={kind} id={id} />
      </div>
    </div>
  )
}

function View({ kind, id }: { kind: string | undefined; id: string }) {
  const { copy, sync } = useWorkspace()
  const { task_project, task_filter, task } = copy.shown
  if (kind === undefined) return <ProjectView project={null} />
  if (kind === 'today') return <UpcomingView isToday />
  if (kind === 'upcoming') return <UpcomingView />
  if (kind === 'done') return <DoneView />
  if (kind === 'find') return <FindView />
  if (kind === 'label') return <LabelView name={id} />
  const project = kind === 'project' ? task_project.value.get(id) : undefined
  if (project) return <ProjectView project={project} />
  const filter = kind === 'filter' ? task_filter.value.get(id) : undefined
  if (filter) return <FilterView filter={filter} />
  const opened = kind === 'task' ? task.value.get(id) : undefined
  if (opened) return <TaskPage task={opened} />
  const unread = sync.unread.value
  return (
    <>
      <h1 tabIndex={-1}>{unread ?? say`There is nothing here`}</h1>
      {unread === null && (
        <p>
          {say`What was here may have been deleted.`} <a href={addressOf('tasks')}>{say`Go to the inbox`}</a>
        </p>
      )}
    </>
  )
}
