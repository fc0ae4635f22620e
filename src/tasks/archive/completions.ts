import { type Static, Type as t } from '@sinclair/typebox'
import { type ArchivedType, readPages } from '../../archive/archived-type'
import type { Reserve } from '../../db/change-feed'
import type { Reader, Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { closed, Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readInstant, writeOptional } from '../../http/values'
import { MAX_AFFECTED_TASKS } from '../change-tasks'
import {
  type CompletionState,
  MEMBER_COLUMNS,
  type PartState,
  recordCompletion,
  toTaskCompletion,
} from '../completions/completion'
import { completionTable, getCompletionKeysByIds, listCompletionKeys, type ShownCompletion } from '../completions/store'
import { toEdgesInIds } from '../relation-store'
import { Recurrence, TaskDate } from '../schema'
import { getIdsByKeys, getKeysByIds, getTask, type TaskRow } from '../store'
import { checkTaskTexts, readReminders } from '../task'
import {
  getDueDate,
  getStartDate,
  parseOccurrence,
  patchTaskDate,
  prefixDateColumns,
  readOccurrence,
  toDateColumns,
  toRecurrenceColumns,
} from '../task-date'
import { readRecurrence, toRecurrence } from '../task-recurrence'
import { EdgeLines, progressMembers, ReminderLines, readProgress } from './task-lines'

/** Completions as lines of an archive. Their states refer to tasks by ids instead of keys. */

/** Completions read at a time: each can list thousands of parts. */
const READ_COMPLETIONS = 32
/** Keys of completions read at a time; each read scans all completions of a workspace. */
const READ_KEYS = 20_000

const dateMembers = {
  due: t.Optional(nullable(TaskDate)),
  start: t.Optional(nullable(TaskDate)),
  reminders: t.Optional(ReminderLines),
}

const StateLine = t.Object(
  {
    /** Only the members that changed. */
    members: t.Object(
      {
        status: t.Optional(t.Object(progressMembers, closed)),
        recurrence: t.Optional(nullable(Recurrence)),
        ...dateMembers,
      },
      closed,
    ),
    parts: t.Array(t.Object({ task_id: Id, ...progressMembers, ...dateMembers }, closed), {
      maxItems: MAX_AFFECTED_TASKS,
    }),
    blocked_by: EdgeLines,
  },
  closed,
)
type StateLine = Static<typeof StateLine>
type MemberLines = StateLine['members']

const CompletionLine = t.Object(
  {
    id: Id,
    task_id: Id,
    kind: t.Union([t.Literal('done'), t.Literal('skip')]),
    occurrence: nullable(t.String()),
    completed_at: t.String(),
    next_due: nullable(t.String()),
    missed: t.Array(t.String(), { maxItems: 1000 }),
    title: t.String(),
    project_id: nullable(Id),
    before: StateLine,
    after: StateLine,
  },
  closed,
)
type CompletionLine = Static<typeof CompletionLine>

const toLine = createValidator(CompletionLine, 'the completion')

/** In the order of recording, since each may refer to earlier ones. An existing one is left as it is: none changes. */
export function archivedCompletions({ reserve }: { readonly reserve: Reserve }): ArchivedType {
  return {
    type: 'task_completion',

    async *items(reader) {
      const list = (after: number) => listCompletionKeys(reader, after, READ_KEYS)
      for await (const keys of readPages(0, list, (key) => key))
        for (let i = 0; i < keys.length; i += READ_COMPLETIONS)
          yield* readLines(reader, keys.slice(i, i + READ_COMPLETIONS))
    },

    async merge(session, item) {
      const line = toLine(item)
      const columns = toCompletionColumns(line)
      if ((await getCompletionKeysByIds(session, [line.id])).has(line.id)) return 'unchanged'
      const task = await getTask(session, line.task_id)
      if (!task) throw invalid('/task_id', 'unknown_task', 'task_id must be the id of a task')
      const states = await readStates(session, task.key, line)
      await recordCompletion(session, reserve, { ...columns, task: task.key }, states)
      return 'created'
    },
  }
}

/** Returns the columns that a line contains directly. Throws invalid_request. */
function toCompletionColumns({ before, after, ...line }: CompletionLine): ShownCompletion {
  const date = (text: string | null, pointer: string) => (text === null ? null : readOccurrence(text, pointer))
  checkTaskTexts({ title: line.title, notes: '' })
  return {
    ...line,
    completed_at: readInstant(line.completed_at, '/completed_at'),
    occurrence: date(line.occurrence, '/occurrence'),
    next_due: date(line.next_due, '/next_due'),
    missed: JSON.stringify(line.missed.map((text, i) => date(text, `/missed/${i}`))),
  }
}

async function* readLines(reader: Reader, keys: readonly number[]): AsyncGenerator<CompletionLine> {
  const rows = (await completionTable.getByKeys(reader, keys))
    .sort((a, b) => a.key - b.key)
    .map((row) => ({
      row,
      before: JSON.parse(row.before) as CompletionState,
      after: JSON.parse(row.after) as CompletionState,
    }))
  const stateLine = await createStateLines(
    reader,
    rows.flatMap(({ before, after }) => [before, after]),
  )
  for (const { row, before, after } of rows)
    yield { ...toTaskCompletion(row), before: stateLine(before), after: stateLine(after) }
}

/** Returns a function that converts states to lines. Leaves out tasks and completions that no longer exist. */
async function createStateLines(
  reader: Reader,
  states: readonly CompletionState[],
): Promise<(state: CompletionState) => StateLine> {
  const parts = states.flatMap((state) => state.parts.map(({ key }) => key))
  const tasks = await getIdsByKeys(reader, parts)
  const all = states.flatMap((state) => state.edges)
  const edges = new Map(
    (await toEdgesInIds(reader, all)).map(({ blocker, key, ...edge }) => [`${blocker} ${key}`, edge]),
  )
  return (state) => ({
    members: toMemberLines(state.members),
    parts: state.parts.flatMap(({ key, ...part }) => {
      const task_id = tasks.get(key)
      const { status: _, ...dates } = toMemberLines(part)
      return task_id === undefined ? [] : { task_id, ...toProgressLine(part), ...dates }
    }),
    blocked_by: state.edges.flatMap(({ blocker, since }) => edges.get(`${blocker} ${since}`) ?? []),
  })
}

function toMemberLines(members: Partial<TaskRow>): MemberLines {
  // A member that changed is stored with all its columns.
  const row = members as TaskRow
  const has = (name: keyof typeof MEMBER_COLUMNS) => MEMBER_COLUMNS[name][0] in members
  return {
    ...(has('status') && { status: toProgressLine(row) }),
    ...(has('due') && { due: getDueDate(row) }),
    ...(has('start') && { start: getStartDate(row) }),
    ...(has('recurrence') && { recurrence: toRecurrence(row) }),
    ...(has('reminders') && { reminders: JSON.parse(row.reminders) }),
  }
}

function toProgressLine({ status, completed_at, cancelled_at }: Omit<PartState, 'key' | 'closed'>) {
  return { status, completed_at: writeOptional(completed_at), cancelled_at: writeOptional(cancelled_at) }
}

/**
 * Returns the states of a completion as they are stored. Parts and edges whose task or completion does not exist here
 * are left out of both states, so that undoing does not touch them.
 * @param task the key of the task that was completed
 * @throws ApiError invalid_request, unsupported_recurrence
 */
async function readStates(
  session: Session,
  task: number,
  { before, after }: Pick<CompletionLine, 'before' | 'after'>,
): Promise<Record<'before' | 'after', CompletionState>> {
  const both = [before, after]
  const waits = both.flatMap(({ blocked_by }) => blocked_by)
  const ids = [...both.flatMap(({ parts }) => parts), ...waits].map(({ task_id }) => task_id)
  const keys = await getKeysByIds(session, ids)
  const sinces = waits.flatMap(({ since }) => since ?? [])
  const completions = await getCompletionKeysByIds(session, sinces)
  const isUnknown = ({ task_id, since }: (typeof waits)[number]) =>
    !keys.has(task_id) || (since !== null && completions.get(since)?.task !== keys.get(task_id))
  const unknown = new Set(waits.filter(isUnknown).map(({ task_id }) => task_id))
  const stateOf = ({ members, parts, blocked_by }: StateLine, pointer: string): CompletionState => ({
    members: readMembers(members, `${pointer}/members`),
    parts: parts.flatMap(({ task_id, ...part }, i) => {
      const key = keys.get(task_id)
      const { status, completed_at, cancelled_at, ...dates } = part
      const at = `${pointer}/parts/${i}`
      if (key === undefined) return []
      return { key, ...readProgress({ status, completed_at, cancelled_at }, at), ...readMembers(dates, at) }
    }),
    edges: blocked_by
      .filter(({ task_id }) => !unknown.has(task_id))
      .map(({ task_id, since }) => ({
        dependent: task,
        blocker: keys.get(task_id) ?? 0,
        since: since === null ? 0 : (completions.get(since)?.key ?? 0),
      })),
  })
  return { before: stateOf(before, '/before'), after: stateOf(after, '/after') }
}

function readMembers({ status, due, start, recurrence, reminders }: MemberLines, pointer: string): Partial<TaskRow> {
  return {
    ...(status !== undefined && readProgress(status, `${pointer}/status`)),
    ...(due !== undefined && prefixDateColumns('due', toDateColumns(patchTaskDate(null, due, 'due')))),
    ...(start !== undefined && prefixDateColumns('start', toDateColumns(patchTaskDate(null, start, 'start')))),
    ...(recurrence !== undefined &&
      toRecurrenceColumns(recurrence && readRecurrence(recurrence, parseOccurrence(recurrence.anchor)))),
    ...(reminders !== undefined && { reminders: JSON.stringify(readReminders(reminders)) }),
  }
}
