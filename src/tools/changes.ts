import { Type } from '@sinclair/typebox'
import { ApiError } from '../http/api-error'
import { createResources } from './find'
import { clip, countJsonBytes, MAX_RESULT_BYTES } from './fit'
import { closedObject } from './schema'
import type { ToolChange, ToolServices } from './services'
import { allowsKind, isNarrow, limitSchema, type ReadTool, type ToolContext } from './tool'

const [DEFAULT_ITEMS, MAX_ITEMS] = [20, 50]

const input = closedObject({
  since: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,14}(-[1-9][0-9]{0,14})?)$',
      description: 'A cursor; default: the latest',
    }),
  ),
  limit: limitSchema(MAX_ITEMS),
})

/** Bytes that a result may have besides its items. */
const FRAME_BYTES = 200

/** Says of a cursor that expired what a model can do. */
function sayHowToGoOn(error: unknown): never {
  if (!(error instanceof ApiError && error.code === 'cursor_expired')) throw error
  throw new ApiError(error.code, 'The changes since that cursor are no longer known: leave out since, for the latest.')
}

const KINDS = ['note', 'task', 'fact', 'deck'] as const

export function listChangesTool(services: ToolServices): ReadTool<typeof input> {
  const { read } = createResources(services)

  /** Returns a change with its title, which is null if it has none or was erased; null if the scope hides it. */
  async function show(context: ToolContext, { cursor: _, ...change }: ToolChange) {
    const kind = KINDS.find((name) => name === change.type)
    const isLimited = context.scope.types !== null || isNarrow(context.scope)
    // Nothing is known of the tags of what was erased, and of other types.
    if (!kind) return isLimited ? null : { ...change, title: null }
    if (!allowsKind(context.scope, kind)) return null
    try {
      const found = await read(context, kind, change.id)
      return found && { ...change, title: clip(found.target.title) }
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'not_found')) throw error
      return isNarrow(context.scope) ? null : { ...change, title: null }
    }
  }

  return {
    name: 'list_changes',
    title: 'List changes',
    description: 'What changed since the cursor of an earlier answer, oldest first.',
    risk: 'read',
    returnsText: 'titles',
    input,
    async run({ since, limit = DEFAULT_ITEMS }, context) {
      const page = await services.changes.list(context.session, since ?? null, limit).catch(sayHowToGoOn)
      const items: NonNullable<Awaited<ReturnType<typeof show>>>[] = []
      let room = MAX_RESULT_BYTES - FRAME_BYTES
      let cursor = since ?? '0'
      for (const change of page.items) {
        const item = await show(context, change)
        room -= item ? countJsonBytes(item) + 1 : 0
        // The rest is for the next call, which the cursor continues with.
        if (room < 0) return { result: { items, cursor, more: true }, sources: [] }
        if (item) items.push(item)
        cursor = change.cursor
      }
      return { result: { items, cursor: page.hasMore ? cursor : page.cursor, more: page.hasMore }, sources: [] }
    },
  }
}
