import type { Context, Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import type { FindOutcome, StoreOutcome } from '../http/responses'
import { readZoneOrDefault } from '../http/values'
import { yieldTurn } from '../lib/steps'
import type { BuildMcpServer } from '../mcp/endpoint'
import { mcpRoutes } from '../mcp/routes'
import type { FollowedChanges } from '../mcp/subscriptions'
import { createExecutor } from '../tools/executor'
import type { Toolbox } from './tools'

export interface McpFeatureDeps extends Pick<Context, 'now' | 'ids' | 'random' | 'log'> {
  readonly version: string
  /** The origins of pages that may call without a key; `*` names none. */
  readonly corsOrigin: '*' | readonly string[]
  readonly tools: Toolbox
  /** Follows the changes of a workspace from now on. Throws too_many_streams, unavailable. */
  readonly subscribe: (session: Session) => Promise<FollowedChanges>
  readonly findOutcome: FindOutcome
  readonly storeOutcome: StoreOutcome
  readonly api: RequestPlugin
}

/** Loads the parts of the library, each before those that need it. */
const LIBRARY: readonly (() => Promise<unknown>)[] = [
  () => import('zod/v4/core'),
  () => import('zod/v4'),
  () => import('@modelcontextprotocol/server'),
]

/** Its library is loaded with the first request. */
export function mcpFeature(deps: McpFeatureDeps) {
  const { version, corsOrigin, subscribe, now, random, log, api } = deps
  const { every, services } = deps.tools
  const readZone = (session: Session) => readZoneOrDefault(session, undefined)
  async function load() {
    // The parts of the library are loaded in turns: all at once they would hold the event loop for three times as long.
    for (const loadPart of LIBRARY) {
      await loadPart()
      await yieldTurn()
    }
    const { createEndpoint, createMcpServer } = await import('../mcp/endpoint')
    const { createSubscriptions } = await import('../mcp/subscriptions')
    const executor = createExecutor({ random, services, catalogue: every, everyTool: every })
    const tools = { ...deps, executor }
    const subscriptions = createSubscriptions({ notes: services.notes, readZone, now, subscribe, log })
    const build: BuildMcpServer = (call, exchange) => createMcpServer({ version, tools, services }, call, exchange)
    return createEndpoint(build, { subscriptions })
  }
  const origins = corsOrigin === '*' ? [] : corsOrigin
  return { routes: mcpRoutes({ load, origins, timeZoneOf: readZone, now, api }) }
}
