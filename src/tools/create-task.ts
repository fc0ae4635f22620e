import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Tagged } from '../http/responses'
import { TIME_LANGUAGES } from '../lib/civil/day'
import { targetOf } from './find'
import { clip } from './fit'
import { quoteTitle } from './notes'
import { closedObject } from './schema'
import type { QuickTask, ToolServices, ToolTask } from './services'
import { readDueDate, toDueMembers, toTaskResult } from './task-changes'
import {
  asOf,
  type CreateTool,
  choiceSchema,
  requireKind,
  type ToolContext,
  textSchema,
  undoCreation,
  type WriteOutcome,
} from './tool'

const MAX_LINES = 20

/** The members of a task that tools set. */
export const taskMembers = {
  title: Type.Optional(textSchema(500)),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 4, description: '1 is most urgent' })),
}

const input = closedObject({
  text: Type.Optional(textSchema(MAX_LINES * 1000)),
  ...taskMembers,
  due: Type.Optional(textSchema(40)),
  labels: Type.Optional(Type.Array(textSchema(100), { maxItems: 50 })),
  notes: Type.Optional(textSchema(16_384)),
  language: Type.Optional(choiceSchema(TIME_LANGUAGES)),
})
type Input = (typeof input)['static']

type Create = (tx: ToolContext['session']) => Promise<Tagged<QuickTask>>

/** From words, a task from each line, all or none; or one from exact members. */
export function createTaskTool({ tasks }: ToolServices): CreateTool<typeof input> {
  /** Reads the lines that are not blank. Throws an ApiError that names the line, also if there are other members. */
  async function readLines({ text = '', language, ...others }: Input, context: ToolContext): Promise<Create[]> {
    if (Object.keys(others).length > 0)
      throw invalid('/text', 'required', 'text describes the whole task: give no other member with it.')
    const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
    if (lines.length === 0 || lines.length > MAX_LINES)
      throw invalid('/text', 'invalid_value', `Give 1 to ${MAX_LINES} lines that are not blank.`)
    const how = { ...asOf(context), ...(language && { language }) }
    const creates: Create[] = []
    for (const [i, line] of lines.entries())
      creates.push(await namingLine(i, lines.length, tasks.readQuick(context.session, { text: line.trim(), ...how })))
    return creates
  }

  async function addAll(creates: readonly Create[], { session, scope, timeZone }: ToolContext): Promise<WriteOutcome> {
    requireKind(scope, 'task')
    const added: Tagged<QuickTask>[] = []
    for (const [i, create] of creates.entries()) added.push(await namingLine(i, creates.length, create(session)))
    const warnings = added.flatMap(({ resource }, i) =>
      resource.warnings.map(({ text, detail }) =>
        clip(`${added.length > 1 ? `Line ${i + 1}, ` : ''}"${clip(text, 40)}" was left in the title: ${detail}`),
      ),
    )
    const made = added.map(({ resource: { task }, etag }) => ({ task, etag }))
    return toOutcome(made, timeZone, warnings.length > 0 ? { warnings } : {})
  }

  const tool: CreateTool<typeof input> = {
    name: 'create_task',
    title: 'Create tasks',
    description:
      'Creates a task from each line of text, such as "Pay rent #Home @bills !2 every month at 9am", or one from title and other members. due: YYYY-MM-DD[THH:MM].',
    risk: 'create',
    input,
    async prepare(args, context) {
      if (args.text === undefined) return tool
      const creates = await readLines(args, context)
      return { ...tool, run: (_, inside) => addAll(creates, inside) }
    },
    async run(args, context) {
      const { text, title, due, language: _, ...others } = args
      const { session, scope, timeZone } = context
      requireKind(scope, 'task')
      if (text !== undefined) return addAll(await readLines(args, context), context)
      if (title === undefined) throw invalid('/title', 'required', 'Give either text or title.')
      const when = due === undefined ? {} : { due: readDueDate(due, timeZone) }
      const { resource, etag } = await tasks.create(session, { title, ...when, ...others })
      return toOutcome([{ task: resource, etag }], timeZone, {})
    },
  }
  return tool
}

interface MadeTask {
  readonly task: ToolTask
  readonly etag: string
}

function toOutcome(made: readonly MadeTask[], timeZone: string, more: Readonly<Record<string, unknown>>): WriteOutcome {
  const [first] = made
  if (!first) throw new Error('no task')
  const title = quoteTitle(first.task)
  const result =
    made.length === 1 ? toTaskResult(first.task, timeZone) : { items: made.map((one) => toItem(one, timeZone)) }
  return {
    result: { ...result, ...more },
    target: targetOf.task(first.task),
    summary: made.length === 1 ? `Created the task ${title}` : `Created ${made.length} tasks, the first is ${title}`,
    undo: made.map(({ task, etag }) => undoCreation({ type: 'task', id: task.id }, etag)),
  }
}

const toItem = ({ task: { id, title, due, priority, recurrence } }: MadeTask, timeZone: string) => ({
  id,
  title: clip(title),
  ...toDueMembers(due, timeZone),
  priority,
  repeats: recurrence !== null,
})

/** Adds the number of a line to what it was refused for, where there are several. */
async function namingLine<T>(i: number, lines: number, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError) || lines === 1) throw error
    throw new ApiError(error.code, `Line ${i + 1}: ${error.detail} Nothing was created.`, error.extra)
  }
}
