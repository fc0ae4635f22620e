import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { fromDay } from '../lib/civil/day'
import { civilOf, clockTime } from '../lib/civil/zone'
import { titleKey } from '../lib/text'
import { createTaskClosing, previewStatus, taskResult, toTaskOutcome, toTaskResult, writeWhen } from './complete-task'
import { collectedSchema, collectItems, type ScopedFinder, showsTask, targetOf } from './find'
import { clip, previewChange, writeMembers } from './fit'
import { quoteTitle } from './notes'
import { languageSchema } from './quick-add'
import { type ChangePreview, closedObject } from './schema'
import type { TaskMembers, ToolDueDate, ToolServices, ToolTask } from './services'
import { citeWhole } from './source'
import {
  allowsKind,
  asOf,
  type ChangeTool,
  type CreateTool,
  changeNames,
  changeOutput,
  choiceSchema,
  createOutput,
  limitSchema,
  listSchema,
  type ReadTool,
  readOutput,
  requireKind,
  resourceIdSchema,
  type ToolContext,
  tagChanges,
  textOrNull,
  textSchema,
  undoCreation,
  type WriteOutcome,
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
    priority: Type.Integer(),
    overdue: Type.Boolean(),
    done: Type.Boolean(),
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
  const done = status === 'done'
  return {
    id,
    title: clip(title),
    due: due && writeWhen(due),
    priority,
    overdue: !done && isPast(task, timeZone, now),
    done,
    revision,
  }
}

/** Whether a due date is in the past; one without a zone is compared in the caller's zone. */
function isPast({ due, due_at }: ToolTask, timeZone: string, now: number): boolean {
  if (due === null) return false
  if (due_at !== null) return Date.parse(due_at) < now
  const { day, minutes } = civilOf(now, timeZone)
  return due.time === null ? due.date < fromDay(day) : writeWhen(due) < `${fromDay(day)}T${clockTime(minutes)}`
}

const DUE_PATTERN = '^\\d{4}-\\d\\d-\\d\\d(T([01]\\d|2[0-3]):[0-5]\\d)?$'
const dueSchema = () => Type.String({ pattern: DUE_PATTERN })
const memberSchemas = {
  title: Type.Optional(textSchema(500)),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 4, description: '1 is most urgent' })),
  labels: Type.Optional(Type.Array(textSchema(100), { maxItems: 50 })),
}

const createInput = closedObject({
  text: Type.Optional(textSchema(1000)),
  ...memberSchemas,
  due: Type.Optional(dueSchema()),
  language: languageSchema(),
  notes: Type.Optional(textSchema(16_384)),
})

export function createTaskTool({ tasks }: ToolServices): CreateTool<typeof createInput> {
  /** Reads words as a task. Throws an ApiError, also if there are other members beside the words. */
  function readWords(args: (typeof createInput)['static'], context: ToolContext) {
    const { text = '', language, ...others } = args
    if (Object.keys(others).length > 0)
      throw invalid('/text', 'required', 'text describes the whole task: give no other member with it.')
    return tasks.readQuick(context.session, { text, ...asOf(context), ...(language && { language }) })
  }

  async function addWords(add: Awaited<ReturnType<typeof readWords>>, { session, scope }: ToolContext) {
    requireKind(scope, 'task')
    const { resource, etag } = await add(session)
    const warnings = resource.warnings.map(({ detail }) => clip(detail))
    return toCreatedOutcome(resource.task, etag, warnings.length > 0 ? { warnings } : {})
  }

  const tool: CreateTool<typeof createInput> = {
    name: 'create_task',
    title: 'Create a task',
    description:
      'Creates a task: from text such as "pay rent tomorrow 9am !1 @bills every month", or from title and other members. due: YYYY-MM-DD[THH:MM].',
    risk: 'create',
    input: createInput,
    output: createOutput({ ...taskResult, warnings: Type.Optional(Type.Array(Type.String())) }),
    async prepare(args, context) {
      if (args.text === undefined) return tool
      const add = await readWords(args, context)
      return { ...tool, run: (_, inside) => addWords(add, inside) }
    },
    async run(args, context) {
      const { text, title, due, language: _, ...others } = args
      const { session, scope, timeZone } = context
      requireKind(scope, 'task')
      if (text !== undefined) return addWords(await readWords(args, context), context)
      if (title === undefined) throw invalid('/title', 'required', 'Give either text or title.')
      const when = due === undefined ? {} : { due: readWhen(due, timeZone) }
      const { resource, etag } = await tasks.create(session, { title, ...when, ...others })
      return toCreatedOutcome(resource, etag, {})
    },
  }
  return tool
}

