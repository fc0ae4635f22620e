import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { fromDay } from '../lib/civil/day'
import { civilOf, clockTime } from '../lib/civil/zone'
import { titleKey } from '../lib/text'
import { taskMembers } from './create-task'
import { collectedSchema, collectItems, type ScopedFinder, showsTask, targetOf } from './find'
import { clip, previewChange, writeMembers } from './fit'
import { quoteTitle } from './notes'
import { type ChangePreview, closedObject } from './schema'
import type { TaskMembers, ToolServices, ToolTask } from './services'
import { citeWhole } from './source'
import { createTaskClosing, previewStatus, readDueDate, toDueMembers, toTaskOutcome } from './task-changes'
import {
  allowsKind,
  asOf,
  type ChangeTool,
  changeNames,
  choiceSchema,
  limitSchema,
  listSchema,
  type ReadTool,
  readOutput,
  resourceIdSchema,
  type ToolContext,
  tagChanges,
  textOrNull,
  textSchema,
  wordSchema,
} from './tool'

const [DEFAULT_ITEMS, MAX_ITEMS] = [10, 25]

const WHEN_FILTERS = {
  today: '(today or overdue)',
  overdue: 'overdue',
  week: '(due >= today and due < +7d)',
  all: null,
} as const

const listInput = closedObject({
  filter: Type.Optional(Type.String({ maxLength: 500, description: 'E.g. (@home or #Work) and p1 and "words"' })),
  when: Type.Optional(choiceSchema(['today', 'overdue', 'week', 'all'], 'today includes overdue')),
  limit: limitSchema(MAX_ITEMS),
})

const listOutput = readOutput({
  items: listSchema({
    id: Type.String(),
    title: Type.String(),
    due: textOrNull(),
    time_zone: Type.Optional(Type.String()),
    priority: Type.Integer(),
    overdue: Type.Boolean(),
    state: wordSchema(['open', 'in_progress', 'done', 'cancelled']),
    revision: Type.Integer(),
  }),
  total: collectedSchema(),
})

export function listTasksTool({ tasks }: ToolServices): ReadTool<typeof listInput> {
  return {
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Tasks by due date, and their number.',
    risk: 'read',
    returnsText: 'titles',
    input: listInput,
    output: listOutput,
    async run({ filter, when = 'all', limit = DEFAULT_ITEMS }, context) {
      const { session, scope, timeZone, now } = context
      if (!allowsKind(scope, 'task')) return { result: { items: [], total: 0 }, sources: [] }
      const parts = [filter?.trim() ? `(${filter})` : null, WHEN_FILTERS[when]].filter((part) => part !== null)
      const query = { ...asOf(context), ...(parts.length > 0 && { filter: parts.join(' and ') }) }
      const all = await collectItems({
        page: (paging) => tasks.list(session, { ...query, ...paging }),
        keep: (task) => showsTask(scope, task),
      })
      const items = all.slice(0, limit)
      return {
        result: { items: items.map((task) => toListItem(task, timeZone, now)), total: all.length },
        sources: items.map(citeWhole.task),
      }
    },
  }
}

function toListItem(task: ToolTask, timeZone: string, now: number) {
  const { id, title, due, priority, status, revision } = task
  const isClosed = status === 'done' || status === 'cancelled'
  return {
    id,
    title: clip(title),
    ...toDueMembers(due, timeZone),
    priority,
    overdue: !isClosed && isPast(task, timeZone, now),
    state: status,
    revision,
  }
}

/** Whether a due date is in the past; one without a zone is compared in the caller's zone. */
function isPast({ due, due_at }: ToolTask, timeZone: string, now: number): boolean {
  if (due === null) return false
  if (due_at !== null) return Date.parse(due_at) < now
  const { day, minutes } = civilOf(now, timeZone)
  return due.time === null
    ? due.date < fromDay(day)
    : `${due.date}T${due.time}` < `${fromDay(day)}T${clockTime(minutes)}`
}

const updateInput = closedObject({
  id: resourceIdSchema(),
  ...taskMembers,
  labels: Type.Optional(Type.Array(textSchema(100), { minItems: 0, maxItems: 50 })),
  due: Type.Optional(textOrNull({ maxLength: 40 })),
  done: Type.Optional(Type.Boolean()),
  project: Type.Optional(textSchema(200)),
  ...tagChanges(),
})

