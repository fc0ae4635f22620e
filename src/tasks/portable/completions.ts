import type { WorkspaceId } from '../../db/database'
import type { Reserve } from '../../db/journal'
import type { Portable, Reading } from '../../db/portable'
import { invalid } from '../../http/problem'
import { createShape } from '../../http/shape'
import { readInstant } from '../../http/values'
import { bytesOf, type State, toCompletion } from '../completions/completion'
import { type CompletionRow, completionsOfKeys, insertCompletion } from '../completions/store'
import { computeTasks, edgesOf } from '../relation-store'
import { getTask } from '../store'
import { checkTexts } from '../task'
import { readTaskDate } from '../when'
import { PortableCompletion } from './schema'
import { namesIn, readStates, toldState } from './states'
import { completionKeys, completionsOfIds } from './store'

/** Completions that are read at a time: one may have changed thousands of parts. */
const READ = 32
/** Their keys: these are found by looking through all of a workspace. */
const READ_KEYS = 20_000

const toShape = createShape(PortableCompletion, 'the completion')

/**
 * What was done and skipped, in the order in which that was: what is told of a completion speaks of those before it.
 * They never change, so one that is here stays as it is.
 */
export function portableCompletions({ reserve }: { readonly reserve: Reserve }): Portable {
  return {
    type: 'task_completion',

    async *items(db, workspace) {
      for (let keys: number[] = [], after: number | undefined = 0; after !== undefined; ) {
        keys = await completionKeys(db, workspace, after, READ_KEYS)
        for (let i = 0; i < keys.length; i += READ) yield* toldOf(db, workspace, keys.slice(i, i + READ))
        after = keys.length < READ_KEYS ? undefined : keys.at(-1)
      }
    },

    async merge(session, item) {
      const told = toShape(item)
      const { db, workspace } = session
      const checked = columnsOf(told)
      if ((await completionsOfIds(db, workspace.id, [told.id])).has(told.id)) return 'unchanged'
      const task = await getTask(db, workspace.id, told.task_id)
      if (!task) throw invalid('/task_id', 'unknown_task', 'task_id must be the id of a task')
      const { before, after } = await readStates(session, task.key, told)
      const texts = { before: JSON.stringify(before), after: JSON.stringify(after), missed: checked.missed }
      const size_bytes = bytesOf({ ...texts, title: told.title })
      await insertCompletion(db, workspace.id, { ...checked, ...texts, task: task.key, size_bytes })
      await reserve(session, size_bytes)
      const edges = await edgesOf(db, workspace.id, task.key)
      const kin = edges.flatMap(({ blocker, dependent }) => [blocker, dependent])
      await computeTasks(db, workspace.id, [task.key, ...kin])
      return 'created'
    },
  }
}

/** What is stored as it is told. Throws invalid_request. */
function columnsOf(told: PortableCompletion): Omit<CompletionRow, 'key' | 'task' | 'before' | 'after' | 'size_bytes'> {
  const { id, task_id, kind, title, project_id, missed, occurrence, next_due } = told
  checkTexts({ title, notes: '' })
  return {
    ...{ id, task_id, kind, title, project_id },
    completed_at: readInstant(told.completed_at, '/completed_at'),
    occurrence: occurrence === null ? null : readTaskDate(occurrence, '/occurrence'),
    next_due: next_due === null ? null : readTaskDate(next_due, '/next_due'),
    missed: JSON.stringify(missed.map((date, i) => readTaskDate(date, `/missed/${i}`))),
  }
}

async function* toldOf(
  db: Reading,
  workspace: WorkspaceId,
  keys: readonly number[],
): AsyncGenerator<PortableCompletion> {
  const rows = (await completionsOfKeys(db, workspace, keys)).map((row) => ({
    row,
    before: JSON.parse(row.before) as State,
    after: JSON.parse(row.after) as State,
  }))
  const names = await namesIn(
    db,
    workspace,
    rows.flatMap(({ before, after }) => [before, after]),
  )
  for (const { row, before, after } of rows)
    yield { ...toCompletion(row), before: toldState(before, names), after: toldState(after, names) }
}
