import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Tagged } from '../http/responses'
import { TIME_LANGUAGES } from '../lib/civil/languages'
import { writeWhen } from './complete-task'
import { targetOf } from './find'
import { clip } from './fit'
import { quoteTitle } from './notes'
import { closedObject } from './schema'
import type { QuickTask, ToolServices } from './services'
import {
  asOf,
  type CreateTool,
  choiceSchema,
  createOutput,
  listSchema,
  requireKind,
  type ToolContext,
  textOrNull,
  textSchema,
  undoCreation,
  type WriteOutcome,
} from './tool'

const MAX_LINES = 20

export const languageSchema = () => Type.Optional(choiceSchema(TIME_LANGUAGES))

const input = closedObject({ lines: textSchema(MAX_LINES * 1000), language: languageSchema() })
const output = createOutput({
  items: listSchema({
    id: Type.String(),
    title: Type.String(),
    due: textOrNull(),
    priority: Type.Integer(),
    repeats: Type.Boolean(),
  }),
  warnings: Type.Optional(Type.Array(Type.String())),
})

type Create = (tx: ToolContext['session']) => Promise<Tagged<QuickTask>>

/** All of the lines, or none. */
export function quickAddTool({ tasks }: ToolServices): CreateTool<typeof input> {
  /** Reads the lines that are not blank. Throws an ApiError that names the line. */
  async function readLines({ lines, language }: (typeof input)['static'], context: ToolContext): Promise<Create[]> {
    const texts = lines.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
    if (texts.length === 0 || texts.length > MAX_LINES)
      throw invalid('/lines', 'invalid_value', `Give 1 to ${MAX_LINES} lines that are not blank.`)
    const how = { ...asOf(context), ...(language && { language }) }
    const creates: Create[] = []
    for (const [i, text] of texts.entries())
      creates.push(await namingLine(i + 1, tasks.readQuick(context.session, { text: text.trim(), ...how })))
    return creates
  }

  async function addAll(creates: readonly Create[], { session, scope }: ToolContext): Promise<WriteOutcome> {
    requireKind(scope, 'task')
    const added: Tagged<QuickTask>[] = []
    for (const [i, create] of creates.entries()) added.push(await namingLine(i + 1, create(session)))
    const [first] = added
    if (!first) throw new Error('no line')
    const warnings = added.flatMap(({ resource }, i) =>
      resource.warnings.map(({ text, detail }) => clip(`Line ${i + 1}, ${clip(text, 40)}: ${detail}`)),
    )
    const title = quoteTitle(first.resource.task)
    return {
      result: { items: added.map(({ resource }) => toListItem(resource)), ...(warnings.length > 0 && { warnings }) },
      target: targetOf.task(first.resource.task),
      summary:
        added.length === 1 ? `Created the task ${title}` : `Created ${added.length} tasks, the first is ${title}`,
      undo: added.map(({ resource, etag }) => undoCreation({ type: 'task', id: resource.task.id }, etag)),
    }
  }

  const tool: CreateTool<typeof input> = {
    name: 'quick_add',
    title: 'Add tasks in words',
    description:
      'Creates a task from each line, e.g. "Pay rent #Home @bills !2 every month at 9am". For exact members: create_task.',
    risk: 'create',
    input,
    output,
    async prepare(args, context) {
      const creates = await readLines(args, context)
      return { ...tool, run: (_, inside) => addAll(creates, inside) }
    },
    run: async (args, context) => addAll(await readLines(args, context), context),
  }
  return tool
}

const toListItem = ({ task: { id, title, due, priority, recurrence } }: QuickTask) => ({
  id,
  title: clip(title),
  due: due && writeWhen(due),
  priority,
  repeats: recurrence !== null,
})

/** Adds the number of a line to what it was refused for. */
async function namingLine<T>(line: number, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError(error.code, `Line ${line}: ${error.detail} Nothing was created.`, error.extra)
  }
}