type Update = (typeof updateInput)['static']

export function updateTaskTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof updateInput> {
  const { tasks } = services
  const closing = createTaskClosing(services)

  /** Reads a change as members of the task. Throws not_found if there is no such project. */
  async function toMembers(
    old: ToolTask,
    { project, tag, untag, ...change }: TaskPatch,
    { session, timeZone }: ToolContext,
  ): Promise<TaskMembers> {
    const { due, ...others } = change
    return {
      // The order of a preview is that of the call.
      ...(change as object),
      ...others,
      // A time without an offset is in the zone of the task.
      ...(due !== undefined && { due: due === null ? null : readDueDate(due, old.due?.time_zone ?? timeZone) }),
      ...((tag ?? untag) !== undefined && { labels: changeNames(others.labels ?? old.labels, tag, untag) }),
      ...(project !== undefined && { project_id: await findProject(tasks, session, project) }),
    }
  }

  async function editTask(old: ToolTask, change: TaskPatch, context: ToolContext, revisions: Precondition) {
    const { session, timeZone } = context
    const patch = await toMembers(old, change, context)
    const { resource: task, etag } = await tasks.update(session, old.id, patch, revisions)
    const before = Object.fromEntries(Object.keys(patch).map((name) => [name, old[name as keyof TaskMembers]]))
    return toTaskOutcome({ task, old, timeZone }, `Changed ${nameMembers(change)} of`, {
      ...{ method: 'PATCH', path: `/api/tasks/${old.id}` },
      body: before,
      if_match: etag,
    })
  }

  return {
    name: 'update_task',
    title: 'Change a task',
    description:
      'Changes members; due null removes it. done, alone, completes (one that repeats moves to next_due) or reopens (false).',
    risk: 'update',
    input: updateInput,
    async plan({ id, done, ...patch }, context) {
      const names = Object.keys(patch)
      if (done !== undefined && names.length > 0)
        throw invalid('/done', 'invalid_value', 'Give done alone, and other members in a separate call.')
      if (done === undefined && names.length === 0) throw invalid('/id', 'required', 'Give a member to change.')
      const { resource: task } = await find.findTask(context, id)
      const verb = done === undefined ? `Change ${nameMembers(patch)} of` : done ? 'Complete' : 'Reopen'
      const preview = async () =>
        done === undefined
          ? previewEdit(task, await toMembers(task, patch, context), context.timeZone)
          : previewStatus(task, done)
      return { target: targetOf.task(task), summary: `${verb} the task ${quoteTitle(task)}`, confirm: false, preview }
    },
    async run({ id, done, ...patch }, context, precondition) {
      const { resource: old } = await find.findTask(context, id)
      if (done === undefined) return editTask(old, patch, context, precondition)
      return (done ? closing.complete : closing.reopen)(old, context, precondition)
    },
  }
}

const nameMembers = (change: TaskPatch): string =>
  Object.keys(change)
    .map((name) => (name === 'tag' || name === 'untag' ? 'labels' : name))
    .join(', ')

/** Throws not_found. */
async function findProject({ listProjects }: ToolServices['tasks'], session: ToolContext['session'], name: string) {
  const [found] = await collectItems({
    page: (paging) => listProjects(session, paging),
    keep: (one) => titleKey(one.name) === titleKey(name),
    limit: 1,
  })
  if (!found) throw new ApiError('not_found', `There is no project named ${clip(name, 60)}.`)
  return found.id
}

function previewEdit(task: ToolTask, patch: TaskMembers, timeZone: string): ChangePreview {
  const old = Object.keys(patch).map((name) => [name, task[name as keyof TaskMembers]])
  const write = ({ due }: TaskMembers) => due && Object.values(toDueMembers(due, timeZone)).join(' ')
  const [before, after] = patch.due === undefined ? [{}, {}] : [{ due: write(task) }, { due: write(patch) }]
  return previewChange(writeMembers({ ...Object.fromEntries(old), ...before }), writeMembers({ ...patch, ...after }))
}

type TaskPatch = Omit<Update, 'id' | 'done'>
