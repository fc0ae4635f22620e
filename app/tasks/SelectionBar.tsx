import { today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { nextMonday } from './dates'
import { completeOrReopen } from './list-actions'
import type { ListControl } from './list-control'
import { deleteTasks, rescheduleTasks } from './task-actions'

/** How many tasks are selected, said aloud, with what can be done with them. */
export function SelectionBar({ control }: { control: ListControl }) {
  const workspace = useWorkspace()
  const count = control.selected.value.size
  const isOpen = count > 0 || control.selecting.value
  const tasks = () => control.targets().map(({ task }) => task)
  return (
    <div class="selection-bar" hidden={!isOpen}>
      <p role="status">{isOpen && (count === 0 ? say`Tap tasks to select them.` : say`${count} selected`)}</p>
      {isOpen && (
        <>
          {count > 0 && (
            <>
              <button type="button" onClick={() => completeOrReopen(workspace, tasks())}>
                {say`Complete`}
              </button>
              <button type="button" onClick={() => rescheduleTasks(workspace, tasks(), today.peek())}>
                {say`Today`}
              </button>
              <button type="button" onClick={() => rescheduleTasks(workspace, tasks(), nextMonday(today.peek()))}>
                {say`Next week`}
              </button>
              <button type="button" onClick={() => (control.asked.value = { what: 'date', tasks: tasks() })}>
                {say`Date …`}
              </button>
              <button type="button" onClick={() => (control.asked.value = { what: 'place', tasks: tasks() })}>
                {say`Move …`}
              </button>
              <button type="button" onClick={() => deleteTasks(workspace, tasks())}>
                {say`Delete`}
              </button>
            </>
          )}
          <button
            type="button"
            class="link"
            onClick={() => {
              control.clear()
              control.focus(control.current.peek())
            }}
          >
            {say`Clear`}
          </button>
        </>
      )}
    </div>
  )
}
