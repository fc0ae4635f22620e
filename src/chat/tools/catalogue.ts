import { createCardsTool, listDueCardsTool, suggestCardsTool } from './cards'
import { createFinder } from './find'
import { createNoteTool, getNoteTool, summarizeTool, updateNoteTool } from './notes'
import { notInScope } from './scope'
import { searchTool } from './search'
import { createTaskTool, listTasksTool, updateTaskTool } from './tasks'
import type { Tool, ToolContext, ToolDeps } from './tool'
import { trashItemTool } from './trash'

/** All that chat can do. Nothing here reaches another host, a file, SQL, or erases for good. */
export function createCatalogue(deps: ToolDeps): readonly Tool[] {
  const { services } = deps
  const find = createFinder(services)
  const search = searchTool(services)

  /** The id of the note that a query finds first. Throws not_found. */
  async function bestNote(context: ToolContext, query: string): Promise<string> {
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
    summarizeTool(deps, find, bestNote),
    suggestCardsTool(services, find),
    createNoteTool(deps),
    createTaskTool(services),
    createCardsTool(services, find),
    updateNoteTool(deps, find),
    updateTaskTool(services, find),
    trashItemTool(services, find),
  ]
}
