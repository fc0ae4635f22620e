import type { Session } from '../../db/database'
import { createTextFinder } from '../../search/text-finder'
import type { Texts } from '../../search/texts'
import { putTexts } from '../../search/texts.sqlite'
import type { TaskRow } from '../store'
import { livingTasks } from './store'

/** Tasks for the search over everything; labels are their tags, notes their body. */
export function createTaskFinder() {
  return createTextFinder({
    type: 'task',
    table: 'tasks',
    trashedAt: 'deleted_at',
    nesting: null,
    originals: async ({ db, workspace }, keys) =>
      (await livingTasks(db, workspace.id, keys)).map((row) => ({ ...row, ...textsOf(row) })),
  })
}

/** Keeps what a task is found by. */
export async function putFound({ db, workspace }: Session, task: Sought & { readonly key: number }): Promise<void> {
  await putTexts(db, workspace.id, 'task', [{ key: task.key, ...textsOf(task) }])
}

/** Whether two states of a task are found by the same. */
export function isFoundAlike(one: Sought, other: Sought): boolean {
  return one.title === other.title && one.notes === other.notes && one.labels === other.labels
}

type Sought = Pick<TaskRow, 'title' | 'notes' | 'labels'>

function textsOf({ title, notes, labels }: Sought): Texts {
  return { title, tags: JSON.parse(labels), body: notes }
}
