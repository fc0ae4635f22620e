import type { ValueError } from '@sinclair/typebox/errors'
import { type ApiError, invalid } from '../http/api-error'
import { isStorable } from '../http/request'
import { createCheck } from '../http/validation'
import { agendaTool } from './agenda'
import { answerCardTool } from './answer-card'
import { createCardsTool, listDueCardsTool, suggestCardsTool } from './cards'
import { listChangesTool } from './changes'
import { createTaskTool } from './create-task'
import { updateNoteTool } from './edit-note'
import { createFinder } from './find'
import { clip } from './fit'
import { createNoteTool, getNoteTool, summarizeTool } from './notes'
import { searchTool } from './search'
import type { ToolServices } from './services'
import { listTasksTool, updateTaskTool } from './tasks'
import { notInScope, type Tool, type ToolContext, type ToolDeps } from './tool'
import { trashItemTool } from './trash'
import { undoTool } from './undo'

/** Creates the tools of chat, which agents have too. None of them reaches another host, a file or SQL, or erases anything permanently. */
export function createCatalogue(deps: ToolDeps): readonly Tool[] {
  const { services } = deps
  const find = createFinder(services)
  const search = searchTool(services)

  /** Returns the id of the note that a query finds first. Throws not_found. */
  async function findBestNote(context: ToolContext, query: string): Promise<string> {
    const { result } = await search.run({ query, types: ['note'], limit: 1 }, context)
    const [first] = result.items as readonly { readonly id: string }[]
    if (!first) throw notInScope('note')
    return first.id
  }

  return [
    search,
    getNoteTool(find),
    listTasksTool(services),
    listDueCardsTool(services, find),
    summarizeTool(deps, find, findBestNote),
    suggestCardsTool(services, find),
    createNoteTool(deps),
    createTaskTool(services),
    createCardsTool(services, find),
    updateNoteTool(services, find),
    updateTaskTool(services, find),
    trashItemTool(services, find),
  ]
}

/** Creates the tools that agents have besides those of chat, which small language models would not read through. */
export function createAgentTools(services: ToolServices): readonly Tool[] {
  const find = createFinder(services)
  return [agendaTool(services), listChangesTool(services), answerCardTool(services, find), undoTool(services)]
}

/**
 * Creates a check of the arguments of calls, which returns what is wrong with them, or null. Each schema is compiled
 * once.
 */
export function createArgumentCheck(catalogue: readonly Tool[]) {
  const checks = new Map(catalogue.map((tool) => [tool, createCheck(tool.input)]))
  return (tool: Tool, args: unknown): ApiError | null => {
    const check = checks.get(tool)?.()
    if (!check) throw new Error(`${tool.name} is not in this catalogue`)
    const fault = check.Check(args) ? null : check.Errors(args).First()
    if (fault === null) return checkStorable(args)
    // The name of a member comes from the model, and may be very long.
    const where = clip(fault?.path || '/', 80)
    const what = `${where}: ${fault === undefined ? 'not allowed' : describeFault(fault)}.`
    return invalid(
      where,
      'invalid_value',
      `The arguments of ${tool.name} do not fit: ${what} It takes ${describeArguments(tool)}.`,
    )
  }
}

/** Says what was expected, with the words or the forms that there are to choose from. */
function describeFault({ message, schema }: ValueError): string {
  if (Array.isArray(schema.enum)) return `Expected one of ${schema.enum.join(', ')}`
  if (!Array.isArray(schema.anyOf)) return message
  const forms = schema.anyOf.map(({ type, pattern }) => (pattern ? `${type} to match '${pattern}'` : type))
  return `Expected ${forms.join(' or ')}`
}

/** Refuses text that cannot be stored. Routes check bodies for it, but arguments of a model come through none. */
function checkStorable(args: unknown): ApiError | null {
  if (listTexts(args).every(isStorable)) return null
  return invalid('/', 'unstorable_text', 'Text must not hold NUL or half a surrogate pair.')
}

/** Lists all texts in arguments that match their schema, so that nesting is limited and names of members are known. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

function describeArguments({ input }: Tool): string {
  const required = new Set(input.required ?? [])
  return Object.keys(input.properties)
    .map((name) => (required.has(name) ? `${name} (required)` : name))
    .join(', ')
}
