/** Sample data for a new workspace: added by one click, and deleted by one. */
import { today } from '../data/clock'
import { databaseName } from '../data/database'
import { newId } from '../data/ids'
import { recall, remember } from '../data/remembered'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import type { Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { addDays } from '../tasks/dates'
import { say } from '../words/say'

const slotOf = ({ key }: Workspace) => `satchel.sample ${databaseName(key)}`

/** Offers sample data where there is nothing yet; where they are, offers to delete them. */
export function Sample() {
  const workspace = useWorkspace()
  const { copy, sync } = workspace
  const [notes, tasks] = [copy.shown.note.value, copy.shown.task.value]
  const isNew = notes.size + tasks.size + copy.shown.deck.value.size === 0
  const ids = isNew ? [] : recall(slotOf(workspace)).split(' ')
  const left = ids.filter((id) => notes.has(id) || tasks.has(id))
  if (sync.unread.value !== null || (!isNew && left.length === 0)) return null
  return (
    <p>
      <button
        type="button"
        class={isNew ? '' : 'link fine'}
        onClick={() => (isNew ? addSample(workspace) : deleteSample(workspace, left))}
      >
        {isNew ? say`Look around with sample data` : say`Delete the sample data`}
      </button>
    </p>
  )
}

function addSample(workspace: Workspace): void {
  const writes = sampleOf(today.peek())
  remember(slotOf(workspace), writes.map(({ op }) => op.id).join(' '))
  const inverse = writes.map(({ type, op }) => ({ type, op: { op: 'delete', id: op.id } }) as Write)
  actWithUndo(workspace, say`Added sample data.`, writes, inverse)
}

function deleteSample(workspace: Workspace, ids: readonly string[]): void {
  const typeOf = (id: string) => (workspace.copy.shown.note.peek().has(id) ? 'note' : 'task')
  const all = (op: 'delete' | 'restore') => ids.map((id) => ({ type: typeOf(id), op: { op, id } }) as Write)
  actWithUndo(workspace, say`Deleted the sample data.`, all('delete'), all('restore'))
}

/** @param day today, as YYYY-MM-DD */
function sampleOf(day: string): Write[] {
  const plan = newId()
  const [trip, sights] = [say`Trip to Lisbon`, say`Sights of Lisbon`]
  const note = (title: string, body: string): Write => {
    return { type: 'note', op: { op: 'create', id: newId(), data: { title, body, folder: say`Sample` } } }
  }
  const task = (title: string, more = {}, id = newId()): Write => {
    return { type: 'task', op: { op: 'create', id, data: { title, labels: [say`sample{# label}`], ...more } } }
  }
  const on = (days: number, time: string | null = null) => ({ date: addDays(day, days), time, time_zone: null })
  return [
    note(
      trip,
      say`Three days in **May**. What to see is in [[${sights}]].\n\n- [x] Choose a hotel\n- [ ] Book the train\n\n> [!tip] Tickets\n> The tram is cheaper with a day ticket.\n`,
    ),
    note(sights, say`1. Belém\n2. Alfama, early\n3. The ==tile museum==\n\nFor the [[${trip}]]. #travel\n`),
    note(
      say`Soup for four`,
      say`## Ingredients\n\n| what | how much |\n|---|---:|\n| leeks | 3 |\n| potatoes | 500 g |\n\n#recipe\n`,
    ),
    task(say`Plan the trip to Lisbon`, { due: on(0) }, plan),
    task(say`Compare trains`, { parent_id: plan }),
    task(say`Ask Ann about the cat`, { parent_id: plan }),
    task(say`Call the dentist`, { due: on(1, '09:00'), priority: 1 }),
    task(say`Water the plants`, { due: on(0), recurrence: { rrule: 'FREQ=WEEKLY', anchor: day } }),
    task(say`Read something good`),
  ]
}