function toCreatedOutcome(task: ToolTask, etag: string, more: Readonly<Record<string, unknown>>): WriteOutcome {
  return {
    result: { ...toTaskResult(task), ...more },
    target: targetOf.task(task),
    summary: `Created the task ${quoteTitle(task)}`,
    undo: [undoCreation({ type: 'task', id: task.id }, etag)],
  }
}

/** Reads a date, or a date and time in the caller's zone. */
function readWhen(due: string, timeZone: string): ToolDueDate {
  const [date = '', time = null] = due.split('T')
  return { date, time, time_zone: time === null ? null : timeZone }
}

const updateInput = closedObject({
  id: resourceIdSchema(),
  ...memberSchemas,
  due: Type.Optional(Type.Union([dueSchema(), Type.Null()])),
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
      ...(due !== undefined && { due: due === null ? null : readWhen(due, timeZone) }),
      ...((tag ?? untag) !== undefined && { labels: changeNames(others.labels ?? old.labels, tag, untag) }),
      ...(project !== undefined && { project_id: await findProject(tasks, session, project) }),
    }
  }

  async function editTask(old: ToolTask, change: TaskPatch, context: ToolContext, revisions: Precondition) {
    const { session } = context
    const patch = await toMembers(old, change, context)
    const { resource: task, etag } = await tasks.update(session, old.id, patch, revisions)
    const before = Object.fromEntries(Object.keys(patch).map((name) => [name, old[name as keyof TaskMembers]]))
    return toTaskOutcome(task, old, `Changed ${nameMembers(change)} of`, {
      ...{ method: 'PATCH', path: `/api/tasks/${old.id}` },
      body: before,
      if_match: etag,
    })
  }

  return {
    name: 'update_task',
    title: 'Change a task',
    description: 'Changes members; done, alone, completes (true) or reopens (false).',
    risk: 'update',
    input: updateInput,
    output: changeOutput(taskResult),
    async plan({ id, done, ...patch }, context) {
      const names = Object.keys(patch)
      if (done !== undefined && names.length > 0)
        throw invalid('/done', 'invalid_value', 'Give done alone, and other members in a separate call.')
      if (done === undefined && names.length === 0) throw invalid('/id', 'required', 'Give a member to change.')
      const { resource: task } = await find.findTask(context, id)
      const verb = done === undefined ? `Change ${nameMembers(patch)} of` : done ? 'Complete' : 'Reopen'
      const preview = async () =>
        done === undefined ? previewEdit(task, await toMembers(task, patch, context)) : previewStatus(task, done)
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

function previewEdit(task: ToolTask, patch: TaskMembers): ChangePreview {
  const old = Object.keys(patch).map((name) => [name, task[name as keyof TaskMembers]])
  const due = patch.due === undefined ? {} : { due: patch.due && formatZoned(patch.due) }
  const oldDue = patch.due === undefined ? {} : { due: task.due && formatZoned(task.due) }
  return previewChange(writeMembers({ ...Object.fromEntries(old), ...oldDue }), writeMembers({ ...patch, ...due }))
}

const formatZoned = (when: ToolDueDate): string =>
  when.time_zone === null ? writeWhen(when) : `${writeWhen(when)} ${when.time_zone}`

type TaskPatch = Omit<Update, 'id' | 'done'>
