import type { EngineRun } from '../engine'
import type { Intent } from './grammar/intent'
import { readObjectList, sayOutcome } from './outcome'
import { buildTaskFilter, filterByName, toTargets } from './targets'
import type { ReadWhen } from './tasks'

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

/**
 * Asks whether to change the open task with a name, where the message did not say that it names a task. Returns false
 * unless exactly one task has that name, and the change makes sense; then nothing is said.
 */
export async function changeSupposed(
  run: EngineRun,
  { task, change }: Of<'suppose'>,
  readWhen: ReadWhen,
): Promise<boolean> {
  if (run.ask.mode === 'read') return false
  const day = change.kind === 'move' ? readWhen(change.when, run.ask) : null
  if (change.kind === 'move' && !day) return false
  const filter = `(open or in_progress) and (${buildTaskFilter(task.words)})`
  const { result } = await run.call('list_tasks', { filter, limit: 25 })
  const [target, ...others] = filterByName(task, toTargets(readObjectList(result, 'items')))
  if (!target || others.length > 0) return false
  const { id } = target
  if (change.kind === 'trash') sayOutcome(run, await run.call('trash_item', { type: 'task', id }))
  else {
    const due = day && (day.time === null ? day.date : `${day.date}T${day.time}`)
    const changed = change.kind === 'rename' ? { title: change.title } : due === null ? { done: true } : { due }
    sayOutcome(run, await run.call('update_task', { id, ...changed }, true))
  }
  return true
}
