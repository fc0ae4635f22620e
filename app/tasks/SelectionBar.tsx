import type { Task } from '../api/types'
import { today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { Act, Button } from '../shell/controls'
import { say } from '../words/say'
import { nextMonday } from './dates'
import { completeOrReopen } from './list-actions'
import type { ListControl } from './list-control'
import { deleteTasks, rescheduleTasks } from './task-actions'

/** How many tasks are selected, said aloud, with what can be done with them. */
export function SelectionBar({ control }: { control: ListControl }) {
  const workspace = useWorkspace()
  const count = control.selected.value.size
  const clear = () => {
    control.clear()
    control.focus(control.current.peek())
  }
  const isOpen = count > 0 || control.selecting.value
  const doing: readonly (readonly [name: string, run: (tasks: readonly Task[]) => void])[] = [
    [say`Complete`, (tasks) => completeOrReopen(workspace, tasks)],
    [say`Today`, (tasks) => rescheduleTasks(workspace, tasks, today.peek())],
    [say`Next week`, (tasks) => rescheduleTasks(workspace, tasks, nextMonday(today.peek()))],
    [say`Date …`, (tasks) => (control.asked.value = { what: 'date', tasks })],
    [say`Move …`, (tasks) => (control.asked.value = { what: 'place', tasks })],
    [say`Delete`, (tasks) => deleteTasks(workspace, tasks)],
  ]
  return (
    <div class="selection-bar" hidden={!isOpen}>
      <p role="status">{isOpen && (count === 0 ? say`Tap tasks to select them.` : say`${count} selected`)}</p>
      {isOpen && (
        <>
          {count > 0 &&
            doing.map(([name, run]) => (
              <Button key={name} run={() => run(control.targets().map(({ task }) => task))}>
                {name}
              </Button>
            ))}
          <Act run={clear}>{say`Clear`}</Act>
        </>
      )}
    </div>
  )
}
